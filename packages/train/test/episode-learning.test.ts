import { type EnvDefinition, Rng } from "@praxis/env";
import { Tape } from "@praxis/nn";
import { selectKernels } from "@praxis/nn/node";
import { expect, test } from "vitest";
import { EpisodePpo, type EpisodePpoOptions } from "../src/episode-ppo.ts";
import { evaluateRecorded } from "../src/evaluate-recorded.ts";
import { CALL } from "../src/policies/delegation-action.ts";
import { DelegationPolicy } from "../src/policies/delegation-policy.ts";
import { makeSlotLayout } from "../src/policies/slot-layout.ts";
import { makePpoPolicy } from "../src/ppo-policy.ts";
import { resolvePpoSettings } from "../src/ppo-settings.ts";
import { RecordedActorCritic } from "../src/recorded-actor-critic.ts";
import type { RecordedPolicy } from "../src/recorded-policy.ts";
import { armsProbe, constantProbe, delayedProbe, makeProbe, observationProbe, recallProbe } from "./probe-envs.ts";
import { makeRosterProbe, onlyMeta } from "./roster-env.ts";

const { kernels } = await selectKernels("wasm");
const QUICK: EpisodePpoOptions["settings"] = {
  ...{ totalSteps: 4000, numEnvs: 8, batchSteps: 128, minibatches: 4, epochs: 4, gamma: 0.99 },
  ...{ learningRate: 5e-3, finalLearningRate: 1e-3, targetKl: null },
};

async function train<P extends RecordedPolicy>(
  definition: EnvDefinition,
  policy: P,
  settings: EpisodePpoOptions["settings"] = {},
): Promise<P> {
  const ppo = new EpisodePpo({ definition, kernels, policy, seed: 1, settings: { ...QUICK, ...settings } });
  while (!ppo.isDone) await ppo.iterate();
  await ppo.close();
  return policy;
}

function plain(definition: EnvDefinition, network: Parameters<typeof resolvePpoSettings>[0] = {}): RecordedPolicy {
  const settings = resolvePpoSettings({ hiddenSizes: [16], ...network });
  return new RecordedActorCritic(makePpoPolicy({ definition, kernels, settings, rng: Rng.fromSeed(1) }));
}

function valueAt(policy: RecordedPolicy, observation: readonly number[]): number {
  const tape = new Tape(kernels, { recording: false });
  const records = [policy.makeRecorder().record(Float32Array.from(observation), {})];
  const input = { steps: 1, batch: 1, records, starts: [1], memories: policy.initialMemories(1) };
  return policy.forward(tape, input).values.data[0]!;
}

function meanReturn(definition: EnvDefinition, policy: RecordedPolicy, episodes = 64): number {
  const { returns } = evaluateRecorded({ definition, kernels, policy, episodes, seed: 99 });
  return returns.reduce((sum, x) => sum + x, 0) / returns.length;
}

test("a constant reward is the value of the only observation", async () => {
  expect(valueAt(await train(constantProbe, plain(constantProbe)), [0])).toBeCloseTo(1, 1);
});

test("the arm that pays is pulled", async () => {
  expect(meanReturn(armsProbe, await train(armsProbe, plain(armsProbe)))).toBe(1);
});

test("a value follows the observation that decides the reward", async () => {
  const policy = await train(observationProbe, plain(observationProbe));
  expect(valueAt(policy, [1])).toBeCloseTo(1, 1);
  expect(valueAt(policy, [-1])).toBeCloseTo(-1, 1);
});

test("a delayed reward is worth its discount one step before", async () => {
  const policy = await train(delayedProbe, plain(delayedProbe), { gamma: 0.5, gaeLambda: 1, totalSteps: 6000 });
  expect(valueAt(policy, [1])).toBeCloseTo(1, 1);
  expect(valueAt(policy, [0])).toBeCloseTo(0.5, 1);
});

test("a cue is recalled over whole episodes by a policy with memory and by none without", async () => {
  const settings = { totalSteps: 12_000 };
  const lstm = await train(recallProbe, plain(recallProbe, { policy: "lstm", lstmHidden: 16 }), settings);
  const mlp = await train(recallProbe, plain(recallProbe), { totalSteps: 3000 });
  expect(meanReturn(recallProbe, lstm)).toBe(1);
  expect(Math.abs(meanReturn(recallProbe, mlp))).toBeLessThan(0.5);
});

test("the best legal arm is pulled although an illegal one would pay most", async () => {
  const masked = makeProbe({
    ...{ name: "Forbidden", observationSize: 1, actionSpace: { kind: "discrete", n: 3 } as const },
    ...{ begin: () => 0, observe: () => [0], mask: () => [true, true, false] },
    step: (state: number, action) => ({ state, reward: [0, 1, 9][action as number]!, terminated: true }),
  });
  const policy = await train(masked, plain(masked), { totalSteps: 2000 });
  expect(meanReturn(masked, policy)).toBe(1);
});

