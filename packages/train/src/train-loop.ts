import type { MaybePromise } from "@praxis/env";
import type { Checkpoint } from "./checkpoint.ts";
import type { EvaluationResult } from "./evaluate-recorded.ts";
import { turnOfEvents } from "./turn-of-events.ts";

/** Numbers of one iteration by the names everybody plots; without clock times, so that equal runs give equal rows. */
export type TrainingRow = Readonly<Record<string, number>>;

/** Whatever learns in iterations and can be saved after each. */
export interface Trainer {
  /** Iterations done. */
  readonly iteration: number;
  /** What names checkpoints and is the axis of plots: environment steps, or iterations. */
  readonly position: number;
  readonly isDone: boolean;
  iterate(): MaybePromise<TrainingRow>;
  save(): MaybePromise<Checkpoint>;
}

/** When and how the policy is evaluated in between. */
export interface EvaluationPlan {
  /** Every so many iterations. */
  readonly every: number;
  readonly episodes: number;
  /** Apart from the training seed, so that no episode is met twice. */
  readonly seed: number;
  /** Training ends once an evaluation's mean return is at least this. */
  readonly stopAtReturn?: number;
  /** Training ends after so many evaluations in a row without a new best mean return. */
  readonly patience?: number;
  /** Mean returns of a resumed run's evaluations so far, in order, so that its patience is what it was. */
  readonly earlier?: readonly number[];
}

/** What goes with a run of any trainer. */
export interface LoopOptions {
  readonly evaluation?: EvaluationPlan;
  /** Every so many iterations, and at the end. Default: at the end only. */
  readonly checkpointEvery?: number;
  /** Aborted: the run saves after the iteration in progress and ends. */
  readonly signal?: AbortSignal;
  onIteration?(row: TrainingRow): void;
  onCheckpoint?(position: number, checkpoint: Checkpoint): void;
}

/** How a run ended. */
export interface LoopResult {
  readonly ended: "done" | "solved" | "stalled" | "stopped";
  readonly position: number;
  readonly iterations: number;
  /** The last evaluation, null without one. */
  readonly evaluation: EvaluationResult | null;
}

/** Trains to the end, to a return, or until stopped; the last checkpoint is always of the last iteration. */
export async function runTrainer(
  trainer: Trainer,
  options: LoopOptions,
  evaluate: (plan: EvaluationPlan) => EvaluationResult,
): Promise<LoopResult> {
  const { evaluation: plan, signal, checkpointEvery = Number.POSITIVE_INFINITY } = options;
  let evaluation: EvaluationResult | null = null;
  const hasSolved = (): boolean => plan?.stopAtReturn !== undefined && meanReturn(evaluation) >= plan.stopAtReturn;
  let best = Number.NEGATIVE_INFINITY;
  let since = 0;
  const count = (mean: number): void => {
    since = mean > best ? 0 : since + 1;
    best = Math.max(best, mean);
  };
  plan?.earlier?.forEach(count);
  const hasStalled = (): boolean => plan?.patience !== undefined && since >= plan.patience;
  let savedAt = -1;
  const save = async (): Promise<void> => {
    if (options.onCheckpoint === undefined || savedAt === trainer.position) return;
    options.onCheckpoint(trainer.position, await trainer.save());
    savedAt = trainer.position;
  };
  while (!trainer.isDone && !hasSolved() && !hasStalled() && signal?.aborted !== true) {
    let row: Record<string, number> = { ...(await trainer.iterate()) };
    if (plan !== undefined && (trainer.iteration % plan.every === 0 || trainer.isDone)) {
      evaluation = evaluate(plan);
      if (evaluation.returns.length > 0) row["evaluation/mean_return"] = meanReturn(evaluation);
      row["evaluation/excluded"] = evaluation.excluded;
      // A trainer that plays tells of the episodes it learnt from; one that does not, of those of its evaluations.
      row = { ...evaluation.outcomes, ...row };
      count(meanReturn(evaluation));
    }
    options.onIteration?.(row);
    if (trainer.iteration % checkpointEvery === 0) await save();
    await turnOfEvents();
  }
  await save();
  const ended = hasSolved() ? "solved" : trainer.isDone ? "done" : hasStalled() ? "stalled" : "stopped";
  return { ended, position: trainer.position, iterations: trainer.iteration, evaluation };
}

/** −Infinity without a finished episode. */
function meanReturn(evaluation: EvaluationResult | null): number {
  const returns = evaluation?.returns ?? [];
  return returns.length === 0 ? Number.NEGATIVE_INFINITY : returns.reduce((sum, x) => sum + x, 0) / returns.length;
}
