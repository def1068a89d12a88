import { type EnvDefinition, Rng, type Scene, type SyncEnv } from "@praxis/env";
import { makeSyncEnv } from "@praxis/eval";
import { type Kernels, Tape } from "@praxis/nn";
import { demonstrate, makeSmallAgentPolicy, type ScenePolicy, type SmallAgent } from "@praxis/train";

/** Legal share of what a policy does, and how it states its confidence, on held-out states. */
export interface HeldOutCheck {
  readonly episodes: number;
  readonly decisions: number;
  /** Share of actions that the verifier allowed. */
  readonly legality: number;
  /** Share of actions that were understood as written. */
  readonly format: number;
  /** Mean of what the episodes came to. */
  readonly value: number;
}

/**
 * Plays validation episodes by an agent's most likely choices, sets the scale of its stated confidences to what became of them, and
 * counts legality and format. The episodes are apart from those of training and of the report.
 */
export async function calibrateAgent(
  agent: SmallAgent<unknown>,
  given: {
    readonly definition: EnvDefinition;
    readonly kernels: Kernels;
    readonly episodes: number;
    readonly seed: number;
  },
): Promise<HeldOutCheck> {
  const { definition, kernels, episodes, seed } = given;
  const env = makeSyncEnv(definition) as SyncEnv;
  const counts = { decisions: 0, legal: 0, format: 0, value: 0 };
  const watched: SyncEnv = {
    ...{ reset: (request) => env.reset(request), state: () => env.state(), close: () => env.close() },
    ...{ snapshot: () => env.snapshot(), restore: (snapshot) => env.restore(snapshot) },
    step: (action) => {
      const result = env.step(action);
      const { rewardComponents = {} } = result.info;
      counts.decisions++;
      counts.legal += Number((rewardComponents.legality_score ?? 0) > 0.01);
      counts.format += Number((rewardComponents.format_compliance_score ?? 0) > 0.9);
      return result;
    },
  };
  const policy = agent.policy as unknown as ScenePolicy;
  const tape = new Tape(kernels, { recording: false });
  const seen: ReturnType<ScenePolicy["confidences"]> = [];
  for (let i = 0; i < episodes; i++) {
    const rng = Rng.fromSeed(seed, `calibration/${i}`);
    const drawn = definition.learningEpisode?.(rng.split("episode"), 1, "validate") ?? { seed: i, options: {} };
    const shown = await demonstrate({
      ...{ env: watched, rng, reset: drawn, maxSteps: definition.maxEpisodeSteps ?? 1000 },
      task: (agent.task.episode?.() ?? agent.task) as never,
      policy: makeSmallAgentPolicy("calibrated", { ...agent, kernels }),
    });
    if (shown === null) continue;
    counts.value += shown.value / episodes;
    const examples = shown.examples as readonly { readonly decision: Scene; readonly choice: Float32Array }[];
    const sequence = {
      decisions: examples.map(({ decision }) => decision),
      choices: examples.map(({ choice }) => choice),
      memory: policy.initialMemory(),
    };
    seen.push(...policy.confidences(tape, [sequence]));
  }
  env.close();
  policy.calibrate(seen);
  const { decisions, legal, format, value } = counts;
  return { episodes, decisions, legality: legal / decisions, format: format / decisions, value };
}
