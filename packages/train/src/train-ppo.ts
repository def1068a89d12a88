import type { Kernels } from "@praxis/nn";
import type { Checkpoint } from "./checkpoint.ts";
import { type EvaluationResult, evaluatePolicy } from "./evaluate.ts";
import { Ppo, type PpoMetrics, type PpoOptions } from "./ppo.ts";

/** When and how the policy is evaluated in between. */
export interface EvaluationPlan {
  /** Every so many iterations. */
  readonly every: number;
  readonly episodes: number;
  /** Apart from the training seed, so that no episode is met twice. */
  readonly seed: number;
  /** Training ends once an evaluation's mean return is at least this. */
  readonly stopAtReturn?: number;
}

/** What goes with a run of PPO. */
export interface TrainPpoOptions extends PpoOptions {
  readonly kernels: Kernels;
  /** Continue from here. */
  readonly resume?: Checkpoint;
  readonly evaluation?: EvaluationPlan;
  /** Every so many iterations, and at the end. Default: at the end only. */
  readonly checkpointEvery?: number;
  /** Aborted: the run saves after the iteration in progress and ends. */
  readonly signal?: AbortSignal;
  onIteration?(row: PpoMetrics): void;
  onCheckpoint?(steps: number, checkpoint: Checkpoint): void;
}

/** How a run ended. */
export interface TrainPpoResult {
  readonly ended: "done" | "solved" | "stopped";
  readonly steps: number;
  readonly iterations: number;
  /** The last evaluation, null without one. */
  readonly evaluation: EvaluationResult | null;
}

/** Trains to the end, to a return, or until stopped; the last checkpoint is always of the last iteration. */
export async function trainPpo(options: TrainPpoOptions): Promise<TrainPpoResult> {
  const { definition, kernels, evaluation: plan, signal, checkpointEvery = Number.POSITIVE_INFINITY } = options;
  const ppo = new Ppo(options);
  let evaluation: EvaluationResult | null = null;
  const hasSolved = (): boolean => plan?.stopAtReturn !== undefined && meanReturn(evaluation) >= plan.stopAtReturn;
  let savedAt = -1;
  const save = async (): Promise<void> => {
    if (options.onCheckpoint === undefined || savedAt === ppo.steps) return;
    options.onCheckpoint(ppo.steps, await ppo.save());
    savedAt = ppo.steps;
  };
  try {
    if (options.resume !== undefined) await ppo.restore(options.resume);
    while (!ppo.isDone && !hasSolved() && signal?.aborted !== true) {
      const row = { ...(await ppo.iterate()) };
      if (plan !== undefined && (ppo.iteration % plan.every === 0 || ppo.isDone)) {
        evaluation = evaluatePolicy({
          ...{ definition, kernels, policy: ppo.policy, normalizer: ppo.observationNormalizer },
          ...{ episodes: plan.episodes, seed: plan.seed, resetOptions: options.resetOptions ?? {} },
        });
        if (evaluation.returns.length > 0) row["evaluation/mean_return"] = meanReturn(evaluation);
        row["evaluation/excluded"] = evaluation.excluded;
      }
      options.onIteration?.(row);
      if (ppo.iteration % checkpointEvery === 0) await save();
    }
    await save();
  } finally {
    await ppo.close();
  }
  const ended = hasSolved() ? "solved" : ppo.isDone ? "done" : "stopped";
  return { ended, steps: ppo.steps, iterations: ppo.iteration, evaluation };
}

/** −Infinity without a finished episode. */
function meanReturn(evaluation: EvaluationResult | null): number {
  const returns = evaluation?.returns ?? [];
  return returns.length === 0 ? Number.NEGATIVE_INFINITY : returns.reduce((sum, x) => sum + x, 0) / returns.length;
}
