import { type DosingModel, linearTarget, logSpread, TROUGH, VALUE } from "./dosing-model.ts";

const SPREAD = [logSpread(0.2), logSpread(0.4)] as const;
const VOLUME_L_PER_KG = 0.65;
/** Share of phenytoin in its sodium salt; bioavailability 1. */
const SALT_SHARE = 0.92;
const STEPS_PER_DAY = 12;
const TARGET = linearTarget(10, 20, 20);

/** Albumin-corrected level, mg/L (Sheiner and Tozer 1978; below CrCl 10 mL/min the factor is .1). */
export function correctForAlbumin(levelMgPerL: number, albuminGPerDl: number, crClMlPerMin: number): number {
  return levelMgPerL / albuminFactor(albuminGPerDl, crClMlPerMin);
}

/** Measured level per corrected level. */
export function albuminFactor(albuminGPerDl: number, crClMlPerMin: number): number {
  return (crClMlPerMin < 10 ? 0.1 : 0.2) * albuminGPerDl + 0.1;
}

/** Level that a dose settles at, mg/L; Infinity at or above the maximal rate. */
export function steadyState(doseMgPerDay: number, vmaxMgPerDay: number, kmMgPerL: number): number {
  const rate = SALT_SHARE * doseMgPerDay;
  return rate >= vmaxMgPerDay ? Number.POSITIVE_INFINITY : (kmMgPerL * rate) / (vmaxMgPerDay - rate);
}

/**
 * Phenytoin sodium PO, Michaelis-Menten elimination with even input: V = .65 L/kg, Vmax 7 mg/kg/d (6 above 75 y), Km 4
 * mg/L (Winter 2012). Assessed is the albumin-corrected level, mg/L, target 10-20, toxic above. State: value, trough.
 */
export const phenytoin: DosingModel = {
  drugId: "phenytoin",
  levelCode: "PHT_LEVEL",
  unit: "mg/L",
  effects: ["Vmax", "Km"],
  assayCv: 0.07,
  stepDays: 7,
  effectDays: 14,
  target: () => TARGET,
  spread: () => SPREAD,
  individual({ weightKg, ageYears }, eta) {
    return Float64Array.of(
      (ageYears > 75 ? 6 : 7) * weightKg * Math.exp(eta[0]!),
      4 * Math.exp(eta[1]!),
      VOLUME_L_PER_KG * weightKg,
    );
  },
  exposure: (value) => value,
  start: () => Float64Array.of(0, Number.NaN),
  advanceDay(state, parameters, day) {
    const volume = parameters[2]!;
    const input = (SALT_SHARE * day.dosePerDay * day.absorptionFactor) / volume;
    const vmax = (parameters[0]! * day.clearanceFactor) / volume;
    const km = parameters[1]!;
    const h = 1 / STEPS_PER_DAY;
    let c = state[VALUE]!;
    for (let i = 0; i < STEPS_PER_DAY; i++) {
      const k1 = input - (vmax * c) / (km + c);
      const c2 = c + (h / 2) * k1;
      const k2 = input - (vmax * c2) / (km + c2);
      const c3 = c + (h / 2) * k2;
      const k3 = input - (vmax * c3) / (km + c3);
      const c4 = c + h * k3;
      const k4 = input - (vmax * c4) / (km + c4);
      c += (h / 6) * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    // A coarse step may undershoot 0 by rounding when nothing is left.
    state[VALUE] = Math.max(0, c);
    state[TROUGH] = Number.NaN;
  },
};
