import type { Policy } from "@praxis/env";
import type { StepAction } from "../actions/schema.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import type { Observation } from "../observation/schema.ts";
import { addProtection, answerWorstAlert, watchMajorAlerts } from "./alert-rules.ts";
import { type Chart, ChartReader } from "./chart.ts";
import type { Decision, PolicyRule } from "./decision.ts";
import { actionOf } from "./explain.ts";
import { finishOrWait } from "./finish-rule.ts";
import {
  askHistory,
  lookUpUncovered,
  orderMissingValues,
  reconcileItems,
  settleConflict,
} from "./information-rules.ts";
import { carryOn, completeSwitch, fillOmissions, fixDoses, steerTapers } from "./therapy-rules.ts";

/**
 * The rules of the medication course in the order they are asked. Conflicts come last: where nothing that is known pays, a
 * review ends the episode, and what a look-up or an order would have shown is never seen.
 */
export const COURSE_RULES: readonly PolicyRule[] = [
  steerTapers,
  completeSwitch,
  reconcileItems,
  watchMajorAlerts,
  orderMissingValues,
  askHistory,
  answerWorstAlert,
  carryOn,
  fixDoses,
  lookUpUncovered,
  fillOmissions,
  addProtection,
  settleConflict,
  finishOrWait,
];

/** Decides by the rules; null only when nothing is offered. */
export function decideByRules(chart: Chart, rules: readonly PolicyRule[]): Decision | null {
  for (const rule of rules) {
    const decision = rule(chart);
    if (decision !== null) return decision;
  }
  return null;
}

/** A policy that reads each observation into a chart and asks the rules in their order; the first that has something to say decides. */
export function makeChartPolicy(
  name: string,
  kb: KnowledgeBase,
  rules: readonly PolicyRule[],
): Policy<StepAction, Observation> {
  let reader = new ChartReader(kb);
  return {
    name,
    reset: () => {
      reader = new ChartReader(kb);
    },
    act: (observation) => {
      const chart = reader.read(observation);
      const decision = decideByRules(chart, rules);
      if (decision === null) return { raw: "" };
      reader.choose(chart, decision.offer.payload);
      return actionOf(chart, decision);
    },
  };
}

/**
 * The rule-based baseline: works through the list as a pharmacist would, on the observation and the knowledge base alone. It
 * never picks what the verifier refuses on what it knows, and says why in plain words.
 */
export function makeRuleBasedPolicy(kb: KnowledgeBase): Policy<StepAction, Observation> {
  return makeChartPolicy("rule_based", kb, COURSE_RULES);
}
