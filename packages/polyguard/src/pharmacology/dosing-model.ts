import type { Genotype, Sex } from "../world/types.ts";

/** What a model is told of a patient: true values in the simulator, known ones in an estimate. */
export interface DosingCovariates {
  readonly ageYears: number;
  readonly sex: Sex;
  readonly weightKg: number;
  readonly creatinineClearanceMlPerMin: number;
  readonly hasHeartFailure: boolean;
  /** null = not known: the population's mixture takes its place. */
  readonly genotype: Pick<Genotype, "cyp2c9" | "vkorc1"> | null;
}

/** One day of treatment. */
export interface DoseDay {
  /** In the unit of the knowledge base (mg or ug a day); 0 = held. */
  readonly dosePerDay: number;
  readonly intervalH: number;
  /** Multiplies clearance; 1 without co-medication. */
  readonly clearanceFactor: number;
  /** Multiplies the absorbed dose; 1 without co-medication. */
  readonly absorptionFactor: number;
}

/** Where the assessed quantity should be. Attainment is 1 inside [low, high] and 0 at the two zeros. */
export interface TargetRange {
  readonly low: number;
  readonly high: number;
  readonly zeroBelow: number;
  readonly zeroAbove: number;
  /** Falls on the log scale instead of the linear one. */
  readonly isLog: boolean;
  /** Which of the two zeros is the toxic bound. */
  readonly toxicSide: "above" | "below";
  /** A trough at or above it halves the attainment; null = no trough. */
  readonly troughBelow: number | null;
}

/** Index of the assessed quantity of the day just ended in every model's state. */
export const VALUE = 0;
/** Index of the trough at the end of the dosing interval; NaN where a model assesses none. */
export const TROUGH = 1;

/** A dosing model: how one patient answers to doses, day by day. */
export interface DosingModel {
  /** Row of the knowledge base. */
  readonly drugId: string;
  /** Code of the assessed quantity in the monitoring column. */
  readonly levelCode: string;
  /** UCUM unit of the assessed quantity. */
  readonly unit: string;
  /** Names of the random effects, in the order of every `eta`. */
  readonly effects: readonly string[];
  /** Proportional error of the assay, as a share. */
  readonly assayCv: number;
  /** Days from one assessment to the next. */
  readonly stepDays: number;
  /** Days over which a dose is judged: until most of its effect has come. assumption: chosen on simulated patients. */
  readonly effectDays: number;
  target(ageYears: number): TargetRange;
  /** Standard deviations of the random effects on the log scale; wider where a covariate is not known. */
  spread(covariates: DosingCovariates): readonly number[];
  /** The patient's own parameters: typical values times exp(eta), the order known to the model only. */
  individual(covariates: DosingCovariates, eta: ArrayLike<number>): Float64Array;
  /** What of a settled value rises with the dose: the value itself, for TSH the share of the requirement. */
  exposure(value: number): number;
  /** State of an untreated patient. */
  start(parameters: Float64Array): Float64Array;
  /** Lets one day of treatment pass. Mutates `state`. */
  advanceDay(state: Float64Array, parameters: Float64Array, day: DoseDay): void;
}

/** Standard deviation on the log scale of a log-normal effect with that coefficient of variation. */
export function logSpread(cv: number): number {
  return Math.sqrt(Math.log(1 + cv * cv));
}

/** A range that falls linearly to 0 at half its lower bound and at the toxic bound. */
export function linearTarget(low: number, high: number, toxic: number, troughBelow: number | null = null): TargetRange {
  return { low, high, zeroBelow: low / 2, zeroAbove: toxic, isLog: false, toxicSide: "above", troughBelow };
}

/** mL/min as L/h. */
export const L_PER_H_PER_ML_PER_MIN = 0.06;
