import { type ActionPayload, targetMedRef, usesChange } from "../../actions/types.ts";
import { sideOfRange } from "../../pharmacology/attainment.ts";
import { isAbstaining } from "../../reward/assessment.ts";
import type { Components } from "../../reward/settings.ts";
import type { Decision, Effect, Finished } from "../sub-environment.ts";
import type { DosingContent, DosingSpecial, ModelContent, ModelSpecial } from "./content.ts";
import { stepValues } from "./dose-values.ts";
import { shareMended } from "./renal-case.ts";
import { afterStretch, doseOn, treat } from "./treatment.ts";

/** What a step against the direction of the level costs in c7. */
const WRONG_WAY_COST = 0.3;

/** c7: expected attainment when the step ends, less .3 for a dose that moves away from the target. */
function stepQuality(
  { context, content, special, world, legality }: Decision<ModelContent, ModelSpecial>,
  payload: ActionPayload | null,
  effect: Effect<ModelSpecial> | null,
): number {
  const after = effect?.applied.state ?? world;
  const days = effect === null || payload?.type === "FINISH" ? context.scenario.stepDays : effect.applied.outcome.days;
  const { atEnd } = treat(context, content, special, after, days);
  const level = legality.byRef.get(content.medRef)?.lastLevel ?? null;
  if (level === null) return atEnd;
  // A high TSH asks for more, every other high level for less.
  const target = content.model.target(content.covariates.ageYears);
  const side = sideOfRange(target, level.value) * (target.toxicSide === "below" ? -1 : 1);
  const day = world.clock.day;
  const change = doseOn(after, content.medRef, day).dosePerDay - doseOn(world, content.medRef, day).dosePerDay;
  return side * change > 0 ? atEnd - WRONG_WAY_COST : atEnd;
}

/** A change is worth making from this gain in attainment on. assumption: below it assay noise decides. */
const WORTH_A_CHANGE = 0.02;
/** A choice is good within this share of the range from the best to the worst legal one. */
const GOOD_SHARE = 0.25;

/**
 * Components that the dosing model judges in place of the medication course: expected toxicity for safety, attainment against
 * leaving the dose for disease stability, waiting where no change is worth it for abstention, and c7. A change of another drug is
 * the course's to judge.
 */
export function treatmentComponents(
  at: Decision<ModelContent, ModelSpecial>,
  payload: ActionPayload | null,
  effect: Effect<ModelSpecial> | null,
): Partial<Components> {
  const quality = stepQuality(at, payload, effect);
  const isOther = payload !== null && usesChange(payload.type) && targetMedRef(payload) !== at.content.medRef;
  if (isOther) return { dosing_quality_score: quality };
  const values = stepValues(at);
  const { worth, toxicShare } = values.of(payload);
  const gain = worth - values.keep.worth;
  return {
    safety_delta_score: 0.5 + 0.5 * (values.keep.toxicShare - toxicShare),
    burden_improvement_score: 0.5,
    disease_stability_score: gain >= 0 ? 0.6 + 0.4 * gain : 0.6 + 0.6 * gain,
    dosing_quality_score: quality,
    ...(payload === null ? {} : { abstention_quality_score: abstention(at, payload) }),
  };
}

/** Need for abstention: a critical field is missing, or no change of the dose is worth it. */
function abstention(at: Decision<ModelContent, ModelSpecial>, payload: ActionPayload): number {
  const values = stepValues(at);
  const isMissing = at.assessment.fields.some((field) => field.isMissing);
  const isNeeded = isMissing || values.bestChange < values.keep.worth + WORTH_A_CHANGE;
  return isAbstaining(payload.type) === isNeeded ? 1 : 0.1;
}

/** True for a choice near enough to the best of the step: what confidence is held against. */
export function isGoodDose(at: Decision<ModelContent, ModelSpecial>, payload: ActionPayload | null): boolean {
  const { best, worst, of } = stepValues(at);
  return of(payload).worth >= best - GOOD_SHARE * (best - worst) - 1e-12;
}

/** The treatment with the steps that were not played, on the last dose: finishing early is judged to the end. */
function completed({ context, content, special, world }: Finished<ModelContent, ModelSpecial>): ModelSpecial {
  let done = special;
  const days = context.scenario.stepDays;
  let now = world;
  for (let step = 0; step < world.clock.stepsLeft; step++) {
    done = afterStretch(done, treat(context, content, done, now, days), days, true);
    now = { ...now, clock: { ...now.clock, day: now.clock.day + days } };
  }
  return done;
}

/** Success criteria of a dosed drug: on target at the last two assessments, never toxic. */
export function judgeTreatment(at: Finished<ModelContent, ModelSpecial>): readonly boolean[] {
  const { lastAttainment, secondLastAttainment, wasToxic } = completed(at);
  return [lastAttainment === 1 && secondLastAttainment === 1, !wasToxic];
}

/** Task score: attainment averaged over the days, or the share of wrong doses put right averaged over them. */
export function timeAverage(at: Finished<DosingContent, DosingSpecial>): number {
  const { content, special } = at;
  if (content.kind === "model" && special.kind === "model") {
    const { attained, days } = completed({ ...at, content, special });
    return days === 0 ? 0 : attained / days;
  }
  const rest = at.world.clock.stepsLeft * at.context.scenario.stepDays;
  const days = special.days + rest;
  const now = shareMended(at.context.kb, at.context.scenario, at.world);
  return days === 0 ? now : (special.attained + rest * now) / days;
}
