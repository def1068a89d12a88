import { type ActionEffect, effectOf } from "../actions/effect.ts";
import type { Verdict } from "../actions/legality.ts";
import type { LegalityContext } from "../actions/legality-context.ts";
import { type ActionPayload, isInformationAction, usesChange } from "../actions/types.ts";
import type { CourseContext } from "../course/context.ts";
import type { CourseEvaluator, CourseValue } from "../course/evaluator.ts";
import { trueFacts } from "../interactions/facts.ts";
import type { WorldState } from "../world/types.ts";
import { antiCheatScore, type CheatFlag } from "./anti-cheat.ts";
import { isAbstaining, type StateAssessment } from "./assessment.ts";
import { dosingQuality } from "./dosing-quality.ts";
import { applyGates, type GateName } from "./gates.ts";
import { valueOfInformation } from "./information-value.ts";
import { createsLatentContraindication } from "./latent-contraindication.ts";
import { processFidelity } from "./process-fidelity.ts";
import { quantize } from "./quantize.ts";
import type { Channels, Components } from "./settings.ts";
import { type CompiledWeights, totalReward } from "./total.ts";
import {
  burdenImprovement,
  CHURN_LIMIT,
  diseaseStability,
  type EpisodeCredit,
  efficiency,
  legality as legalityScore,
  lowerReferences,
  safetyDelta,
  uncertaintyCalibration,
} from "./value-components.ts";

/** The state that a step is scored in. */
export interface ScoredState {
  readonly course: CourseContext;
  readonly evaluator: CourseEvaluator;
  /** True state before the action. */
  readonly world: WorldState;
  readonly legality: LegalityContext;
  readonly assessment: StateAssessment;
  readonly credit: EpisodeCredit;
  readonly weights: CompiledWeights;
  /** Steps so far in the episode, this one not counted. */
  readonly step: number;
  readonly maxSteps: number;
  /** The sub-environment's own estimate of what an information action is worth; absent or null = the general one. */
  readonly informationValue?: (payload: ActionPayload) => number | null;
  /** Whether a legal choice is good by the sub-environment's own measure; null = by the course value. */
  readonly ownJudgement?: (payload: ActionPayload | null) => boolean | null;
  /** Components that the sub-environment scores in its own way; null payload = nothing is carried out. Absent = none. */
  readonly ownComponents?: (payload: ActionPayload | null, confidence: number) => Partial<Components>;
}

/** What was done, as far as the score cares. */
export interface ScoredAction {
  /** Payload that was meant; null = not understood or no candidate. */
  readonly payload: ActionPayload | null;
  readonly verdict: Pick<Verdict, "legal" | "hard" | "soft">;
  readonly isUnparsable: boolean;
  readonly formatScore: number;
  readonly alignmentScore: number;
  readonly groundingScore: number;
  /** Stated confidence; 0 when nothing was understood. */
  readonly confidence: number;
  /** The action changed nothing at all. */
  readonly isNoEffect: boolean;
  readonly changeCost: number;
  readonly flags: readonly CheatFlag[];
}

/** Reward of a step and how it came about. */
export interface StepScore {
  readonly reward: number;
  readonly components: Components;
  readonly channels: Channels;
  /** Weighted sum before the gates. */
  readonly ungated: number;
  readonly gates: readonly GateName[];
  /** Reward without any credit in c4-c6, should the step's credit be voided later. */
  readonly voidedReward: number;
  /** The choice was good in the sense of c13. */
  readonly isGoodChoice: boolean;
  readonly value: CourseValue;
}

const NO_COMPONENTS: Partial<Components> = {};

/** U(a) is good within this share of the range from best to worst legal. */
const GOOD_SHARE = 0.25;

/** True when the choice is legal and near enough to the best: the truth that confidence is held against. */
export function isGoodChoice(assessment: StateAssessment, isLegal: boolean, utility: number): boolean {
  const { best, worstLegal } = assessment;
  return isLegal && utility >= best - GOOD_SHARE * (best - worstLegal) - 1e-12;
}

/** Course value of a payload in an assessed state: KEEP's for what changes no therapy or is not carried out. */
export function courseValueOf(state: ScoredState, payload: ActionPayload | null, isCarriedOut: boolean): CourseValue {
  if (payload === null || !isCarriedOut || isPassive(payload)) return state.assessment.keep;
  // The evaluator may have been begun with another state since, so the values that were worked out with the state come first.
  const assessed = state.assessment.candidates.find(({ candidate }) => candidate.payload === payload);
  if (assessed !== undefined) return assessed.value;
  state.evaluator.begin(state.course, state.world);
  return state.evaluator.value(payload);
}

