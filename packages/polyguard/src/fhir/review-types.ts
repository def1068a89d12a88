/** What a reset with a record tells. Wire names: it travels as it is. */
export interface RecordReset {
  readonly as_of: string;
  readonly patient: {
    readonly id: string;
    readonly name: string | null;
    readonly age: number;
    readonly sex: string;
    readonly crcl_ml_min: number | null;
    readonly egfr_ml_min_1_73: number | null;
  };
  readonly medications: readonly {
    readonly label: string;
    readonly drug_id: string | null;
    readonly dose: string;
    readonly indication: string | null;
    /** False: not recognised, so nothing was checked for it. */
    readonly checked: boolean;
    /** Resources of the record that it was read from, `MedicationRequest/m1`. */
    readonly references: readonly string[];
    readonly notes: readonly string[];
  }[];
  readonly findings: readonly ReviewFinding[];
  readonly unused: readonly {
    readonly entry: string;
    readonly path: string;
    readonly value: string;
    readonly reason: string;
  }[];
  readonly warnings: readonly { readonly entry: string; readonly path: string; readonly message: string }[];
  readonly assumptions: readonly string[];
}

/** What a step on a record tells. Harm: expected loss of the coming year, harm of drugs, disease and burden, utility a year. */
export interface RecordStep {
  readonly expected_harm_before: number;
  readonly expected_harm_after: number;
  readonly findings: readonly ReviewFinding[];
}

/** What PolyGuard says about a record, from reset to the end of the course. */
export interface Review extends RecordReset {
  readonly notice: string;
  readonly policy: string;
  /** What the policy did, step by step. */
  readonly proposals: readonly ReviewProposal[];
  readonly expected_harm: { readonly before: number; readonly after: number; readonly unit: string };
  /** Probability of an adverse drug event within 90 days on what is known, before the first and after the last action. */
  readonly r90: { readonly before: number; readonly after: number };
  readonly score: {
    /** Mean reward of the steps. */
    readonly total: number;
    /** Mean of each component. */
    readonly components: Readonly<Record<string, number>>;
    readonly steps: number;
    readonly ended: string;
  };
  readonly open_findings: readonly ReviewFinding[];
}

/** One hit of the list. */
export interface ReviewFinding {
  /** Row of the interaction table, `RG1` to `RG10` for a rule of the whole list, or DERIVED. */
  readonly rule: string;
  readonly severity: string;
  readonly drugs: string;
  readonly drug_ids: readonly string[];
  readonly domain: string;
  readonly mechanism: string;
  readonly effect: string;
  readonly management: string;
  readonly source: string;
  readonly managed: boolean;
}

/** One action of the course. */
export interface ReviewProposal {
  readonly day: number;
  readonly action: string;
  readonly text: string;
  readonly why: string;
  /** Expected harm and burden loss over the coming year before and after it, utility a year. */
  readonly expected_harm_before: number;
  readonly expected_harm_after: number;
  /** The action in detail: drug_id it is about, drug_id that comes instead or in addition, dose in the unit of its row. */
  readonly drug_id: string | null;
  readonly replacement: string | null;
  readonly dose_per_day: number | null;
  readonly doses_per_day: number | null;
  readonly orders: readonly string[];
  readonly reward: number;
  readonly legal: boolean;
  readonly outcome: string;
}
