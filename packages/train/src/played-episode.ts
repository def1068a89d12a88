import { type Info, PraxisError, type Rng, type SyncEnv, toPraxisError } from "@praxis/env";
import type { Tape } from "@praxis/nn";
import { type EpisodeOutcome, NOTHING_TOLD, withStep } from "./episode-outcome.ts";
import type { Choice, DecisionTask, LastResult, SmallPolicy } from "./small-policy.ts";

/** One decision and what was chosen. */
export interface PlayedStep<Decision> {
  readonly decision: Decision;
  readonly choice: Float32Array;
  readonly reward: number;
}

/** An episode while a policy plays it; changed by {@link playTurn}. */
export interface PlayedEpisode<Decision> {
  readonly env: SyncEnv;
  readonly task: DecisionTask<Decision>;
  /** Stream of its choices; null: the most likely ones. */
  readonly rng: Rng | null;
  readonly steps: PlayedStep<Decision>[];
  /** Sums by name, as the rubric scored them. */
  readonly rewardComponents: Record<string, number>;
  outcome: EpisodeOutcome;
  last: LastResult;
  memory: Float32Array;
  hasEnded: boolean;
  /** Why an environment or a verifier failed, with the step; null while none has. */
  failure: string | null;
}

/** An episode that goes on from `last`. */
export function beginPlay<Decision>(
  from: Pick<PlayedEpisode<Decision>, "env" | "task" | "rng" | "last" | "memory">,
): PlayedEpisode<Decision> {
  return { ...from, steps: [], rewardComponents: {}, outcome: NOTHING_TOLD, hasEnded: false, failure: null };
}

/** Who plays: a policy, and memory for its work. */
export interface Players<Decision> {
  readonly policy: SmallPolicy<Decision>;
  readonly tape: Tape;
}

/** One decision in each of the episodes, side by side; all must be running. */
export function playTurn<Decision>(
  { policy, tape }: Players<Decision>,
  episodes: readonly PlayedEpisode<Decision>[],
): void {
  tape.reset();
  const turns = episodes.map(({ task, last, memory, rng }) => ({ decision: task.decisionOf(last), memory, rng }));
  const choices = policy.choose(tape, turns);
  episodes.forEach((episode, i) => {
    carryOut(episode, { decision: turns[i]!.decision, ...choices[i]! });
  });
}

/** Carries out what was chosen on an episode's decision; the episode must be running, and its task have read `last`. */
export function carryOut<Decision>(
  episode: PlayedEpisode<Decision>,
  { decision, choice, memory }: Choice & { readonly decision: Decision },
): void {
  const result = tryCall(() => episode.env.step(episode.task.actionOf(choice, decision, episode.last)));
  if (typeof result === "string") {
    episode.failure = `step ${episode.steps.length + 1}: ${result}`;
    return;
  }
  episode.memory = memory;
  episode.task.judge?.(choice, result);
  episode.steps.push({ decision, choice, reward: result.reward });
  episode.last = result;
  episode.hasEnded = result.terminated || result.truncated;
  episode.outcome = withStep(episode.outcome, result.info, episode.hasEnded);
  addComponents(episode.rewardComponents, result.info);
  const failed = result.info.infraError;
  if (failed !== undefined) episode.failure = `step ${episode.steps.length}: ${failed.code}: ${failed.message}`;
}

function addComponents(sums: Record<string, number>, { rewardComponents = {} }: Info): void {
  for (const [name, value] of Object.entries(rewardComponents)) sums[name] = (sums[name] ?? 0) + value;
}

/** Episodes that have neither ended nor failed. */
export function running<Decision>(episodes: readonly PlayedEpisode<Decision>[]): PlayedEpisode<Decision>[] {
  return episodes.filter(({ hasEnded, failure }) => !hasEnded && failure === null);
}

/** The first result of an episode, or the sentence of the error. Throws NOT_SUPPORTED for an asynchronous environment. */
export function tryReset(
  env: SyncEnv,
  request: { readonly seed: number; readonly options: Readonly<Record<string, unknown>> },
): LastResult | string {
  return tryCall(() => {
    const last = env.reset(request);
    if (last instanceof Promise)
      throw new PraxisError("NOT_SUPPORTED", "The environment answers asynchronously; a trainer needs a SyncEnv.");
    return last;
  });
}

/** The result, or the sentence of the error. A policy's own errors are not environment failures and stay errors. */
export function tryCall<T>(call: () => T): T | string {
  try {
    return call();
  } catch (error) {
    const { code, message } = toPraxisError(error);
    if (code === "NOT_SUPPORTED") throw error;
    return `${code}: ${message}`;
  }
}
