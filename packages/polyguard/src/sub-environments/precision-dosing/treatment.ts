import type { CourseContext } from "../../course/context.ts";
import { exposureRatio } from "../../course/labs.ts";
import { findMedication, isHeld, withMedication } from "../../course/regimen.ts";
import type { KnowledgeBase } from "../../kb/types.ts";
import { attainment, isToxic, toxicRatio } from "../../pharmacology/attainment.ts";
import { type CoMedication, type DayFactors, factorsFrom } from "../../pharmacology/comedication.ts";
import type { DoseOption } from "../../pharmacology/dose-options.ts";
import { TROUGH, VALUE } from "../../pharmacology/dosing-model.ts";
import { copyMedication } from "../../world/copies.ts";
import type { WorldState } from "../../world/types.ts";
import type { DoseSpan, ModelContent, ModelSpecial } from "./content.ts";

/** Relative exposure up to which the medication course counts no toxicity; it adds 4 per unit above. */
const NOT_TOXIC = 1.25;
/** A toxic value counts twice at least. */
const LEAST_EXCESS = 0.25;

/** A treatment before its first dose. */
export function beginTreatment({ model, covariates, eta }: ModelContent): ModelSpecial {
  return {
    kind: "model",
    state: model.start(model.individual(covariates, eta)),
    days: 0,
    attained: 0,
    lastAttainment: null,
    secondLastAttainment: null,
    wasToxic: false,
    doses: [],
    levels: [],
    isGenotypeKnown: false,
  };
}

/** The dose given on a course day as the list stands: 0 while held or when the drug is gone. */
export function doseOn(world: WorldState, medRef: string, day: number): DoseOption {
  const medication = findMedication(world, medRef);
  if (medication === undefined) return { dosePerDay: 0, intervalH: 24 };
  return {
    dosePerDay: isHeld(medication, day) ? 0 : medication.dosePerDay,
    intervalH: Math.round(24 / medication.dosesPerDay),
  };
}

/** The other drugs of the list with the days they were taken. */
function othersOf(world: WorldState, drugIndex: number): readonly CoMedication[] {
  const taken = world.medications
    .filter((each) => each.isTaken && each.drugIndex !== drugIndex)
    .map((each) => ({ drugIndex: each.drugIndex, startDay: each.startDay, stopDay: each.endDay }));
  const stopped = world.stopped
    .filter((each) => each.drugIndex !== drugIndex)
    .map((each) => ({ drugIndex: each.drugIndex, startDay: each.startDay, stopDay: each.stopDay }));
  return [...taken, ...stopped];
}

/** Factors of co-medication on the days from the list's day on, as the list stands. */
export function comingFactors(
  kb: KnowledgeBase,
  { drugIndex }: ModelContent,
  world: WorldState,
  days: number,
): readonly DayFactors[] {
  return factorsFrom(kb, kb.drugs[drugIndex]!, othersOf(world, drugIndex), world.clock.day, days);
}

/** What a stretch of treatment comes to. */
export interface Stretch {
  readonly state: Float64Array;
  /** Attainment summed over its days, and on the last of them. */
  readonly attained: number;
  readonly atEnd: number;
  readonly isToxic: boolean;
  readonly doses: readonly DoseSpan[];
}

/** Treats the true patient for some days from the list's day on, as the list stands. Nothing is mutated. */
export function treat(
  { kb }: CourseContext,
  content: ModelContent,
  special: ModelSpecial,
  world: WorldState,
  days: number,
): Stretch {
  const { model, covariates, eta, medRef } = content;
  const target = model.target(covariates.ageYears);
  const parameters = model.individual(covariates, eta);
  const state = Float64Array.from(special.state);
  const factors = comingFactors(kb, content, world, days);
  const today = world.clock.day;
  let attained = 0;
  let atEnd = 0;
  let toxic = false;
  let doses = special.doses;
  for (let day = today; day < today + days; day++) {
    const dose = doseOn(world, medRef, day);
    const last = doses[doses.length - 1];
    if (last === undefined || last.dosePerDay !== dose.dosePerDay || last.intervalH !== dose.intervalH)
      doses = [...doses, { ...dose, fromDay: day }];
    model.advanceDay(state, parameters, { ...dose, ...factors[day - today]! });
    atEnd = attainment(target, state[VALUE]!, state[TROUGH]!);
    attained += atEnd;
    toxic ||= isToxic(target, state[VALUE]!);
  }
  return { state, attained, atEnd, isToxic: toxic, doses };
}

/** The treatment after a stretch. @param isAssessed the stretch ends a step */
export function afterStretch(special: ModelSpecial, stretch: Stretch, days: number, isAssessed: boolean): ModelSpecial {
  return {
    ...special,
    state: stretch.state,
    days: special.days + days,
    attained: special.attained + stretch.attained,
    lastAttainment: isAssessed ? stretch.atEnd : special.lastAttainment,
    secondLastAttainment: isAssessed ? special.lastAttainment : special.secondLastAttainment,
    wasToxic: special.wasToxic || stretch.isToxic,
    doses: stretch.doses,
  };
}

/**
 * The state with the drug's reference exposure such that the hazards of the medication course count its toxicity 1 + 4 (x/toxic
 * - 1) times, at least twice, while the value is beyond its toxic bound. Otherwise the course sees no level: attainment is
 * judged by the dosing model.
 */
export function withToxicity(
  context: CourseContext,
  { model, covariates, medRef, drugIndex }: ModelContent,
  { state }: ModelSpecial,
  world: WorldState,
): WorldState {
  const medication = findMedication(world, medRef);
  if (medication === undefined) return world;
  const target = model.target(covariates.ageYears);
  const value = state[VALUE]!;
  const relative = NOT_TOXIC + Math.max(LEAST_EXCESS, toxicRatio(model, target, value) - 1);
  const referred = copyMedication(medication);
  referred.exposureReference = isToxic(target, value)
    ? (medication.dosePerDay * exposureRatio(context, world, drugIndex)) / relative
    : null;
  return withMedication(world, referred);
}
