import type { Sex } from "../world/types.ts";

const CM_PER_INCH = 2.54;

/** Ideal body weight, kg. Source: Devine 1974 (50 kg M, 45.5 kg F, plus 2.3 kg per inch above 60 in). */
export function idealBodyWeightKg(sex: Sex, heightCm: number): number {
  return (sex === "M" ? 50 : 45.5) + 2.3 * (heightCm / CM_PER_INCH - 60);
}

/**
 * Weight to put into Cockcroft-Gault: the actual weight below the ideal one, the ideal one up to 20 % above it, else
 * ideal + 0.4 (actual - ideal). Source: common dosing practice, as in Winter 2012.
 */
export function dosingWeightKg(sex: Sex, heightCm: number, weightKg: number): number {
  const ideal = idealBodyWeightKg(sex, heightCm);
  if (weightKg < ideal) return weightKg;
  return weightKg <= 1.2 * ideal ? ideal : ideal + 0.4 * (weightKg - ideal);
}

/** Cockcroft and Gault 1976. `weightKg` is used as given. @returns creatinine clearance in mL/min */
export function computeCreatinineClearance(input: {
  readonly ageYears: number;
  readonly weightKg: number;
  readonly serumCreatinineMgPerDl: number;
  readonly sex: Sex;
}): number {
  const male = ((140 - input.ageYears) * input.weightKg) / (72 * input.serumCreatinineMgPerDl);
  return input.sex === "F" ? 0.85 * male : male;
}

/** CKD-EPI 2021 creatinine equation without race (Inker, NEJM 2021). @returns eGFR in mL/min/1.73 m2 */
export function computeEgfr(input: {
  readonly ageYears: number;
  readonly serumCreatinineMgPerDl: number;
  readonly sex: Sex;
}): number {
  const isFemale = input.sex === "F";
  const ratio = input.serumCreatinineMgPerDl / (isFemale ? 0.7 : 0.9);
  const below = Math.min(ratio, 1) ** (isFemale ? -0.241 : -0.302);
  return 142 * below * Math.max(ratio, 1) ** -1.2 * 0.9938 ** input.ageYears * (isFemale ? 1.012 : 1);
}

/** Serum creatinine that gives an eGFR: inverse of {@link computeEgfr}. @returns mg/dL */
export function solveSerumCreatinine(input: {
  readonly ageYears: number;
  readonly egfrMlPerMin: number;
  readonly sex: Sex;
}): number {
  const isFemale = input.sex === "F";
  const atKnee = 142 * 0.9938 ** input.ageYears * (isFemale ? 1.012 : 1);
  const relative = input.egfrMlPerMin / atKnee;
  const exponent = relative > 1 ? (isFemale ? -0.241 : -0.302) : -1.2;
  return (isFemale ? 0.7 : 0.9) * relative ** (1 / exponent);
}
