import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { Difficulty, EvaluationRow } from "@praxis/polyguard";
import { praxis } from "./praxis-command.ts";

/** Runs `praxis eval polyguard` as a user would; rows of every episode and the minutes it took. */
export type Evaluate = (wanted: {
  readonly policies: readonly string[];
  /** Default all. */
  readonly subEnvironments?: readonly string[];
  /** Default medium. */
  readonly difficulty?: Difficulty;
  readonly n: number;
}) => { readonly minutes: number; readonly rows: readonly EvaluationRow[] };

/** Lets evaluations run that share what best courses are worth, in a folder that is removed afterwards. */
export function withEvaluationFolder(run: (evaluate: Evaluate) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "praxis-bench-"));
  let count = 0;
  try {
    run(({ policies, subEnvironments, difficulty = "medium", n }) => {
      const out = join(folder, `run${count++}`);
      const args = [
        "eval",
        "polyguard",
        "--policies",
        policies.join(","),
        "--difficulty",
        difficulty,
        "--n",
        String(n),
      ];
      args.push("--sub-environments", subEnvironments?.join(",") ?? "all", "--out", out, "--json");
      args.push("--oracle-cache", join(folder, "oracle"));
      const begun = performance.now();
      praxis(...args);
      const minutes = (performance.now() - begun) / 60_000;
      const rows = readFileSync(join(out, "episodes.jsonl"), "utf8")
        .trimEnd()
        .split("\n")
        .flatMap((line) => (JSON.parse(line) as { rows: EvaluationRow[] }).rows);
      return { minutes, rows };
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A metric of a policy by scenario; scenarios that it does not apply to are left out. */
export function scenarioMetrics(
  rows: readonly EvaluationRow[],
  policy: string,
  metric: string,
): ReadonlyMap<string, number> {
  return new Map(
    rows.flatMap((row) => {
      const value = row.policy === policy ? row.metrics[metric] : undefined;
      return value === undefined ? [] : [[row.scenarioId, value] as const];
    }),
  );
}
