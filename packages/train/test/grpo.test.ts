import { type EnvDefinition, flatSize, Rng } from "@praxis/env";
import { gridEnv } from "@praxis/env/testing";
import { selectKernels } from "@praxis/nn/node";
import { expect, test } from "vitest";
import { CandidatePolicy, makeCandidateTask } from "../src/candidate-policy.ts";
import { collectGroups, type Group, type GroupSettings, hashGroups } from "../src/groups.ts";
import { Grpo, type GrpoMetrics, type GrpoOptions } from "../src/grpo.ts";
import { type MaskedDecision, MaskedPolicy, makeMaskedTask } from "../src/masked-policy.ts";
import { copyWeights, type LastResult } from "../src/small-policy.ts";
import { makeProbe, recallProbe } from "./probe-envs.ts";

const { kernels } = await selectKernels("wasm");
async function iterate(grpo: Pick<Grpo<never>, "iterate">, times: number): Promise<GrpoMetrics[]> {
  const rows: GrpoMetrics[] = [];
  for (let i = 0; i < times; i++) rows.push(await grpo.iterate());
  return rows;
}

/** Mean return of a run's iteration, counted from the end. */
const returnOf = (rows: readonly GrpoMetrics[], at: number): number => rows.at(at)!.values["charts/completion_return"]!;

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

test("rewards that differ only in the level of their group are learnt from alike", async () => {
  const { grpo } = make(onesProbe, { learningRate: 0.02, groupsPerIteration: 4 });
  const { values } = (await iterate(grpo, 41)).at(-1)!;
  // The mean number of ones is the reward without its level, which is 0, 10 or 20.
  expect(values["charts/completion_return"]! % 2.5).toBeGreaterThan(0.9);
  expect(values["rewards/ones"]).toBe(values["charts/completion_return"]);
});

test("a grid is learnt under its mask by groups forked from one state", async () => {
  const { grpo } = make(gridEnv, { learningRate: 0.01, groupsPerIteration: 8, iterations: 60 });
  const rows = await iterate(grpo, 60);
  expect(returnOf(rows, 0)).toBeLessThan(0.7);
  expect(returnOf(rows, -1)).toBeGreaterThan(returnOf(rows, 0) + 0.3);
});

test("a group without variance gives no gradient and is counted among whole groups", async () => {
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
  expect((await make(flat, settings).grpo.iterate()).values["health/frac_zero_std"]).toBe(0.75);

  const constant = makeProbe({
    ...{ name: "Level", observationSize: 1, actionSpace: discrete(2), begin: () => 0, observe: () => [1] },
    step: (state: number) => ({ state, reward: 0.1, terminated: true }),
  });
  const { grpo, policy } = make(constant, settings);
  const before = policy.parameters().map(({ data }) => data.slice());
  const { values, note } = await grpo.iterate();
  expect(values["health/frac_zero_std"]).toBe(1);
  expect(values["health/optimizer_steps"]).toBe(0);
  expect(note).toBe("Nothing was learnt: the rewards are equal within each of 4 groups.");
  expect(policy.parameters().map(({ data }) => data)).toEqual(before);
});

for (const how of ["throws", "verifier"] as const)
  test(`completions that fail (${how}) are refilled or their group is dropped, by setting, and never trained on`, async () => {
    const settings = { groupsPerIteration: 2, groupSize: 8 };
    // Four of the first group's eight fail at their third step.
    const refilled = await make(
      failing((count) => count < 4, how),
      { ...settings, partialGroups: "refill" },
    ).grpo.iterate();
    expect(refilled.values["health/groups"]).toBe(2);
    expect(refilled.values["health/failed_completions"]).toBe(4);
    expect(refilled.values["charts/completion_length"]).toBe(5);
    expect(refilled.values["charts/completion_return"]).toBeLessThanOrEqual(5);
    const dropped = await make(
      failing((count) => count < 4, how),
      { ...settings, partialGroups: "drop" },
    ).grpo.iterate();
    expect(dropped.values["health/groups"]).toBe(1);
    expect(dropped.values["health/dropped_groups"]).toBe(1);
    expect(dropped.values["health/failed_completions"]).toBe(4);
  });

