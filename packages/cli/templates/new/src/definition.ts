import { type EnvDefinition, type EnvState, SimulatorEnv, type SyncEnv } from "@praxis/env";
import { z } from "zod";
import { type Action, game, MAX_GUESSES, type Observation, REWARD_WEIGHTS } from "./game.ts";
import { tools } from "./tools.ts";

/** Raise the version at the end with any change that alters a trajectory or a reward. */
const ID = "__ID__";

/** Everything that is known of the environment without building one. */
export const definition: EnvDefinition<Action, Observation, EnvState, SyncEnv<Action, Observation>> = {
  id: ID,
  name: "__NAME__",
  description: "Find a hidden number with few guesses.",
  version: "0.1.0",
  rewardRange: [0, 1],
  maxEpisodeSteps: MAX_GUESSES,
  metadata: { rewardWeights: REWARD_WEIGHTS },
  tools,
  schemas: {
    action: z.strictObject({ guess: z.int().min(0).max(1_000_000).describe("The number to try") }),
    observation: z.strictObject({ low: z.int(), high: z.int(), guessesLeft: z.int().min(0).max(MAX_GUESSES) }),
    state: z.looseObject({ episodeId: z.string().nullable(), stepCount: z.int().min(0) }),
    reset: z.object({
      highest: z.int().min(2).max(1_000_000).optional().describe("Largest number that may be hidden"),
    }),
  },
  sampleAction: (rng, { observation }) => ({ guess: rng.integer(observation.low, observation.high) }),
  illegalAction: (_rng, { observation }) => ({ guess: observation.high + 1 }),
  makeEnv: ({ seed } = {}) => new SimulatorEnv(ID, game, seed),
};
