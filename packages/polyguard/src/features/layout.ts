import { ACTION_TYPES } from "../actions/types.ts";
import { RISK_COLUMNS } from "../kb/domains.ts";
import { SUB_ENVIRONMENTS } from "../scenario/types.ts";

/** Version of the feature vectors; a change of any field is a new version, kept in checkpoints and traces. */
export const FEATURES_VERSION = "polyguard-f1";

/** Most medication rows and most candidate rows. */
export const MOST_ROWS = 24;
/** Values are clipped to this distance from 0. */
export const CLIP = 3;
/** Places for condition codes; those after the listed ones are empty. */
export const CONDITION_PLACES = 40;

/** Condition codes that the patient generator draws, and CKD, alphabetical. Frozen with the version. */
export const FEATURE_CONDITIONS = [
  "AF_RATE",
  "AF_RHYTHM",
  "AF_STROKE",
  "ANXIETY",
  "BIPOLAR",
  "BPH",
  "CAD",
  "CKD",
  "COPD",
  "DEMENTIA",
  "DEPRESSION",
  "DYSLIPID",
  "EPILEPSY",
  "FALLS",
  "GERD",
  "GI_ULCER",
  "GOUT",
  "HFREF",
  "HTN",
  "HYPOTHYROID",
  "INSOMNIA",
  "NEUROPATHIC_PAIN",
  "OAB",
  "OA_PAIN",
  "ORTHOSTATIC",
  "OSTEOPOROSIS",
  "PARKINSON",
  "RA",
  "T2DM",
  "VTE",
] as const;

/** Fields of the patient block, in order. */
export const PATIENT_FIELDS: readonly string[] = [
  ...["(age-78)/10", "female", "(weight-70)/20", "CFS/9", "life <1y", "life 1-5y", "life >5y", "smoker"],
  ...["CrCl/100", "eGFR/100", "K-4.3", "(Na-138)/6", "(QTc-430)/50", "(HR-70)/20", "(SBP-130)/20", "INR-2.5"],
  "(Hb-12.5)/2",
  ...["SCr", "weight", "K", "Na", "QTc", "HR", "SBP", "INR", "Hb", "CFS"].map((name) => `${name} known`),
  ...["oldest critical lab d/90", "drugs/15", "ACB/9", "DBI/3", "R90", "alert coverage"],
  ...["contraindicated alerts/3", "major alerts/5", "moderate alerts/8", "discrepancies/3", "conflicts/2"],
  ...["entropy hint", "steps left/18", "visits left/10", "changes left/8", "evidence left/5", "reviews left/2"],
  ...["changes in 28 d/3", "taper runs", "switch open", "day/365", "pill count"],
];

/** Fields of the context block: sub-environment, then conditions. */
export const CONTEXT_FIELDS: readonly string[] = [
  ...SUB_ENVIRONMENTS,
  ...FEATURE_CONDITIONS,
  ...Array.from({ length: CONDITION_PLACES - FEATURE_CONDITIONS.length }, (_, i) => `empty ${i + 1}`),
];

/** Fields of a medication row. */
export const MEDICATION_FIELDS: readonly string[] = [
  ...["dose/target dose", "dose/renal cap", "doses a day/4", "ln(1+days)/8", "PRN"],
  ...["active", "tapering", "held", "unreconciled", "stopped"],
  ...["documented indication", "worst symptom/10"],
  ...[
    "narrow TI",
    "fe renal",
    "ln(half-life h)/5",
    "ln(onset d)/5",
    "stop harm/3",
    "taper class",
    "Beers AVOID",
    "ACB/3",
  ],
  ...RISK_COLUMNS.map((name) => `${name}/2`),
  ...["QT", "strongest inhibition/3", "strongest induction/3"],
  ...["contraindicated hits/3", "major hits/3", "moderate hits/3"],
  ...["share of starting dose", "withdrawal score", "days since change/28", "carry-over"],
  ...["level position", "level known"],
];

/** Fields of a candidate row. */
export const CANDIDATE_FIELDS: readonly string[] = [
  ...ACTION_TYPES,
  ...["log2(new dose/old)", "uses a change", "days/14"],
  ...["contraindicated removed/2", "major removed/3", "moderate removed/5"],
  ...["contraindicated added/2", "major added/3", "moderate added/5"],
  ...["change of drugs", "change of ACB/9", "change of doses a day/4"],
  ...["share of conditions left untreated", "treats an untreated condition", "dose/target dose after"],
  ...["renal clause violated", "washout left d/35", "taper step share", "taper interval d/28"],
];
