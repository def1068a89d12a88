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
  readonly severity: string;
  readonly drugs: string;
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
  readonly reward: number;
  readonly legal: boolean;
  readonly outcome: string;
}
