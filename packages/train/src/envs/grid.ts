import type { CandidateProvider, EnvDefinition, EnvState, SyncEnv } from "@praxis/env";
import { GRID_MOVES, GRID_SIZE, type GridAction, type GridObservation, gridEnv } from "@praxis/env/testing";
import type { PpoSettingsInput } from "../ppo-settings.ts";

// assumption: found by hand, to solve the grid within seconds.
const ppo: PpoSettingsInput = {
  ...{ totalSteps: 20_480, numEnvs: 8, numSteps: 32, minibatchSize: 64, epochs: 10, learningRate: 2e-3 },
  ...{ learningRateSchedule: "linear", entropyCoef: 0.01, gamma: 0.95 },
};
const grpo = { iterations: 80, groupsPerIteration: 8, groupSize: 8, learningRate: 2e-2, hiddenSizes: [32] };
const sft = { epochs: 40, minibatchSize: 32, learningRate: 5e-3, hiddenSizes: [32] };

/** The steps that hit no wall, described by how far the goal is each way before and after them. */
const candidates: CandidateProvider<GridAction, GridObservation> = {
  features: 4,
  offer: ({ observation, info }) =>
    (info.actionMask as readonly boolean[]).flatMap((isLegal, direction) => {
      if (!isLegal) return [];
      const [dx, dy] = GRID_MOVES[direction]!;
      const [toX, toY] = [observation.goalX - observation.x, observation.goalY - observation.y];
      const features = [toX, toY, toX - dx, toY - dy].map((way) => Math.abs(way) / (GRID_SIZE - 1));
      return [{ action: { direction }, features }];
    }),
};

/** The small grid of `@praxis/env/testing` with settings to train on it. */
export const grid: EnvDefinition<GridAction, GridObservation, EnvState, SyncEnv<GridAction, GridObservation>> = {
  ...gridEnv,
  candidates,
  metadata: { ...gridEnv.metadata, ppo, grpo, sft },
};
