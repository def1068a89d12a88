import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { praxis } from "./run-praxis.ts";

const folder = mkdtempSync(join(tmpdir(), "praxis-audit-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a trace of play is verified, explained and exported; a changed byte of trace or log is found with exit code 1", async () => {
  const trace = join(folder, "shift.jsonl");
  const log = join(folder, "log.jsonl");
  expect((await praxis("play", "spindleflow", "--seed", "3", "--tasks-per-episode", "1", "--trace", trace)).code).toBe(
    0,
  );
  expect((await praxis("audit", "verify", trace)).out).toContain("ok     SpindleFlow-v0-3");
  const explained = await praxis("audit", "explain", trace, "SpindleFlow-v0-3");
  expect(explained.out).toMatch(/It (chose|stopped)/);
  expect((await praxis("audit", "export", trace, "--out", log)).code).toBe(0);
  expect((await praxis("audit", "verify", folder)).out.match(/^ok /gm)).toHaveLength(2);

  const text = readFileSync(log, "utf8");
  const bad = join(folder, "bad.txt");
  writeFileSync(
    bad,
    text.replace(/"costUnits":\d/, (found) => `${found.slice(0, -1)}${found.endsWith("9") ? 8 : 9}`),
  );
  const found = await praxis("audit", "verify", bad);
  expect([found.code, found.out]).toEqual([1, expect.stringContaining("does not fit its hash")]);
  writeFileSync(bad, readFileSync(trace, "utf8").replace(/"reward":-?0/, '"reward":7'));
  expect((await praxis("audit", "verify", bad)).code).toBe(1);
  const other = await praxis("audit", "verify", log, "--head", "0".repeat(64));
  expect([other.code, other.out]).toEqual([1, expect.stringContaining("not with the one given")]);
});

test("an unknown episode and a missing file are named", async () => {
  const trace = join(folder, "shift.jsonl");
  const unknown = await praxis("audit", "explain", trace, "SpindleFlow-v0-4");
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining("There: SpindleFlow-v0-3")]);
  expect((await praxis("audit", "verify", join(folder, "nothing"))).code).toBe(2);
});
