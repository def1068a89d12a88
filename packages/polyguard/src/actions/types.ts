/** The 21 action types in the order of the feature one-hot. */
export const ACTION_TYPES = [
  "KEEP_REGIMEN",
  "STOP_DRUG",
  "SUBSTITUTE_DRUG",
  "ADD_DRUG",
  "ADJUST_DOSE",
  "HOLD_DOSE",
  "START_TAPER",
  "CONTINUE_TAPER",
  "PAUSE_TAPER",
  "REVERT_TAPER",
  "ORDER_MONITORING",
  "ADD_PROTECTION",
  "SEPARATE_TIMING",
  "RECONCILE_ITEM",
  "FETCH_EXTERNAL_EVIDENCE",
  "RECOMMEND_ALTERNATIVE",
  "DECOMPOSE_NEW_DRUG",
  "PROBE_COMBINATION",
  "DECLARE_FINDINGS",
  "REQUEST_REVIEW",
  "FINISH",
] as const;

/** What an agent may do in one step. */
export type ActionType = (typeof ACTION_TYPES)[number];

/** Who may be asked for a review. */
export const REVIEWERS = [
  "pharmacist",
  "geriatrician",
  "cardiologist",
  "psychiatrist",
  "nephrologist",
  "prescriber",
] as const;

/** Specialty of a reviewer. */
export type Reviewer = (typeof REVIEWERS)[number];

/** Protections: PPI = pantoprazole 20 mg/d, FOLATE = folic acid 1 mg/d, BONE = alendronate or colecalciferol; the others are orders. */
export const PROTECTIONS = ["PPI", "FOLATE", "BONE", "LAXATIVE", "NALOXONE"] as const;

/** What ADD_PROTECTION adds. */
export type Protection = (typeof PROTECTIONS)[number];

/** Start plans for a new drug: share of the usual dose, none, or full dose with its monitoring bundle. */
export const START_PLANS = ["100", "75", "50", "25", "none", "monitored"] as const;

/** Start plan of DECOMPOSE_NEW_DRUG. */
type StartPlan = (typeof START_PLANS)[number];

/** Pace of a taper: reduction in percent of the current dose, and days between reductions. */
export interface TaperPace {
  readonly stepPct: number;
  readonly intervalDays: number;
}

/**
 * An action as the simulator carries it out. Drugs are row numbers of the knowledge base, doses are in the row's unit
 * (mg/wk: per week), `orders` hold monitoring and support codes only: SWITCH and SWITCH_FROM have fields of their own.
 */
