/** Protections that are one drug at one dose (unit of its row). Source: usual preventive doses of the labels. */
export const PROTECTION_DRUGS = {
  PPI: { drugId: "pantoprazole", dosePerDay: 20 },
  FOLATE: { drugId: "folic_acid", dosePerDay: 1 },
} as const;

/** Below this CrCl (mL/min) bone protection is vitamin D, as oral bisphosphonates are not advised. Source: label of alendronate. */
export const BISPHOSPHONATE_MIN_CRCL = 35;
