import type { Checkpoint } from "./checkpoint.ts";
import { evaluatePolicy } from "./evaluate.ts";
import { Ppo, type PpoMetrics, type PpoOptions } from "./ppo.ts";
import { type LoopOptions, type LoopResult, runTrainer, type Trainer } from "./train-loop.ts";

/** What goes with a run of PPO. */
export interface TrainPpoOptions extends PpoOptions, LoopOptions {
  /** Continue from here. */
  readonly resume?: Checkpoint;
}

/** Trains to the end, to a return, or until stopped; the last checkpoint is always of the last iteration. */
export async function trainPpo(options: TrainPpoOptions): Promise<LoopResult> {
  const { definition, kernels, resetOptions = {} } = options;
  const ppo = new Ppo(options);
  try {
    if (options.resume !== undefined) await ppo.restore(options.resume);
    return await runTrainer(asTrainer(ppo), options, ({ episodes, seed }) =>
      evaluatePolicy({
        ...{ definition, kernels, policy: ppo.policy, normalizer: ppo.observationNormalizer },
        ...{ episodes, seed, resetOptions },
      }),
    );
  } finally {
    await ppo.close();
  }
}

/** A PPO trainer as the loop wants one. */
export function asTrainer(
  ppo: Pick<Ppo, "iteration" | "steps" | "isDone" | "save"> & { iterate(): Promise<PpoMetrics> },
): Trainer {
  return {
    get iteration() {
      return ppo.iteration;
    },
    get position() {
      return ppo.steps;
    },
    get isDone() {
      return ppo.isDone;
    },
    iterate: () => ppo.iterate(),
    save: () => ppo.save(),
  };
}