/** Scores one step: the 13 components, four channels, the total and the gates in order. */
export function scoreStep(state: ScoredState, action: ScoredAction): StepScore {
  const { assessment, legality, course, world, weights } = state;
  const { payload, verdict, flags } = action;
  const isCarriedOut = payload !== null && verdict.legal;
  const value = courseValueOf(state, payload, isCarriedOut);
  const cost = isCarriedOut ? action.changeCost : 0;
  const utility = value.utility - cost;
  const judged = isCarriedOut ? (state.ownJudgement?.(payload) ?? null) : null;
  const isGood = judged ?? isGoodChoice(assessment, verdict.legal, utility);
  const effect = payload === null ? null : effectOf(legality, payload);
  const voi =
    isCarriedOut && isInformationAction(payload.type)
      ? (state.informationValue?.(payload) ??
        valueOfInformation(
          course,
          state.evaluator,
          world,
          legality,
          payload,
          assessment.candidates.map(({ candidate }) => candidate),
        ))
      : 0;
  const { keep } = assessment;
  const isSmall = isCarriedOut && usesChange(payload.type) && Math.abs(utility - keep.utility) < CHURN_LIMIT;
  const isVoided = flags.some(({ id }) => id === "A11");
  const credit = lowerReferences(state.credit, keep);
  const context = { keep, credit, isCapped: isSmall || isVoided, voi };
  const raw = {
    format_compliance_score: action.formatScore,
    candidate_alignment_score: action.alignmentScore,
    legality_score: legalityScore(verdict.hard.length, verdict.soft.length),
    safety_delta_score: safetyDelta(value, context),
    burden_improvement_score: burdenImprovement(value, context),
    disease_stability_score: diseaseStability(value, context),
    dosing_quality_score: dosingQuality(legality.kb, course.scenario.patient, world, isCarriedOut ? payload : null),
    abstention_quality_score: payload === null ? 0 : abstentionQuality(assessment, payload),
    efficiency_score: efficiency(
      state.step,
      state.maxSteps,
      isIdleStep(state, payload, isCarriedOut, action.isNoEffect),
    ),
    process_fidelity_score: effect === null ? 0 : processFidelity(legality, effect, assessment),
    explanation_grounding_score: action.groundingScore,
    anti_cheat_score: antiCheatScore(flags),
    uncertainty_calibration_score: uncertaintyCalibration(action.confidence, isGood),
  };
  const own = state.ownComponents?.(isCarriedOut ? payload : null, action.confidence) ?? NO_COMPONENTS;
  const components = quantizeAll(Object.assign(raw, own));
  const { channels, total } = totalReward(components, weights);
  const gateInput = {
    isUnparsable: action.isUnparsable,
    isHardIllegal: !verdict.legal,
    isHardExploit: flags.some(({ level }) => level === "hard"),
    createsLatentContraindication:
      isCarriedOut &&
      effect !== null &&
      createsLatentContraindication(legality.kb, world, trueFacts(course.scenario.patient, world), effect),
    // Where a sub-environment judges safety by its own model, harm on the course says nothing of the action.
    netHarm: own.safety_delta_score === undefined ? Math.max(value.harm + cost - keep.harm, keep.utility - utility) : 0,
    isIdle: payload !== null && isIdleKind(payload) && assessment.isDangerVisible && !assessment.needsAbstention,
  };
  const { reward, bound } = applyGates(total, gateInput);
  // The rest of the step stands as it is.
  const voided = { keep, credit, isCapped: true, voi: 0 };
  raw.safety_delta_score = safetyDelta(value, voided);
  raw.burden_improvement_score = burdenImprovement(value, voided);
  raw.disease_stability_score = diseaseStability(value, voided);
  const capped = quantizeAll(Object.assign(raw, own));
  return {
    reward,
    components,
    channels,
    ungated: total,
    gates: bound,
    voidedReward: applyGates(totalReward(capped, weights).total, gateInput).reward,
    isGoodChoice: isGood,
    value,
  };
}

/**
 * r_keep: the weighted sum KEEP would have in this state before the gates, in perfect form, without the halving of c9 and
 * with the best confidence.
 */