export type ActionPayload =
  | { readonly type: "KEEP_REGIMEN" }
  | { readonly type: "FINISH" }
  | {
      readonly type: "STOP_DRUG";
      readonly medRef: string;
      /** Declared switch: the drug that follows once its washout is over. */
      readonly switchToDrugIndex: number | null;
      readonly orders: readonly string[];
    }
  | {
      readonly type: "SUBSTITUTE_DRUG";
      readonly medRef: string;
      readonly drugIndex: number;
      readonly dosePerDay: number;
      readonly dosesPerDay: number;
      readonly orders: readonly string[];
    }
  | {
      readonly type: "ADD_DRUG";
      readonly drugIndex: number;
      readonly dosePerDay: number;
      readonly dosesPerDay: number;
      /** Cross-over: the medication this one will replace; the overlap is allowed for 56 days. */
      readonly crossOverFromMedRef: string | null;
      readonly orders: readonly string[];
    }
  | {
      readonly type: "ADJUST_DOSE";
      readonly medRef: string;
      readonly dosePerDay: number;
      readonly dosesPerDay: number;
      readonly orders: readonly string[];
    }
  | { readonly type: "HOLD_DOSE"; readonly medRef: string }
  | {
      readonly type: "START_TAPER";
      readonly medRef: string;
      readonly taper: TaperPace;
      readonly orders: readonly string[];
    }
  | {
      readonly type: "CONTINUE_TAPER";
      readonly medRef: string;
      /** New pace; null = as before. */
      readonly taper: TaperPace | null;
    }
  | { readonly type: "PAUSE_TAPER" | "REVERT_TAPER"; readonly medRef: string }
  | {
      readonly type: "ORDER_MONITORING";
      /** Medication the orders are for; null = for the patient. */
      readonly medRef: string | null;
      readonly orders: readonly string[];
    }
  | { readonly type: "ADD_PROTECTION"; readonly protection: Protection }
  | { readonly type: "SEPARATE_TIMING"; readonly medRef: string }
  | {
      readonly type: "RECONCILE_ITEM";
      /** Discrepancy id, allergy id, or med_ref of an unreconciled item or one whose indication or start is not known. */
      readonly target: string;
    }
  | {
      readonly type: "FETCH_EXTERNAL_EVIDENCE";
      readonly query: string;
    }
  | { readonly type: "RECOMMEND_ALTERNATIVE"; readonly medRef: string; readonly ranking: readonly string[] }
  | {
      readonly type: "DECOMPOSE_NEW_DRUG";
      readonly decomposition: Readonly<Record<string, number>>;
      readonly plan: StartPlan;
    }
  | { readonly type: "PROBE_COMBINATION"; readonly combinations: readonly (readonly string[])[] }
  | { readonly type: "DECLARE_FINDINGS"; readonly findings: readonly string[] }
  | {
      readonly type: "REQUEST_REVIEW";
      readonly reviewTo: Reviewer;
      /** Medication or conflict the review is about; null = the whole list. */
      readonly target: string | null;
    };

/** Why the generator offered a candidate; never shown to the agent. */
export type CandidateSource = "keep" | "review" | "hit" | "dose" | "taper" | "omission" | "missing" | "target" | "trap";

/** One offered action: the payload the simulator runs, the wire form the agent sees and its canonical text. */
export interface OfferedCandidate {
  readonly id: string;
  readonly payload: ActionPayload;
  readonly wire: WireCandidate;
  /** Canonical text of the payload (sorted keys, normalised numbers): equal for equal actions of any step. */
  readonly canonical: string;
  readonly source: CandidateSource;
  /** Facts that the offer answers: alert, omission, symptom, discrepancy or conflict ids; empty = addresses nothing visible. */
  readonly addresses: readonly string[];
}

/** A candidate as the observation carries it (wire names). */
export interface WireCandidate {
  readonly candidate_id: string;
  readonly action_type: ActionType;
  /** med_ref, discrepancy id, drug_id (ADD_DRUG) or protection (ADD_PROTECTION). */
  readonly target?: string;
  readonly replacement?: string;
  readonly dose_per_day?: number;
  readonly freq?: number;
  readonly taper?: { readonly step_pct: number; readonly interval_days: number };
  readonly orders?: readonly string[];
  readonly text: string;
}

/** True for actions that take one day, keep the visit open and change no drug. */
export function isInformationAction(type: ActionType): boolean {
  switch (type) {
    case "ORDER_MONITORING":
    case "RECONCILE_ITEM":
    case "FETCH_EXTERNAL_EVIDENCE":
    case "RECOMMEND_ALTERNATIVE":
    case "DECOMPOSE_NEW_DRUG":
    case "REQUEST_REVIEW":
      return true;
    default:
      return false;
  }
}

/**
 * True for actions that cost one change of the budget. A later hold of a run of holds is free; that depends on the state
 * and is the caller's to see.
 */
export function usesChange(type: ActionType): boolean {
  switch (type) {
    case "STOP_DRUG":
    case "SUBSTITUTE_DRUG":
    case "ADD_DRUG":
    case "ADJUST_DOSE":
    case "HOLD_DOSE":
    case "START_TAPER":
    case "ADD_PROTECTION":
      return true;
    default:
      return false;
  }
}

/** med_ref of the listed medication an action is about, or null. */
export function targetMedRef(payload: ActionPayload): string | null {
  return "medRef" in payload ? payload.medRef : null;
}
