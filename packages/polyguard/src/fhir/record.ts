import type { Sex } from "../world/types.ts";

/** Where in the document something stood, for people: `entry[3] MedicationRequest/m1`. */
export interface EntryRef {
  readonly entry: string;
}

/** An entry or element that could not be used. Not checked is not safe: whoever shows findings shows these too. */
export interface UnusedEntry extends EntryRef {
  /** Path inside the resource; empty for the whole entry. */
  readonly path: string;
  readonly value: string;
  readonly reason: string;
}

/** Something used, with a doubt. */
export interface ImportWarning extends EntryRef {
  readonly path: string;
  readonly message: string;
}

/** A medication as imported. */
export interface ImportedMedication {
  /** Row number in the drug table; null = not recognised, kept as unreconciled. */
  readonly drugIndex: number | null;
  readonly label: string;
  /** In the dose unit of the drug's row (per week where the row is weekly); null = dose unknown. */
  readonly dosePerDay: number | null;
  readonly dosesPerDay: number | null;
  readonly isPrn: boolean;
  readonly startedDaysAgo: number | null;
  readonly indication: string | null;
  readonly entries: readonly string[];
  readonly notes: readonly string[];
}

/** A laboratory value or vital sign, newest per code. */
export interface ImportedValue {
  readonly value: number;
  readonly ageDays: number;
  readonly entry: string;
}

/** What PolyGuard takes from a FHIR document; plain data. */
export interface ImportedRecord {
  /** Day the review is made for, ISO 8601 date. */
  readonly asOf: string;
  readonly patient: { readonly id: string; readonly name: string | null; readonly ageYears: number; readonly sex: Sex };
  readonly weightKg: number | null;
  readonly heightCm: number | null;
  readonly isSmoker: boolean | null;
  readonly values: Readonly<Record<string, ImportedValue>>;
  readonly conditions: readonly {
    readonly code: string;
    readonly icd10: string;
    readonly isActive: boolean;
    readonly entry: string;
  }[];
  readonly allergies: readonly {
    readonly substance: string;
    readonly reaction: string | null;
    readonly isSevere: boolean;
    readonly isVerified: boolean;
    /** False when no rule of ours knows the substance: shown, never checked. */
    readonly isKnown: boolean;
    readonly entry: string;
  }[];
  readonly medications: readonly ImportedMedication[];
  readonly used: readonly (EntryRef & { readonly as: string })[];
  readonly unused: readonly UnusedEntry[];
  readonly warnings: readonly ImportWarning[];
}
