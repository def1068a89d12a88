import { bootstrap, comparePaired } from "@praxis/eval";
import { DIFFICULTIES, evaluationScenarios, SUB_ENVIRONMENTS } from "@praxis/polyguard";
import { scenarioMetrics, withEvaluationFolder } from "./evaluation-run.ts";
import type { Measurement } from "./figures.ts";

/** Baselines of the table, in its order. */
const BASELINES = [
  ...["random_legal", "keep_always", "stop_all", "review_always"],
  ...["rule_based", "contextual_bandit", "planner_critic", "oracle_lookahead"],
] as const;
/** Of the full number of scenarios; a twentieth, say, shows that the bench runs. */
const SHARE = Number(process.env.PRAXIS_BENCH_SHARE ?? "1");
const SCENARIOS = Math.max(2, Math.round(100 * SHARE));
const DIFFICULTY = DIFFICULTIES[1];

/** Task score of each baseline in each sub-environment on the same scenarios of `val`, medium. */
export async function measureBaselines(report: (measurement: Measurement) => void): Promise<void> {
  withEvaluationFolder((evaluate) => {
    for (const sub of SUB_ENVIRONMENTS) {
      const wanted = evaluationScenarios({
        subEnvironments: [sub],
        split: "val",
        difficulty: DIFFICULTY,
        n: SCENARIOS,
      });
      const { rows } = evaluate({ policies: BASELINES, subEnvironments: [sub], difficulty: DIFFICULTY, n: SCENARIOS });
      const scores = new Map(BASELINES.map((policy) => [policy, scenarioMetrics(rows, policy, "task_score")]));
      const rules = scores.get("rule_based")!;
      for (const policy of BASELINES) {
        const own = scores.get(policy)!;
        const ids = wanted.filter((id) => own.has(id));
        if (ids.length === 0) continue;
        const { mean, low, high } = bootstrap(ids.map((id) => own.get(id)!));
        const both = ids.filter((id) => rules.has(id));
        const { difference } = comparePaired(
          both.map((id) => own.get(id)!),
          both.map((id) => rules.get(id)!),
        );
        const numbers = [difference.mean, difference.low, difference.high].map((value) => value.toFixed(3));
        report({
          id: `polyguard.baselines.${sub.toLowerCase()}.${policy}`,
          value: mean,
          unit: "task score",
          goal: null,
          peer: policy === "rule_based" ? null : `less rule_based ${numbers[0]} [${numbers[1]}, ${numbers[2]}]`,
          n: ids.length,
          interval: [low, high],
          note: "",
        });
      }
    }
  });
}
