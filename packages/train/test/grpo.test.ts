import { type EnvDefinition, flatSize, Rng } from "@praxis/env";
import { gridEnv } from "@praxis/env/testing";
import { selectKernels } from "@praxis/nn/node";
import { expect, test } from "vitest";
import { collectGroups, hashGroups } from "../src/groups.ts";
import { Grpo, type GrpoOptions } from "../src/grpo.ts";
import {
  type CandidateDecision,
  CandidatePolicy,
  copyWeights,
  type DecisionTask,
  type MaskedDecision,
  MaskedPolicy,
  makeMaskedTask,
} from "../src/small-policy.ts";
import { makeProbe } from "./probe-envs.ts";

const { kernels } = await selectKernels("wasm");
const discrete = (n: number) => ({ kind: "discrete", n }) as const;

/** Three steps of which the reward is the share of ones, plus a level that the seed decides. */
const onesProbe = makeProbe<{ level: number; ones: number }>({
  name: "Ones",
  observationSize: 1,
  actionSpace: discrete(2),
  begin: (uniform) => ({ level: 10 * Math.floor(3 * uniform()), ones: 0 }),
  observe: () => [1],
  step: ({ level, ones }, action, stepCount) => {
    const now = ones + (action as number);
    const isLast = stepCount === 2;
    const reward = isLast ? level + now / 3 : 0;
    return { state: { level, ones: now }, reward, terminated: isLast, info: { rewardComponents: { ones: reward } } };
  },
});

function maskedPolicy(definition: EnvDefinition, seed = 1): MaskedPolicy {
  const inputs = flatSize(definition.observationSpace!);
  const rng = Rng.fromSeed(seed);
  return new MaskedPolicy({ kernels, rng, inputs, hidden: [16], actionSpace: definition.actionSpace! });
}

function make(
  definition: EnvDefinition,
  settings: GrpoOptions<MaskedDecision>["settings"] = {},
  options: Partial<GrpoOptions<MaskedDecision>> = {},
): { grpo: Grpo<MaskedDecision>; policy: MaskedPolicy } {
  const policy = maskedPolicy(definition);
  const task = makeMaskedTask(definition);
  return { grpo: new Grpo({ definition, policy, task, kernels, seed: 5, settings, ...options }), policy };
}

/** Fails where `fails` says so, by throwing or as a verifier does. */
function failing(fails: (count: number) => boolean, how: "throws" | "verifier"): EnvDefinition {
  let count = 0;
  return makeProbe<number>({
    name: "Failing",
    observationSize: 1,
    actionSpace: discrete(2),
    begin: () => 0,
    observe: () => [1],
    step: (state, action, stepCount) => {
      const isLast = stepCount === 4;
      if (stepCount === 2 && fails(count++)) {
        if (how === "throws") throw new Error("the back end is gone");
        const infraError = { code: "VERIFIER_ERROR", message: "The judge timed out." };
        return { state, reward: 1000, terminated: true, info: { infraError } };
      }
      return { state, reward: action as number, terminated: isLast };
    },
  });
}

test("rewards that differ only in the level of their group are learnt from alike", () => {
  const { grpo } = make(onesProbe, { learningRate: 0.02, groupsPerIteration: 4 });
  for (let i = 0; i < 40; i++) grpo.iterate();
  const { values } = grpo.iterate();
  // The mean number of ones is the reward without its level, which is 0, 10 or 20.
  expect(values["charts/episodic_return"]! % 2.5).toBeGreaterThan(0.9);
  expect(values["rewards/ones"]).toBe(values["charts/episodic_return"]);
});

test("a grid is learnt under its mask by groups forked from one state", () => {
  const { grpo } = make(gridEnv, { learningRate: 0.01, groupsPerIteration: 8, iterations: 60 });
  const first = grpo.iterate().values["charts/episodic_return"]!;
  for (let i = 0; i < 58; i++) grpo.iterate();
  const last = grpo.iterate().values["charts/episodic_return"]!;
  expect(first).toBeLessThan(0.7);
  expect(last).toBeGreaterThan(first + 0.3);
});

