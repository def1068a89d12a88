import { stepStrengths } from "../kb/dose-grid.ts";
import type { Drug } from "../kb/types.ts";

/** Days a level or INR stays good enough for an increase, by code. Source: time to steady state in labels; others 14. */
const LEVEL_WINDOW_DAYS: Readonly<Record<string, number>> = {
  INR: 7,
  VANC_AUC: 2,
  GENT_LEVEL: 1,
  DIG_LEVEL: 14,
  PHT_LEVEL: 14,
  LI_LEVEL: 10,
  TSH: 56,
};
const OTHER_WINDOW_DAYS = 14;

/** Days before an order is worth repeating (A13). assumption: INR, K and levels 2, TSH 28, others 3. */
export function minimumIntervalDays(code: string): number {
  if (code === "TSH") return 28;
  return code === "INR" || code === "K" || code.endsWith("_LEVEL") || code === "VANC_AUC" ? 2 : 3;
}

/** Days within which a value of that monitoring item counts for a dose increase. */
export function levelWindowDays(code: string): number {
  return LEVEL_WINDOW_DAYS[code] ?? OTHER_WINDOW_DAYS;
}

/** Values above which a level is toxic, by code, in the unit of the measurement. Sources: targets of the dosing models. */
export const TOXIC_ABOVE: Readonly<Record<string, number>> = {
  INR: 4,
  DIG_LEVEL: 2,
  LI_LEVEL: 1.2,
  PHT_LEVEL: 20,
  VPA_LEVEL: 100,
  CBZ_LEVEL: 12,
  PB_LEVEL: 40,
  THEO_LEVEL: 20,
  CYA_LEVEL: 400,
  TAC_LEVEL: 15,
  CLZ_LEVEL: 1000,
  VRC_LEVEL: 5.5,
};

/** What a step limit looks at. Doses in the row's unit. */
export interface DoseStep {
  readonly from: number;
  readonly to: number;
  /** Last level; null = none. */
  readonly level: number | null;
  readonly hasCad: boolean;
}

/**
 * True when a dose change is within the drug's limit for one step: warfarin 20 %, digoxin one strength, phenytoin 100, 50
 * or 30 mg by level, lithium 300 mg, levothyroxine 25 ug (12.5 with CAD), vancomycin and gentamicin 50 %. Where a limit is
 * finer than the tablets, the smallest step of the tablets is allowed, else the dose could never change.
 */
export function isWithinStepLimit(drug: Drug, step: DoseStep): boolean {
  const { from, to } = step;
  const change = Math.abs(to - from);
  const limit = stepLimit(drug, step);
  if (limit === null) return true;
  if (limit === "one strength") {
    const low = Math.min(from, to);
    const high = Math.max(from, to);
    return !stepStrengths(drug).some((strength) => strength > low * (1 + 1e-9) && strength < high * (1 - 1e-9));
  }
  const smallest = Math.min(...stepStrengths(drug)) / (drug.form === "tab" ? 2 : 1);
  return change <= Math.max(limit, smallest) * (1 + 1e-9);
}

function stepLimit(drug: Drug, { from, to, level, hasCad }: DoseStep): number | "one strength" | null {
  switch (drug.drugId) {
    case "warfarin":
      return 0.2 * from;
    case "digoxin":
      return "one strength";
    case "phenytoin":
      // The limit guards increases, where saturable clearance makes levels jump.
      if (to < from || level === null) return null;
      return level < 7 ? 100 : level <= 12 ? 50 : 30;
    case "lithium_carbonate":
      return 300;
    case "levothyroxine":
      return hasCad ? 12.5 : 25;
    case "vancomycin":
    case "gentamicin":
      return 0.5 * from;
    default:
      return null;
  }
}
