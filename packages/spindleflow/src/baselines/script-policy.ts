import { type Policy, PraxisError, Rng, type SyncEnv } from "@praxis/env";
import type { StructuredAction } from "../action.ts";
import { playedBy } from "../env.ts";
import type { EpisodeState } from "../episode.ts";
import { makeScript } from "./index.ts";
import type { Script } from "./script.ts";

/**
 * A script as a policy for the environment it plays in, whose state it reads: rules and planners the public part only, the
 * oracles all of it. One shift each: `reset` begins a new script. Throws UNKNOWN_NAME with the nearest name, and
 * NOT_SUPPORTED for an environment that is not SpindleFlow's.
 */
export function makeScriptPolicy(name: string, env: SyncEnv): Policy {
  let script: Script = makeScript(name);
  let rng = Rng.fromSeed(0, `script/${name}`);
  let before: EpisodeState | null = null;
  return {
    name,
    reset(stream) {
      script = makeScript(name);
      rng = stream;
      before = null;
    },
    act(_observation, info): StructuredAction {
      const { index, state } = playedBy(env);
      if (state === null) throw new PraxisError("RESET_NEEDED", "No episode has begun. Call reset first.");
      if (before !== null) script.seen?.(before, state, info);
      before = state;
      const { meta, slots, mode, parameters } = script.choose({ index, state, rng });
      return { meta, slots: [...slots], mode, params: { ...parameters } };
    },
  };
}
