import { PraxisError, SimulatorEnv, type SyncEnv } from "@praxis/env";
import type { EpisodeState } from "../episode.ts";

/**
 * The latent state of the episode that an environment plays. Throws NOT_SUPPORTED for an environment that is not in this
 * process or not PolyGuard, RESET_NEEDED before the first reset.
 */
export function latentEpisode(env: SyncEnv): EpisodeState {
  if (!(env instanceof SimulatorEnv))
    throw new PraxisError(
      "NOT_SUPPORTED",
      "An oracle reads the latent state of a PolyGuard environment in this process; over a wire use an observation policy such as 'rule_based'.",
    );
  const state: unknown = env.latentState();
  if (state === null) throw new PraxisError("RESET_NEEDED", "No episode has begun. Call reset before the policy acts.");
  if (!isEpisode(state))
    throw new PraxisError("NOT_SUPPORTED", "This policy plays PolyGuard; the environment is another one.");
  return state;
}

function isEpisode(state: unknown): state is EpisodeState {
  return typeof state === "object" && state !== null && "world" in state && "offered" in state && "legality" in state;
}
