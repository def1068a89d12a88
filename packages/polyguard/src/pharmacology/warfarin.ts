import type { Cyp2c9, Vkorc1 } from "../world/types.ts";
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

/** Between-subject spread of CL, V1, EC50, MTT1 and MTT2 (Hamberg 2007; its percentages read as CV). */
const SPREAD = [0.31, 0.26, 0.41, 0.14, 1.02].map(logSpread);
const CL = 0;
const EC50 = 2;

const V2 = 6.59;
const FLOW = 0.131;
const ABSORPTION_RATE = 2;
const BIOAVAILABILITY = 0.9;
/** S-warfarin in the racemic dose. */
const S_SHARE = 0.5;
const GAMMA = 0.424;
const TRANSIT_COMPARTMENTS = 6;
const INR_BASE = 1;
const INR_MAX = 20;
const INR_LAMBDA = 3.61;

/** Loss of clearance by CYP2C9 diplotype, and EC50 in mg/L by VKORC1 genotype (Hamberg 2007). */
const CLEARANCE_LOSS: Readonly<Record<Cyp2c9, number>> = {
  "*1/*1": 0,
  "*1/*2": 0.315,
  "*1/*3": 0.453,
  "*2/*2": 0.722,
  "*2/*3": 0.69,
  "*3/*3": 0.852,
};
const EC50_MG_PER_L: Readonly<Record<Vkorc1, number>> = { GG: 4.61, GA: 3.02, AA: 2.2 };

/** Frequencies in European-like populations, for a patient whose genotype is not known. */
export const CYP2C9_SHARES: readonly (readonly [Cyp2c9, number])[] = [
  ["*1/*1", 0.66],
  ["*1/*2", 0.18],
  ["*1/*3", 0.12],
  ["*2/*2", 0.02],
  ["*2/*3", 0.015],
  ["*3/*3", 0.005],
];
export const VKORC1_SHARES: readonly (readonly [Vkorc1, number])[] = [
  ["GG", 0.37],
  ["GA", 0.47],
  ["AA", 0.16],
];

/** Mean and variance of the logarithm over a population of genotypes. */
function logMoments(values: readonly (readonly [value: number, share: number])[]): { mean: number; variance: number } {
  let mean = 0;
  for (const [value, share] of values) mean += share * Math.log(value);
  let variance = 0;
  for (const [value, share] of values) variance += share * (Math.log(value) - mean) ** 2;
  return { mean, variance };
}

const LOG_CLEARANCE_FACTOR = logMoments(CYP2C9_SHARES.map(([type, share]) => [1 - CLEARANCE_LOSS[type], share]));
const LOG_EC50 = logMoments(VKORC1_SHARES.map(([type, share]) => [EC50_MG_PER_L[type], share]));

/** The genotype's own spread adds to the subject's where it is not known. */
const SPREAD_WITHOUT_GENOTYPE = SPREAD.map((spread, i) =>
  i === CL
    ? Math.sqrt(spread ** 2 + LOG_CLEARANCE_FACTOR.variance)
    : i === EC50
      ? Math.sqrt(spread ** 2 + LOG_EC50.variance)
      : spread,
);

const TARGET = linearTarget(2, 3, 4);

const DEPOT = 2;
const CENTRAL = 3;
const PERIPHERAL = 4;
/** Compartments of the first transit chain, then the one of the second. */
const CHAIN = 5;
const SECOND = CHAIN + TRANSIT_COMPARTMENTS;
const STATE_LENGTH = SECOND + 1;

const ec50ToGamma = 3;
const transitRate = 4;
const secondRate = 5;

/**
 * Warfarin PO (Hamberg 2007, Clin Pharmacol Ther 81:529): S-warfarin in two compartments, exact between two steps; its
 * effect E drives a chain of six transit compartments and a single slow one; INR = 1 + 20 (1 - c6 d1)^3.61. Assessed is the INR,
 * target 2-3, toxic above 4. State: value, trough, depot, central, peripheral (mg), six transit compartments, slow one.
 * @param stepH longest time in h over which E is held
 */
export function makeWarfarin(stepH: number): DosingModel {
  const steps = Math.round(24 / stepH);
  const h = 24 / steps;
  return {
    drugId: "warfarin",
    levelCode: "INR",
    unit: "{INR}",
    effects: ["CL", "V1", "EC50", "MTT1", "MTT2"],
    assayCv: 0.05,
    stepDays: 3,
    effectDays: 9,
    target: () => TARGET,
    spread: ({ genotype }) => (genotype === null ? SPREAD_WITHOUT_GENOTYPE : SPREAD),
    individual: individualOf,
    exposure: (value) => value,
    start: () => {
      const state = new Float64Array(STATE_LENGTH).fill(1);
      state[TROUGH] = Number.NaN;
      state.fill(0, DEPOT, CHAIN);
      state[VALUE] = INR_BASE;
      return state;
    },
    advanceDay: (state, parameters, day) => advance(state, parameters, day, steps, h),
  };
}

