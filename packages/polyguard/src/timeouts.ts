import type { SyncEnv } from "@praxis/env";
import type { StepAction } from "./actions/schema.ts";
import type { Observation } from "./observation/schema.ts";
import { DEFAULT_TIMEOUTS_MS } from "./reward/endings.ts";

/** How long an agent may think, and whose clock is asked. */
export interface TimeKeeping {
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** Longest time from an observation to its action. */
  readonly decisionMs?: number;
  /** Longest time of an episode. */
  readonly episodeMs?: number;
}

/**
 * The environment with a clock held to its agent: an action that comes too late is not carried out, the step counts as timed
 * out (reward .001), and two in a row end the episode, as does the time of the episode. Everything else is the environment's.
 */
export function withTimeouts(
  env: SyncEnv<StepAction, Observation>,
  { now, decisionMs = DEFAULT_TIMEOUTS_MS.agentDecision, episodeMs = DEFAULT_TIMEOUTS_MS.episode }: TimeKeeping,
): SyncEnv<StepAction, Observation> {
  let beganAt = now();
  let shownAt = beganAt;
  return {
    reset: (request) => {
      const begun = env.reset(request);
      beganAt = now();
      shownAt = beganAt;
      return begun;
    },
    step: (action) => {
      const at = now();
      const late = at - beganAt > episodeMs ? "episode" : at - shownAt > decisionMs ? "step" : null;
      const result = env.step(late === null ? action : { timed_out: late });
      shownAt = now();
      return result;
    },
    state: () => env.state(),
    snapshot: () => env.snapshot(),
    restore: (snapshot) => env.restore(snapshot),
    close: () => env.close(),
  };
}
