import type { EvaluationRow, KeptValue, Perturbation } from "@praxis/polyguard";

/** One scenario for all policies, so that they share what is drawn and planned for it. */
export interface EvaluationJob {
  readonly scenarioId: string;
  readonly plays: readonly EvaluationPlay[];
}

/** One way in which a scenario is played. */
export interface EvaluationPlay {
  readonly policy: string;
  /** null = as the environment shows it. */
  readonly perturbation: Perturbation | null;
  /** Way of playing of planner_critic; null = its own. */
  readonly variant: string | null;
}

/** An episode that a fault of the software ended; counted, never scored. */
export interface EvaluationFailure {
  readonly scenarioId: string;
  readonly policy: string;
  readonly perturbation: Perturbation | null;
  readonly variant: string | null;
  readonly code: string;
  readonly message: string;
}

/** What became of a job; one line of the results file. */
export interface JobResult {
  readonly scenarioId: string;
  readonly rows: readonly EvaluationRow[];
  readonly failures: readonly EvaluationFailure[];
}

/** What was worked out about a scenario on the way, for the cache. */
export type FoundValue = readonly [key: string, value: KeptValue];

/** A policy that was learned, by the name it plays under. */
export interface LearnedPolicyPlace {
  readonly name: string;
  readonly folder: string;
  /** Ablation whose scenes it reads. */
  readonly ablation: string;
}

/** What a worker is started with. */
export interface WorkerStart {
  readonly known: readonly FoundValue[];
  readonly learned: readonly LearnedPolicyPlace[];
}

/** What a worker answers to a job. */
export interface WorkerAnswer {
  readonly result: JobResult;
  readonly found: readonly FoundValue[];
  /** Best courses that had to be planned. */
  readonly planned: number;
  /** Time spent on planning best courses. */
  readonly oracleMs: number;
}