test("a group without variance gives no gradient and is counted among whole groups", () => {
  let begun = 0;
  const flat = makeProbe<{ isFlat: boolean }>({
    name: "Flat",
    observationSize: 1,
    actionSpace: discrete(2),
    begin: () => ({ isFlat: begun++ % 4 !== 3 }),
    observe: ({ isFlat }) => [isFlat ? 1 : -1],
    step: (state, action) => ({ state, reward: state.isFlat ? 0.1 : (action as number), terminated: true }),
  });
  const settings = { groupsPerIteration: 4, groupSize: 8 };
  expect(make(flat, settings).grpo.iterate().values["health/frac_zero_std"]).toBe(0.75);

  const constant = makeProbe({
    ...{ name: "Level", observationSize: 1, actionSpace: discrete(2), begin: () => 0, observe: () => [1] },
    step: (state: number) => ({ state, reward: 0.1, terminated: true }),
  });
  const { grpo, policy } = make(constant, settings);
  const before = policy.parameters().map(({ data }) => data.slice());
  const { values, note } = grpo.iterate();
  expect(values["health/frac_zero_std"]).toBe(1);
  expect(values["health/optimizer_steps"]).toBe(0);
  expect(note).toBe("Nothing was learnt: the rewards are equal within each of 4 groups.");
  expect(policy.parameters().map(({ data }) => data)).toEqual(before);
});

for (const how of ["throws", "verifier"] as const)
  test(`completions that fail (${how}) are refilled or their group is dropped, by setting, and never trained on`, () => {
    const settings = { groupsPerIteration: 2, groupSize: 8 };
    // Four of the first group's eight fail at their third step.
    const refilled = make(
      failing((count) => count < 4, how),
      { ...settings, partialGroups: "refill" },
    ).grpo.iterate();
    expect(refilled.values["health/groups"]).toBe(2);
    expect(refilled.values["health/failed_completions"]).toBe(4);
    expect(refilled.values["charts/episodic_length"]).toBe(5);
    expect(refilled.values["charts/episodic_return"]).toBeLessThanOrEqual(5);
    const dropped = make(
      failing((count) => count < 4, how),
      { ...settings, partialGroups: "drop" },
    ).grpo.iterate();
    expect(dropped.values["health/groups"]).toBe(1);
    expect(dropped.values["health/dropped_groups"]).toBe(1);
    expect(dropped.values["health/failed_completions"]).toBe(4);
  });

test("an iteration in which every group is dropped still counts, and says why it learnt nothing", () => {
  const settings = { groupsPerIteration: 2, iterations: 4, learningRateSchedule: "linear", maxAttempts: 2 } as const;
  let isBroken = true;
  const { grpo } = make(
    failing(() => isBroken, "throws"),
    settings,
  );
  const { values, note } = grpo.iterate();
  expect([values.iteration, values["health/groups"], values["health/optimizer_steps"]]).toEqual([1, 0, 0]);
  expect(note).toMatch(
    /all 2 groups were dropped. First failure: Group 0, completion 0, step 3: .*the back end is gone/,
  );
  isBroken = false;
  const next = grpo.iterate().values;
  expect(next.iteration).toBe(2);
  expect(next["charts/learning_rate"]).toBeCloseTo(1e-3 * 0.75, 12);
});

test("groups do not depend on which others are collected beside them", () => {
  const policy = maskedPolicy(gridEnv);
  const task = makeMaskedTask(gridEnv);
  const collect = (seeds: readonly number[], groupSize = 4) =>
    collectGroups({
      ...{ definition: gridEnv, policy, task, kernels, groupSize, seeds, rng: Rng.fromSeed(2) },
      ...{ partialGroups: "drop", maxAttempts: 1 },
    }).groups;
  const all = collect([7, 8, 9]);
  expect(hashGroups(collect([7, 8]))).toBe(hashGroups(all.slice(0, 2)));
  expect(hashGroups([{ seed: 7, completions: collect([7], 2)[0]!.completions }])).toBe(
    hashGroups([{ seed: 7, completions: all[0]!.completions.slice(0, 2) }]),
  );
  expect(
    new Set(
      all[0]!.completions.map(({ steps }) =>
        hashGroups([{ seed: 0, completions: [{ member: 0, steps, reward: 0, rewardComponents: {} }] }]),
      ),
    ).size,
  ).toBeGreaterThan(1);
});

