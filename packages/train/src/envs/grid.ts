import type { EnvDefinition, EnvState, SyncEnv } from "@praxis/env";
import { type GridAction, type GridObservation, gridEnv } from "@praxis/env/testing";
import type { PpoSettingsInput } from "../ppo-settings.ts";

// assumption: found by hand, to solve the grid within seconds.
const ppo: PpoSettingsInput = {
  ...{ totalSteps: 20_480, numEnvs: 8, numSteps: 32, minibatchSize: 64, epochs: 10, learningRate: 2e-3 },
  ...{ learningRateSchedule: "linear", entropyCoef: 0.01, gamma: 0.95 },
};
const grpo = { iterations: 60, groupsPerIteration: 8, groupSize: 8, learningRate: 5e-3, hiddenSizes: [32] };
const sft = { epochs: 40, minibatchSize: 32, learningRate: 5e-3, hiddenSizes: [32] };

/** The small grid of `@praxis/env/testing` with settings to train on it. */
export const grid: EnvDefinition<GridAction, GridObservation, EnvState, SyncEnv<GridAction, GridObservation>> = {
  ...gridEnv,
  metadata: { ...gridEnv.metadata, ppo, grpo, sft },
};
