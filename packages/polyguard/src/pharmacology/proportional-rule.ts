import type { Drug } from "../kb/types.ts";
import { sideOfRange } from "./attainment.ts";
import { type DoseOption, type DoseStanding, doseOptions, dosingGrid, nearestDose } from "./dose-options.ts";
import type { DosingModel } from "./dosing-model.ts";
import type { LevelPoint } from "./estimate.ts";

/** Drugs that settle slowly: a change is made at every second step only. */
const EVERY_SECOND_STEP = new Set(["warfarin", "digoxin", "phenytoin"]);
/** A trough that is too high asks for at most this share of the dose. */
const TROUGH_SHARE = 0.8;
/** Steps of levothyroxine, ug; the smaller one in coronary disease. */
const THYROID_STEP_UG = 25;
const THYROID_STEP_CAD_UG = 12.5;

/**
 * The rule of thumb: outside the target the dose times (middle of the target / last level), to the nearest dose that one
 * step may lead to; null = leave it. Levothyroxine goes one step by TSH.
 * @param step steps since the start, the first decision being 0
 */
export function proportionalDose(
  model: DosingModel,
  drug: Drug,
  standing: DoseStanding,
  ageYears: number,
  level: LevelPoint | null,
  step: number,
): DoseOption | null {
  if (level === null || (EVERY_SECOND_STEP.has(drug.drugId) && step % 2 === 1)) return null;
  const target = model.target(ageYears);
  const side = sideOfRange(target, level.value);
  const isTroughHigh = target.troughBelow !== null && level.trough !== null && level.trough >= target.troughBelow;
  if (side === 0 && !isTroughHigh) return null;
  const { dosePerDay, intervalH } = standing.current;
  const wanted =
    drug.drugId === "levothyroxine"
      ? dosePerDay + side * (standing.hasCad ? THYROID_STEP_CAD_UG : THYROID_STEP_UG)
      : Math.min(
          (dosePerDay * (target.low + target.high)) / 2 / level.value,
          isTroughHigh ? TROUGH_SHARE * dosePerDay : Number.POSITIVE_INFINITY,
        );
  const reachable = doseOptions(drug, standing)
    .filter((option) => option.intervalH === intervalH)
    .map((option) => option.dosePerDay);
  if (reachable.length === 0) return null;
  const nearest = nearestDose([...reachable, dosePerDay], nearestDose(dosingGrid(drug, standing.weightKg), wanted));
  return nearest === dosePerDay ? null : { dosePerDay: nearest, intervalH };
}
