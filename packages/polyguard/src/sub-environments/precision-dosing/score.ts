import type { ActionPayload } from "../../actions/types.ts";
import { sideOfRange } from "../../pharmacology/attainment.ts";
import type { Decision, Effect, Finished } from "../sub-environment.ts";
import type { DosingContent, DosingSpecial, ModelContent, ModelSpecial } from "./content.ts";
import { shareMended } from "./renal-case.ts";
import { afterStretch, doseOn, treat } from "./treatment.ts";

/** What a step against the direction of the level costs in c7. */
const WRONG_WAY_COST = 0.3;

/** c7: expected attainment when the step ends, less .3 for a dose that moves away from the target. */
export function stepQuality(
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