export function keepReward(state: ScoredState): number {
  const { assessment, legality, course, world } = state;
  const { keep } = assessment;
  const context = { keep, credit: lowerReferences(state.credit, keep), isCapped: false, voi: 0 };
  const payload: ActionPayload = { type: "KEEP_REGIMEN" };
  const effect: ActionEffect = effectOf(legality, payload);
  const isGood = state.ownJudgement?.(payload) ?? isGoodChoice(assessment, true, assessment.keep.utility);
  const components = quantizeAll({
    format_compliance_score: 1,
    candidate_alignment_score: 1,
    legality_score: 1,
    safety_delta_score: safetyDelta(keep, context),
    burden_improvement_score: burdenImprovement(keep, context),
    disease_stability_score: diseaseStability(keep, context),
    dosing_quality_score: dosingQuality(legality.kb, course.scenario.patient, world, null),
    abstention_quality_score: abstentionQuality(assessment, payload),
    efficiency_score: efficiency(state.step, state.maxSteps, false),
    process_fidelity_score: processFidelity(legality, effect, assessment),
    explanation_grounding_score: 1,
    anti_cheat_score: 1,
    uncertainty_calibration_score: uncertaintyCalibration(isGood ? 1 : 0, isGood),
    ...state.ownComponents?.(payload, 1),
  });
  return totalReward(components, state.weights).total;
}

/** References after a step: KEEP's value counts as reached, and so does that of what was carried out. */
export function advanceCredit(credit: EpisodeCredit, keep: CourseValue, reached: CourseValue): EpisodeCredit {
  return lowerReferences(lowerReferences(credit, keep), reached);
}

/** c8: abstaining is right when there is a need for it, deciding when there is none. */
export function abstentionQuality(assessment: StateAssessment, payload: ActionPayload): number {
  const { needsAbstention, best, second } = assessment;
  if (isAbstaining(payload.type)) return needsAbstention ? 1 : 0.1;
  if (needsAbstention) return 0.1;
  return best - second < 0.003 ? 0.6 : 1;
}

/** True when neither state nor information changed; KEEP and FINISH are excused when nothing better is there, KEEP also while a plan of the agent's runs. */
function isIdleStep(
  state: ScoredState,
  payload: ActionPayload | null,
  isCarriedOut: boolean,
  isNoEffect: boolean,
): boolean {
  if (payload === null || !isCarriedOut) return true;
  if (payload.type === "KEEP_REGIMEN" || payload.type === "FINISH")
    return !state.assessment.isKeepNearBest && !(payload.type === "KEEP_REGIMEN" && isPlanRunning(state.legality));
  return isNoEffect;
}

/** True while a taper or a declared switch runs. */
function isPlanRunning({ known, listed }: LegalityContext): boolean {
  return known.declaredSwitch !== null || listed.some(({ taper }) => taper !== null && !taper.isPaused);
}

/** True while a taper, a declared switch or a course drug runs. */
export function isCourseRunning(legality: LegalityContext): boolean {
  return isPlanRunning(legality) || legality.listed.some(({ endDay }) => endDay !== null);
}

function isPassive(payload: ActionPayload): boolean {
  return payload.type === "KEEP_REGIMEN" || payload.type === "FINISH" || isInformationAction(payload.type);
}

function isIdleKind(payload: ActionPayload): boolean {
  return payload.type === "KEEP_REGIMEN" || payload.type === "CONTINUE_TAPER" || payload.type === "FINISH";
}

/** Every component quantised, member by member: a loop over names costs V8 many times as much. */
function quantizeAll(raw: Components): Components {
  return {
    format_compliance_score: quantize(raw.format_compliance_score),
    candidate_alignment_score: quantize(raw.candidate_alignment_score),
    legality_score: quantize(raw.legality_score),
    safety_delta_score: quantize(raw.safety_delta_score),
    burden_improvement_score: quantize(raw.burden_improvement_score),
    disease_stability_score: quantize(raw.disease_stability_score),
    dosing_quality_score: quantize(raw.dosing_quality_score),
    abstention_quality_score: quantize(raw.abstention_quality_score),
    efficiency_score: quantize(raw.efficiency_score),
    process_fidelity_score: quantize(raw.process_fidelity_score),
    explanation_grounding_score: quantize(raw.explanation_grounding_score),
    anti_cheat_score: quantize(raw.anti_cheat_score),
    uncertainty_calibration_score: quantize(raw.uncertainty_calibration_score),
  };
}
