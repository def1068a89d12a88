import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyGates } from "../src/reward/gates.ts";
import { quantize } from "../src/reward/quantize.ts";
import {
  CHANNELS,
  COMPONENTS,
  type ComponentName,
  type Components,
  checkWeights,
  DEFAULT_WEIGHTS,
  type RewardWeights,
} from "../src/reward/settings.ts";
import { compileWeights, totalReward } from "../src/reward/total.ts";
import { meanStepReward, trainingReturn } from "../src/reward/training-return.ts";

const weights = compileWeights(DEFAULT_WEIGHTS);
const all = (value: number): Components =>
  Object.fromEntries(COMPONENTS.map((name) => [name, quantize(value)])) as Components;
const noGate = {
  isUnparsable: false,
  isHardIllegal: false,
  isHardExploit: false,
  createsLatentContraindication: false,
  netHarm: 0,
  isIdle: false,
};

describe("clamp and rounding", () => {
  test("all zero and all one stay inside [.001, .999]", () => {
    expect(totalReward(all(0), weights).total).toBe(0.001);
    expect(totalReward(all(1), weights).total).toBe(0.999);
  });

  test("exactly .0005 and everything below is .001", () => {
    expect([0.0005, 0, -3].map(quantize)).toEqual([0.001, 0.001, 0.001]);
    expect([0.9995, 1, 7].map(quantize)).toEqual([0.999, 0.999, 0.999]);
  });

  test("any number comes out in range with at most three decimals", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), (x) => {
        const q = quantize(x);
        expect(q).toBeGreaterThanOrEqual(0.001);
        expect(q).toBeLessThanOrEqual(0.999);
        expect(Number(q.toFixed(3))).toBe(q);
      }),
    );
  });
});

describe("weights", () => {
  test("every component is in one channel and all sums are 1", () => {
    expect(() => checkWeights(DEFAULT_WEIGHTS)).not.toThrow();
    const used = CHANNELS.flatMap((channel) => Object.keys(DEFAULT_WEIGHTS.channels[channel]));
    expect([...used].sort()).toEqual([...COMPONENTS].sort());
  });

  test.each<[string, RewardWeights]>([
    [
      "a total that does not sum to 1",
      { ...DEFAULT_WEIGHTS, total: { ...DEFAULT_WEIGHTS.total, safety_legality: 0.5 } },
    ],
    [
      "a channel that does not sum to 1",
      { ...DEFAULT_WEIGHTS, channels: { ...DEFAULT_WEIGHTS.channels, dosing_quality: { dosing_quality_score: 0.7 } } },
    ],
    [
      "a negative weight",
      {
        ...DEFAULT_WEIGHTS,
        channels: {
          ...DEFAULT_WEIGHTS.channels,
          dosing_quality: { dosing_quality_score: 1.2, uncertainty_calibration_score: -0.2 },
        },
      },
    ],
    [
      "a component in two channels",
      { ...DEFAULT_WEIGHTS, channels: { ...DEFAULT_WEIGHTS.channels, dosing_quality: { legality_score: 1 } } },
    ],
    ["no number", { ...DEFAULT_WEIGHTS, total: { ...DEFAULT_WEIGHTS.total, safety_legality: Number.NaN } }],
  ])("%s is refused with the place named", (_name, bad) => {
    expect(() => checkWeights(bad)).toThrow(/Reward weights/);
  });

  test("the total is the weighted sum of quantised channels", () => {
    const component = fc.double({ min: 0, max: 1, noNaN: true }).map(quantize);
    fc.assert(
      fc.property(fc.array(component, { minLength: 13, maxLength: 13 }), (values) => {
        const components = Object.fromEntries(COMPONENTS.map((name, i) => [name, values[i]!])) as Record<
          ComponentName,
          number
        >;
        const { channels, total } = totalReward(components, weights);
        let sum = 0;
        for (const channel of CHANNELS) {
          let inside = 0;
          for (const [name, share] of Object.entries(DEFAULT_WEIGHTS.channels[channel]))
            inside += share! * components[name as ComponentName];
          expect(channels[channel]).toBe(quantize(inside));
          sum += DEFAULT_WEIGHTS.total[channel] * channels[channel];
        }
        expect(total).toBe(quantize(sum));
      }),
    );
  });

  test("no component lowers the total when it rises", () => {
    for (const name of COMPONENTS) {
      const base = all(0.5);
      expect(totalReward({ ...base, [name]: 0.9 }, weights).total).toBeGreaterThan(totalReward(base, weights).total);
    }
  });
});

