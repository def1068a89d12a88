import type { StepAction, WireAction } from "../../actions/schema.ts";
import type { ActionPayload } from "../../actions/types.ts";
import type { SubEnvironment } from "../../scenario/types.ts";
import { decideReplacement, rankByEstimate } from "../alternative/own-play.ts";
import type { Chart } from "../chart.ts";
import type { Decision, PolicyRule } from "../decision.ts";
import { CHART_INSIGHT } from "../deprescribing/outlook.ts";
import { targetRules } from "../deprescribing/own-play.ts";
import { PROPORTIONAL_RULES } from "../dosing/own-play.ts";
import { actionOf } from "../explain.ts";
import { MISSING_DATA_RULES } from "../missing-data-rules.ts";
import { actOnEstimate } from "../new-drug/play.ts";
import { REGIMEN_RULES } from "../regimen/own-play.ts";
import { COURSE_RULES, decideByRules } from "../rule-based.ts";

/** The action that the rules of a sub-environment would take, and what it does. */
export interface Advice {
  readonly action: WireAction;
  readonly payload: ActionPayload | null;
}

const RULES: Readonly<Partial<Record<SubEnvironment, readonly PolicyRule[]>>> = {
  DDI: COURSE_RULES,
  REGIMEN_RISK: REGIMEN_RULES,
  PRECISION_DOSING: PROPORTIONAL_RULES,
  LONGITUDINAL_DEPRESCRIBING: targetRules(CHART_INSIGHT),
  WEB_SEARCH_MISSING_DATA: MISSING_DATA_RULES,
};

/**
 * What the rule-based agent would do on a chart; null where it has nothing to say, and in BANDIT_MINING, whose miner speaks for
 * itself.
 */
export function adviceOn(chart: Chart): Advice | null {
  const { observation } = chart;
  const rules = RULES[observation.sub_environment];
  if (rules !== undefined) return ofDecision(chart, decideByRules(chart, rules));
  if (observation.alternative !== undefined) {
    const { alternative: block } = observation;
    const advice = ofDecision(chart, decideReplacement(chart, block));
    if (advice?.payload?.type !== "RECOMMEND_ALTERNATIVE") return advice;
    const ids = rankByEstimate(chart, block).map(
      (key) => block.options.find(({ option }) => option === key)!.candidate_id,
    );
    return { ...advice, action: { ...advice.action, ranking: ids.slice(0, 3) } };
  }
  if (observation.new_drug === undefined) return null;
  const action = actOnEstimate(chart, observation.new_drug);
  return isTyped(action) ? { action, payload: null } : null;
}

function ofDecision(chart: Chart, decision: Decision | null): Advice | null {
  if (decision === null) return null;
  const action = actionOf(chart, decision);
  return isTyped(action) ? { action, payload: decision.offer.payload } : null;
}

/** True for an action with fields, as against a model's text. */
export function isTyped(action: StepAction): action is WireAction {
  return "action_type" in action;
}