test("an iteration in which every group is dropped still counts, and says why it learnt nothing", async () => {
  const settings = { groupsPerIteration: 2, iterations: 4, learningRateSchedule: "linear", maxAttempts: 2 } as const;
  let isBroken = true;
  const { grpo } = make(
    failing(() => isBroken, "throws"),
    settings,
  );
  const { values, note } = await grpo.iterate();
  expect([values.iteration, values["health/groups"], values["health/optimizer_steps"]]).toEqual([1, 0, 0]);
  expect(note).toMatch(
    /all 2 groups were dropped. First failure: Group 0, completion 0, step 3: .*the back end is gone/,
  );
  isBroken = false;
  const next = (await grpo.iterate()).values;
  expect(next.iteration).toBe(2);
  expect(next["charts/learning_rate"]).toBeCloseTo(1e-3 * 0.75, 12);
});

const GROUPS: GroupSettings = {
  ...{
    groupSize: 4,
    forkAt: "start",
    continuation: "sampled",
    gamma: 1,
    horizon: null,
    returns: "rewards",
    partialGroups: "drop",
    maxAttempts: 1,
  },
};

function collect(
  definition: EnvDefinition,
  groups: readonly { index: number; seed: number }[],
  settings: Partial<GroupSettings> = {},
): readonly Group<MaskedDecision>[] {
  const context = { definition, policy: maskedPolicy(definition), task: makeMaskedTask(definition), kernels };
  return collectGroups(context, { ...GROUPS, ...settings, groups, resetOptions: {}, rng: Rng.fromSeed(2) }).groups;
}

test("groups do not depend on which others are collected beside them, nor completions on the group's size", () => {
  const three = [7, 8, 9].map((seed, index) => ({ index, seed }));
  for (const forkAt of ["start", "anywhere"] as const) {
    const all = collect(gridEnv, three, { forkAt });
    expect(hashGroups(collect(gridEnv, three.slice(1), { forkAt }))).toBe(hashGroups(all.slice(1)));
    const [pair] = collect(gridEnv, three.slice(0, 1), { forkAt, groupSize: 2 });
    expect(hashGroups([pair!])).toBe(hashGroups([{ ...all[0]!, completions: all[0]!.completions.slice(0, 2) }]));
    const choices = all[0]!.completions.map(({ steps }) => steps.map(({ choice }) => choice[0]).join());
    expect(new Set(choices).size).toBeGreaterThan(1);
  }
});

/** Four steps that show their number and pay 1 each. */
const countProbe = makeProbe<number>({
  ...{ name: "Count", observationSize: 1, actionSpace: discrete(2), begin: () => 0, observe: (at) => [at] },
  step: (at) => ({ state: at + 1, reward: 1, terminated: at === 3 }),
});

test("a group forks any state of an episode, each as often, and its completions go on from there", () => {
  const groups = collect(
    countProbe,
    Array.from({ length: 200 }, (_, index) => ({ index, seed: index })),
    { forkAt: "anywhere", groupSize: 2 },
  );
  const counts = [0, 1, 2, 3].map((step) => groups.filter(({ forkStep }) => forkStep === step).length);
  expect(counts.reduce((sum, n) => sum + n)).toBe(200);
  // Four standard deviations of a share of a quarter.
  for (const n of counts) expect(Math.abs(n - 50)).toBeLessThan(4 * Math.sqrt(200 * 0.25 * 0.75));
  for (const { forkStep, completions } of groups)
    for (const { steps, reward } of completions) {
      expect(steps.map(({ decision }) => decision.observation[0])).toEqual([0, 1, 2, 3].slice(forkStep));
      expect(reward).toBe(4 - forkStep);
    }
});

test("with likeliest play after it, members differ by their first decision alone, and only that is learnt from", () => {
  const [group] = collect(onesProbe, [{ index: 0, seed: 3 }], { continuation: "likeliest", groupSize: 8 });
  const worth = new Map<number, Set<number>>();
  for (const { steps, length, reward } of group!.completions) {
    expect([steps.length, length]).toEqual([1, 3]);
    const first = steps[0]!.choice[0]!;
    worth.set(first, (worth.get(first) ?? new Set()).add(reward));
  }
  // Equal first choices come to the same; a one more is worth a third, whatever follows.
  expect([...worth.values()].map(({ size }) => size)).toEqual([1, 1]);
  expect([...worth.get(1)!][0]! - [...worth.get(0)!][0]!).toBeCloseTo(1 / 3, 6);
});

