import {
  type DoseDay,
  type DosingCovariates,
  type DosingModel,
  linearTarget,
  logSpread,
  TROUGH,
  VALUE,
} from "./dosing-model.ts";
import { fastAmount, modesOf } from "./two-compartment.ts";

/** Between-subject spread of CL, V1 and V2 (Goti 2018). */
const SPREAD = [logSpread(0.4), logSpread(0.82), logSpread(0.57)] as const;
const FLOW = 6.5;
const INFUSION_H = 1;

/** Typical clearance, L/h. Source: Goti 2018, patients without dialysis. */
export function typicalClearance(crClMlPerMin: number): number {
  return 4.5 * (crClMlPerMin / 120) ** 0.8;
}

const CENTRAL = 2;
const PERIPHERAL = 3;

/**
 * Vancomycin IV, two compartments (Goti 2018, Ther Drug Monit 40:212), infusions of one hour. Assessed is the AUC of the
 * past 24 h, mg h/L; target 400-600 (Rybak 2020), toxic above 650. State: value, trough, amounts in mg.
 */
export const vancomycin: DosingModel = {
  drugId: "vancomycin",
  levelCode: "VANC_AUC",
  unit: "mg.h/L",
  effects: ["CL", "V1", "V2"],
  assayCv: 0.15,
  stepDays: 1,
  effectDays: 2,
  target: () => TARGET,
  spread: () => SPREAD,
  individual(covariates: DosingCovariates, eta: ArrayLike<number>): Float64Array {
    return Float64Array.of(
      typicalClearance(covariates.creatinineClearanceMlPerMin) * Math.exp(eta[0]!),
      (58.4 * covariates.weightKg * Math.exp(eta[1]!)) / 70,
      38.4 * Math.exp(eta[2]!),
    );
  },
  exposure: (value) => value,
  start: () => Float64Array.of(0, Number.NaN, 0, 0),
  advanceDay(state: Float64Array, parameters: Float64Array, day: DoseDay): void {
    const v1 = parameters[1]!;
    const modes = modesOf(parameters[0]! * day.clearanceFactor, v1, FLOW, parameters[2]!);
    let fast = fastAmount(modes, state[CENTRAL]!, state[PERIPHERAL]!);
    let slow = state[CENTRAL]! - fast;
    const doses = Math.round(24 / day.intervalH);
    const rate = day.dosePerDay / doses / INFUSION_H;
    const fastAfter = { infusion: Math.exp(-modes.alpha * INFUSION_H), rest: 0 };
    const slowAfter = { infusion: Math.exp(-modes.beta * INFUSION_H), rest: 0 };
    fastAfter.rest = Math.exp(-modes.alpha * (24 / doses - INFUSION_H));
    slowAfter.rest = Math.exp(-modes.beta * (24 / doses - INFUSION_H));
    const fastInput = (rate * modes.fastShare) / modes.alpha;
    const slowInput = (rate * (1 - modes.fastShare)) / modes.beta;
    const before = { fast, slow };
    for (let i = 0; i < doses; i++) {
      fast = (fastInput + (fast - fastInput) * fastAfter.infusion) * fastAfter.rest;
      slow = (slowInput + (slow - slowInput) * slowAfter.infusion) * slowAfter.rest;
    }
    // What went in and did not stay has passed the integral: AUC of a mode = (in - gain) / rate constant.
    const auc =
      (day.dosePerDay * modes.fastShare + before.fast - fast) / modes.alpha +
      (day.dosePerDay * (1 - modes.fastShare) + before.slow - slow) / modes.beta;
    state[VALUE] = auc / v1;
    state[TROUGH] = Number.NaN;
    state[CENTRAL] = fast + slow;
    state[PERIPHERAL] = fast * modes.peripheralPerFast + slow * modes.peripheralPerSlow;
  },
};

const TARGET = linearTarget(400, 600, 650);
