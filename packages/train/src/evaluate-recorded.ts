import {
  type EnvDefinition,
  type Info,
  LocalVectorEnv,
  PraxisError,
  type Rng,
  type SyncEnvDefinition,
} from "@praxis/env";
import { type Kernels, Tape } from "@praxis/nn";
import type { ProjectionCache, RecordedPolicy } from "./recorded-policy.ts";

/** What to evaluate: as many episodes as asked for, side by side, each with a seed of its own. */
export interface RecordedEvaluationRequest {
  readonly definition: EnvDefinition;
  readonly kernels: Kernels;
  readonly policy: RecordedPolicy;
  readonly episodes: number;
  /** Keep it apart from training seeds. */
  readonly seed: number;
  readonly resetOptions?: Readonly<Record<string, unknown>>;
  /** Default: the definition's own limit, which is needed if this is left out. */
  readonly maxEpisodeSteps?: number;
  /** Stream that actions are drawn from; default: the most likely ones. */
  readonly rng?: Rng;
  /** Told of every step of the episodes that count. */
  onStep?(episode: number, step: { readonly reward: number; readonly info: Info }): void;
}

/** Return of each finished episode, and how many were left out because a verifier failed. */
export interface EvaluationResult {
  readonly returns: readonly number[];
  readonly excluded: number;
  /** Shares by metric name of what the environment told of the episodes, where it is asked for. */
  readonly outcomes?: Readonly<Record<string, number>>;
}

/**
 * Plays until every episode has ended. Throws INVALID_CONFIG without a step limit, and VALIDATION_ERROR when an episode passes it.
 */
export function evaluateRecorded(request: RecordedEvaluationRequest): EvaluationResult {
  const { definition, policy, episodes, seed, resetOptions = {}, rng = null } = request;
  const limit = request.maxEpisodeSteps ?? definition.maxEpisodeSteps;
  if (limit === undefined)
    throw new PraxisError("INVALID_CONFIG", `'${definition.id}' has no step limit; give maxEpisodeSteps.`);
  const envs = new LocalVectorEnv(definition as SyncEnvDefinition, { numEnvs: episodes, seed });
  const { distribution, inputs } = policy;
  const tape = new Tape(request.kernels, { recording: false });
  const recorder = policy.makeRecorder();
  const projections: ProjectionCache = new Map();
  const actions = new Float32Array(episodes * distribution.actionSize);
  const masks = new Uint8Array(episodes * distribution.maskSize);
  const logDeviations = policy.logDeviations?.data ?? new Float32Array(0);
  const returns = new Array<number>(episodes).fill(0);
  const hasFailed = new Array<boolean>(episodes).fill(false);
  const isOver = new Array<boolean>(episodes).fill(false);
  try {
    let now = envs.reset({ seed, options: resetOptions });
    let starts: ArrayLike<number> = new Uint8Array(episodes).fill(1);
    let memories = policy.initialMemories(episodes);
    for (let t = 0; t < limit && isOver.includes(false); t++) {
      const observations = now.observations as Float32Array;
      const records = now.infos.map((info, i) =>
        recorder.record(observations.subarray(i * inputs, (i + 1) * inputs), info),
      );
      tape.reset();
      const output = policy.forward(tape, { steps: 1, batch: episodes, records, starts, memories, projections });
      memories = output.memories;
      for (let row = 0; row < episodes; row++) {
        distribution.readMask(now.infos[row]!, masks, row);
        const head = { inputs: output.logits.data, masks, logDeviations, row };
        if (rng === null) distribution.mode(head, actions);
        else distribution.sample(head, rng, actions);
      }
      const step = envs.step(Array.from({ length: episodes }, (_, row) => distribution.toSpaceValue(actions, row)));
      for (let i = 0; i < episodes; i++) {
        // An environment goes on with another episode after its first, which does not count.
        if (isOver[i]) continue;
        const info = step.finalInfos[i] ?? step.infos[i]!;
        returns[i]! += step.rewards[i]!;
        if (info.infraError !== undefined) hasFailed[i] = true;
        isOver[i] = step.episodeStarts[i] === 1;
        request.onStep?.(i, { reward: step.rewards[i]!, info });
      }
      starts = step.episodeStarts;
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
