import type { Checkpoint } from "./checkpoint.ts";
import { EpisodePpo, type EpisodePpoOptions } from "./episode-ppo.ts";
import { evaluateRecorded } from "./evaluate-recorded.ts";
import { type LoopOptions, type LoopResult, runTrainer } from "./train-loop.ts";
import { asTrainer } from "./train-ppo.ts";

/** What goes with a run of PPO over whole episodes. */
export interface TrainEpisodePpoOptions extends EpisodePpoOptions, LoopOptions {
  /** Continue from here. */
  readonly resume?: Checkpoint;
}

/** Trains to the end, to a return, or until stopped; the last checkpoint is always of the last iteration. */
export async function trainEpisodePpo(options: TrainEpisodePpoOptions): Promise<LoopResult> {
  const { definition, kernels, policy, resetOptions = {}, hook } = options;
  const ppo = new EpisodePpo(options);
  try {
    if (options.resume !== undefined) await ppo.restore(options.resume);
    return await runTrainer(asTrainer(ppo), options, ({ episodes, seed }) =>
      evaluateRecorded({
        ...{ definition, kernels, policy, episodes, seed },
        resetOptions: { ...resetOptions, ...hook?.resetOptions() },
      }),
    );
  } finally {
    await ppo.close();
  }
}