function individualOf({ ageYears, genotype }: DosingCovariates, eta: ArrayLike<number>): Float64Array {
  const factor = genotype === null ? Math.exp(LOG_CLEARANCE_FACTOR.mean) : 1 - CLEARANCE_LOSS[genotype.cyp2c9];
  const ec50 = genotype === null ? Math.exp(LOG_EC50.mean) : EC50_MG_PER_L[genotype.vkorc1];
  return Float64Array.of(
    0.314 * (1 - 0.0091 * (ageYears - 71)) * factor * Math.exp(eta[0]!),
    13.8 * Math.exp(eta[1]!),
    0,
    (ec50 * Math.exp(eta[2]!)) ** GAMMA,
    TRANSIT_COMPARTMENTS / (11.6 * Math.exp(eta[3]!)),
    1 / (120 * Math.exp(eta[4]!)),
  );
}

/** One day in `steps` steps of `h` hours; the effect of a step is that at its middle. */
function advance(state: Float64Array, parameters: Float64Array, day: DoseDay, steps: number, h: number): void {
  const v1 = parameters[1]!;
  const modes = modesOf(parameters[0]! * day.clearanceFactor, v1, FLOW, V2);
  const doses = Math.max(1, Math.round(24 / day.intervalH));
  let fast = fastAmount(modes, state[CENTRAL]!, state[PERIPHERAL]!);
  let slow = state[CENTRAL]! - fast;
  let depot = state[DEPOT]!;
  const dose = (day.dosePerDay * S_SHARE * BIOAVAILABILITY * day.absorptionFactor) / doses;
  const half = h / 2;
  const fastDecay = Math.exp(-modes.alpha * half);
  const slowDecay = Math.exp(-modes.beta * half);
  const depotDecay = Math.exp(-ABSORPTION_RATE * half);
  const fastFromDepot =
    (modes.fastShare * ABSORPTION_RATE * (fastDecay - depotDecay)) / (ABSORPTION_RATE - modes.alpha);
  const slowFromDepot =
    ((1 - modes.fastShare) * ABSORPTION_RATE * (slowDecay - depotDecay)) / (ABSORPTION_RATE - modes.beta);
  const scale = parameters[ec50ToGamma]!;
  const transit = transitWeights(parameters[transitRate]! * h);
  const secondDecay = Math.exp(-parameters[secondRate]! * h);
  let second = state[SECOND]!;
  for (let i = 0; i < steps; i++) {
    if ((i * doses) % steps === 0) depot += dose;
    fast = fast * fastDecay + depot * fastFromDepot;
    slow = slow * slowDecay + depot * slowFromDepot;
    depot *= depotDecay;
    const drive = (Math.max(0, fast + slow) / v1) ** GAMMA;
    const effect = scale / (scale + drive);
    fast = fast * fastDecay + depot * fastFromDepot;
    slow = slow * slowDecay + depot * slowFromDepot;
    depot *= depotDecay;
    // Deviations from the held effect pass down the chain with Poisson weights: exact for a constant input.
    for (let k = TRANSIT_COMPARTMENTS - 1; k >= 0; k--) {
      let deviation = 0;
      for (let j = 0; j <= k; j++) deviation += transit[j]! * (state[CHAIN + k - j]! - effect);
      state[CHAIN + k] = effect + deviation;
    }
    second = effect + (second - effect) * secondDecay;
  }
  state[VALUE] = INR_BASE + INR_MAX * (1 - state[CHAIN + TRANSIT_COMPARTMENTS - 1]! * second) ** INR_LAMBDA;
  state[TROUGH] = Number.NaN;
  state[DEPOT] = depot;
  state[CENTRAL] = fast + slow;
  state[PERIPHERAL] = fast * modes.peripheralPerFast + slow * modes.peripheralPerSlow;
  state[SECOND] = second;
}

/** Poisson weights e^-x x^j / j!, j below the number of transit compartments. */
function transitWeights(x: number): Float64Array {
  const weights = new Float64Array(TRANSIT_COMPARTMENTS);
  weights[0] = Math.exp(-x);
  for (let j = 1; j < TRANSIT_COMPARTMENTS; j++) weights[j] = (weights[j - 1]! * x) / j;
  return weights;
}

/** What the IWPC formula is told. */
export interface WarfarinDoseFacts {
  readonly ageYears: number;
  readonly heightCm: number;
  readonly weightKg: number;
  readonly takesInducer: boolean;
  readonly takesAmiodarone: boolean;
}

/** First weekly dose in mg by the clinical formula of the IWPC (NEJM 2009;360:753), for the reference ancestry. */
export function firstWeeklyDose(facts: WarfarinDoseFacts): number {
  const root =
    4.0376 -
    0.2546 * Math.floor(facts.ageYears / 10) +
    0.0118 * facts.heightCm +
    0.0134 * facts.weightKg +
    (facts.takesInducer ? 1.2799 : 0) -
    (facts.takesAmiodarone ? 0.5695 : 0);
  return root * root;
}
