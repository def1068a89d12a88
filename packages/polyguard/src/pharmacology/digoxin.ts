import { type DosingModel, L_PER_H_PER_ML_PER_MIN, linearTarget, logSpread, TROUGH, VALUE } from "./dosing-model.ts";
import { approach } from "./first-order.ts";

const SPREAD = [logSpread(0.3), logSpread(0.25)] as const;
const BIOAVAILABILITY = 0.7;
const UG_PER_MG = 1000;
/** DIG post hoc analysis: .5-.9 ng/mL; toxic above 2.0. */
const TARGET = linearTarget(0.5, 0.9, 2);

/**
 * Digoxin PO, one compartment with even input: CL in mL/min = .33 W + .9 CrCl in heart failure, else .8 W + CrCl; V in L =
 * 3.8 W + 3.1 CrCl (Sheiner 1977; Koup and Jusko 1975). Assessed is the level, ng/mL. State: value, trough.
 */
export const digoxin: DosingModel = {
  drugId: "digoxin",
  levelCode: "DIG_LEVEL",
  unit: "ng/mL",
  effects: ["CL", "V"],
  assayCv: 0.1,
  stepDays: 7,
  effectDays: 14,
  target: () => TARGET,
  spread: () => SPREAD,
  individual({ weightKg, creatinineClearanceMlPerMin: crCl, hasHeartFailure }, eta) {
    const clearance = hasHeartFailure ? 0.33 * weightKg + 0.9 * crCl : 0.8 * weightKg + crCl;
    return Float64Array.of(
      clearance * L_PER_H_PER_ML_PER_MIN * Math.exp(eta[0]!),
      (3.8 * weightKg + 3.1 * crCl) * Math.exp(eta[1]!),
    );
  },
  exposure: (value) => value,
  start: () => Float64Array.of(0, Number.NaN),
  advanceDay(state, parameters, day) {
    const clearance = parameters[0]! * day.clearanceFactor;
    const input = (day.dosePerDay * UG_PER_MG * BIOAVAILABILITY * day.absorptionFactor) / 24;
    state[VALUE] = approach(state[VALUE]!, input / clearance, clearance / parameters[1]!, 24);
    state[TROUGH] = Number.NaN;
  },
};
