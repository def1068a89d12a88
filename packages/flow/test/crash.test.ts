import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readRunLog } from "../src/node/run-folder.ts";
import { team } from "./support/files.ts";

const CHILD = `${import.meta.dirname}/support/crash-child.mjs`;
const base = mkdtempSync(join(tmpdir(), "flow-crash-"));
const file = join(base, "flow.yml");
let whole = "";

beforeAll(() => {
  // A process of its own runs what is built, as this Node loads no TypeScript.
  execFileSync("npx", ["tsc", "-b", "packages/flow"], { cwd: `${import.meta.dirname}/../../..` });
  const ids = ["a", "b", "c", "d", "e", "f"];
  writeFileSync(
    file,
    `${team(...ids, "z")}workflow:\n  type: parallel\n  max_concurrency: 3\n  branches: [${ids.join(", ")}]\n  then: { agent: z }\n`,
  );
  whole = execFileSync(process.execPath, [CHILD, file, join(base, "whole"), join(base, "whole.calls"), "0"], {
    encoding: "utf8",
  });
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Starts a run and kills it without warning once its log holds so many calls, or after so many ms more. */
async function killed(folder: string, calls: string, afterCalls: number): Promise<void> {
  const child = spawn(process.execPath, [CHILD, file, folder, calls, "40"], { stdio: "ignore" });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  const log = join(folder, "checkpoint.ndjson");
  while (
    (existsSync(log) ? (readFileSync(log, "utf8").match(/"kind":"call"/g)?.length ?? 0) : 0) < afterCalls &&
    child.exitCode === null
  )
    await new Promise((resolve) => setTimeout(resolve, 3));
  child.kill("SIGKILL");
  await ended;
}

test.each([1, 3, 5])(
  "acceptance 7: killed without warning after %i calls, a resumed run repeats no finished call or branch and gives the uninterrupted result",
  async (afterCalls) => {
    const folder = join(base, `run${afterCalls}`);
    const calls = join(base, `calls${afterCalls}`);
    await killed(folder, calls, afterCalls);
    const log = readRunLog(folder);
    const held = log.flatMap((entry) => (entry.kind === "call" ? [entry.path] : []));
    const finished = log.flatMap((entry) => (entry.kind === "step" ? [entry.path] : []));
    expect(held.length).toBeGreaterThanOrEqual(afterCalls);
    expect(held.length).toBeLessThan(7);
    appendFileSync(calls, "resume\n");
    const resumed = execFileSync(process.execPath, [CHILD, file, folder, calls, "0"], { encoding: "utf8" });
    expect(JSON.parse(resumed)).toEqual(JSON.parse(whole));
    const begun = readFileSync(calls, "utf8")
      .split("resume\n")[1]!
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.replace("begin ", ""));
    expect(begun.filter((path) => held.includes(path))).toEqual([]);
    expect(begun.filter((path) => finished.some((step) => path.startsWith(`${step}/`)))).toEqual([]);
  },
);
