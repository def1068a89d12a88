import { words } from "../../ui/text.ts";

const DOMAINS: Readonly<Record<string, string>> = {
  BLEED: "bleeding",
  GI_BLEED: "bleeding of stomach or bowel",
  FALL_SEDATION: "falls and sedation",
  RESP_DEPR: "slowed breathing",
  HYPOTENSION: "low blood pressure",
  BRADY: "slow heart",
  QT: "QT prolongation",
  SEROTONIN: "serotonin syndrome",
  HYPERK: "high potassium",
  HYPOK: "low potassium",
  HYPONA: "low sodium",
  HYPOGLY: "low blood sugar",
  AKI: "kidney injury",
  MYOPATHY: "muscle damage",
  ANTICHOL: "anticholinergic effects",
  SEIZURE: "seizures",
  MYELOSUPP: "low blood cells",
  NTI_TOX: "toxic level",
  HTN_CRISIS: "high blood pressure",
  EFFICACY_LOSS: "loss of effect",
  OTHER: "other harm",
};

/** What a harm domain is in plain words. */
export const domainName = (code: string): string => DOMAINS[code] ?? words(code).toLowerCase();

const CONDITIONS: Readonly<Record<string, string>> = {
  HTN: "Hypertension",
  AF: "Atrial fibrillation",
  HFREF: "Heart failure, reduced EF",
  HFPEF: "Heart failure, preserved EF",
  CAD: "Coronary disease",
  T2DM: "Diabetes type 2",
  CKD: "Chronic kidney disease",
  COPD: "COPD",
  GERD: "Reflux",
  OA_PAIN: "Osteoarthritis pain",
  BPH: "Enlarged prostate",
  AF_STROKE: "Atrial fibrillation, stroke prevention",
  AF_RATE: "Atrial fibrillation, rate control",
  BPSD: "Behavioural symptoms of dementia",
  OAB: "Overactive bladder",
  RA: "Rheumatoid arthritis",
  DYSLIPID: "High lipids",
  HYPOTHYROID: "Underactive thyroid",
  VTE: "Venous thrombosis",
  PAD: "Arterial disease of the legs",
  RLS: "Restless legs",
  OCD: "Obsessive-compulsive disorder",
  UTI: "Urinary infection",
  PMR: "Polymyalgia rheumatica",
  IBD: "Inflammatory bowel disease",
  HIV: "HIV",
  T1DM: "Diabetes type 1",
  BREAST_CA: "Breast cancer",
  IRON_DEF: "Iron deficiency",
  GI_ULCER: "Stomach or bowel ulcer",
  LONG_QT: "Long QT",
  MECH_VALVE: "Mechanical valve",
  STROKE_SECONDARY: "Stroke before",
  ORTHOSTATIC: "Falls in pressure on standing",
};

/** Name of a condition by its code. */
export const conditionName = (code: string): string => CONDITIONS[code] ?? words(code.toLowerCase());

const LABS: Readonly<Record<string, string>> = {
  CREAT: "Creatinine",
  NA: "Sodium",
  K: "Potassium",
  MG: "Magnesium",
  CA: "Calcium",
  ALB: "Albumin",
  HB: "Haemoglobin",
  PLT: "Platelets",
  GLU: "Glucose",
  A1C: "HbA1c",
  INR: "INR",
  TSH: "TSH",
  QTC: "QTc",
  HR: "Heart rate",
  SBP: "Systolic pressure",
  SBP_DROP: "Drop on standing",
  CK: "Creatine kinase",
  ALT: "ALT",
  DIG_LEVEL: "Digoxin level",
  B12: "Vitamin B12",
};

/** Name of a laboratory value or vital sign. */
export const labName = (code: string): string => LABS[code] ?? words(code);

/** `mm[Hg]` as `mmHg`: units as people write them. */
export const unitName = (unit: string): string =>
  unit
    .replace("mm[Hg]", "mmHg")
    .replace("{INR}", "")
    .replace("m[IU]", "mIU")
    .replace("10*3/uL", "10³/µL")
    .replace(/^ug/, "µg");

/** `fluticasone_salmeterol` as `fluticasone salmeterol`. */
export const drugName = (id: string): string => id.replaceAll("_", " ");

const FREQUENCIES: Readonly<Record<string, string>> = {
  "1": "once a day",
  "2": "2 × a day",
  "3": "3 × a day",
  "4": "4 × a day",
  "0.14": "once a week",
  "0.03": "once a month",
};

/** How often a dose is taken. */
export function frequencyName(perDay: number): string {
  const known = FREQUENCIES[String(perDay)];
  if (known !== undefined) return known;
  return perDay >= 1 ? `${perDay} × a day` : `every ${Math.round(1 / perDay)} days`;
}

/** Days in the largest fitting unit. */
export function span(days: number): string {
  if (days < 60) return `${Math.round(days)} d`;
  if (days < 730) return `${Math.round(days / 30.4)} mo`;
  return `${Math.round(days / 365)} y`;
}

/** Ranks of severity, the worst first. */
const SEVERITIES = ["contraindicated", "major", "moderate", "minor"] as const;

/** Place of a severity in {@link SEVERITIES}; unknown ones last. */
export function severityRank(severity: string): number {
  const at = (SEVERITIES as readonly string[]).indexOf(severity);
  return at === -1 ? SEVERITIES.length : at;
}
