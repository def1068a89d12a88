import { worldOf } from "../episode.ts";
import { planByRollout, REFERENCE_EFFORT } from "./rollout.ts";
import type { Script } from "./script.ts";
import { truthStep } from "./truth-step.ts";

/** Scripts that know the latent state, but not the noise to come: bounds, never baselines. */
export const ORACLES: Readonly<Record<string, Script>> = {
  truthStep: { choose: ({ state }) => truthStep(worldOf(state), state.run) },
  reference: { choose: ({ state, rng }) => planByRollout(worldOf(state), state.run, rng, REFERENCE_EFFORT) },
};