describe("gates", () => {
  test.each([
    ["unparsable", { isUnparsable: true }, 0.05],
    ["hard_illegal", { isHardIllegal: true }, 0.15],
    ["hard_exploit", { isHardExploit: true }, 0.001],
    ["latent_contraindication", { createsLatentContraindication: true }, 0.45],
    ["idle", { isIdle: true }, 0.5],
    ["net_harm", { netHarm: 0.0521 }, 0.28],
    ["net_harm", { netHarm: 0.5 }, 0.15],
  ] as const)("%s limits the reward", (name, changes, limit) => {
    expect(applyGates(0.9, { ...noGate, ...changes })).toEqual({ reward: limit, bound: [name] });
    expect(applyGates(0.001, { ...noGate, ...changes })).toEqual({ reward: 0.001, bound: [] });
  });

  test("net harm begins above .002 and no gate raises a reward", () => {
    expect(applyGates(0.9, { ...noGate, netHarm: 0.002 }).reward).toBe(0.9);
    expect(applyGates(0.9, { ...noGate, netHarm: 0.0021 }).reward).toBe(0.48);
    expect(applyGates(0.9, noGate)).toEqual({ reward: 0.9, bound: [] });
  });

  test("the lowest of several gates counts", () => {
    expect(applyGates(0.9, { ...noGate, isIdle: true, isHardIllegal: true, isUnparsable: true }).reward).toBe(0.05);
  });
});

describe("training return", () => {
  const end = { j: -0.5, keepJ: -0.5, isSuccess: false, isFailure: false };
  const step = (reward: number, keepReward = 0.5) => ({ reward, keepReward });

  test("keeping earns no more than nothing, at any length: a step costs .05", () => {
    const idle = Array.from({ length: 10 }, () => step(0.5));
    expect(trainingReturn(idle, end)).toBeCloseTo(-0.5, 12);
    expect(trainingReturn(idle, end, { stepCost: 0 })).toBeCloseTo(0, 12);
  });

  test("never answering does not beat the worst legal attempt", () => {
    const silent = [step(0.001), step(0.001)];
    const worstLegal = [step(0.15), step(0.15)];
    expect(trainingReturn(silent, { ...end, isFailure: true })).toBeLessThan(trainingReturn(worstLegal, end));
  });

  test("the course term is five times the gain in J and at most half a unit", () => {
    expect(trainingReturn([], { ...end, j: -0.46 })).toBeCloseTo(0.2, 12);
    expect(trainingReturn([], { ...end, j: 0.5 })).toBe(0.5);
    expect(trainingReturn([], { ...end, j: -2 })).toBe(-0.5);
  });

  test("success and failure are half a unit each", () => {
    expect(trainingReturn([], { ...end, isSuccess: true })).toBe(0.5);
    expect(trainingReturn([], { ...end, isFailure: true })).toBe(-0.5);
  });

  test("gamma discounts later steps", () => {
    expect(trainingReturn([step(0.6), step(0.6)], end, { gamma: 0.5, stepCost: 0 })).toBeCloseTo(0.1 + 0.05, 12);
  });

  test("the mean step reward of no step is 0", () => {
    expect(meanStepReward([])).toBe(0);
    expect(meanStepReward([step(0.2), step(0.4)])).toBeCloseTo(0.3, 12);
  });
});
