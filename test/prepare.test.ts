import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runProgram } from "./peers.ts";

const script = fileURLToPath(new URL("../scripts/prepare.mjs", import.meta.url));
const { whyInstall } = (await import(script)) as { whyInstall(folder: string): string | null };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "praxis-prepare-"));
  mkdirSync(join(folder, "node_modules", "a"), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (path: string, packages: object): void => writeFileSync(join(folder, path), JSON.stringify({ packages }));
const wanted = (packages: object): void => write("package-lock.json", { "": { name: "root" }, ...packages });
const installed = (packages: object): void => write("node_modules/.package-lock.json", packages);
const A = { "node_modules/a": { version: "1.0.0", dev: true } };

test("nothing is installed again when the lock and what is installed agree", () => {
  wanted({ ...A, "node_modules/other-platform": { version: "1.0.0", optional: true } });
  installed({ "node_modules/a": { version: "1.0.0" } });
  expect(whyInstall(folder)).toBeNull();
});

test("a checkout without node_modules is installed", () => {
  wanted(A);
  expect(whyInstall(folder)).toBe("nothing is installed yet");
});

test("a missing, another, or left-over version is installed, and named", () => {
  wanted(A);
  installed({});
  expect(whyInstall(folder)).toBe("node_modules/a is missing");
  installed({ "node_modules/a": { version: "0.9.0" } });
  expect(whyInstall(folder)).toBe("node_modules/a is 0.9.0, the lock says 1.0.0");
  installed({ ...A, "node_modules/b": { version: "2.0.0" } });
  expect(whyInstall(folder)).toBe("node_modules/b is no longer wanted");
});

test("a workspace whose link is gone is installed", () => {
  const link = { "node_modules/b": { resolved: "packages/b", link: true } };
  wanted({ ...A, ...link });
  installed({ ...A, ...link });
  expect(whyInstall(folder)).toBe("node_modules/b is missing");
});

test("a broken lock is told, not guessed around", () => {
  writeFileSync(join(folder, "package-lock.json"), "{");
  expect(() => whyInstall(folder)).toThrow("package-lock.json is missing or not readable");
});

test("an unknown flag ends with exit code 2 and the usage", async () => {
  const { code, stderr } = await runProgram(process.execPath, [script, "--intsall"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("unknown flag --intsall. Usage:")]);
});
