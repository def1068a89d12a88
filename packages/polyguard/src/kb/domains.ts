/** Harm domains in table order; the index is the row of every per-domain array. */
export const HARM_DOMAINS = [
  "BLEED",
  "GI_BLEED",
  "FALL_SEDATION",
  "RESP_DEPR",
  "HYPOTENSION",
  "BRADY",
  "QT",
  "SEROTONIN",
  "HYPERK",
  "HYPOK",
  "HYPONA",
  "HYPOGLY",
  "AKI",
  "MYOPATHY",
  "ANTICHOL",
  "SEIZURE",
  "MYELOSUPP",
  "NTI_TOX",
  "HTN_CRISIS",
  "OTHER",
] as const;

/** A harm whose yearly rate the engine models. */
export type HarmDomain = (typeof HARM_DOMAINS)[number];

/** Domain of an interaction: a harm, or a loss of the object's effect, which cuts benefit and adds no harm. */
export type InteractionDomain = HarmDomain | "EFFICACY_LOSS";

/** Severities from low to high; the index orders them. */
export const SEVERITIES = ["moderate", "major", "contraindicated"] as const;

/** Severity of an interaction hit. */
export type Severity = (typeof SEVERITIES)[number];

/** Codes of the management column. */
export const MANAGEMENT_CODES = [
  "AVOID",
  "STOP_ONE",
  "SUBSTITUTE",
  "ADJUST",
  "MONITOR",
  "PROTECT",
  "SEPARATE",
  "REVIEW_INDICATION",
  "TAPER",
  "TAPER_ORDER",
] as const;

/** One way to manage an interaction. */
export type ManagementCode = (typeof MANAGEMENT_CODES)[number];

/** Taper classes of the drug table. */
export const TAPER_CLASSES = [
  "NONE",
  "BZD",
  "OPIOID",
  "ANTIDEP",
  "GABAPENTINOID",
  "ANTIPSYCH",
  "CHEI",
  "PPI",
  "STEROID",
  "BB",
  "CLONIDINE",
  "AED",
  "BACLOFEN",
  "DOPA",
  "LITHIUM",
  "NITRATE",
] as const;

/** How a drug has to be tapered; NONE = may be stopped at once. */
export type TaperClass = (typeof TAPER_CLASSES)[number];

/** Ordinal risk columns of the drug table, in column order. */
export const RISK_COLUMNS = [
  "sedative_load",
  "bleed",
  "hyponatremia",
  "hyperkalemia",
  "hypokalemia",
  "serotonergic",
  "hypoglycemia",
  "fall_risk",
  "hypotension",
  "bradycardia",
  "nephrotoxic",
  "resp_depress",
  "seizure_threshold",
  "gi_ulcer",
] as const;

/** Name of an ordinal 0-2 risk column. */
export type RiskColumn = (typeof RISK_COLUMNS)[number];

/** Row number of a harm domain in every per-domain array. */
export function domainIndex(domain: HarmDomain): number {
  return HARM_DOMAINS.indexOf(domain);
}

/** 0 moderate, 1 major, 2 contraindicated. */
export function severityRank(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}
