import type { TaperPace } from "../actions/types.ts";
import type { TaperClass } from "../kb/domains.ts";
import { targetDose } from "../kb/dose-grid.ts";
import type { Drug } from "../kb/types.ts";

/** What pace depends on. Doses in the unit of the drug's row. */
export interface TaperUse {
  readonly startDosePerDay: number;
  readonly dosePerDay: number;
  readonly daysOfUse: number;
}

/** Largest reduction the class allows: `drop` in the row's unit, no sooner than `intervalDays` after the last one. */
export interface TaperLimit {
  readonly drop: number;
  readonly intervalDays: number;
  /** Least days from the first reduction to the last dose. */
  readonly minTotalDays: number;
}

/** Time constant of the adaptation in days by class. assumption: ordinal reading of withdrawal courses, see the README. */
const TAU_DAYS: Readonly<Record<TaperClass, number>> = {
  NONE: 0,
  BZD: 21,
  OPIOID: 14,
  ANTIDEP: 14,
  GABAPENTINOID: 7,
  ANTIPSYCH: 21,
  CHEI: 21,
  PPI: 14,
  STEROID: 60,
  BB: 5,
  CLONIDINE: 3,
  AED: 21,
  BACLOFEN: 7,
  DOPA: 7,
  LITHIUM: 14,
  NITRATE: 5,
};
const TAU_DAYS_BY_DRUG: Readonly<Record<string, number>> = { paroxetine: 10, venlafaxine: 10, fluoxetine: 35 };

/** Dose that occupies 80 % of the serotonin transporter, mg/d (Meyer 2004; escitalopram, fluvoxamine, duloxetine: assumption:). */
const OCCUPANCY_80_DOSE: Readonly<Record<string, number>> = {
  citalopram: 20,
  escitalopram: 10,
  sertraline: 50,
  paroxetine: 20,
  fluoxetine: 20,
  fluvoxamine: 50,
  venlafaxine: 75,
  duloxetine: 60,
};
const OCCUPANCY_MAX = 0.9;

/** Occupancy change that the antidepressant class allows per 14 days, as a share (Horowitz and Taylor 2019, NICE NG215). */
const ANTIDEPRESSANT_MAX_OCCUPANCY_DROP = 0.25;
const ANTIDEPRESSANT_RECOMMENDED_OCCUPANCY_DROP = 0.1;

/** Typical time constant of a drug's adaptation in days; 0 without a taper class. */
export function adaptationTauDays(drug: Drug): number {
  return TAU_DAYS_BY_DRUG[drug.drugId] ?? TAU_DAYS[drug.taperClass];
}

/**
 * Share of the serotonin transporter occupied at a dose, 0-0.9: Emax D/(ED50 + D) with ED50 an eighth of the 80 % dose.
 * assumption: antidepressants without a published 80 % dose take their target dose for it.
 */
export function occupancy(drug: Drug, dosePerDay: number): number {
  const ed50 = (OCCUPANCY_80_DOSE[drug.drugId] ?? targetDose(drug)) / 8;
  return (OCCUPANCY_MAX * dosePerDay) / (ed50 + dosePerDay);
}

/** Effect E relative to the starting dose, 0-1: linear, hyperbolic for antidepressants. */
export function effectShare(drug: Drug, dosePerDay: number, startDosePerDay: number): number {
  if (startDosePerDay <= 0) return dosePerDay > 0 ? 1 : 0;
  if (dosePerDay >= startDosePerDay) return 1;
  if (drug.taperClass !== "ANTIDEP") return dosePerDay / startDosePerDay;
  return occupancy(drug, dosePerDay) / occupancy(drug, startDosePerDay);
}

/** Dose with `drop` less occupancy than `dosePerDay`; 0 when that is all there is. */
function doseWithLessOccupancy(drug: Drug, dosePerDay: number, drop: number): number {
  const wanted = occupancy(drug, dosePerDay) - drop;
  if (wanted <= 0) return 0;
  const ed50 = (OCCUPANCY_80_DOSE[drug.drugId] ?? targetDose(drug)) / 8;
  return (ed50 * wanted) / (OCCUPANCY_MAX - wanted);
}

/** Days of use that make an opioid taper a slow one (HHS 2019, CDC 2022). */
const LONG_OPIOID_DAYS = 365;

/**
 * Legal maximum of a reduction (V09), or null for classes without one (NONE, PPI, NITRATE). Sources: ASAM 2025, CDC 2022,
 * NICE NG215, labels, Bjerre 2018, Reeve 2018, ESE/Endocrine Society 2024, NICE CG185.
 */
