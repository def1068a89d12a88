import { answerWorstAlert, watchMajorAlerts } from "../alert-rules.ts";
import { finishOrWait } from "../finish-rule.ts";
import { reconcileItems } from "../information-rules.ts";
import type { PolicyMaker } from "../own-play.ts";
import { makeChartPolicy } from "../rule-based.ts";
import { sparing, startTarget, steerTargets, waitForTargets } from "./target-rules.ts";

/** The targets first; other dangers are answered where that leaves the drugs alone that must stay. */
const RULES = [
  steerTargets,
  startTarget,
  reconcileItems,
  watchMajorAlerts,
  sparing(answerWorstAlert),
  waitForTargets,
  finishOrWait,
];

/** Policies of LONGITUDINAL_DEPRESCRIBING. */
export const DEPRESCRIBING_PLAY: Readonly<Record<string, PolicyMaker>> = {
  rule_based: ({ kb }) => makeChartPolicy("rule_based", kb, RULES),
};
