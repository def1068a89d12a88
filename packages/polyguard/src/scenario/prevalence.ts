import type { Rng } from "@praxis/env";
import type { Sex } from "../world/types.ts";

/** Drawn health problems of a patient before any drug. */
export interface DrawnConditions {
  readonly codes: ReadonlySet<string>;
  readonly egfrMlPerMin: number;
}

/**
 * Marginal prevalence at 65 and above. Direction from population surveys of older adults; assumption: the numbers.
 * OSTEOPOROSIS is 30 % in women and what is left in men, BPH 35 % of men.
 */
const PREVALENCE: Readonly<Record<string, number>> = {
  HTN: 0.7,
  DYSLIPID: 0.5,
  T2DM: 0.28,
  OA_PAIN: 0.5,
  CAD: 0.2,
  AF_STROKE: 0.15,
  HFREF: 0.08,
  DEPRESSION: 0.15,
  ANXIETY: 0.12,
  INSOMNIA: 0.25,
  GERD: 0.25,
  OAB: 0.18,
  HYPOTHYROID: 0.12,
  COPD: 0.12,
  DEMENTIA: 0.1,
  PARKINSON: 0.03,
  GOUT: 0.06,
  NEUROPATHIC_PAIN: 0.12,
  EPILEPSY: 0.02,
  BIPOLAR: 0.01,
  RA: 0.02,
  VTE: 0.04,
  FALLS: 0.3,
  GI_ULCER: 0.08,
  ORTHOSTATIC: 0.15,
};

/** Share of women among the patients. */
export const FEMALE_SHARE = 0.55;
const BPH_IN_MEN = 0.35;
const OSTEOPOROSIS = 0.2;
const OSTEOPOROSIS_IN_WOMEN = 0.3;
const OSTEOPOROSIS_IN_MEN = (OSTEOPOROSIS - FEMALE_SHARE * OSTEOPOROSIS_IN_WOMEN) / (1 - FEMALE_SHARE);
/** With AF_STROKE: AF_RATE with this probability, else AF_RHYTHM. */
const AF_RATE_SHARE = 0.7;

/** The second is twice as frequent in patients with the first. */
const LIFTS: readonly (readonly [first: string, second: string])[] = [
  ["AF_STROKE", "HFREF"],
  ["CAD", "HFREF"],
  ["T2DM", "NEUROPATHIC_PAIN"],
  ["DEMENTIA", "FALLS"],
  ["COPD", "ANXIETY"],
];
const LIFT = 2;

/** eGFR bands, mL/min/1.73 m2, with their shares; the first is normal kidney function. */
const EGFR_BANDS: readonly (readonly [low: number, high: number, share: number])[] = [
  [60, 95, 0.55],
  [45, 60, 0.2],
  [30, 45, 0.15],
  [15, 30, 0.08],
  [8, 15, 0.02],
];

/**
 * Factor on the probability of the second condition of a lift: 2 with the first condition, and without it what keeps
 * the marginal probability as it is.
 */
export function liftFactor(hasFirst: boolean, firstPrevalence: number): number {
  return hasFirst ? LIFT : (1 - LIFT * firstPrevalence) / (1 - firstPrevalence);
}

/** Marginal probability of a condition in a patient of that sex; 0 for codes that are not drawn. */
export function prevalenceOf(code: string, sex: Sex): number {
  if (code === "BPH") return sex === "M" ? BPH_IN_MEN : 0;
  if (code === "OSTEOPOROSIS") return sex === "F" ? OSTEOPOROSIS_IN_WOMEN : OSTEOPOROSIS_IN_MEN;
  return PREVALENCE[code] ?? 0;
}

/** Condition codes the generator can draw, in drawing order (parents of a lift before its second). */
export const DRAWN_CODES: readonly string[] = [
  ...Object.keys(PREVALENCE).filter((code) => code !== "ANXIETY"),
  "ANXIETY",
  "BPH",
  "OSTEOPOROSIS",
];

/** Draws conditions and kidney function with the marginals and lifts above. */
export function drawConditions(rng: Rng, sex: Sex): DrawnConditions {
  const codes = new Set<string>();
  for (const code of DRAWN_CODES) {
    let p = prevalenceOf(code, sex);
    for (const [first, second] of LIFTS)
      if (second === code) p *= liftFactor(codes.has(first), prevalenceOf(first, sex));
    if (rng.bernoulli(p)) codes.add(code);
  }
  const isRate = rng.bernoulli(AF_RATE_SHARE);
  if (codes.has("AF_STROKE")) codes.add(isRate ? "AF_RATE" : "AF_RHYTHM");
  return { codes, egfrMlPerMin: drawEgfr(rng, codes.has("T2DM")) };
}

function drawEgfr(rng: Rng, hasDiabetes: boolean): number {
  const reduced = EGFR_BANDS.slice(1).reduce((sum, [, , share]) => sum + share, 0);
  const factor = liftFactor(hasDiabetes, prevalenceOf("T2DM", "F"));
  const normalShare = 1 - reduced * factor;
  const weights = EGFR_BANDS.map(([, , share], band) => (band === 0 ? normalShare : share * factor));
  const [low, high] = EGFR_BANDS[rng.weightedIndex(weights)]!;
  return low + (high - low) * rng.uniform();
}
