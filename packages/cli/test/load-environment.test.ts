import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadEnvironment } from "../src/load-environment.ts";

const DEFINITION = '{ id: "Mine-v0", name: "mine", makeEnv() {} }';
let folder: string;
const write = (path: string, text: string): string => {
  const target = join(folder, path);
  mkdirSync(join(target, ".."), { recursive: true });
  writeFileSync(target, text);
  return target;
};
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "praxis-load-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a module's default export is taken before the export named definition", async () => {
  const both = write(
    "both.mjs",
    `export default ${DEFINITION}; export const definition = { ...${DEFINITION}, name: "other" };`,
  );
  expect(await loadEnvironment(both)).toMatchObject({
    module: both,
    exportName: "default",
    definition: { name: "mine" },
  });
  const named = write("named.mjs", `export const definition = ${DEFINITION};`);
  expect(await loadEnvironment(named)).toMatchObject({ exportName: "definition", definition: { id: "Mine-v0" } });
});

test.each([
  ["exports as text", '{ "exports": "./lib/a.mjs" }'],
  ["exports with conditions", '{ "exports": { ".": { "types": "./x.d.ts", "default": "./lib/a.mjs" } } }'],
  ["main", '{ "main": "lib/a.mjs" }'],
])("a folder is entered by its package.json: %s", async (name, manifest) => {
  const at = name.replaceAll(" ", "-");
  write(`${at}/package.json`, manifest);
  const module = write(`${at}/lib/a.mjs`, `export default ${DEFINITION};`);
  expect((await loadEnvironment(join(folder, at))).module).toBe(module);
});

test.each<[rule: string, path: () => string, message: string]>([
  ["a missing path", () => join(folder, "none.js"), "No environment module at"],
  ["a folder without package.json", () => join(write("empty/x.txt", ""), ".."), "has no package.json"],
  [
    "a package that is not built",
    () => join(write("unbuilt/package.json", '{ "main": "dist/a.js" }'), ".."),
    "Build the package first",
  ],
  ["a module that throws", () => write("throws.mjs", 'throw new Error("boom");'), "could not be loaded: boom."],
  ["a module without a definition", () => write("other.mjs", "export const x = 1, y = 2;"), "it has x, y"],
])("%s is refused with what to do", async (_rule, path, message) => {
  await expect(loadEnvironment(path())).rejects.toMatchObject({
    code: "INVALID_CONFIG",
    message: expect.stringContaining(message),
  });
});
