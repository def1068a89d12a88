import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

test("every command of the README's tour works as it stands there", async () => {
  const { stderr } = await promisify(execFile)(process.execPath, ["scripts/tour.mjs", "--check"], { cwd: root });
  expect(stderr).toBe("");
}, 120_000);
