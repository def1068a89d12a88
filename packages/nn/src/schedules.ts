import { NnError } from "./errors.ts";

/** A setting by the number of optimiser steps already made: 0 for the first. */
export type Schedule = (step: number) => number;

function checkSteps(what: string, steps: number): void {
  if (!(Number.isInteger(steps) && steps >= 1)) {
    throw new NnError("BAD_OPTION", `${what} is ${steps}; it must be an integer of at least 1.`);
  }
}

/** From `from` to `to` in a straight line over `steps` steps, then `to`. */
export function linearSchedule(from: number, to: number, steps: number): Schedule {
  checkSteps("steps", steps);
  return (step) => from + (to - from) * Math.min(1, step / steps);
}

/** Up from 0 in a straight line over `warmup` steps, then down half a cosine to `floor` at `steps`. */
export function cosineSchedule(options: {
  readonly peak: number;
  readonly steps: number;
  readonly warmup?: number;
  readonly floor?: number;
}): Schedule {
  const { peak, steps, warmup = 0, floor = 0 } = options;
  checkSteps("steps", steps);
  if (!(warmup >= 0 && warmup < steps)) throw new NnError("BAD_OPTION", `warmup is ${warmup}; steps are ${steps}.`);
  return (step) => {
    // The first step already learns: a rate of 0 would waste it.
    if (step < warmup) return (peak * (step + 1)) / warmup;
    const progress = Math.min(1, (step - warmup) / (steps - warmup));
    return floor + 0.5 * (peak - floor) * (1 + Math.cos(Math.PI * progress));
  };
}
