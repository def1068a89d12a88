import type { ActionPayload } from "../../actions/types.ts";
import { isToxic } from "../../pharmacology/attainment.ts";
import { worthOfDay } from "../../pharmacology/choose-dose.ts";
import type { DoseOption } from "../../pharmacology/dose-options.ts";
import { TROUGH, VALUE } from "../../pharmacology/dosing-model.ts";
import { estimationModel } from "../../pharmacology/models.ts";
import type { Decision } from "../sub-environment.ts";
import type { ModelContent, ModelSpecial } from "./content.ts";
import { comingFactors, doseOn } from "./treatment.ts";

/** What a dose comes to on the true patient, if it then stays. */
export interface DoseValue {
  /** Mean worth of a day over the model's effect days. */
  readonly worth: number;
  /** Share of those days beyond the toxic bound. */
  readonly toxicShare: number;
}

/** What the choices of a step come to. */
export interface StepValues {
  readonly keep: DoseValue;
  /** Of the legal choices, leaving the dose among them. */
  readonly best: number;
  readonly worst: number;
  /** Best of the legal changes; -Infinity without one. */
  readonly bestChange: number;
  of(payload: ActionPayload | null): DoseValue;
}

/** Values by state of the treatment: a step asks several times. */
const cache = new WeakMap<ModelSpecial, StepValues>();

/** Values of the choices of a step, worked out once. */
export function stepValues(at: Decision<ModelContent, ModelSpecial>): StepValues {
  let values = cache.get(at.special);
  if (values === undefined) {
    values = workOut(at);
    cache.set(at.special, values);
  }
  return values;
}

function workOut({ context, content, special, world, assessment }: Decision<ModelContent, ModelSpecial>): StepValues {
  const model = estimationModel(content.model);
  const target = model.target(content.covariates.ageYears);
  const parameters = model.individual(content.covariates, content.eta);
  const factors = comingFactors(context.kb, content, world, model.effectDays);
  const { stepDays } = context.scenario;
  const now = doseOn(world, content.medRef, world.clock.day);
  const worthOf = (first: DoseOption, later: DoseOption): DoseValue => {
    const state = Float64Array.from(special.state);
    let worth = 0;
    let toxic = 0;
    for (const [day, factor] of factors.entries()) {
      model.advanceDay(state, parameters, { ...(day < stepDays ? first : later), ...factor });
      worth += worthOfDay(model, target, state[VALUE]!, state[TROUGH]!);
      if (isToxic(target, state[VALUE]!)) toxic++;
    }
    return { worth: worth / factors.length, toxicShare: toxic / factors.length };
  };
  const keep = worthOf(now, now);
  const of = (payload: ActionPayload | null): DoseValue => {
    if (payload === null || !("medRef" in payload) || payload.medRef !== content.medRef) return keep;
    switch (payload.type) {
      case "ADJUST_DOSE": {
        const dose = { dosePerDay: payload.dosePerDay, intervalH: Math.round(24 / payload.dosesPerDay) };
        return worthOf(dose, dose);
      }
      case "HOLD_DOSE":
        return worthOf({ ...now, dosePerDay: 0 }, now);
      case "STOP_DRUG":
      case "SUBSTITUTE_DRUG":
        return worthOf({ ...now, dosePerDay: 0 }, { ...now, dosePerDay: 0 });
      default:
        return keep;
    }
  };
  let best = keep.worth;
  let worst = keep.worth;
  let bestChange = Number.NEGATIVE_INFINITY;
  for (const { candidate, isLegal } of assessment.candidates) {
    if (!isLegal) continue;
    const value = of(candidate.payload);
    if (value === keep) continue;
    best = Math.max(best, value.worth);
    worst = Math.min(worst, value.worth);
    bestChange = Math.max(bestChange, value.worth);
  }
  return { keep, best, worst, bestChange, of };
}
