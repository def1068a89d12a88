/** Meta-actions; the index is slot 0 of the action vector. */
export const META_ACTIONS = [
  "callSpecialist",
  "stop",
  "callMediator",
  "clarifyTask",
  "delegateSubtask",
  "retryFailed",
  "parallelSpawn",
  "spawnSpecialist",
] as const;
/** Name of a meta-action. */
export type MetaAction = (typeof META_ACTIONS)[number];

/** Delegation modes; the index is slot S + 1 of the action vector. */
export const MODES = [
  "sequential",
  "parallel",
  "fanOutReduce",
  "iterative",
  "conditional",
  "priorityQueue",
  "broadcast",
] as const;
/** Name of a mode. */
export type Mode = (typeof MODES)[number];

/** What an action says beside whom and how. Baselines leave them out. */
export interface ModeParameters {
  /** Passes of mode iterative, 1 … 5. */
  readonly rounds: number;
  /** Measured quality that is good enough: iterative, conditional, priorityQueue. 0.5 … 1. */
  readonly threshold: number;
  /** Calls that would end later are aborted; null: no limit. */
  readonly timeBudgetMs: number | null;
  /** Scratchpad entries shown to each specialist, 0 … 5. */
  readonly contextEntries: number;
}

/** Parameters of an action that names none. */
export const DEFAULT_PARAMETERS: ModeParameters = { rounds: 3, threshold: 1, timeBudgetMs: null, contextEntries: 5 };

/** A decision of the orchestrator, decoded: slots in the order of execution. */
export interface Decision {
  readonly meta: MetaAction;
  readonly slots: readonly number[];
  readonly mode: Mode;
  readonly parameters: ModeParameters;
}

/** A decision without parameters, as baselines make them. */
export function decide(meta: MetaAction, slots: readonly number[] = [], mode: Mode = "sequential"): Decision {
  return { meta, slots, mode, parameters: DEFAULT_PARAMETERS };
}
