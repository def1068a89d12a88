import type { HarmDomain } from "../kb/domains.ts";

/** Sex as the dosing formulas use it. */
export type Sex = "F" | "M";

/** Expected remaining life; START never applies below a year. */
export type LifeExpectancy = "<1y" | "1-5y" | ">5y";

/** CYP2D6 phenotype. */
export type Cyp2d6 = "PM" | "IM" | "NM" | "UM";
/** CYP2C19 phenotype. */
export type Cyp2c19 = "PM" | "IM" | "NM" | "RM";
/** CYP2C9 diplotype. */
export type Cyp2c9 = "*1/*1" | "*1/*2" | "*1/*3" | "*2/*2" | "*2/*3" | "*3/*3";
/** VKORC1 -1639 genotype. */
export type Vkorc1 = "GG" | "GA" | "AA";

/** Hidden genotypes. */
export interface Genotype {
  readonly cyp2d6: Cyp2d6;
  readonly cyp2c19: Cyp2c19;
  readonly cyp2c9: Cyp2c9;
  readonly vkorc1: Vkorc1;
}

/** One allergy entry; `substance` is a drug_id or a group token. */
export interface Allergy {
  readonly id: string;
  readonly substance: string;
  readonly reaction: "rash" | "anaphylaxis" | "angioedema" | "bronchospasm" | "intolerance" | null;
  readonly severity: "mild" | "moderate" | "severe";
  readonly isVerified: boolean;
}

/** What the patient would rather have; 7.7 charges .01 for each one violated. */
export type Preference = "no_injection" | "once_daily" | "no_sedation" | "fewer_tablets";

/** Facts that no action and no time changes within an episode. Plain data. */
export interface Patient {
  readonly ageYears: number;
  readonly sex: Sex;
  readonly weightKg: number;
  readonly heightCm: number;
  readonly isSmoker: boolean;
  /** Clinical Frailty Scale 1-9. */
  readonly frailtyCfs: number;
  readonly lifeExpectancy: LifeExpectancy;
  readonly genotype: Genotype;
  readonly childPugh: "A" | "B" | "C" | null;
  readonly allergies: readonly Allergy[];
  readonly preferences: readonly Preference[];
}

/** True physiology today; laboratory values an order would measure without noise. */
export interface Physiology {
  readonly serumCreatinineMgPerDl: number;
  readonly creatinineClearanceMlPerMin: number;
  readonly egfrMlPerMin: number;
  readonly albuminGPerDl: number;
  readonly potassiumMmolPerL: number;
  readonly sodiumMmolPerL: number;
  readonly magnesiumMgPerDl: number;
  readonly hemoglobinGPerDl: number;
  readonly qtcMs: number;
  readonly heartRatePerMin: number;
  readonly systolicBpMmHg: number;
  readonly systolicDropMmHg: number;
}

/** One condition or risk condition. Severity above 0 = active; 0 = in the record as history only. */
export interface Condition {
  readonly code: string;
  /** 0-1. */
  readonly severity: number;
  readonly onsetDay: number;
  /** Severity without its drug cause, and that cause, for the second half of a prescribing cascade; null = no cascade. */
  readonly cascade: { readonly causeDrugIndex: number; readonly baseSeverity: number } | null;
}

/** A taper that runs by itself until paused. */
export interface TaperPlan {
  /** Reduction in percent of the current dose. */
  readonly stepPct: number;
  readonly intervalDays: number;
  readonly startDay: number;
  readonly lastReductionDay: number;
  readonly nextReductionDay: number;
  /** Dose before the last reduction: REVERT goes back to it. */
  readonly previousDosePerDay: number;
  readonly reductions: number;
  readonly isPaused: boolean;
}

/** Dose from a day on; histories ascend in day. */
export interface DosePoint {
  readonly day: number;
  readonly dosePerDay: number;
}

/** One medication as it is really used. Doses are in the dose unit of the drug's row (mg/wk: per week). */
export interface Medication {
  /** Stable within an episode, e.g. "m3"; the observation's med_ref. */
  readonly medRef: string;
  readonly drugIndex: number;
  readonly drugId: string;
  readonly dosePerDay: number;
  readonly dosesPerDay: number;
  readonly route: string;
  /** Course day of the first dose; negative before the episode. */
  readonly startDay: number;
  /** Day a course drug ends by itself, else null. */
  readonly endDay: number | null;
  readonly indication: string | null;
  readonly isPrn: boolean;
  readonly source: "list" | "second_prescriber" | "otc" | "herbal" | "episode" | "import";
  /** On the list that the agent sees. */
  readonly isListed: boolean;
  /** Really taken; a listed drug that is not taken has no effect and no risk. */
  readonly isTaken: boolean;
  /** Needs RECONCILE_ITEM before it may be acted on. */
  readonly isUnreconciled: boolean;
  /** Day on which a held dose comes back; null = not held. While held `dosePerDay` keeps the dose to return to. */
  readonly heldUntilDay: number | null;
  /** Hidden share of doses taken, 0-1. */
  readonly adherence: number;
  /** Dose the body has adapted to (start of taper or of the episode): effect E = 1 there. */
  readonly referenceDosePerDay: number;
  /** Dependence: adaptation A, 0-1; 0 for a drug without taper class. */
  readonly adaptation: number;
  /** Hidden time constant of the adaptation in days; 0 for a drug without taper class. */
  readonly adaptationTauDays: number;
  readonly taperPlan: TaperPlan | null;
  readonly doseHistory: readonly DosePoint[];
  readonly lastDoseChangeDay: number | null;
  /** dose * AUCR when the level was last in range (at first on day 0); null unless narrow_ti. */
  readonly exposureReference: number | null;
  /** Course day of the last level or INR inside its target; null = none. */
  readonly lastInRangeLevelDay: number | null;
  /** Hidden factor on the effect set by the scenario (10.3), 0-1; usually 1. */
  readonly responseFactor: number;
  /** drug index of the drug this one crosses over from (SWITCH_FROM), while the overlap is allowed; else null. */
  readonly crossOverFromDrugIndex: number | null;
  /** Carry-over weight c reached when the visit opened, 0-1 (1 = settled). */
  readonly carryOver: number;
  /** Onset share of the effect reached when the visit opened, 0-1. */
  readonly onsetShare: number;
}

