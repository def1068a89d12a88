import { Rng } from "@praxis/env";
import { expect, test } from "vitest";
import { BankIndex } from "../src/bank/bank-index.ts";
import { playShift } from "../src/baselines/evaluate.ts";
import { LinearBandit, trainLinUcb } from "../src/baselines/linucb.ts";
import { FROZEN_FIRST_SEED, FROZEN_SHIFTS, FROZEN_WEIGHTS } from "../src/baselines/linucb-rule.ts";
import { RULES } from "../src/baselines/rules.ts";
import { loadSpindleFlowParts } from "../src/load-spindleflow.ts";
import { makeWordBank } from "./support/word-bank.ts";

test("the bandit's weights are the ridge regression's: the gradient of its loss is zero", () => {
  const rng = Rng.fromSeed(1, "linucb-test");
  const bandit = new LinearBandit(3);
  const rows = Array.from({ length: 40 }, () => ({ x: [1, rng.normal(), rng.normal()], y: rng.normal() }));
  for (const { x, y } of rows) bandit.learn(x, y);
  const w = bandit.weights();
  for (let i = 0; i < 3; i++) {
    let gradient = w[i]!;
    for (const { x, y } of rows) gradient += (x.reduce((sum, value, j) => sum + value * w[j]!, 0) - y) * x[i]!;
    expect(gradient).toBeCloseTo(0, 9);
  }
});

test("a bound narrows to the mean where an arm has been tried often, and stays wide where not", () => {
  const bandit = new LinearBandit(2);
  for (let i = 0; i < 100; i++) bandit.learn([1, 0], 0.5);
  expect(bandit.bound([1, 0], 1)).toBeCloseTo(0.5, 0);
  expect(bandit.bound([0, 1], 1)).toBeCloseTo(1, 12);
});

test("linucb learns single calls far above random play, repeats, and plays frozen", () => {
  const index = new BankIndex(makeWordBank({ tasksPerDesk: 60, specialists: 160 }));
  const parts = { index, settings: { spawn: { enabled: false } } };
  const learnt = trainLinUcb(parts, { shifts: 60, firstSeed: 10_000 });
  expect(trainLinUcb(parts, { shifts: 60, firstSeed: 10_000 }).weights).toEqual(learnt.weights);
  const mean = (play: (seed: number) => readonly { readonly reward: number }[]): number => {
    const rewards = Array.from({ length: 30 }, (_, seed) => play(seed)).flat();
    return rewards.reduce((sum, { reward }) => sum + reward, 0) / rewards.length;
  };
  const bandit = mean((seed) => playShift(parts, learnt.makeScript(), seed));
  expect(bandit).toBeGreaterThan(mean((seed) => playShift(parts, RULES.random!, seed)) + 0.05);
  expect(mean((seed) => playShift(parts, learnt.makeScript(), seed))).toBe(bandit);
});

test("the weights that linucb plays by are what the bandit learns from the shifts it names", () => {
  const settings = { spawn: { enabled: false }, specialistSplit: "train", taskSplit: "train" } as const;
  const parts = loadSpindleFlowParts({ settings });
  const learnt = trainLinUcb(parts, { shifts: FROZEN_SHIFTS, firstSeed: FROZEN_FIRST_SEED });
  learnt.weights.forEach((weight, i) => {
    expect(weight).toBeCloseTo(FROZEN_WEIGHTS[i]!, 9);
  });
});
