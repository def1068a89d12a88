import type { ActionType, CandidateSource, OfferedCandidate } from "../actions/types.ts";
import type { PairHit } from "../interactions/pair-hits.ts";
import type { RegimenHit } from "../interactions/regimen-rules.ts";
import type { InteractionDomain, Severity } from "../kb/domains.ts";
import type { Difficulty, SubEnvironment } from "../scenario/types.ts";
import type {
  ActiveOrder,
  Allergy,
  ChangeRecord,
  Clock,
  CourseEvent,
  DeclaredSwitch,
  DosePoint,
  LifeExpectancy,
  Preference,
  Review,
  Sex,
  TruthGap,
} from "../world/types.ts";

/** A value as the agent last saw it. Its age is `clock.day - measuredDay`. */
export interface KnownValue {
  readonly value: number;
  /** Course day of the sample; negative before the episode. */
  readonly measuredDay: number;
}

/** Status of a row of the medication list. */
export type KnownStatus = "active" | "tapering" | "held" | "unreconciled";

/** A running or paused plan as the agent sees it. */
export interface KnownTaper {
  readonly medRef: string;
  readonly drugIndex: number;
  readonly stepPct: number;
  readonly intervalDays: number;
  readonly reductions: number;
  readonly isPaused: boolean;
  readonly startDay: number;
  readonly lastReductionDay: number;
  readonly nextReductionDay: number;
  readonly previousDosePerDay: number;
  /** Dose in percent of the dose at the start of the plan. */
  readonly pctOfStart: number;
  readonly daysSinceChange: number;
  /** True W + noise, clipped to 0-1; null until a visit closed under the plan. */
  readonly withdrawalScore: number | null;
}

/** One row of the medication list as shown. Doses in the unit of the drug's row. */
export interface KnownMedication {
  readonly medRef: string;
  /** null = the item is not mapped to the knowledge base. */
  readonly drugIndex: number | null;
  readonly drugId: string | null;
  readonly label: string;
  readonly dosePerDay: number;
  readonly dosesPerDay: number;
  readonly route: string;
  /** Course day of the first dose (negative before the episode); null = not known. */
  readonly startDay: number | null;
  readonly endDay: number | null;
  readonly indication: string | null;
  readonly isPrn: boolean;
  readonly status: KnownStatus;
  readonly heldUntilDay: number | null;
  readonly taper: KnownTaper | null;
  /** Doses since the episode began (and the one it began with); empty when not known. */
  readonly doseHistory: readonly DosePoint[];
  readonly lastDoseChangeDay: number | null;
  /** First level item of the drug's monitoring (INR, TSH, levels) as last seen; null = none. */
  readonly lastLevel: { readonly code: string; readonly value: number; readonly ageDays: number } | null;
  readonly crossOverFromDrugIndex: number | null;
}

/** A drug that was stopped in the episode, as the agent knows it. */
export interface KnownStopped {
  readonly medRef: string;
  readonly drugIndex: number;
  readonly drugId: string;
  readonly dosePerDay: number;
  readonly dosesPerDay: number;
  readonly indication: string | null;
  readonly daysOfUse: number | null;
  readonly daysAgo: number;
  /** Last withdrawal score, null when there is none to see. */
  readonly withdrawalScore: number | null;
}

/** A warning of the visible decision support. */
export interface KnownAlert {
  readonly id: string;
  /** Rule of the interaction table, `RG1`-`RG10`, or `derived`. */
  readonly ruleId: string;
  /** Drugs that carry the hit, ascending by row number. */
  readonly drugIndexes: readonly number[];
  readonly medRefs: readonly string[];
  readonly severity: Severity;
  readonly domain: InteractionDomain;
  readonly source: string;
  /** The pair hit behind it; null for regimen rules. */
  readonly hit: PairHit | null;
  /** Judged on known facts: one listed management code is satisfied. */
  readonly isManaged: boolean;
}

/** A difference between sources that the agent was told of. */
export interface KnownDiscrepancy {
  readonly id: string;
  readonly kind: TruthGap["kind"];
  readonly medRef: string;
  readonly text: string;
}

/** A specialist's wish that stands against the list. */
export interface KnownConflict {
  readonly id: string;
  readonly from: string;
  readonly says: string;
  readonly medRef: string | null;
  readonly isOpen: boolean;
}

/** A snippet that was fetched. */
export interface KnownEvidence {
  readonly id: string;
  readonly title: string;
  readonly sourceType: string;
  readonly year: number;
  readonly snippet: string;
  readonly drugIndexes: readonly number[];
}

/** Latest symptom score of a condition with hidden response. */
export interface KnownSymptom {
  readonly condition: string;
  /** 0-10. */
  readonly score: number;
  readonly day: number;
  /** drug_ids changed in the last 28 days. */
  readonly suspects: readonly string[];
}

