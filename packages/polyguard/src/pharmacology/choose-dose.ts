import { attainment, distanceToRange } from "./attainment.ts";
import type { DoseOption } from "./dose-options.ts";
import {
  type DoseDay,
  type DosingCovariates,
  type DosingModel,
  type TargetRange,
  TROUGH,
  VALUE,
} from "./dosing-model.ts";

/** A patient's possible parameters and what was given so far. */
export interface DosingOutlook {
  readonly model: DosingModel;
  readonly covariates: DosingCovariates;
  /** Random effects on the log scale, one array a draw. */
  readonly draws: readonly Float64Array[];
  readonly days: readonly DoseDay[];
  /** Co-medication of the coming days, as many as the model's effect days. */
  readonly ahead: readonly Pick<DoseDay, "clearanceFactor" | "absorptionFactor">[];
}

/** Where attainment is 0 for every dose, the one that comes nearer to the target is the better. assumption: size. */
const PULL = 0.01;

/** A longer interval lets the next change wait: what it must gain, per day beyond one. assumption: chosen on simulated patients. */
const WAITING_COST = 0.05;

/** Attainment on a day, less a little for the distance from the target: it tells doses apart that are all too low or too high. */
export function worthOfDay(model: DosingModel, target: TargetRange, value: number, trough: number): number {
  const u = attainment(target, value, trough);
  return u > 0 ? u : -PULL * Math.min(1, distanceToRange(model, target, value));
}

/** Mean attainment of each option over the model's effect days, averaged over the draws, if the dose then stays. */
export function scoreDoses(outlook: DosingOutlook, options: readonly DoseOption[]): number[] {
  const { model, covariates, draws, days, ahead } = outlook;
  const target = model.target(covariates.ageYears);
  const scores = options.map(() => 0);
  for (const draw of draws) {
    const parameters = model.individual(covariates, draw);
    const now = model.start(parameters);
    for (const day of days) model.advanceDay(now, parameters, day);
    for (const [k, option] of options.entries()) {
      const state = Float64Array.from(now);
      for (const factors of ahead) {
        model.advanceDay(state, parameters, { ...option, ...factors });
        scores[k]! += worthOfDay(model, target, state[VALUE]!, state[TROUGH]!);
      }
    }
  }
  return scores.map(
    (score, k) => score / (draws.length * ahead.length) - WAITING_COST * Math.max(0, options[k]!.intervalH / 24 - 1),
  );
}

/** A change must gain this share of what the present dose attains, or noise would move the dose to and fro. assumption: chosen on simulated patients. */
const LEAST_GAIN = 0.01;

/** Index of the highest score; the first, which leaves the dose, unless another gains something on it. */
export function indexOfBest(scores: readonly number[]): number {
  let best = 0;
  for (const [i, score] of scores.entries())
    if (score > (best === 0 ? scores[0]! + LEAST_GAIN * Math.max(0, scores[0]!) : scores[best]!)) best = i;
  return best;
}
