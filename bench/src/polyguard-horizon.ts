import { mean, shareBetween, showEstimate } from "@praxis/eval";
import { DIFFICULTIES, type Difficulty, type EvaluationRow } from "@praxis/polyguard";
import { scenarioMetrics, withEvaluationFolder } from "./evaluation-run.ts";
import type { Measurement } from "./figures.ts";
import { scaled } from "./share.ts";

/** Tiers measured; PRAXIS_BENCH_TIERS=hard leaves out the others, as hard courses take as long to plan as all others together. */
const TIERS = DIFFICULTIES.filter((tier) => (process.env.PRAXIS_BENCH_TIERS ?? tier).split(",").includes(tier));
/** Scenarios a tier. */
const SCENARIOS = scaled(300);

/** Values of policies on the scenarios that all of them finished, in one order. */
function aligned(rows: readonly EvaluationRow[], policies: readonly string[], metric: string): number[][] {
  const maps = policies.map((policy) => scenarioMetrics(rows, policy, metric));
  const ids = [...maps[0]!.keys()].filter((id) => maps.every((map) => Number.isFinite(map.get(id)))).sort();
  return maps.map((map) => ids.map((id) => map.get(id)!));
}

/** Least share of the way from random to lookahead that is missed by each one-step oracle. */
const HORIZON_GOALS: Readonly<Record<Difficulty, Readonly<Record<string, number>>>> = {
  easy: { oracle_greedy: 0, oracle_settled: 0.1, oracle_year: 0 },
  medium: { oracle_greedy: 0.15, oracle_settled: 0.1, oracle_year: 0 },
  hard: { oracle_greedy: 0.25, oracle_settled: 0.1, oracle_year: 0 },
};
const NO_ORACLES = ["random_legal", "keep_always", "rule_based", "open_loop", "closed_loop"];

/** That planning pays: what one-step oracles miss of the way from random play to the lookahead oracle, by tier. */
export async function measureHorizon(report: (measurement: Measurement) => void): Promise<void> {
  withEvaluationFolder((evaluate) => {
    for (const difficulty of TIERS) {
      const greedy = HORIZON_GOALS[difficulty];
      const policies = ["oracle_lookahead", ...Object.keys(greedy), ...NO_ORACLES];
      const { rows } = evaluate({ policies, subEnvironments: ["DDI"], difficulty, n: SCENARIOS });
      let isMet = true;
      const notes = Object.entries(greedy).map(([policy, least]) => {
        const [score, low, high] = aligned(rows, [policy, "random_legal", "oracle_lookahead"], "j");
        const reached = shareBetween(score!, low!, high!);
        if (reached === null) return `${policy} not measured`;
        const missed = { n: reached.n, mean: 1 - reached.mean, low: 1 - reached.high, high: 1 - reached.low };
        isMet &&= least === 0 ? missed.low > 0 : missed.low >= least;
        return `${policy} ${showEstimate(missed)}`;
      });
      const means = policies.map((policy) => ({ policy, j: mean(aligned(rows, [policy], "j")[0]!) }));
      const above = means.filter(({ j }) => j > means[0]!.j);
      report({
        id: `polyguard.horizon.${difficulty}`,
        value: isMet && above.length === 0 ? 1 : 0,
        unit: "holds",
        goal: "= 1",
        peer: null,
        n: SCENARIOS,
        interval: null,
        note: `DDI; lookahead minus policy as share of random to lookahead: ${notes.join(", ")}; above lookahead in mean J: ${above.length === 0 ? "none" : above.map(({ policy }) => policy).join(", ")}`,
      });
    }
  });
}
