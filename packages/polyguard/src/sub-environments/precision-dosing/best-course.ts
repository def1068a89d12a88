import type { CourseContext } from "../../course/context.ts";
import { findMedication } from "../../course/regimen.ts";
import { worthOfDay } from "../../pharmacology/choose-dose.ts";
import { type DoseOption, doseOptions } from "../../pharmacology/dose-options.ts";
import { TROUGH, VALUE } from "../../pharmacology/dosing-model.ts";
import { estimationModel } from "../../pharmacology/models.ts";
import type { WorldState } from "../../world/types.ts";
import type { ModelContent, ModelSpecial } from "./content.ts";
import { comingFactors } from "./treatment.ts";

/** Courses that are kept from step to step. assumption: wider ones gain less than a thousandth. */
const BEAM = 8;
/** Doses that a kept course is continued with, evenly spread over those one step may lead to. */
const BRANCHES = 7;

interface Course {
  /** Index of the first step's choice. */
  readonly first: number;
  readonly state: Float64Array;
  readonly dose: DoseOption;
  readonly attained: number;
  /** Attainment so far and over the coming days if the dose stays: what courses are ranked by. */
  readonly promise: number;
}

/**
 * Index of the first step's choice that begins the course with the highest attainment over the steps left, the parameters
 * being known: beam search over the doses one step may lead to, each ranked by what it attains if it stays.
 * @param choices what the first step may do, null = leave the dose
 */
export function bestCourse(
  { kb, scenario }: CourseContext,
  content: ModelContent,
  special: ModelSpecial,
  world: WorldState,
  choices: readonly (DoseOption | null)[],
): number {
  const { covariates, medRef, drugIndex } = content;
  const model = estimationModel(content.model);
  const medication = findMedication(world, medRef);
  if (medication === undefined) return 0;
  const drug = kb.drugs[drugIndex]!;
  const target = model.target(covariates.ageYears);
  const parameters = model.individual(covariates, content.eta);
  const { stepDays } = scenario;
  const steps = Math.max(1, world.clock.stepsLeft);
  const ahead = model.effectDays;
  const factors = comingFactors(kb, content, world, steps * stepDays + ahead);
  const hasCad = world.conditions.some(({ code, severity }) => code === "CAD" && severity > 0);
  const run = (state: Float64Array, dose: DoseOption, from: number, days: number): number => {
    let attained = 0;
    for (let day = from; day < from + days; day++) {
      model.advanceDay(state, parameters, { ...dose, ...factors[day]! });
      attained += worthOfDay(model, target, state[VALUE]!, state[TROUGH]!);
    }
    return attained;
  };
  const extend = (course: Omit<Course, "promise">, dose: DoseOption, step: number): Course => {
    const state = Float64Array.from(course.state);
    const attained = course.attained + run(state, dose, step * stepDays, stepDays);
    const isHeld = dose.dosePerDay === 0;
    const kept = isHeld ? course.dose : dose;
    const promise = attained + run(Float64Array.from(state), kept, (step + 1) * stepDays, ahead);
    return { first: course.first, state, dose: kept, attained, promise };
  };
  const current = { dosePerDay: medication.dosePerDay, intervalH: Math.round(24 / medication.dosesPerDay) };
  let beam = best(
    choices.map((choice, first) =>
      extend({ first, state: special.state, dose: current, attained: 0 }, choice ?? current, 0),
    ),
    choices.length,
  );
  for (let step = 1; step < steps; step++) {
    const next = beam.flatMap((course) =>
      spread(
        doseOptions(drug, {
          weightKg: covariates.weightKg,
          current: course.dose,
          level: course.state[VALUE]!,
          hasCad,
        }),
        course.dose,
      ).map((dose) => extend(course, dose, step)),
    );
    beam = best(next, BEAM);
  }
  return beam.reduce((top, each) => (each.attained > top.attained + 1e-9 ? each : top)).first;
}

function best(courses: readonly Course[], count: number): readonly Course[] {
  return [...courses].sort((a, b) => b.promise - a.promise).slice(0, count);
}

/** The present dose and some of the others, from the lowest to the highest. */
function spread(options: readonly DoseOption[], current: DoseOption): readonly DoseOption[] {
  if (options.length <= BRANCHES) return [current, ...options];
  return [
    current,
    ...Array.from({ length: BRANCHES }, (_, i) => options[Math.round((i * (options.length - 1)) / (BRANCHES - 1))]!),
  ];
}