export function taperLimit(drug: Drug, use: TaperUse): TaperLimit | null {
  const { dosePerDay, startDosePerDay, daysOfUse } = use;
  const share = (fraction: number, intervalDays: number): TaperLimit => ({
    drop: fraction * dosePerDay,
    intervalDays,
    minTotalDays: 0,
  });
  switch (drug.taperClass) {
    case "NONE":
    case "PPI":
    case "NITRATE":
      return null;
    case "BZD":
      return share(0.25, 14);
    case "OPIOID":
      return { drop: 0.1 * startDosePerDay, intervalDays: daysOfUse >= LONG_OPIOID_DAYS ? 28 : 7, minTotalDays: 0 };
    case "ANTIDEP": {
      const byOccupancy = dosePerDay - doseWithLessOccupancy(drug, dosePerDay, ANTIDEPRESSANT_MAX_OCCUPANCY_DROP);
      return { drop: Math.max(byOccupancy, 0.5 * dosePerDay), intervalDays: 14, minTotalDays: 0 };
    }
    case "GABAPENTINOID":
      return drug.drugId === "pregabalin"
        ? { drop: 100, intervalDays: 7, minTotalDays: 7 }
        : { drop: 300, intervalDays: 4, minTotalDays: 7 };
    case "ANTIPSYCH":
      return share(0.5, 14);
    case "CHEI":
      return share(0.5, 28);
    case "STEROID":
      return { drop: 2 * steroidStep(dosePerDay), intervalDays: 7, minTotalDays: 0 };
    case "BB":
      return share(0.5, 5);
    case "CLONIDINE":
      return share(0.5, 2);
    case "AED":
      return share(0.25, 14);
    case "BACLOFEN":
      return { drop: 10, intervalDays: 7, minTotalDays: 0 };
    case "DOPA":
      return share(0.33, 7);
    case "LITHIUM":
      return share(0.25, 7);
  }
}

/** mg per step of prednisone equivalent: the recommended one by current dose. */
function steroidStep(dosePerDay: number): number {
  if (dosePerDay > 20) return 5;
  if (dosePerDay > 10) return 2.5;
  return 1;
}

/** Smallest step of a plan, percent; less would not move along a grid of strengths. */
const SMALLEST_STEP_PCT = 5;

/** The class's recommended pace at this dose, never above its legal maximum; null without a taper class. */
export function recommendedTaper(drug: Drug, use: TaperUse): TaperPace | null {
  const { dosePerDay, startDosePerDay, daysOfUse } = use;
  const limit = taperLimit(drug, use);
  const mostPct = limit === null ? 100 : (100 * limit.drop) / dosePerDay;
  const pace = (stepPct: number, intervalDays: number): TaperPace => ({
    stepPct: Math.max(SMALLEST_STEP_PCT, Math.floor(Math.min(100, mostPct + 1e-9, stepPct + 1e-9))),
    intervalDays,
  });
  switch (drug.taperClass) {
    case "NONE":
      return null;
    case "BZD":
      return pace(10, 14);
    case "OPIOID": {
      const isLow = dosePerDay < 0.3 * startDosePerDay;
      return pace(isLow ? 10 : (10 * startDosePerDay) / dosePerDay, daysOfUse >= LONG_OPIOID_DAYS ? 28 : 7);
    }
    case "ANTIDEP": {
      const next = doseWithLessOccupancy(drug, dosePerDay, ANTIDEPRESSANT_RECOMMENDED_OCCUPANCY_DROP);
      // A drop of 50 % of the dose is the legal maximum of one step where occupancy would allow more.
      return pace(Math.min(50, (100 * (dosePerDay - next)) / dosePerDay), 14);
    }
    case "GABAPENTINOID":
    case "ANTIPSYCH":
      return pace(25, drug.taperClass === "GABAPENTINOID" ? 7 : 14);
    case "CHEI":
      return pace(50, 28);
    case "PPI":
      return pace(50, 28);
    case "STEROID":
      return pace((100 * steroidStep(dosePerDay)) / dosePerDay, 14);
    case "BB":
    case "NITRATE":
      return pace(50, 7);
    case "CLONIDINE":
      return pace(drug.drugId === "clonidine" ? Math.min(50, 10 / dosePerDay) : Math.min(50, 200 / dosePerDay), 3);
    case "AED":
      return pace(20, 28);
    case "BACLOFEN":
      return pace(Math.min(50, 500 / dosePerDay), 7);
    case "DOPA":
      return pace(25, 7);
    case "LITHIUM":
      return pace(20, 7);
  }
}

/** At or below this share of the starting dose the next reduction is the stop. */
const STOP_BELOW_SHARE = 0.2;

/**
 * Dose after the next reduction of a plan: rounded down to the grid, 0 when the dose is at or below a fifth of the
 * starting dose or nothing on the grid is lower. @param grid doses ascending in the row's unit
 */
export function nextTaperDose(
  grid: readonly number[],
  plan: { readonly dosePerDay: number; readonly startDosePerDay: number; readonly stepPct: number },
): number {
  if (plan.dosePerDay <= STOP_BELOW_SHARE * plan.startDosePerDay) return 0;
  const wanted = plan.dosePerDay * (1 - plan.stepPct / 100);
  let dose = 0;
  for (const each of grid) {
    if (each > wanted * (1 + 1e-9)) break;
    dose = each;
  }
  return dose;
}
