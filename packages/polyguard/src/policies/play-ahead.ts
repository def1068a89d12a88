import { type Info, PraxisError, Rng, SimulatorEnv, type SyncEnv } from "@praxis/env";
import type { StepAction } from "../actions/schema.ts";
import type { Observation } from "../observation/schema.ts";
import type { PolyGuardPolicy } from "./own-play.ts";

/** What a finished episode is worth by its last info, larger is better. */
export type EpisodeWorth = (info: Info) => number;

/** By J; only episodes of PolyGuard tell it. */
export const byJ: EpisodeWorth = ({ j }) => (typeof j === "number" ? j : Number.NEGATIVE_INFINITY);

/** By the task score; an episode that tells none is worth nothing. */
export const byTaskScore: EpisodeWorth = ({ task_score: score }) =>
  typeof score === "number" ? score : Number.NEGATIVE_INFINITY;

/** Gain in worth that makes a later way the better one. */
const NO_GAIN = 1e-9;

/**
 * An oracle that knows what will happen: at the first step it plays the episode ahead in its environment by each of its ways, on
 * the scenario's own event numbers, goes back, and follows the best. So none of its ways can beat it. The ways must act at once
 * and need no randomness; a tie goes to the first. Acting throws NOT_SUPPORTED outside the environment's process.
 */
export function makePlayAheadPolicy(
  name: string,
  env: SyncEnv | null,
  ways: readonly PolyGuardPolicy[],
  worth: EpisodeWorth,
): PolyGuardPolicy {
  let following: PolyGuardPolicy | null = null;
  return {
    name,
    reset: () => {
      following = null;
    },
    act: (observation, info) => {
      following ??= bestOf(env, ways, worth, { observation, info });
      return following.act(observation, info);
    },
  };
}

interface Seen {
  readonly observation: Observation;
  readonly info: Info;
}

function bestOf(
  env: SyncEnv | null,
  ways: readonly PolyGuardPolicy[],
  worth: EpisodeWorth,
  begun: Seen,
): PolyGuardPolicy {
  if (!(env instanceof SimulatorEnv))
    throw new PraxisError("NOT_SUPPORTED", "This oracle plays ahead in the environment; it must be in this process.");
  const start = env.snapshot();
  let best = ways[0]!;
  let highest = Number.NEGATIVE_INFINITY;
  for (const way of ways) {
    const value = worth(playAhead(env, way, begun));
    env.restore(start);
    if (value > highest + NO_GAIN) {
      best = way;
      highest = value;
    }
  }
  best.reset(Rng.fromSeed(0));
  return best;
}

/** Info of the last step. */
function playAhead(env: SimulatorEnv<unknown, StepAction, Observation>, way: PolyGuardPolicy, begun: Seen): Info {
  way.reset(Rng.fromSeed(0));
  let last = begun;
  for (;;) {
    const action = way.act(last.observation, last.info);
    if (action instanceof Promise)
      throw new PraxisError("NOT_SUPPORTED", "A way that is played ahead answers at once.");
    const result = env.step(action);
    if (result.terminated || result.truncated) return result.info;
    last = result;
  }
}
