import { reconcileItems } from "../information-rules.ts";
import type { PolicyMaker } from "../own-play.ts";
import { makeChartPolicy } from "../rule-based.ts";
import { startTarget, steerTargets, waitForTargets } from "./target-rules.ts";

/** Policies of LONGITUDINAL_DEPRESCRIBING. */
export const DEPRESCRIBING_PLAY: Readonly<Record<string, PolicyMaker>> = {
  rule_based: ({ kb }) =>
    makeChartPolicy("rule_based", kb, [steerTargets, startTarget, reconcileItems, waitForTargets]),
};
