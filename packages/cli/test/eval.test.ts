import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { appendJsonLines, readJsonLines } from "../src/evaluation/results-file.ts";
import { praxis } from "./run-praxis.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "praxis-eval-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const evaluate = (out: string, ...more: string[]) =>
  praxis(
    ...["eval", "polyguard", "--policies", "keep_always,random_legal", "--difficulty", "easy", "--n", "3"],
    ...["--sub-environments", "PRECISION_DOSING,NEW_DRUG_DECOMPOSITION", "--oracle-cache", join(folder, "cache")],
    ...["--out", join(folder, out), ...more],
  );
const read = (...path: string[]): string => readFileSync(join(folder, ...path), "utf8");

// Workers run the compiled command.
describe("eval", () => {
  beforeAll(async () => {
    expect(await evaluate("one", "--workers", "1")).toMatchObject({ code: 0, err: expect.stringContaining("Played") });
  });

  test("the report tells n and intervals, is written in three forms, and carries the notice", async () => {
    for (const file of ["report.md", "report.html", "report.json"])
      expect(read("one", file)).toMatch(/not medical advice/i);
    expect(read("one", "report.md")).toMatch(/\| PRECISION_DOSING \| keep_always \| 3 \| \d\.\d{3} \[/);
    expect(readdirSync(join(folder, "one", "figures"))).toContain("task-score.json");
  });

  test("two workers give the same report as one, to the last byte", async () => {
    expect((await evaluate("two", "--workers", "2")).code).toBe(0);
    for (const file of ["report.md", "report.html", "report.json"]) expect(read("two", file)).toBe(read("one", file));
  });

  test("a run that was killed in the middle of a line goes on and ends with the same report", async () => {
    expect((await evaluate("killed", "--workers", "1")).code).toBe(0);
    const lines = read("killed", "episodes.jsonl").split("\n");
    writeFileSync(
      join(folder, "killed", "episodes.jsonl"),
      `${lines.slice(0, 2).join("\n")}\n${lines[2]!.slice(0, 50)}`,
    );
    expect((await evaluate("killed", "--workers", "1", "--resume")).code).toBe(0);
    expect(read("killed", "report.json")).toBe(read("one", "report.json"));
    expect(read("killed", "episodes.jsonl")).toBe(lines.join("\n"));
  });

  test("a folder with a run is not written over, and not resumed with other settings", async () => {
    expect(await evaluate("one")).toMatchObject({ code: 2, err: expect.stringContaining("--resume") });
    const other = await evaluate("one", "--resume", "--n", "2");
    expect(other).toMatchObject({ code: 2, err: expect.stringContaining("other settings") });
  });

  test("unknown names are refused with the nearest one, before anything is written", async () => {
    const wrong = await praxis("eval", "polyguard", "--policies", "rule_basde", "--out", join(folder, "never"));
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining("rule_based") });
    const perturbed = await praxis("eval", "polyguard", "--perturbations", "drop_lab", "--out", join(folder, "never"));
    expect(perturbed).toMatchObject({ code: 2, err: expect.stringContaining("drop_labs") });
    expect(existsSync(join(folder, "never"))).toBe(false);
  });
});

describe("results file", () => {
  test("a cut-off last line is taken off, and what is added then stands on a line of its own", () => {
    const path = join(folder, "lines.jsonl");
    appendJsonLines(path, [{ a: 1 }, { a: 2 }]);
    appendFileSync(path, '{"a":');
    expect(readJsonLines(path)).toEqual([{ a: 1 }, { a: 2 }]);
    appendJsonLines(path, [{ a: 3 }]);
    expect(readJsonLines(path)).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }]);
  });

  test("a file that is not there has no lines", () => {
    expect(readJsonLines(join(folder, "none.jsonl"))).toEqual([]);
  });
});
