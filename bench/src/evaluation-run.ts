import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { PraxisError } from "@praxis/env";
import type { Difficulty, EvaluationRow } from "@praxis/polyguard";

const CLI = fileURLToPath(new URL("../../packages/cli/bin/praxis.js", import.meta.url));

/** Of the full numbers of scenarios; `PRAXIS_BENCH_SHARE=0.05` plays a twentieth, to show that a benchmark runs. */
const SHARE = Number(process.env.PRAXIS_BENCH_SHARE ?? "1");

/** A number of scenarios or states as the share wants it, at least two. */
export function scaled(n: number): number {
  return Math.max(2, Math.round(n * SHARE));
}

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
      const done = spawnSync(process.execPath, [CLI, ...args], { encoding: "utf8", maxBuffer: 1e9 });
      if (done.status !== 0) throw new PraxisError("ENVIRONMENT_ERROR", `praxis ${args.join(" ")}: ${done.stderr}`);
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
