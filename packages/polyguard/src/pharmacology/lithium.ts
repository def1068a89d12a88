import { type DosingModel, L_PER_H_PER_ML_PER_MIN, linearTarget, logSpread, TROUGH, VALUE } from "./dosing-model.ts";
import { approach } from "./first-order.ts";

const SPREAD = [logSpread(0.25)] as const;
/** Lithium carbonate: 300 mg hold 8.12 mmol. */
const MMOL_PER_MG = 8.12 / 300;
/** Older adults .4-.8 mmol/L; toxic above 1.2. */
const TARGET = linearTarget(0.4, 0.8, 1.2);

/**
 * Lithium PO, one compartment with even input: CL = .25 CrCl, V = .7 L/kg (to be confirmed by a clinician; factors of
 * co-medication after Finley 2016). Assessed is the mean level, mmol/L. State: value, trough.
 */
export const lithium: DosingModel = {
  drugId: "lithium_carbonate",
  levelCode: "LI_LEVEL",
  unit: "mmol/L",
  effects: ["CL"],
  assayCv: 0.05,
  stepDays: 5,
  effectDays: 10,
  target: () => TARGET,
  spread: () => SPREAD,
  individual({ weightKg, creatinineClearanceMlPerMin }, eta) {
    return Float64Array.of(
      0.25 * creatinineClearanceMlPerMin * L_PER_H_PER_ML_PER_MIN * Math.exp(eta[0]!),
      0.7 * weightKg,
    );
  },
  exposure: (value) => value,
  start: () => Float64Array.of(0, Number.NaN),
  advanceDay(state, parameters, day) {
    const clearance = parameters[0]! * day.clearanceFactor;
    const input = (day.dosePerDay * MMOL_PER_MG * day.absorptionFactor) / 24;
    state[VALUE] = approach(state[VALUE]!, input / clearance, clearance / parameters[1]!, 24);
    state[TROUGH] = Number.NaN;
  },
};