test("what pays is learnt from first decisions alone", async () => {
  const settings = {
    continuation: "likeliest",
    forkAt: "anywhere",
    learningRate: 0.02,
    groupsPerIteration: 4,
  } as const;
  const { grpo } = make(onesProbe, { ...settings, advantage: "drGrpo" });
  const rows = await iterate(grpo, 30);
  expect(returnOf(rows, -1) % 2.5).toBeGreaterThan(0.9);
});

test("a completion's reward is the discounted sum of what follows, up to the horizon", () => {
  const rewardOf = (settings: Partial<GroupSettings>): number =>
    collect(countProbe, [{ index: 0, seed: 1 }], settings)[0]!.completions[0]!.reward;
  expect(rewardOf({ gamma: 0.5 })).toBe(1 + 0.5 + 0.25 + 0.125);
  expect(rewardOf({ horizon: 2 })).toBe(2);
  expect(rewardOf({ gamma: 0.5, horizon: 3 })).toBe(1.75);
});

test("a group whose episode fails before its common state is tried again or dropped, by setting", () => {
  let resets = 0;
  const shaky = makeProbe<number>({
    ...{ name: "Shaky", observationSize: 1, actionSpace: discrete(2), observe: (at) => [at] },
    begin: () => 0,
    step: (at) => {
      if (at === 1 && resets++ === 0) throw new Error("not yet");
      return { state: at + 1, reward: 1, terminated: at === 3 };
    },
  });
  const groups = [{ index: 0, seed: 1 }];
  const refill = { forkAt: "anywhere", partialGroups: "refill", maxAttempts: 2 } as const;
  expect(collect(shaky, groups, refill)).toHaveLength(1);
  resets = 0;
  expect(collect(shaky, groups, { ...refill, partialGroups: "drop" })).toHaveLength(0);
});

test("a policy with memory recalls its cue in completions that begin after it was shown; one without can't", async () => {
  const run = async (lstm: { hidden: number; layers: number } | null): Promise<number> => {
    const actionSpace = recallProbe.actionSpace!;
    const sizes = { inputs: 2, hidden: [16], actionSpace, lstm };
    const policy = new MaskedPolicy({ kernels, rng: Rng.fromSeed(1), ...sizes });
    const settings = { forkAt: "anywhere", learningRate: 0.02, groupsPerIteration: 8, iterations: 60 } as const;
    const rows = await iterate(make(recallProbe, settings, { policy }).grpo, 60);
    return rows.slice(-10).reduce((sum, { values }) => sum + values["charts/completion_return"]! / 10, 0);
  };
  expect(await run({ hidden: 16, layers: 1 })).toBeGreaterThan(0.8);
  expect(Math.abs(await run(null))).toBeLessThan(0.5);
});

test("every way to make advantages and an asymmetric clip learn what pays", async () => {
  for (const advantage of ["grpo", "drGrpo", "leaveOneOut"] as const) {
    const settings = { advantage, epochs: 2, clipHigh: 0.28, learningRate: 0.02, groupsPerIteration: 4 };
    const rows = await iterate(make(onesProbe, settings).grpo, 30);
    expect(returnOf(rows, -1) % 2.5).toBeGreaterThan(0.9);
    expect(rows.some(({ values }) => values["losses/clip_fraction"]! > 0)).toBe(true);
  }
});

test("the KL to the reference holds the policy near it", async () => {
  const settings = { learningRate: 0.02, groupsPerIteration: 4, iterations: 30 };
  const run = async (klCoef: number): Promise<number> => {
    const referencePolicy = maskedPolicy(onesProbe, 9);
    const { grpo, policy } = make(onesProbe, { ...settings, klCoef }, { referencePolicy });
    copyWeights(policy, referencePolicy);
    return Math.max(...(await iterate(grpo, 30)).map(({ values }) => values["losses/reference_kl"]!));
  };
  expect(await run(1)).toBeLessThan((await run(0)) / 2);
  expect(() => make(onesProbe, { klCoef: 0.1 })).toThrow("there is no referencePolicy");
});

