import type { WireObject } from "../../play/branch.ts";

/** A measurement with unit and age. */
export interface Measured {
  readonly value: number;
  readonly unit: string;
  readonly age_days: number;
  readonly flag: string;
}

/** One medication of the list. */
export interface Medication {
  readonly med_ref: string;
  readonly drug_id: string | null;
  readonly label: string;
  readonly dose_per_day: number;
  readonly unit: string;
  readonly freq: number;
  readonly route: string;
  readonly started_days_ago: number | null;
  readonly indication: string | null;
  readonly prn: boolean;
  readonly status: string;
}

/** One alert. */
export interface Alert {
  readonly id: string;
  readonly drugs: readonly string[];
  readonly severity: string;
  readonly domain: string;
  readonly source: string;
  readonly managed: boolean;
}

/** Doses and levels of the drug that is dosed by level. */
export interface DosingBlock {
  readonly drug_id: string;
  readonly level_code: string;
  readonly unit: string;
  readonly target: {
    readonly low: number;
    readonly high: number;
    readonly toxic: number;
    readonly trough_below: number | null;
  };
  readonly doses: readonly { readonly day: number; readonly dose_per_day: number; readonly interval_h: number }[];
  readonly levels: readonly { readonly day: number; readonly value: number; readonly trough: number | null }[];
}

/** What was probed in the search for dangerous combinations. */
export interface BanditBlock {
  readonly drugs: readonly string[];
  readonly population_size: number;
  readonly probes_left: number;
  readonly probes: readonly { readonly combination: readonly string[]; readonly rr: number }[];
}

/** The part of PolyGuard's observation that the page draws; the wire's own names. */
export interface PolyGuardObservation {
  readonly sub_environment: string;
  readonly difficulty: string;
  readonly task: { readonly goal: string; readonly success_criteria: readonly string[] };
  readonly patient: {
    readonly age: number;
    readonly sex: string;
    readonly weight_kg: number | null;
    readonly height_cm: number | null;
    readonly smoker: boolean | null;
    readonly frailty_cfs: number | null;
    readonly life_expectancy: string | null;
    readonly preferences: readonly string[];
  };
  readonly conditions: readonly { readonly code: string; readonly icd10: string; readonly status: string }[];
  readonly allergies: readonly {
    readonly id: string;
    readonly substance: string;
    readonly reaction: string | null;
    readonly verified: boolean;
  }[];
  readonly organ: {
    readonly scr: Measured | null;
    readonly crcl: number | null;
    readonly egfr: number | null;
    readonly child_pugh: string | null;
  };
  readonly labs: Readonly<Record<string, Measured>>;
  readonly vitals: Readonly<Record<string, Measured>>;
  readonly medications: readonly Medication[];
  readonly discrepancies: readonly { readonly id: string; readonly text: string }[];
  readonly safety: {
    readonly alerts: readonly Alert[];
    readonly alert_coverage: number;
    readonly burden: { readonly n: number; readonly acb: number; readonly dbi: number; readonly mrci: number };
    readonly r90_estimate: number;
  };
  readonly dosing_flags: readonly { readonly drug_id: string; readonly flag: string }[];
  readonly taper: readonly {
    readonly drug_id: string;
    readonly pct_of_start: number;
    readonly withdrawal_score: number | null;
    readonly plan: {
      readonly step_pct: number;
      readonly interval_days: number;
      readonly next_in_days: number;
      readonly paused: boolean;
    } | null;
  }[];
  readonly course: {
    readonly day: number;
    readonly visits_left: number;
    readonly changes_left: number;
    readonly symptoms: readonly {
      readonly condition: string;
      readonly score: number;
      readonly suspects: readonly string[];
    }[];
    readonly events: readonly { readonly kind: string; readonly day: number; readonly stopped: string | null }[];
  };
  readonly conflicts: readonly { readonly id: string; readonly from: string; readonly says: string }[];
  readonly evidence: readonly {
    readonly id: string;
    readonly title: string;
    readonly source_type: string;
    readonly year: number;
    readonly snippet: string;
  }[];
  readonly uncertainty: { readonly missing_fields: readonly string[] };
  readonly dosing?: DosingBlock;
  readonly bandit?: BanditBlock;
}

/** An observation as PolyGuard's; its server has checked it, so that only its name is looked at here. */
export function asPolyGuard(observation: WireObject): PolyGuardObservation {
  return observation as unknown as PolyGuardObservation;
}
