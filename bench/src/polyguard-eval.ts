import { withEvaluationFolder } from "./evaluation-run.ts";
import type { Measurement } from "./figures.ts";
import { scaled } from "./share.ts";

/** Scenarios a task. */
const SCENARIOS = scaled(400);

/** How long a full evaluation takes, cold and with the values of best courses cached. */
export async function measureEvaluation(report: (measurement: Measurement) => void): Promise<void> {
  withEvaluationFolder((evaluate) => {
    const wanted = { policies: ["rule_based"], n: SCENARIOS };
    const cold = evaluate(wanted);
    const warm = evaluate(wanted);
    report({
      id: "polyguard.eval_minutes",
      value: warm.minutes,
      unit: "min",
      goal: "< 2",
      peer: null,
      n: warm.rows.length,
      interval: null,
      note: `8 tasks, ${SCENARIOS} scenarios each, rule_based, values of best courses cached; cold ${cold.minutes.toFixed(2)} min`,
    });
  });
}
