/** Families of the interaction task. */
const INTERACTIONS: readonly string[] = [
  ...["H01", "H02", "H03", "H04", "H06", "H09", "H10", "H15", "H16", "H17"],
  ...["H19", "H20", "H29", "H30", "H39", "H40", "H41", "H42", "H45"],
];

const CASCADES: readonly string[] = ["H21", "H22", "H23", "H24", "H25", "H26", "H27"];

/** Hazard families of each task that injects hazards, ascending. */
export const TASK_FAMILIES = {
  ddi_risk: INTERACTIONS,
  safe_add: ["H28", "H44", "UNTREATED"],
  safe_substitution: ["H05", "H07", "H13", "H33", "H35", "H38", "H42", "H43"],
  regimen_optimisation: [
    ...[...INTERACTIONS, ...CASCADES, "H05", "H07", "H08", "H11", "H12", "H13", "H14", "H18", "H28", "H31"],
    ...["H32", "H33", "H34", "H35", "H36", "H43", "H44"],
  ].sort(),
  taper_sequence: ["H12", ...CASCADES, "H31", "H32", "H33", "H34", "H36"],
  /** Renal-dose mode. */
  precision_dosing: ["H08", "H14", "H18", "H35"],
  missing_data: [...INTERACTIONS, "H37", "H38"].sort(),
  new_drug: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;
