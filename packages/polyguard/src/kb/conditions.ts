/** Burden of an untreated condition and what treatment can do about it. */
export interface ConditionBurden {
  /** D: utility lost per year at severity 1. */
  readonly burdenPerYear: number;
  /** rho: best relative reduction by treatment, 0-1. */
  readonly bestReduction: number;
  /** e: control by one first-line drug at full effect, 0-1. */
  readonly control: number;
}

/** Risk conditions: they modify hazards and the Beers and STOPP rules. */
export const RISK_CONDITIONS = [
  "FALLS",
  "SYNCOPE",
  "DELIRIUM_HX",
  "DEMENTIA",
  "PARKINSON",
  "GI_ULCER",
  "HF",
  "HFREF",
  "CKD",
  "BPH_RETENTION",
  "UI_F",
  "SEIZURE",
  "ORTHOSTATIC",
  "COPD_RESP_FAIL",
  "LONG_QT",
  "GLAUCOMA_NA",
  "BLEED_HX",
  "ALCOHOL",
  "HYPONA_HX",
] as const;

/** Token of AVOID_COND for a drug without an active indication. */
const NO_INDICATION = "NO_INDICATION";

/** Indications that carry no burden: procedures, self-care and supplements. */
export const UNBURDENED_INDICATIONS = [
  "PROCEDURAL",
  "SELF_DEPRESSION",
  "SELF_MEMORY",
  "SELF_PAIN",
  "SELF_CONGESTION",
  "SELF_COUGH",
  "HYPOMAG",
  "MTX_PROTECT",
  "FOLATE_DEF",
  "VITD_DEF",
] as const;

/**
 * D, rho and e by condition code.
 * assumption: orders of magnitude of disease burden and treatment effect, tuned so that every listed, not discouraged
 * drug is worth taking alone in a fit 75-year-old; to be confirmed by a clinician.
 */
