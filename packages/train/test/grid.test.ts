import { CHECK_NAMES, checkEnv, type EnvDefinition, Rng } from "@praxis/env";
import { selectKernels } from "@praxis/nn/node";
import { expect, test } from "vitest";
import { grid } from "../src/envs/grid.ts";
import { Ppo } from "../src/ppo.ts";
import type { PpoSettingsInput } from "../src/ppo-settings.ts";

const { kernels } = await selectKernels("wasm");

test("the grid keeps the contract of environments", async () => {
  const checks = await checkEnv(grid);
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  expect(checks.length).toBeGreaterThanOrEqual(CHECK_NAMES.length - 3);
});

test("its candidates are the steps that the mask allows, in order, and the nearest ones lead to the goal", () => {
  const env = grid.makeEnv();
  const rng = Rng.fromSeed(1);
  for (let seed = 0; seed < 20; seed++) {
    let last = env.reset({ seed });
    for (let t = 0; t < 6; t++) {
      const offered = grid.candidates!.offer(last);
      const mask = last.info.actionMask as readonly boolean[];
      expect(offered.map(({ action }) => action.direction)).toEqual([0, 1, 2, 3].filter((i) => mask[i]));
      const ways = offered.map(({ features }) => features[2]! + features[3]!);
      const nearest = offered[ways.indexOf(Math.min(...ways))]!;
      const action = rng.uniform() < 0.5 ? nearest.action : rng.choice(offered).action;
      const result = env.step(action);
      if (action === nearest.action) expect(result.info.rewardComponents?.closer).toBe(1);
      if (result.terminated || result.truncated) break;
      last = result;
    }
  }
});

test("PPO all but solves it with its own settings in a third of their steps", async () => {
  const settings = grid.metadata?.ppo as PpoSettingsInput;
  const ppo = new Ppo({ definition: grid as EnvDefinition, kernels, seed: 1, settings });
  let recent = 0;
  while (ppo.steps < 7168) recent = (await ppo.iterate())["charts/recent_return"] ?? 0;
  // The shortest way pays 0.9 and 0.1 a step; 1.17 is its mean.
  expect(recent).toBeGreaterThan(0.95);
}, 60_000);
