import { isWithinStepLimit } from "../actions/dose-limits.ts";
import { doseGrid } from "../kb/dose-grid.ts";
import type { Drug } from "../kb/types.ts";

/** A dose a day in the row's unit, and the hours from one dose to the next. */
export interface DoseOption {
  readonly dosePerDay: number;
  readonly intervalH: number;
}

/** What the step limits look at. */
export interface DoseStanding {
  readonly weightKg: number;
  readonly current: DoseOption;
  /** Last level inside its window; null = none, and then no increase. */
  readonly level: number | null;
  readonly hasCad: boolean;
}

/** Intervals of gentamicin, h. */
const GENTAMICIN_INTERVALS_H = [24, 36, 48] as const;
/** assumption: doses by weight are rounded to half a millilitre of 40 mg/mL, vancomycin to 250 mg. */
const GENTAMICIN_STEP_MG = 20;
const VANCOMYCIN_STEP_MG = 250;
const GENTAMICIN_MAX_MG_PER_KG = 7;
/** Warfarin moves in whole milligrams a week: else 2 mg a day could never change by 20 %. */
const DAYS_PER_WEEK = 7;
const WARFARIN_WEEKLY_MG = [7, 105] as const;
/** Shares of the current dose that gentamicin, with its three intervals, is offered at. */
const GENTAMICIN_SHARES = [0.5, 0.65, 0.8, 1, 1.25, 1.5] as const;
/** Largest cut of phenytoin in one step, mg/d. assumption: as large as the largest raise. */
const PHENYTOIN_LARGEST_CUT_MG = 100;
/** Most doses offered beside the current one; more would only be finer than the assays. */
const MOST_OPTIONS = 16;

/** Doses that a dosing model's drug may take, ascending, in the row's unit a day. */
export function dosingGrid(drug: Drug, weightKg: number): readonly number[] {
  switch (drug.drugId) {
    case "warfarin": {
      const [low, high] = WARFARIN_WEEKLY_MG;
      return Array.from({ length: high - low + 1 }, (_, i) => (low + i) / DAYS_PER_WEEK);
    }
    case "vancomycin":
      return multiples(VANCOMYCIN_STEP_MG, drug.maxDaily ?? drug.doseMax);
    case "gentamicin":
      return multiples(GENTAMICIN_STEP_MG, GENTAMICIN_MAX_MG_PER_KG * weightKg);
    default:
      return doseGrid(drug, { weightKg });
  }
}

/** The grid dose nearest to a dose; of two equally near ones the lower. */
export function nearestDose(grid: readonly number[], dose: number): number {
  return grid.reduce((best, each) => (Math.abs(each - dose) < Math.abs(best - dose) - 1e-12 ? each : best));
}

/**
 * Doses that one step may lead to: on the grid, inside the step limit, an increase only with a level, the present one
 * left out; ascending by interval and dose, at most 16, evenly thinned.
 */
export function doseOptions(drug: Drug, standing: DoseStanding): readonly DoseOption[] {
  const { weightKg, current } = standing;
  const grid = dosingGrid(drug, weightKg);
  const allowed = grid.filter((dose) => isAllowed(drug, standing, dose));
  if (drug.drugId !== "gentamicin")
    return thinned(
      allowed
        .filter((dose) => !isSame(dose, current.dosePerDay))
        .map((dosePerDay) => ({ dosePerDay, intervalH: current.intervalH })),
    );
  const doses = [...new Set(GENTAMICIN_SHARES.map((share) => nearestDose(grid, share * current.dosePerDay)))].filter(
    (dose) => allowed.includes(dose),
  );
  return thinned(
    GENTAMICIN_INTERVALS_H.flatMap((intervalH) =>
      doses
        .filter((dose) => !(isSame(dose, current.dosePerDay) && intervalH === current.intervalH))
        .map((dosePerDay) => ({ dosePerDay, intervalH })),
    ),
  );
}

function isAllowed(drug: Drug, { current, level, hasCad }: DoseStanding, dose: number): boolean {
  const from = current.dosePerDay;
  if (dose > from * (1 + 1e-9) && level === null) return false;
  if (!isWithinStepLimit(drug, { from, to: dose, level, hasCad })) return false;
  switch (drug.drugId) {
    case "warfarin":
      return Math.abs(dose - from) <= 0.2 * from * (1 + 1e-9);
    case "phenytoin":
      return from - dose <= PHENYTOIN_LARGEST_CUT_MG;
    default:
      return true;
  }
}

function isSame(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-9 * b;
}

function multiples(step: number, most: number): readonly number[] {
  return Array.from({ length: Math.floor(most / step + 1e-9) }, (_, i) => (i + 1) * step);
}

function thinned(options: readonly DoseOption[]): readonly DoseOption[] {
  if (options.length <= MOST_OPTIONS) return options;
  return Array.from(
    { length: MOST_OPTIONS },
    (_, i) => options[Math.round((i * (options.length - 1)) / (MOST_OPTIONS - 1))]!,
  );
}