export const CONDITION_BURDENS: ReadonlyMap<string, ConditionBurden> = new Map(
  (
    [
      ["AF_STROKE", 0.08, 0.65, 0.9],
      ["AF_RATE", 0.08, 0.7, 0.7],
      ["AF_RHYTHM", 0.08, 0.5, 0.6],
      ["HTN", 0.08, 0.5, 0.5],
      ["RESISTANT_HTN", 0.05, 0.4, 0.5],
      ["HFREF", 0.35, 0.65, 0.4],
      ["HF_CONGESTION", 0.3, 0.7, 0.8],
      ["OEDEMA", 0.08, 0.7, 0.8],
      ["CAD", 0.08, 0.5, 0.5],
      ["ANGINA", 0.1, 0.6, 0.5],
      ["STENT", 0.15, 0.8, 0.7],
      ["STROKE_SECONDARY", 0.08, 0.35, 0.8],
      ["VTE", 0.2, 0.85, 0.95],
      ["MECH_VALVE", 0.25, 0.8, 0.95],
      ["PAD", 0.06, 0.35, 0.7],
      ["DYSLIPID", 0.03, 0.4, 0.8],
      ["T2DM", 0.08, 0.5, 0.5],
      ["TRANSPLANT", 1.2, 0.9, 0.7],
      ["T1DM", 0.6, 0.9, 0.7],
      ["CKD_DM", 0.08, 0.4, 0.5],
      ["HYPOTHYROID", 0.15, 0.9, 1.0],
      ["OSTEOPOROSIS", 0.06, 0.45, 0.8],
      ["PMR", 0.2, 0.8, 0.9],
      ["RA", 0.2, 0.7, 0.6],
      ["COPD", 0.15, 0.5, 0.5],
      ["ASTHMA", 0.15, 0.7, 0.6],
      ["DEPRESSION", 0.2, 0.5, 0.7],
      ["ANXIETY", 0.12, 0.5, 0.7],
      ["OCD", 0.12, 0.5, 0.7],
      ["INSOMNIA", 0.06, 0.35, 0.8],
      ["BIPOLAR", 0.3, 0.6, 0.7],
      ["PSYCHOSIS", 0.35, 0.6, 0.8],
      ["BPSD", 0.12, 0.2, 0.8],
      ["DEMENTIA", 0.08, 0.2, 0.7],
      ["PARKINSON", 0.35, 0.7, 0.6],
      ["BREAST_CA", 0.15, 0.45, 0.9],
      ["RLS", 0.08, 0.6, 0.8],
      ["RBD", 0.05, 0.5, 0.8],
      ["EPILEPSY", 0.35, 0.75, 0.8],
      ["TRIGEMINAL", 0.15, 0.6, 0.8],
      ["NEUROPATHIC_PAIN", 0.18, 0.45, 0.6],
      ["OA_PAIN", 0.15, 0.45, 0.6],
      ["PAIN", 0.25, 0.6, 0.6],
      ["SPASTICITY", 0.12, 0.5, 0.7],
      ["MUSCLE_SPASM", 0.05, 0.3, 0.8],
      ["MIGRAINE", 0.08, 0.5, 0.6],
      ["TREMOR", 0.08, 0.5, 0.7],
      ["GERD", 0.06, 0.7, 0.9],
      ["OAB", 0.07, 0.4, 0.7],
      ["BPH", 0.07, 0.5, 0.6],
      ["GOUT", 0.08, 0.7, 0.7],
      ["INFECTION", 0.6, 0.85, 0.9],
      ["UTI", 0.2, 0.85, 0.9],
      ["IRON_DEF", 0.06, 0.8, 0.9],
      ["HYPERTRIG", 0.015, 0.4, 0.8],
      ["DELIRIUM_AGIT", 0.12, 0.2, 0.8],
      ["GASTROPROTECTION", 0.01, 0.5, 0.9],
      ["GASTROPARESIS", 0.1, 0.45, 0.8],
      ["NAUSEA", 0.08, 0.6, 0.8],
      ["DIARRHOEA", 0.06, 0.6, 0.8],
      ["VERTIGO", 0.04, 0.3, 0.8],
      ["ED", 0.02, 0.6, 0.9],
      ["FUNGAL", 0.1, 0.8, 0.9],
      ["ONYCHOMYCOSIS", 0.01, 0.6, 0.9],
      ["TB", 0.6, 0.9, 0.6],
      ["COVID19", 0.2, 0.5, 0.9],
      ["HIV", 0.5, 0.9, 0.9],
      ["HERPES_ZOSTER", 0.12, 0.45, 0.9],
      ["ALLERGY", 0.04, 0.6, 0.8],
      ["IBD", 0.15, 0.6, 0.7],
      ["HYPOKALEMIA", 0.08, 0.8, 0.9],
      ["OUD", 0.6, 0.7, 0.9],
      ["CONSTIPATION", 0.05, 0.6, 0.8],
      ["GLAUCOMA", 0.1, 0.5, 0.7],
      ["HYPERKALEMIA", 0.08, 0.7, 0.8],
      ["HYPERTHYROID", 0.15, 0.85, 0.9],
    ] as const
  ).map(([code, burdenPerYear, bestReduction, control]) => [code, { burdenPerYear, bestReduction, control }]),
);

/** Every code the engine numbers: burdened, unburdened and risk conditions, each once. */
export const CONDITION_CODES: readonly string[] = [
  ...new Set<string>([...CONDITION_BURDENS.keys(), ...UNBURDENED_INDICATIONS, ...RISK_CONDITIONS]),
];

const CONDITION_INDEX: ReadonlyMap<string, number> = new Map(CONDITION_CODES.map((code, index) => [code, index]));

/** Number of a code in {@link CONDITION_CODES}; -1 for an unknown one. */
export function conditionIndex(code: string): number {
  return CONDITION_INDEX.get(code) ?? -1;
}

const KNOWN_INDICATIONS = new Set<string>([...CONDITION_BURDENS.keys(), ...UNBURDENED_INDICATIONS]);
const BEERS_CONDITIONS = new Set<string>([...RISK_CONDITIONS, NO_INDICATION]);

/** True for a code that the indications column may hold. */
export function isKnownIndication(code: string): boolean {
  return KNOWN_INDICATIONS.has(code);
}

/** True for a token that an AVOID_COND entry may name. */
export function isBeersCondition(token: string): boolean {
  return BEERS_CONDITIONS.has(token);
}
