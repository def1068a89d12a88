import type { Rng } from "@praxis/env";
import { withCreatinine } from "../course/labs.ts";
import { solveSerumCreatinine } from "../engine/body.ts";
import type {
  Allergy,
  Condition,
  Genotype,
  LifeExpectancy,
  Patient,
  Physiology,
  Preference,
  Sex,
} from "../world/types.ts";
import { drawConditions, FEMALE_SHARE } from "./prevalence.ts";

/** A patient without any drug. */
export interface DrawnPatient {
  readonly patient: Patient;
  /** Conditions with burden and risk conditions, severities drawn. */
  readonly conditions: readonly Condition[];
  /** Physiology as it will be under the regimen that the scenario begins with. */
  readonly physiology: Physiology;
}

/** Conditions whose severity is a fact, not a degree. */
const FACTS = new Set(["FALLS", "GI_ULCER", "ORTHOSTATIC", "CKD"]);
const SMOKERS = 0.12;
/** Severity of the other conditions. */
const SEVERITY = [0.4, 0.85] as const;
/** Conditions that one first-line drug controls badly are drawn milder, so that a list without hazard leaves little to gain. */
const MILD_SEVERITY = [0.25, 0.5] as const;
const HARD_TO_CONTROL = new Set([
  "COPD",
  "PARKINSON",
  "RA",
  "DEPRESSION",
  "BIPOLAR",
  "EPILEPSY",
  "NEUROPATHIC_PAIN",
  "OA_PAIN",
]);

/** Expected severity of an active condition of which a record tells no degree. */
export function expectedSeverity(code: string): number {
  if (FACTS.has(code)) return 1;
  const [low, high] = HARD_TO_CONTROL.has(code) ? MILD_SEVERITY : SEVERITY;
  return (low + high) / 2;
}

/** European-like frequencies. */
const CYP2D6 = [
  ["PM", 0.07],
  ["IM", 0.35],
  ["NM", 0.55],
  ["UM", 0.03],
] as const;
const CYP2C19 = [
  ["PM", 0.03],
  ["IM", 0.27],
  ["NM", 0.4],
  ["RM", 0.3],
] as const;
const CYP2C9 = [
  ["*1/*1", 0.66],
  ["*1/*2", 0.18],
  ["*1/*3", 0.12],
  ["*2/*2", 0.02],
  ["*2/*3", 0.015],
  ["*3/*3", 0.005],
] as const;
const VKORC1 = [
  ["GG", 0.37],
  ["GA", 0.47],
  ["AA", 0.16],
] as const;

/** Share of patients with an entry, and what it says (assumption:). */
const ALLERGIES: readonly (readonly [
  share: number,
  substance: string,
  reaction: Allergy["reaction"],
  severity: Allergy["severity"],
])[] = [
  [0.1, "PENICILLIN", "rash", "moderate"],
  [0.04, "SULFA_TMP", "rash", "moderate"],
  [0.03, "NSAID", "bronchospasm", "severe"],
  [0.03, "ACEI", "angioedema", "severe"],
  [0.03, "codeine", "intolerance", "mild"],
];
const PREFERENCES: readonly Preference[] = ["no_injection", "once_daily", "no_sedation", "fewer_tablets"];

function pick<T extends string>(rng: Rng, table: readonly (readonly [T, number])[]): T {
  return table[rng.weightedIndex(table.map(([, weight]) => weight))]![0];
}

/** Normal draw, redrawn until it is within the limits. */
export function truncatedNormal(rng: Rng, mean: number, deviation: number, low: number, high: number): number {
  for (;;) {
    const value = rng.normal(mean, deviation);
    if (value >= low && value <= high) return value;
  }
}

function drawGenotype(rng: Rng): Genotype {
  return {
    cyp2d6: pick(rng, CYP2D6),
    cyp2c19: pick(rng, CYP2C19),
    cyp2c9: pick(rng, CYP2C9),
    vkorc1: pick(rng, VKORC1),
  };
}

