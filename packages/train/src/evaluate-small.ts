import { type EnvDefinition, envSeed, type Policy, PraxisError, Rng, type SyncEnv } from "@praxis/env";
import { type Kernels, Tape } from "@praxis/nn";
import { outcomeMetrics } from "./episode-outcome.ts";
import type { EvaluationResult } from "./evaluate-recorded.ts";
import { beginPlay, type PlayedEpisode, playTurn, running, tryReset } from "./played-episode.ts";
import type { SmallAgent } from "./small-agent.ts";

/** What to evaluate: episodes side by side, each with a seed of its own. */
export interface SmallEvaluationRequest extends SmallAgent<unknown> {
  readonly definition: EnvDefinition;
  readonly kernels: Kernels;
  readonly episodes: number;
  /** Keep it apart from training seeds. */
  readonly seed: number;
  readonly resetOptions?: Readonly<Record<string, unknown>>;
  /** Default: the definition's own limit, which is needed if this is left out. */
  readonly maxEpisodeSteps?: number;
}

/**
 * Plays the most likely choice until every episode has ended; one that an environment or verifier failed in is excluded.
 * Throws INVALID_CONFIG without a step limit, and VALIDATION_ERROR when an episode passes it.
 */
export function evaluateSmallPolicy(request: SmallEvaluationRequest): EvaluationResult {
  const { definition, policy, task, kernels, seed, resetOptions: options = {} } = request;
  const limit = request.maxEpisodeSteps ?? definition.maxEpisodeSteps;
  if (limit === undefined)
    throw new PraxisError("INVALID_CONFIG", `'${definition.id}' has no step limit; give maxEpisodeSteps.`);
  const envs = Array.from({ length: request.episodes }, () => definition.makeEnv() as SyncEnv);
  const episodes: PlayedEpisode<unknown>[] = [];
  try {
    envs.forEach((env, i) => {
      const drawn = definition.learningEpisode?.(Rng.fromSeed(seed, `validation/${i}`), 1, "validate");
      const last = tryReset(env, {
        seed: drawn?.seed ?? envSeed(seed, i),
        options: { ...options, ...drawn?.options },
      });
      if (typeof last !== "string")
        episodes.push(
          beginPlay({ env, task: task.episode?.() ?? task, rng: null, last, memory: policy.initialMemory() }),
        );
    });
    const players = { policy, tape: new Tape(kernels, { recording: false }) };
    for (let step = 0; step < limit && running(episodes).length > 0; step++) playTurn(players, running(episodes));
  } finally {
    for (const env of envs) env.close();
  }
  const unfinished = running(episodes).length;
  if (unfinished > 0)
    throw new PraxisError("VALIDATION_ERROR", `${unfinished} evaluation episodes did not end within ${limit} steps.`);
  const kept = episodes.filter(({ failure }) => failure === null);
  const returns = kept.map(
    ({ steps, last, task: own }) => own.returnOf?.(last) ?? steps.reduce((sum, { reward }) => sum + reward, 0),
  );
  const outcomes = outcomeMetrics(kept.map(({ outcome }) => outcome));
  return { returns, excluded: request.episodes - kept.length, outcomes };
}

/** Plays an agent's most likely choices, with a memory per episode where it has one. */
export function makeSmallAgentPolicy(
  name: string,
  { policy, task, kernels }: SmallAgent<unknown> & { readonly kernels: Kernels },
): Policy {
  const tape = new Tape(kernels, { recording: false });
  let own = task.episode?.() ?? task;
  let memory = policy.initialMemory();
  return {
    name,
    reset() {
      own = task.episode?.() ?? task;
      memory = policy.initialMemory();
    },
    act(observation, info) {
      tape.reset();
      const last = { observation, info };
      const decision = own.decisionOf(last);
      const [chosen] = policy.choose(tape, [{ decision, memory, rng: null }]);
      memory = chosen!.memory;
      return own.actionOf(chosen!.choice, decision, last);
    },
  };
}
