import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { checkFlow } from "../src/config/check.ts";
import { diskFiles } from "../src/node/files.ts";

const base = mkdtempSync(join(tmpdir(), "flow-files-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const codes = async (name: string) =>
  (await checkFlow(join(base, name), { files: diskFiles })).problems.map((problem) => [
    problem.code,
    problem.suggestion,
  ]);

test("a missing file, a folder, a file too large and one that is no UTF-8 are told apart", async () => {
  mkdirSync(join(base, "folder"));
  writeFileSync(join(base, "large.yml"), `# ${"x".repeat(1_048_576)}`);
  writeFileSync(join(base, "latin.yml"), Buffer.from([0x61, 0x3a, 0x20, 0xe9, 0x0a]));
  expect(await codes("lagre.yml")).toEqual([["E101", "large.yml"]]);
  expect(await codes("folder")).toEqual([["E102", undefined]]);
  expect(await codes("large.yml")).toEqual([["E104", undefined]]);
  expect(await codes("latin.yml")).toEqual([["E104", undefined]]);
});

test("Node's own modules are imported under src/node only, so that the rest runs in a browser", () => {
  const src = `${import.meta.dirname}/../src`;
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const users = files.filter((name) => /from "(?:node:|ws")/.test(readFileSync(join(src, name), "utf8")));
  expect(users.length).toBeGreaterThan(0);
  expect(users.filter((name) => !name.startsWith("node/"))).toEqual([]);
});

test("no library code reads the clock, the environment or chance by itself", () => {
  const src = `${import.meta.dirname}/../src`;
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && name !== "node/dashboard-page.ts",
  );
  const users = files.filter((name) =>
    /Math\.random|Date\.now|process\.env\b/.test(readFileSync(join(src, name), "utf8")),
  );
  expect(users).toEqual([]);
});