test("the KL to the reference holds the policy near it", () => {
  const settings = { learningRate: 0.02, groupsPerIteration: 4, iterations: 30 };
  const run = (klCoef: number): number => {
    const referencePolicy = maskedPolicy(onesProbe, 9);
    const { grpo, policy } = make(onesProbe, { ...settings, klCoef }, { referencePolicy });
    copyWeights(policy, referencePolicy);
    let kl = 0;
    for (let i = 0; i < 30; i++) kl = Math.max(kl, grpo.iterate().values["losses/reference_kl"]!);
    return kl;
  };
  expect(run(1)).toBeLessThan(run(0) / 2);
  expect(() => make(onesProbe, { klCoef: 0.1 })).toThrow("there is no referencePolicy");
});

test("ten iterations, a resume and ten more equal twenty", () => {
  const settings = { groupsPerIteration: 2, iterations: 20, epochs: 2, learningRateSchedule: "linear" } as const;
  const whole = make(gridEnv, settings).grpo;
  const rows = Array.from({ length: 20 }, () => whole.iterate());
  const first = make(gridEnv, settings).grpo;
  for (let i = 0; i < 10; i++) first.iterate();
  const second = make(gridEnv, settings).grpo;
  second.restore(first.save());
  expect(Array.from({ length: 10 }, () => second.iterate())).toEqual(rows.slice(10));
  expect(second.save()).toEqual(whole.save());
  expect(() => second.restore({ ...first.save(), algorithm: "ppo" })).toThrow("is of ppo on 'Grid-v0'");
});

test("a log-probability that is not finite stops the step and names the completion", () => {
  let poisoned = false;
  class Poisoned extends MaskedPolicy {
    override evaluate(...args: Parameters<MaskedPolicy["evaluate"]>) {
      const evaluation = super.evaluate(...args);
      // The ninth row of the minibatch is some completion's decision.
      if (poisoned && evaluation.logProbs.length > 20) evaluation.logProbs[8] = Number.NaN;
      return evaluation;
    }
  }
  const policy = new Poisoned({ kernels, rng: Rng.fromSeed(1), inputs: 1, hidden: [4], actionSpace: discrete(2) });
  const { grpo } = make(onesProbe, { groupsPerIteration: 4 }, { policy });
  grpo.iterate();
  const before = policy.parameters().map(({ data }) => data.slice());
  poisoned = true;
  expect(() => grpo.iterate()).toThrow(
    expect.objectContaining({
      code: "NON_FINITE_NUMBER",
      message: expect.stringMatching(
        /GRPO iteration 2: the log-probability of group \d, completion \d, decision 2, is NaN/,
      ),
    }),
  );
  expect(policy.parameters().map(({ data }) => data)).toEqual(before);
});

test("candidates of any number are scored and the best kind is learnt", () => {
  interface Offers {
    readonly offers: readonly (readonly number[])[];
  }
  const choose = makeProbe<Offers>({
    name: "Offers",
    observationSize: 1,
    actionSpace: discrete(5),
    begin: (uniform) => ({
      offers: Array.from({ length: 2 + Math.floor(4 * uniform()) }, () => [uniform(), uniform()]),
    }),
    observe: () => [0],
    step: (state, action) => ({ state, reward: state.offers[action as number]![0]!, terminated: true }),
    mask: () => [true, true, true, true, true],
  });
  const withOffers: EnvDefinition = {
    ...(choose as EnvDefinition),
    makeEnv: (options) => {
      const env = choose.makeEnv(options) as unknown as { latentState(): Offers; reset(r: object): { info: object } };
      const reset = env.reset.bind(env);
      env.reset = (request) => {
        const result = reset(request);
        return { ...result, info: { ...result.info, offers: env.latentState().offers } };
      };
      return env as unknown as ReturnType<EnvDefinition["makeEnv"]>;
    },
  };
  const task: DecisionTask<CandidateDecision> = {
    decisionOf: ({ info }) => ({
      candidates: ((info.offers ?? [[0, 0]]) as number[][]).map((features) => Float32Array.from(features)),
    }),
    actionOf: (chosen) => chosen[0]!,
  };
  const policy = new CandidatePolicy({ kernels, rng: Rng.fromSeed(1), features: 2, hidden: [8] });
  const settings = { learningRate: 0.02, groupsPerIteration: 8, iterations: 60 };
  const grpo = new Grpo({ definition: withOffers, policy, task, kernels, seed: 1, settings });
  const first = grpo.iterate().values["charts/episodic_return"]!;
  for (let i = 0; i < 58; i++) grpo.iterate();
  expect(grpo.iterate().values["charts/episodic_return"]).toBeGreaterThan(first + 0.1);
});
