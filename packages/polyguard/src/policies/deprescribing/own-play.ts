import { answerWorstAlert, watchMajorAlerts } from "../alert-rules.ts";
import type { PolicyRule } from "../decision.ts";
import { finishOrWait } from "../finish-rule.ts";
import { reconcileItems } from "../information-rules.ts";
import type { PlayTools, PolicyMaker, PolyGuardPolicy } from "../own-play.ts";
import { makeChartPolicy } from "../rule-based.ts";
import { makeDeprescribingOracle } from "./oracle-play.ts";
import { CHART_INSIGHT, type Insight } from "./outlook.ts";
import { sparing, startTarget, steerTargets, waitForTargets } from "./target-rules.ts";

/** The targets first; other dangers are answered where that leaves the drugs alone that must stay. */
export function targetRules(insight: Insight): readonly PolicyRule[] {
  return [
    (chart) => steerTargets(insight, chart),
    (chart) => startTarget(insight, chart),
    reconcileItems,
    watchMajorAlerts,
    sparing(answerWorstAlert),
    waitForTargets,
    finishOrWait,
  ];
}

function makeRuled(name: string): (tools: Pick<PlayTools, "kb">, insight: Insight) => PolyGuardPolicy {
  return ({ kb }, insight) => makeChartPolicy(name, kb, targetRules(insight));
}

/** Policies of LONGITUDINAL_DEPRESCRIBING. */
export const DEPRESCRIBING_PLAY: Readonly<Record<string, PolicyMaker>> = {
  rule_based: (tools) => makeRuled("rule_based")(tools, CHART_INSIGHT),
  oracle_lookahead: makeDeprescribingOracle(makeRuled("oracle_lookahead")),
};
