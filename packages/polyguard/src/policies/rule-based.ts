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

/** The rules in the order they are asked; the first that has something to say decides. */
const RULES: readonly PolicyRule[] = [
  steerTapers,
  completeSwitch,
  reconcileItems,
  settleConflict,
  watchMajorAlerts,
  orderMissingValues,
  askHistory,
  answerWorstAlert,
  carryOn,
  fixDoses,
  lookUpUncovered,
  fillOmissions,
  addProtection,
  finishOrWait,
];

/** Decides by the rules; null only when nothing is offered. */
function decideByRules(chart: Chart): Decision | null {
  for (const rule of RULES) {
    const decision = rule(chart);
    if (decision !== null) return decision;
  }
  return null;
}

/**
 * The rule-based baseline: works through the list as a pharmacist would, on the observation and the knowledge base alone. It
 * never picks what the verifier refuses on what it knows, and says why in plain words.
 */
export function makeRuleBasedPolicy(kb: KnowledgeBase): Policy<StepAction, Observation> {
  let reader = new ChartReader(kb);
  return {
    name: "rule_based",
    reset: () => {
      reader = new ChartReader(kb);
    },
    act: (observation) => {
      const chart = reader.read(observation);
      const decision = decideByRules(chart);
      if (decision === null) return { raw: "" };
      reader.choose(chart, decision.offer.payload);
      return actionOf(chart, decision);
    },
  };
}
