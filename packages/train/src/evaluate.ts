import { type EnvDefinition, LocalVectorEnv, PraxisError, type SyncEnvDefinition } from "@praxis/env";
import { type Kernels, Tape } from "@praxis/nn";
import { readActionMask } from "./action-mask.ts";
import type { ActorCritic } from "./actor-critic.ts";
import type { ObservationNormalizer } from "./normalizers.ts";

/** What to evaluate: as many episodes as environments, side by side, each with a seed of its own. */
export interface EvaluationRequest {
  readonly definition: EnvDefinition;
  readonly kernels: Kernels;
  readonly policy: ActorCritic;
  /** As it is: evaluation does not move it. */
  readonly normalizer: ObservationNormalizer | null;
  readonly episodes: number;
  /** Keep it apart from training seeds. */
  readonly seed: number;
  readonly resetOptions?: Readonly<Record<string, unknown>>;
  /** Default: the definition's own limit, which is needed if this is left out. */
  readonly maxEpisodeSteps?: number;
}

/** Return of each finished episode, and how many were left out because a verifier failed. */
export interface EvaluationResult {
  readonly returns: readonly number[];
  readonly excluded: number;
}

/**
 * Plays the most likely action until every episode has ended. Throws INVALID_CONFIG without a step limit, and
 * VALIDATION_ERROR when an episode passes it.
 */
export function evaluatePolicy(request: EvaluationRequest): EvaluationResult {
  const { definition, policy, normalizer, episodes, seed, resetOptions = {} } = request;
  const limit = request.maxEpisodeSteps ?? definition.maxEpisodeSteps;
  if (limit === undefined)
    throw new PraxisError("INVALID_CONFIG", `'${definition.id}' has no step limit; give maxEpisodeSteps.`);
  const envs = new LocalVectorEnv(definition as SyncEnvDefinition, { numEnvs: episodes, seed });
  const tape = new Tape(request.kernels, { recording: false });
  const { head } = policy;
  const actions = new Float32Array(episodes * head.actionSize);
  const masks = new Uint8Array(episodes * head.maskSize);
  const returns = new Array<number>(episodes).fill(0);
  const hasFailed = new Array<boolean>(episodes).fill(false);
  const isOver = new Array<boolean>(episodes).fill(false);
  try {
    let now = envs.reset({ seed, options: resetOptions });
    let starts = new Uint8Array(episodes).fill(1);
    let state = policy.initialState(episodes);
    for (let t = 0; t < limit && isOver.includes(false); t++) {
      const raw = now.observations as Float32Array;
      tape.reset();
      const observations = tape.copy(normalizer?.apply(raw) ?? raw);
      const output = policy.forwardActor(tape, { steps: 1, batch: episodes, observations, starts, state });
      state = output.state;
      const logDeviations = policy.logDeviations?.data ?? new Float32Array(0);
      for (let row = 0; row < episodes; row++) {
        readActionMask(head.space, now.infos[row]!, masks, row);
        head.mode({ inputs: output.logits.data, masks, logDeviations, row }, actions);
      }
      const step = envs.step(Array.from({ length: episodes }, (_, row) => head.toSpaceValue(actions, row)));
      for (let i = 0; i < episodes; i++) {
        // An environment goes on with another episode after its first, which does not count.
        if (isOver[i]) continue;
        returns[i]! += step.rewards[i]!;
        if ((step.finalInfos[i] ?? step.infos[i]!).infraError !== undefined) hasFailed[i] = true;
        isOver[i] = step.terminated[i] === 1 || step.truncated[i] === 1;
      }
      starts = step.episodeStarts as Uint8Array<ArrayBuffer>;
      now = step;
    }
  } finally {
    envs.close();
  }
  const unfinished = isOver.indexOf(false);
  if (unfinished >= 0)
    throw new PraxisError("VALIDATION_ERROR", `Evaluation episode ${unfinished} did not end within ${limit} steps.`);
  const kept = returns.filter((_, i) => !hasFailed[i]);
  return { returns: kept, excluded: episodes - kept.length };
}
