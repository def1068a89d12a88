import { type DosingModel, logSpread, type TargetRange, TROUGH, VALUE } from "./dosing-model.ts";
import { approach } from "./first-order.ts";

const SPREAD = [logSpread(0.2)] as const;
const HALF_LIFE_H = 7 * 24;
/** Share of a dose that the gut lets through beside polyvalent cations and beside a PPI. assumption: sizes. */
export const CATION_ABSORPTION = 0.7;
export const PPI_ABSORPTION = 0.85;
const TSH_AT_REQUIREMENT = 2;
const TSH_SLOPE = 4.605;
/** Above 65 years less is needed (assumption: size). */
const AGE_FACTOR = 0.85;

/** TSH that settles at a share of the requirement, mIU/L. assumption: log-linear, tenfold at 50 %. */
export function tshAtShare(shareOfRequirement: number): number {
  return TSH_AT_REQUIREMENT * Math.exp(-TSH_SLOPE * (shareOfRequirement - 1));
}

/** Share of the requirement behind a settled TSH: inverse of {@link tshAtShare}. */
function shareAtTsh(tsh: number): number {
  return 1 - Math.log(tsh / TSH_AT_REQUIREMENT) / TSH_SLOPE;
}

const range = (low: number, high: number): TargetRange => ({
  low,
  high,
  zeroBelow: 0.1,
  zeroAbove: 2 * high,
  isLog: true,
  toxicSide: "below",
  troughBelow: null,
});
const TARGET = range(0.5, 5);
const TARGET_ABOVE_70 = range(1, 6);

const EFFECT = 2;

/**
 * Levothyroxine PO: the effective dose approaches the absorbed one with a half-life of 7 d; requirement 1.6 ug/kg/d (ATA
 * 2014), times .85 above 65 y. Assessed is TSH in mIU/L, target .5-5 (1-6 above 70 y), overtreated below .1. State: value,
 * trough, effective dose in ug/d.
 */
export const levothyroxine: DosingModel = {
  drugId: "levothyroxine",
  levelCode: "TSH",
  unit: "m[IU]/L",
  effects: ["requirement"],
  assayCv: 0.05,
  stepDays: 42,
  effectDays: 42,
  target: (ageYears) => (ageYears > 70 ? TARGET_ABOVE_70 : TARGET),
  spread: () => SPREAD,
  individual({ weightKg, ageYears }, eta) {
    return Float64Array.of(1.6 * weightKg * (ageYears > 65 ? AGE_FACTOR : 1) * Math.exp(eta[0]!));
  },
  exposure: shareAtTsh,
  start: () => Float64Array.of(tshAtShare(0), Number.NaN, 0),
  advanceDay(state, parameters, day) {
    state[EFFECT] = approach(state[EFFECT]!, day.dosePerDay * day.absorptionFactor, Math.LN2 / HALF_LIFE_H, 24);
    // An inducer raises the requirement.
    state[VALUE] = tshAtShare(state[EFFECT]! / (parameters[0]! * day.clearanceFactor));
    state[TROUGH] = Number.NaN;
  },
};
