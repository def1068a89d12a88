import type { Difficulty, Split, SubEnvironment } from "./types.ts";

/** A task of the catalogue. */
interface CatalogueEntry {
  readonly task: string;
  readonly subEnvironment: SubEnvironment;
}

/** The task catalogue in its order: tasks by name, each played in one sub-environment. */
export const CATALOGUE = [
  { task: "ddi_risk", subEnvironment: "DDI" },
  { task: "dangerous_combinations", subEnvironment: "BANDIT_MINING" },
  { task: "safe_add", subEnvironment: "REGIMEN_RISK" },
  { task: "safe_substitution", subEnvironment: "ALTERNATIVE_SUGGESTION" },
  { task: "regimen_optimisation", subEnvironment: "REGIMEN_RISK" },
  { task: "taper_sequence", subEnvironment: "LONGITUDINAL_DEPRESCRIBING" },
  { task: "precision_dosing", subEnvironment: "PRECISION_DOSING" },
  { task: "missing_data", subEnvironment: "WEB_SEARCH_MISSING_DATA" },
  { task: "new_drug", subEnvironment: "NEW_DRUG_DECOMPOSITION" },
] as const satisfies readonly CatalogueEntry[];

/** Name of a task. */
export type Task = (typeof CATALOGUE)[number]["task"];

/** Which scenario is wanted. */
export interface ScenarioKey {
  readonly task: Task;
  readonly difficulty: Difficulty;
  readonly split: Split;
  readonly seed: number;
}

/** `<task>/<tier>/<split>/<seed>`. */
export function scenarioId(key: ScenarioKey): string {
  return `${key.task}/${key.difficulty}/${key.split}/${key.seed}`;
}