// What an orchestrator must be able to learn -------------------------------------------------------------------------

const E = 6;
const MANY = {
  ...{ numEnvs: 64, batchSteps: 512, minibatches: 4, epochs: 6 },
  ...{ learningRate: 5e-3, finalLearningRate: 2e-3, entropyCoef: 0.003 },
};
const SMALL = { width: 16, hidden: 16, slotHidden: 8, headHidden: 16 } as const;

function orchestrator(slots: number, settings: object = {}): DelegationPolicy {
  const { inputs } = makeSlotLayout(slots, E);
  return new DelegationPolicy({
    ...{ kernels, rng: Rng.fromSeed(2), inputs, embedding: E, settings: { ...SMALL, ...settings } },
  });
}

const drawRows = (uniform: () => number, count: number): number[][] =>
  Array.from({ length: count }, () => {
    const row = Array.from({ length: E }, () => 2 * uniform() - 1);
    const norm = Math.hypot(...row);
    return row.map((x) => x / norm);
  });

test("the set that a text asks for is chosen, whatever slots its members hold (set, gnn)", {
  timeout: 120_000,
}, async () => {
  const slots = 4;
  const choice = makeRosterProbe<number[][]>({
    ...{ name: "Chosen", slots, embedding: E },
    begin: (uniform) => drawRows(uniform, slots),
    view: (roster) => ({ roster, task: [1, 0, 0, 0, 0, 0] }),
    // Whoever's first number is positive belongs to the set.
    step: (state, { chosen }) => ({
      state,
      reward: state.reduce((sum, row, i) => sum + (chosen.includes(i) === row[0]! > 0 ? 1 / slots : 0), 0),
      terminated: true,
    }),
  });
  for (const encoder of ["set", "gnn"]) {
    const policy = await train(choice, orchestrator(slots, { encoder }), { ...MANY, totalSteps: 3000 });
    // Chance is 0.5.
    expect(meanReturn(choice, policy)).toBeGreaterThan(0.85);
  }
});

test("an order is learnt", { timeout: 120_000 }, async () => {
  const slots = 3;
  const ordered = makeRosterProbe<number[][]>({
    ...{ name: "Ordered", slots, embedding: E },
    begin: (uniform) => drawRows(uniform, slots),
    view: (roster) => ({ roster, task: [1, 0, 0, 0, 0, 0] }),
    // All must be called, in the order of their first numbers: sets alone earn 0 on average.
    step: (state, { chosen, mode }) => ({
      state,
      reward: chosen.length < slots || mode !== 0 ? -1 : state[chosen[0]!]![0]! - state[chosen[slots - 1]!]![0]!,
      terminated: true,
    }),
    mask: () => ({ ...(onlyMeta(CALL) as object), modes: Array.from({ length: 7 }, (_, mode) => mode === 0) }),
  });
  const policy = await train(ordered, orchestrator(slots), { ...MANY, totalSteps: 6000 });
  expect(meanReturn(ordered, policy)).toBeGreaterThan(0.4);
});

/** Who is good is shown only by calling; what the first task has shown is worth a point in the second. */
const shift = makeRosterProbe<{ roster: number[][]; good: number; at: number; called: readonly number[] }>({
  ...{ name: "TwoTasks", slots: 2, embedding: E },
  begin: (uniform) => ({ roster: drawRows(uniform, 2), good: Math.floor(2 * uniform()), at: 0, called: [] }),
  view: ({ roster, good, at, called }) => ({
    ...{ roster, task: [1, 0, 0, 0, 0, 0] },
    calls: at === 1 ? roster.map((_, i) => (called.includes(i) ? (i === good ? 1 : 0.5) : 0)) : [],
    scalars: [at === 1 ? 0.1 : 0, 0, 0, 0, at === 2 ? 0.5 : 0],
  }),
  step: ({ at, ...state }, { chosen }) => ({
    state: { ...state, at: at + 1, called: chosen },
    reward: at < 2 ? 0 : chosen.reduce((sum, i) => sum + (i === state.good ? 1 : -1), 0),
    terminated: at === 2,
  }),
});

test("who was good in the first task is called in the second, by a policy that remembers across the boundary alone", {
  timeout: 120_000,
}, async () => {
  const remembers = await train(shift, orchestrator(2), { ...MANY, totalSteps: 10_000 });
  const forgets = await train(shift, orchestrator(2, { memory: "task" }), { ...MANY, totalSteps: 2000 });
  expect(meanReturn(shift, remembers)).toBeGreaterThan(0.8);
  // Whoever is called without knowledge is worth nothing on average.
  expect(Math.abs(meanReturn(shift, forgets))).toBeLessThan(0.4);
});