function drawAllergies(rng: Rng): Allergy[] {
  const allergies: Allergy[] = [];
  for (const [share, substance, reaction, severity] of ALLERGIES) {
    const isThere = rng.bernoulli(share);
    const isVerified = rng.bernoulli(0.8);
    if (isThere) allergies.push({ id: `a${allergies.length + 1}`, substance, reaction, severity, isVerified });
  }
  return allergies;
}

/** Draws one patient: body, kidneys, genotype, conditions, physiology. */
export function drawPatient(rng: Rng): DrawnPatient {
  const ageYears = Math.round(truncatedNormal(rng, 78, 8, 65, 98));
  const sex: Sex = rng.bernoulli(FEMALE_SHARE) ? "F" : "M";
  const heightCm = Math.round(truncatedNormal(rng, sex === "F" ? 160 : 174, 7, 135, 200));
  const bodyMassIndex = truncatedNormal(rng, 27, 4.5, 17, 42);
  const weightKg = Math.round(bodyMassIndex * (heightCm / 100) ** 2);
  const { codes, egfrMlPerMin } = drawConditions(rng, sex);
  const frailtyCfs = Math.round(
    Math.min(
      8,
      Math.max(1, rng.normal(3 + (ageYears - 78) / 12 + 0.15 * codes.size + (codes.has("DEMENTIA") ? 1 : 0), 1)),
    ),
  );
  const lifeExpectancy: LifeExpectancy = frailtyCfs >= 8 ? "<1y" : frailtyCfs >= 6 ? "1-5y" : ">5y";
  const patient: Patient = {
    ageYears,
    sex,
    weightKg,
    heightCm,
    isSmoker: rng.bernoulli(SMOKERS),
    frailtyCfs,
    lifeExpectancy,
    genotype: drawGenotype(rng),
    childPugh: null,
    allergies: drawAllergies(rng),
    preferences: PREFERENCES.filter(() => rng.bernoulli(0.25)),
  };
  const conditions = [...codes].map((code): Condition => {
    const [low, high] = HARD_TO_CONTROL.has(code) ? MILD_SEVERITY : SEVERITY;
    const severity = low + (high - low) * rng.uniform();
    return {
      code,
      severity: FACTS.has(code) ? 1 : severity,
      onsetDay: -Math.round(200 + 3000 * rng.uniform()),
      cascade: null,
    };
  });
  const isOrthostatic = codes.has("ORTHOSTATIC");
  const physiology = withCreatinine(
    patient,
    {
      serumCreatinineMgPerDl: 1,
      creatinineClearanceMlPerMin: 60,
      egfrMlPerMin: 60,
      albuminGPerDl: truncatedNormal(rng, 4, 0.3, 2.8, 5),
      potassiumMmolPerL: truncatedNormal(rng, 4.25, 0.3, 3.6, 4.9),
      sodiumMmolPerL: truncatedNormal(rng, 139.5, 2, 135, 145),
      magnesiumMgPerDl: truncatedNormal(rng, 2, 0.15, 1.6, 2.5),
      hemoglobinGPerDl: truncatedNormal(rng, sex === "F" ? 12.8 : 13.8, 1.2, 9, 17),
      qtcMs: truncatedNormal(rng, sex === "F" ? 428 : 420, 15, 370, 449),
      heartRatePerMin: truncatedNormal(rng, 72, 8, 56, 100),
      systolicBpMmHg: truncatedNormal(rng, 138, 13, 105, 180),
      systolicDropMmHg: truncatedNormal(
        rng,
        isOrthostatic ? 26 : 8,
        5,
        isOrthostatic ? 20 : 0,
        isOrthostatic ? 45 : 19,
      ),
    },
    solveSerumCreatinine({ ageYears, sex, egfrMlPerMin }),
  );
  return { patient, conditions, physiology };
}
