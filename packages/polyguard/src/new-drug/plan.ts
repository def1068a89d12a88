import type { ActionPayload } from "../actions/types.ts";

/** Start plan of DECOMPOSE_NEW_DRUG: percent of the usual dose, none, or the full dose with its monitoring. */
export type StartPlan = Extract<ActionPayload, { type: "DECOMPOSE_NEW_DRUG" }>["plan"];

/** Doses of the plan grid in percent of the usual one, ascending; 0 = not started. */
export const PLAN_PERCENTS = [0, 25, 50, 75, 100] as const;

/** Exposure above which the drug is not started; the lower one for a narrow therapeutic index. */
const NOT_ABOVE = 5;
const NOT_ABOVE_NARROW = 2.5;

/** What the right plan depends on. */
export interface PlanFacts {
  /** Exposure ratio in this patient. */
  readonly exposure: number;
  readonly isNarrowTi: boolean;
  /** QT level 0-3. */
  readonly qt: number;
  /** Makes a contraindicated pair with a drug of the list. */
  readonly isContraindicated: boolean;
}

/** The right plan: 1/E on the grid (the lower of equals), none where the drug is not for this patient. */
export function bestPlan({ exposure, isNarrowTi, qt, isContraindicated }: PlanFacts): StartPlan {
  if (isContraindicated || exposure > (isNarrowTi ? NOT_ABOVE_NARROW : NOT_ABOVE)) return "none";
  const wanted = 100 / exposure;
  let best = 25;
  for (const percent of PLAN_PERCENTS.slice(1))
    if (Math.abs(percent - wanted) < Math.abs(best - wanted) - 1e-9) best = percent;
  if (best < 100) return String(best) as StartPlan;
  // assumption: the full dose is watched where the index is narrow or a QT risk is possible or known.
  return isNarrowTi || qt >= 2 ? "monitored" : "100";
}

/** Percent of the usual dose that a plan gives. */
export function planPercent(plan: StartPlan): number {
  return plan === "none" ? 0 : plan === "monitored" ? 100 : Number(plan);
}

/**
 * Quality of a plan against the right one: 1 exact, .5 one grid step away, 0 otherwise. The full dose with monitoring where
 * none is needed, or without where it is, counts as one step.
 */
export function planQuality(plan: StartPlan, best: StartPlan): number {
  return percentQuality(planPercent(plan), best, plan === best || planPercent(plan) !== planPercent(best) ? 0 : 1);
}

/** Quality of a dose in percent of the usual one; monitoring is not judged. */
export function doseQuality(percent: number, best: StartPlan): number {
  return percentQuality(percent, best, 0);
}

function percentQuality(percent: number, best: StartPlan, extraSteps: number): number {
  const steps = Math.abs(gridPosition(percent) - gridPosition(planPercent(best))) + extraSteps;
  return steps < 0.5 ? 1 : steps < 1.5 ? 0.5 : 0;
}

function gridPosition(percent: number): number {
  return percent / 25;
}
