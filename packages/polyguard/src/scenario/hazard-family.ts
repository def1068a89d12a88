import type { Allergy, LifeExpectancy, Medication, Sex } from "../world/types.ts";

/**
 * Dose of a hazard's drug: the middle of its range where none is given. `unadjusted` is the usual dose where the kidneys
 * ask for a lower one or for none, `below` a dose under the usual range, `daily` a weekly dose taken every day.
 */
export type HazardDose = "high" | "low" | "unadjusted" | "below" | "daily";

/** One drug of a hazard: any of these drug_ids or groups, taken for one of these conditions. */
export interface HazardSlot {
  /** drug_ids or group tokens. */
  readonly choices: readonly string[];
  /** Conditions the drug may be taken for; the first that it treats is made active. Empty: no active indication. */
  readonly conditions: readonly string[];
  readonly dose?: HazardDose;
  /** A short course that ends by itself. */
  readonly isCourse?: boolean;
  /** Days of use, drawn uniformly; long-standing where not given. */
  readonly useDays?: readonly [low: number, high: number];
  /** Hidden factor on the effect, 0-1. */
  readonly responseFactor?: number;
  /** The patient's symptom does not answer to the drug: hidden, shown by the symptom score only. */
  readonly isFailing?: boolean;
  /** Of the same duplicate class as the slot before. */
  readonly isDuplicate?: boolean;
  readonly source?: Medication["source"];
  /** Taken, but not on the list. */
  readonly isUnlisted?: boolean;
  /** The drug that should go. */
  readonly isTarget?: boolean;
}

/** Values a hazard sets, each drawn uniformly between two ends. */
export interface HazardPhysiology {
  readonly potassium?: readonly [low: number, high: number];
  readonly sodium?: readonly [low: number, high: number];
  readonly qtc?: readonly [low: number, high: number];
  readonly egfr?: readonly [low: number, high: number];
  readonly heartRate?: readonly [low: number, high: number];
}

/** Patient a hazard asks for. */
export interface HazardPatient {
  readonly leastAgeYears?: number;
  readonly leastFrailtyCfs?: number;
  readonly lifeExpectancy?: LifeExpectancy;
}

/** A therapy that is indicated and not given. */
export interface MissingTherapy {
  readonly condition: string;
  /** Groups or drug_ids any of which would answer it; null = any drug for the condition. */
  readonly options: readonly string[] | null;
}

/** One way a hazard may look. */
export interface HazardForm {
  readonly slots: readonly HazardSlot[];
  readonly physiology?: HazardPhysiology;
  /** Further conditions that are there. */
  readonly conditions?: readonly string[];
  /** Conditions that are not active (any more). */
  readonly absent?: readonly string[];
  /** Of {@link absent}: in the record as history. */
  readonly history?: readonly string[];
  readonly sex?: Sex;
  readonly patient?: HazardPatient;
  /** Level of the first slot's drug relative to the middle of its target; default 1. */
  readonly levelShift?: number;
  /** The first drug causes this condition, the second is given for it. */
  readonly cascade?: { readonly condition: string; readonly baseSeverity: number };
  readonly missing?: MissingTherapy;
  /** Entry of the allergy list that stands against the target. */
  readonly allergy?: Pick<Allergy, "substance" | "reaction" | "severity">;
}

/**
 * What proves that a hazard is there: a major or contraindicated hit of its own that nobody manages, a change of one of
 * its drugs that gains something, a missing therapy that gains something, or a rule that forbids the drug for this patient
 * (allergy, kidneys), whatever the harm engine makes of it.
 */
export type HazardSign = "hit" | "gain" | "missing" | "rule";

/** A family of hazards: each form is instantiated with many drugs of the knowledge base. */
export interface HazardFamily {
  /** `H01` ... `H45`. */
  readonly family: string;
  readonly title: string;
  readonly source: string;
  /** Needs several visits by its nature; every hazard with a drug that must be tapered does too. */
  readonly needsSeveralVisits: boolean;
  /** Default `hit`. */
  readonly sign?: HazardSign;
  readonly forms: readonly HazardForm[];
}