/** One past step. */
export interface HistoryEntry {
  readonly step: number;
  readonly day: number;
  readonly actionType: ActionType | "NOOP";
  readonly target: string | null;
  /** `done`, `no effect`, `refused: V05, V10`, `not understood` ... */
  readonly outcome: string;
  /** Canonical payload; null when there was none. */
  readonly canonical: string | null;
  readonly source: CandidateSource | null;
  readonly isLegal: boolean;
}

/** A sample that was drawn in the episode. */
export interface DrawnSample {
  readonly code: string;
  readonly day: number;
}

/** What a specialist answered. */
export interface ReviewNote {
  readonly id: string;
  readonly from: string;
  readonly text: string;
  readonly day: number;
  /** Drug the answer is about; null = the whole list. */
  readonly drugIndex: number | null;
}

/**
 * Everything the agent could know so far, and nothing else: plain data, rebuilt after every transition. Legality,
 * candidates and policies work on this, never on the world.
 */
export interface Known {
  readonly subEnvironment: SubEnvironment;
  readonly difficulty: Difficulty;
  readonly clock: Clock;
  readonly maxSteps: number;
  readonly ageYears: number;
  readonly sex: Sex;
  readonly weightKg: number | null;
  readonly heightCm: number | null;
  readonly isSmoker: boolean | null;
  readonly frailtyCfs: number | null;
  readonly lifeExpectancy: LifeExpectancy | null;
  readonly preferences: readonly Preference[];
  readonly childPugh: string | null;
  readonly allergies: readonly Allergy[];
  /** Condition codes shown as active (an unverified entry counts). */
  readonly conditions: ReadonlySet<string>;
  readonly conditionEntries: readonly { readonly code: string; readonly status: "active" | "history" | "unverified" }[];
  /** Measured values by code of {@link MEASUREMENTS}; absent = never seen. */
  readonly values: Readonly<Record<string, KnownValue>>;
  /** Cockcroft-Gault on the known creatinine, age and body size; null when one is missing. */
  readonly crClMlPerMin: number | null;
  readonly egfrMlPerMin: number | null;
  /** Days since the creatinine sample; null when there is none. */
  readonly kidneyAgeDays: number | null;
  readonly medications: readonly KnownMedication[];
  readonly stopped: readonly KnownStopped[];
  readonly discrepancies: readonly KnownDiscrepancy[];
  /** Alerts shown now, false alarms included. */
  readonly alerts: readonly KnownAlert[];
  readonly alertCoverage: number;
  /** Every pair hit of the listed drugs by the knowledge base on known facts (unknown counts as true), shown as alert or not. */
  readonly pairHits: readonly PairHit[];
  readonly regimenHits: readonly RegimenHit[];
  readonly conflicts: readonly KnownConflict[];
  readonly evidence: readonly KnownEvidence[];
  readonly reviewNotes: readonly ReviewNote[];
  readonly orders: readonly ActiveOrder[];
  readonly reviews: readonly Review[];
  readonly declaredSwitch: DeclaredSwitch | null;
  readonly changes: readonly ChangeRecord[];
  readonly events: readonly CourseEvent[];
  readonly symptoms: readonly KnownSymptom[];
  readonly pillCount: number | null;
  readonly samples: readonly DrawnSample[];
  readonly history: readonly HistoryEntry[];
  /** Critical or ordinary fields that are missing, by name (`CREAT`, `weight`, `indication:m3` ...). */
  readonly missingFields: readonly string[];
  /** Share of the critical fields that are missing. */
  readonly entropyHint: number;
  readonly burden: { readonly drugs: number; readonly acb: number; readonly dbi: number; readonly mrci: number };
  /** 90-day risk on known facts. */
  readonly r90Estimate: number;
  /** Medications that the task asks to reduce, by medRef. */
  readonly targets: readonly string[];
  /** Medications that the task asks to leave, by medRef. */
  readonly mustStay: readonly string[];
  /** What the sub-environment tells beside all this, for its own legality rules; null = nothing, as for a policy over a wire. */
  readonly own: unknown;
}

/** Values of {@link Known} that do not follow from world and scenario: what was learned, shown and drawn. Immutable. */
export interface Memory {
  readonly values: Readonly<Record<string, KnownValue>>;
  /** Fields hidden at reset that were revealed since: `weight`, `indication:m3`, `start:m3`, `allergy:a1` ... */
  readonly revealed: ReadonlySet<string>;
  readonly evidence: readonly KnownEvidence[];
  readonly reviewNotes: readonly ReviewNote[];
  readonly closedConflicts: ReadonlySet<string>;
  readonly samples: readonly DrawnSample[];
  readonly symptoms: readonly KnownSymptom[];
  readonly withdrawalScores: Readonly<Record<string, number>>;
  readonly pillCount: number | null;
  readonly history: readonly HistoryEntry[];
}

/** The offered candidates of the current step, kept in the episode's state. */
export type OfferedCandidates = readonly OfferedCandidate[];
