import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkNewName, newId } from "../src/new/names.ts";
import { writeProject } from "../src/new/write-project.ts";

let workspace: string;
beforeAll(() => {
  workspace = mkdtempSync(join(tmpdir(), "praxis-new-"));
});
afterAll(() => rmSync(workspace, { recursive: true, force: true }));

describe("the name of a new environment", () => {
  test.each([
    ["LightsOut", "'lights-out' would do"],
    ["lights out!", "'lights-out' would do"],
    ["9lives", "'lives' would do"],
    ["--", "'my-env' would do"],
    ["a--b", "'a-b' would do"],
    ["../evil", "'evil' would do"],
    ["", "'my-env' would do"],
    ["x".repeat(41), `'${"x".repeat(40)}' would do`],
  ])("'%s' is refused, and told what would do", (name, message) => {
    expect(() => checkNewName(name, [])).toThrow(message);
  });

  test("is refused when an environment has it, or has it but for hyphens", () => {
    expect(() => checkNewName("polyguard", ["polyguard"])).toThrow("'polyguard-2' would do");
    expect(() => checkNewName("poly-guard", ["polyguard"])).toThrow("too near to the environment 'polyguard'");
    expect(() => checkNewName("lights-out", ["polyguard"])).not.toThrow();
  });

  test("is refused when Python could not import the package", () => {
    expect(() => checkNewName("server", [])).toThrow("can't be a Python package");
  });

  test("becomes an id with its first version", () => {
    expect(newId("lights-out")).toBe("LightsOut-v0");
  });
});

describe("a new environment", () => {
  test("is complete, named throughout, and leaves no mark of its template", () => {
    const folder = join(workspace, "lights-out");
    const written = writeProject({ name: "lights-out", folder, taken: [] });
    expect(written).toEqual([
      ".gitignore",
      "README.md",
      "package.json",
      "scripts/openenv.mjs",
      "src/definition.ts",
      "src/game.ts",
      "src/index.ts",
      "src/tools.ts",
      "test/environment.test.ts",
      "tsconfig.json",
    ]);
    const text = written.map((path) => readFileSync(join(folder, path), "utf8")).join("\n");
    expect(text).toContain("id: ID");
    expect(text).toContain('"LightsOut-v0"');
    expect(text).not.toMatch(/__[A-Z]+__/);
    for (const heading of [
      "Task",
      "Observation",
      "Action",
      "Reward",
      "End of an episode",
      "Starting state",
      "Version history",
    ])
      expect(text).toContain(`## ${heading}\n`);
  });

  test("takes the packages of the checkout that wrote it, by path", () => {
    const folder = join(workspace, "from-checkout");
    writeProject({ name: "from-checkout", folder, taken: [] });
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    expect(dependencies["@praxis/env"]).toMatch(/^file:\/.*env$/);
    expect(devDependencies["@praxis/cli"]).toMatch(/^file:\/.*cli$/);
    expect(dependencies.zod).toMatch(/^\d+\.\d+\.\d+$/);
  });

  test("never goes into a folder that holds something, nor over a file; an empty folder will do", () => {
    const full = join(workspace, "full");
    mkdirSync(full);
    writeFileSync(join(full, "mine.txt"), "");
    expect(() => writeProject({ name: "full", folder: full, taken: [] })).toThrow("exists and is not empty");
    expect(readdirSync(full)).toEqual(["mine.txt"]);
    const file = join(full, "mine.txt");
    expect(() => writeProject({ name: "full", folder: file, taken: [] })).toThrow("is a file");
    const empty = join(workspace, "empty");
    mkdirSync(empty);
    expect(() => writeProject({ name: "empty", folder: empty, taken: [] })).not.toThrow();
  });

  test("is not begun when its name is bad", () => {
    expect(() => writeProject({ name: "No", folder: join(workspace, "no"), taken: [] })).toThrow("'no' would do");
    expect(readdirSync(workspace)).not.toContain("no");
  });
});