test("ten iterations, a resume and ten more equal twenty", async () => {
  const settings = { groupsPerIteration: 2, iterations: 20, epochs: 2, learningRateSchedule: "linear" } as const;
  const whole = make(gridEnv, settings).grpo;
  const rows = await iterate(whole, 20);
  const first = make(gridEnv, settings).grpo;
  await iterate(first, 10);
  const second = make(gridEnv, settings).grpo;
  second.restore(first.save());
  expect(await iterate(second, 10)).toEqual(rows.slice(10));
  expect(second.save()).toEqual(whole.save());
  expect(() => second.restore({ ...first.save(), algorithm: "ppo" })).toThrow("is of ppo on 'Grid-v0'");
});

test("a log-probability that is not finite stops the step and names the completion", async () => {
  let poisoned = false;
  class Poisoned extends MaskedPolicy {
    override evaluate(...args: Parameters<MaskedPolicy["evaluate"]>) {
      const evaluation = super.evaluate(...args);
      // The ninth row of the minibatch is some completion's decision.
      if (poisoned && evaluation.logProbs.length > 40) evaluation.logProbs[8] = Number.NaN;
      return evaluation;
    }
  }
  const policy = new Poisoned({ kernels, rng: Rng.fromSeed(1), inputs: 1, hidden: [4], actionSpace: discrete(2) });
  const { grpo } = make(onesProbe, { groupsPerIteration: 4 }, { policy });
  await grpo.iterate();
  const before = policy.parameters().map(({ data }) => data.slice());
  poisoned = true;
  await expect(grpo.iterate()).rejects.toThrow(
    expect.objectContaining({
      code: "NON_FINITE_NUMBER",
      message: expect.stringMatching(
        /GRPO iteration 2: the log-probability of group \d, completion \d, decision 2, is NaN/,
      ),
    }),
  );
  expect(policy.parameters().map(({ data }) => data)).toEqual(before);
});

test("candidates of any number are scored and the best kind is learnt", async () => {
  interface Offers {
    readonly offers: readonly (readonly number[])[];
  }
  const choose = makeProbe<Offers>({
    name: "Offers",
    observationSize: 10,
    actionSpace: discrete(5),
    begin: (uniform) => ({
      offers: Array.from({ length: 2 + Math.floor(4 * uniform()) }, () => [uniform(), uniform()]),
    }),
    observe: ({ offers }) => offers.flat(),
    step: (state, action) => ({ state, reward: state.offers[action as number]![0]!, terminated: true }),
  });
  const definition: EnvDefinition = {
    ...(choose as EnvDefinition),
    candidates: {
      features: 2,
      offer: ({ observation }) => {
        const numbers = observation as number[];
        return Array.from({ length: numbers.length / 2 }, (_, i) => ({
          ...{ action: i, features: numbers.slice(2 * i, 2 * i + 2) },
        }));
      },
    },
  };
  const task = makeCandidateTask(definition);
  const policy = new CandidatePolicy({ kernels, rng: Rng.fromSeed(1), features: 2, hidden: [8] });
  const settings = { learningRate: 0.02, groupsPerIteration: 8, iterations: 60 };
  const rows = await iterate(new Grpo({ definition, policy, task, kernels, seed: 1, settings }), 60);
  expect(returnOf(rows, -1)).toBeGreaterThan(returnOf(rows, 0) + 0.1);

  const last = definition.makeEnv().reset({ seed: 3 }) as LastResult;
  const decision = task.decisionOf(last);
  expect(task.choiceOf(1, decision, last)).toEqual({ choice: Float32Array.of(1), isLegal: true });
  expect(task.choiceOf(7, decision, last)).toBeNull();
  const wide = makeCandidateTask({ ...definition, candidates: { ...definition.candidates!, features: 3 } });
  expect(() => wide.decisionOf(last)).toThrow("has 2 features; 3 were declared");
  expect(() => makeCandidateTask(choose as EnvDefinition)).toThrow("offers no candidates");
});
