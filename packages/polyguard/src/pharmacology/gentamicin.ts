import { type DosingModel, linearTarget, logSpread, TROUGH, VALUE } from "./dosing-model.ts";

const SPREAD = [logSpread(0.25), logSpread(0.2)] as const;
const TARGET = linearTarget(70, 100, 120, 1);

const AMOUNT = 2;
const HOURS_TO_NEXT = 3;

/**
 * Gentamicin IV, one compartment: k = .00293 CrCl + .014 /h, V = .26 L/kg (Nicolau 1995 and common practice). Assessed is the AUC
 * of the running dosing interval as mg h/L in 24 h, target 70-100, toxic above 120, and its trough, which belongs below 1
 * mg/L. Doses are boluses. State: value, trough, amount in mg, hours to the next dose.
 */
export const gentamicin: DosingModel = {
  drugId: "gentamicin",
  levelCode: "GENT_LEVEL",
  unit: "mg.h/L",
  effects: ["CL", "V"],
  assayCv: 0.1,
  stepDays: 1,
  effectDays: 3,
  target: () => TARGET,
  spread: () => SPREAD,
  individual({ creatinineClearanceMlPerMin, weightKg }, eta) {
    const typicalVolume = 0.26 * weightKg;
    return Float64Array.of(
      (0.00293 * creatinineClearanceMlPerMin + 0.014) * typicalVolume * Math.exp(eta[0]!),
      typicalVolume * Math.exp(eta[1]!),
    );
  },
  exposure: (value) => value,
  start: () => Float64Array.of(0, 0, 0, 0),
  advanceDay(state, parameters, day) {
    const clearance = parameters[0]! * day.clearanceFactor;
    const volume = parameters[1]!;
    const rate = clearance / volume;
    const dose = (day.dosePerDay * day.intervalH) / 24;
    // A shorter interval brings the next dose forward.
    let next = Math.min(state[HOURS_TO_NEXT]!, day.intervalH);
    let left = 24;
    let amount = state[AMOUNT]!;
    while (next < left) {
      amount = amount * Math.exp(-rate * next) + dose;
      left -= next;
      next = day.intervalH;
      const atEnd = amount * Math.exp(-rate * day.intervalH);
      state[VALUE] = (((amount - atEnd) / clearance) * 24) / day.intervalH;
      state[TROUGH] = atEnd / volume;
    }
    state[AMOUNT] = amount * Math.exp(-rate * left);
    state[HOURS_TO_NEXT] = next - left;
  },
};
