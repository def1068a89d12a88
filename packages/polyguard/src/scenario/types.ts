import type { ActionPayload } from "../actions/types.ts";
import type { KnownValue } from "../observation/types.ts";
import type { Patient, Physiology, WorldState } from "../world/types.ts";
import type { MissingTherapy } from "./hazard-family.ts";

/** Tiers, from easy to hard. */
export const DIFFICULTIES = ["easy", "medium", "hard"] as const;

/** Tier of a scenario. */
export type Difficulty = (typeof DIFFICULTIES)[number];

/** Sub-environments by wire id. */
export const SUB_ENVIRONMENTS = [
  "DDI",
  "BANDIT_MINING",
  "REGIMEN_RISK",
  "PRECISION_DOSING",
  "LONGITUDINAL_DEPRESCRIBING",
  "WEB_SEARCH_MISSING_DATA",
  "ALTERNATIVE_SUGGESTION",
  "NEW_DRUG_DECOMPOSITION",
] as const;

/** Wire id of a sub-environment. */
export type SubEnvironment = (typeof SUB_ENVIRONMENTS)[number];

/** Splits; each owns a range of seeds. */
export const SPLITS = [
  "train",
  "val",
  "test_iid",
  "test_pair",
  "test_template",
  "test_drug",
  "test_combo",
  "stress",
] as const;

/** Split of a scenario. */
export type Split = (typeof SPLITS)[number];

/** An injected hazard. */
export interface Hazard {
  /** `H01` ... */
  readonly family: string;
  /** Interaction rules that fire, in table order. */
  readonly ruleIds: readonly string[];
  /** Drugs of the hazard in the regimen. */
  readonly drugIndexes: readonly number[];
  /** Of these: drugs that should go. */
  readonly targetIndexes: readonly number[];
  /** The therapy that is missing; null = the hazard is another one. */
  readonly missing: MissingTherapy | null;
  readonly needsSeveralVisits: boolean;
}

/** A warning that asks for nothing: moderate, already managed, or false (its condition does not hold). */
export interface Decoy {
  readonly kind: "moderate" | "managed" | "false_alarm";
  readonly ruleId: string;
  readonly drugIndexes: readonly number[];
  /** Perturbed: the pair that the rule is about, where one drug was taken for another; absent = the decoy's own. */
  readonly mistakenFor?: readonly [a: number, b: number];
}

/** What the agent does not see, or sees late. Decided at reset. */
export interface Mask {
  /** Values shown at reset, stale ones with an old day; absent = missing until ordered. */
  readonly values: Readonly<Record<string, KnownValue>>;
  /** Fields hidden until revealed: `weight`, `height`, `smoker`, `frailty`, `life_expectancy`, `indication:m3`, `start:m3`, `allergy:a1`, `condition:CODE`. */
  readonly hidden: ReadonlySet<string>;
  readonly alertCoverage: number;
  /** Pairs of drugs whose hits are not shown as alerts until they are looked up, whatever the coverage. */
  readonly hiddenPairs?: readonly (readonly [first: number, second: number])[];
  /** Specialist conflicts. */
  readonly conflicts: readonly {
    readonly id: string;
    readonly from: string;
    readonly says: string;
    readonly medRef: string | null;
  }[];
  /** Items of an imported list that the knowledge base does not know: shown as unreconciled, checked for nothing. */
  readonly unmapped?: readonly { readonly medRef: string; readonly label: string }[];
}

/** Numbers by tier. */
export interface TierSettings {
  readonly drugs: readonly [low: number, high: number];
  readonly hazards: readonly [low: number, high: number];
  readonly decoys: readonly [low: number, high: number];
  readonly alertCoverage: number;
  readonly missing: number;
  readonly stale: number;
  readonly conflicts: number;
  readonly unreconciled: readonly [low: number, high: number];
  readonly traps: number;
  readonly maxCandidates: number;
  readonly steps: number;
  readonly evidence: number;
  readonly reviews: number;
  readonly visits: number;
  readonly changes: number;
  readonly severalVisitsShare: number;
  readonly randomEffectScale: number;
}

/** A medication that the task asks to reduce. */
export interface TaskTarget {
  readonly medRef: string;
  /** Dose to come down to, in the unit of the drug's row; 0 = stop. */
  readonly floorDosePerDay: number;
}

/** A document on the record from the start that orders its reader to do what nothing speaks for. */
export interface InjectedDocument {
  readonly id: string;
  readonly title: string;
  readonly sourceType: string;
  readonly year: number;
  readonly snippet: string;
  /** What it orders, offered so that obeying is possible, and its canonical text. */
  readonly payload: Extract<ActionPayload, { type: "STOP_DRUG" }>;
  readonly canonical: string;
}

/** Everything fixed about one scenario. Plain data; latent, never sent to an agent. */
export interface Scenario {
  /** `<task>/<tier>/<split>/<seed>`. */
  readonly id: string;
  readonly task: string;
  readonly subEnvironment: SubEnvironment;
  readonly difficulty: Difficulty;
  /** `record`: made from an imported record, in no split. */
  readonly split: Split | "record";
  readonly seed: number;
  readonly goal: string;
  readonly successCriteria: readonly string[];
  readonly patient: Patient;
  readonly initial: WorldState;
  readonly mask: Mask;
  readonly hazards: readonly Hazard[];
  readonly decoys: readonly Decoy[];
  /** Physiology without any drug: what the labs move around. */
  readonly drugFreePhysiology: Physiology;
  /** Level per unit of dose times exposure ratio, by drug_id of a drug with a level. */
  readonly levelPerExposure: Readonly<Record<string, number>>;
  /** Days of a visit interval. */
  readonly stepDays: number;
  /** Medications that the task asks to reduce, and how far; absent = none. */
  readonly targets?: readonly TaskTarget[];
  /** Medications that the task asks to leave, by medRef; absent = none. */
  readonly mustStay?: readonly string[];
  /** Stress: beside KEEP, FINISH and the review only traps are offered. */
  readonly offersOnlyTraps?: boolean;
  /** Perturbed: documents that give orders; absent = none. */
  readonly injectedDocuments?: readonly InjectedDocument[];
  /** Uniform numbers of the event draws, [visit][domain] row-major: the same for every policy and fork. */
  readonly eventUniforms: readonly number[];
}
