import type { EnvDefinition } from "@praxis/env";
import { Tape } from "@praxis/nn";
import { selectKernels } from "@praxis/nn/node";
import { expect, test } from "vitest";
import { cartPole } from "../src/envs/cart-pole.ts";
import { evaluatePolicy } from "../src/evaluate.ts";
import { Ppo } from "../src/ppo.ts";
import type { PpoSettingsInput } from "../src/ppo-settings.ts";
import { armsProbe, constantProbe, delayedProbe, mixedProbe, observationProbe, recallProbe } from "./probe-envs.ts";

const { kernels } = await selectKernels("wasm");
const SMALL = { numEnvs: 8, numSteps: 16, minibatchSize: 64, epochs: 4, learningRate: 3e-3, hiddenSizes: [16] };

async function train(definition: EnvDefinition, settings: PpoSettingsInput, seed = 1): Promise<Ppo> {
  const ppo = new Ppo({ definition, kernels, seed, settings: { ...SMALL, ...settings } });
  while (!ppo.isDone) await ppo.iterate();
  await ppo.close();
  return ppo;
}

function valueAt(ppo: Ppo, observation: readonly number[]): number {
  const tape = new Tape(kernels, { recording: false });
  const rows = {
    steps: 1,
    batch: 1,
    observations: tape.copy(observation),
    starts: [1],
    state: ppo.policy.initialState(1),
  };
  return ppo.policy.forwardCritic(tape, rows).data[0]!;
}

function meanReturn(ppo: Ppo, definition: EnvDefinition, episodes = 64): number {
  const { returns } = evaluatePolicy({ definition, kernels, policy: ppo.policy, normalizer: null, episodes, seed: 99 });
  return returns.reduce((sum, x) => sum + x, 0) / returns.length;
}

test("a constant reward is the value of the only observation", async () => {
  expect(valueAt(await train(constantProbe, { totalSteps: 4000 }), [0])).toBeCloseTo(1, 1);
});

test("a value follows the observation that decides the reward", async () => {
  const ppo = await train(observationProbe, { totalSteps: 6000 });
  expect(valueAt(ppo, [1])).toBeCloseTo(1, 1);
  expect(valueAt(ppo, [-1])).toBeCloseTo(-1, 1);
});

test("a delayed reward is worth its discount one step before", async () => {
  const ppo = await train(delayedProbe, { totalSteps: 6000, gamma: 0.5 });
  expect(valueAt(ppo, [1])).toBeCloseTo(1, 1);
  expect(valueAt(ppo, [0])).toBeCloseTo(0.5, 1);
});

test("the arm that pays is pulled", async () => {
  expect(meanReturn(await train(armsProbe, { totalSteps: 3000 }), armsProbe)).toBe(1);
});

test("continuous, binary and discrete parts of one action are learnt together", async () => {
  const ppo = await train(mixedProbe, { totalSteps: 24_000, epochs: 10 });
  expect(meanReturn(ppo, mixedProbe)).toBeGreaterThan(2.8);
});

test("a cue is recalled by a policy with memory and by none without", async () => {
  const lstm = await train(recallProbe, { totalSteps: 16_000, policy: "lstm", lstmHidden: 16, entropyCoef: 0.01 });
  const mlp = await train(recallProbe, { totalSteps: 16_000, entropyCoef: 0.01 });
  expect(meanReturn(lstm, recallProbe)).toBe(1);
  expect(Math.abs(meanReturn(mlp, recallProbe))).toBeLessThan(0.5);
});

test("CartPole is learnt", async () => {
  // A quarter of the published budget: chance is 22, the whole takes it to 500.
  const published = cartPole.metadata?.ppo as PpoSettingsInput;
  const ppo = await train(cartPole, { ...published, hiddenSizes: [64, 64], totalSteps: 24_576 });
  expect(meanReturn(ppo, cartPole, 30)).toBeGreaterThan(150);
});
