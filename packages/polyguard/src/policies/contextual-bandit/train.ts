import { type Info, PraxisError, type Rng, type SyncEnv } from "@praxis/env";
import type { StepAction } from "../../actions/schema.ts";
import type { KnowledgeBase } from "../../kb/types.ts";
import type { Observation } from "../../observation/schema.ts";
import { DIFFICULTIES, type SubEnvironment } from "../../scenario/types.ts";
import type { FeatureRow } from "../mining/combination-features.ts";
import type { ArmLearner } from "./learner.ts";
import { makeArmPolicy } from "./policy.ts";

/** What an episode of the training came to. */
export interface TrainedEpisode {
  readonly episode: number;
  readonly subEnvironment: SubEnvironment;
  /** Mean of r - r_keep over the steps. */
  readonly meanGain: number;
  readonly steps: number;
}

/**
 * Trains a bandit online: episodes of the sub-environments and tiers in turn, on the seeds of split train in order; after
 * every step the chosen arm learns r - r_keep. Yields after each episode.
 */
export function* trainArms(options: {
  readonly kb: KnowledgeBase;
  readonly env: SyncEnv<StepAction, Observation>;
  readonly learner: ArmLearner;
  readonly subEnvironments: readonly SubEnvironment[];
  readonly episodes: number;
  readonly rng: Rng;
}): Generator<TrainedEpisode> {
  const { kb, env, learner, subEnvironments, episodes, rng } = options;
  const chosen: { row: FeatureRow | null } = { row: null };
  const policy = makeArmPolicy(
    "contextual_bandit",
    kb,
    (arms) => learner.explore(arms),
    (row) => {
      chosen.row = row;
    },
  );
  for (let episode = 0; episode < episodes; episode++) {
    const subEnvironment = subEnvironments[episode % subEnvironments.length]!;
    const difficulty = DIFFICULTIES[Math.floor(episode / subEnvironments.length) % DIFFICULTIES.length]!;
    policy.reset(rng.split(`episode ${episode}`));
    const seed = Math.floor(episode / (subEnvironments.length * DIFFICULTIES.length));
    let { observation, info } = env.reset({
      seed,
      options: { sub_environment: subEnvironment, difficulty, score_task: false },
    });
    let sum = 0;
    for (let steps = 1; ; steps++) {
      chosen.row = null;
      const result = env.step(policy.act(observation, info) as StepAction);
      const gain = result.reward - keepRewardOf(result.info);
      if (chosen.row !== null) learner.learn(chosen.row, gain);
      sum += gain;
      if (result.terminated || result.truncated) {
        yield { episode, subEnvironment, meanGain: sum / steps, steps };
        break;
      }
      observation = result.observation;
      info = result.info;
    }
  }
}

function keepRewardOf({ keep_reward: keep }: Info): number {
  if (typeof keep !== "number")
    throw new PraxisError("NOT_SUPPORTED", "The step does not tell 'keep_reward'; train on a PolyGuard environment.");
  return keep;
}