/** What a stopped drug leaves behind. */
export interface StoppedDrug {
  readonly drugIndex: number;
  readonly drugId: string;
  readonly medRef: string;
  /** Last dose, in the row's unit. */
  readonly dosePerDay: number;
  readonly dosesPerDay: number;
  readonly startDay: number;
  readonly stopDay: number;
  readonly indication: string | null;
  readonly adherence: number;
  readonly responseFactor: number;
  /** Carry-over weight and onset share at the stop; both fade from there. */
  readonly carryOverAtStop: number;
  readonly onsetShareAtStop: number;
  /** Adaptation A today and its time constant; effect E is 0. */
  readonly adaptation: number;
  readonly adaptationTauDays: number;
  readonly wasAbrupt: boolean;
  readonly reason: "agent" | "admission" | "course_end" | "taper_end" | "switch";
}

/** A standing order. `code` is a monitoring item or LAXATIVE, NALOXONE, BOWEL, TIMING, CBT_I, COUNSELLING. */
export interface ActiveOrder {
  readonly code: string;
  /** Drug the order was placed for; null = for the patient. */
  readonly drugIndex: number | null;
  readonly startDay: number;
  readonly endDay: number | null;
}

/** STOP with SWITCH:<drug>: the new drug may start from `earliestDay` on. */
export interface DeclaredSwitch {
  readonly fromDrugIndex: number;
  readonly toDrugIndex: number;
  readonly declaredDay: number;
  readonly earliestDay: number;
}

/** Difference between the medication list and what is really taken. */
export interface TruthGap {
  readonly id: string;
  readonly kind: "omission" | "duplicate" | "dose_conflict" | "not_taken" | "otc_unlisted";
  readonly medRef: string;
  /** Dose the list shows where it differs; null otherwise. */
  readonly listedDosePerDay: number | null;
  readonly isResolved: boolean;
}

/** A finished review; valid while `validUntilStep` >= step. */
export interface Review {
  readonly reviewTo: string;
  readonly drugIndex: number | null;
  readonly day: number;
  readonly validUntilStep: number;
}

/** Something that happened to the patient. */
export interface CourseEvent {
  readonly kind: "admission" | "severe" | "withdrawal_severe" | "relapse" | "course_end";
  readonly domain: HarmDomain | null;
  readonly day: number;
  readonly stoppedDrugIndex: number | null;
}

/** One counted therapy change, for the 28-day windows. */
export interface ChangeRecord {
  readonly day: number;
  readonly step: number;
  readonly drugIndexes: readonly number[];
  readonly actionType: string;
}

/** Counters of the episode. */
export interface Clock {
  readonly day: number;
  readonly step: number;
  readonly visit: number;
  readonly stepsLeft: number;
  readonly visitsLeft: number;
  readonly changesLeft: number;
  readonly evidenceLeft: number;
  readonly reviewsLeft: number;
}

/** Hidden per-patient parameters drawn at reset. */
export interface HiddenParameters {
  /** Patient adherence before the many-changes factor, .5-1. */
  readonly adherence: number;
  /** Response 1 or .35 by `CONDITION:drug_id`; absent = 1. */
  readonly responses: Readonly<Record<string, number>>;
  /** Standardised log-normal effects (eta) of the dosing models by parameter name. */
  readonly pkEffects: Readonly<Record<string, number>>;
}

/** Everything that changes in an episode: plain JSON-cloneable data, replaced, never mutated. */
export interface WorldState {
  readonly clock: Clock;
  readonly medications: readonly Medication[];
  readonly stopped: readonly StoppedDrug[];
  readonly conditions: readonly Condition[];
  readonly physiology: Physiology;
  /** True values of further laboratory codes of the monitoring column (INR, TSH, A1C, levels ...), in their usual unit. */
  readonly labs: Readonly<Record<string, number>>;
  readonly orders: readonly ActiveOrder[];
  readonly declaredSwitch: DeclaredSwitch | null;
  readonly reviews: readonly Review[];
  readonly truthGaps: readonly TruthGap[];
  readonly changes: readonly ChangeRecord[];
  readonly events: readonly CourseEvent[];
  /** Multiplies lam_h after an admission in that domain; absent = 1. */
  readonly hazardMultipliers: Readonly<Partial<Record<HarmDomain, number>>>;
  readonly hidden: HiddenParameters;
  /** Number for the next medRef. */
  readonly nextMedRef: number;
}
