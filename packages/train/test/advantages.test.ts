import fc from "fast-check";
import { expect, test } from "vitest";
import { computeGae, computeGroupAdvantages, type GaeInput, normalizeAdvantages } from "../src/advantages.ts";

/** Equation 16 as a sum over the rest of the episode, one term after the other. */
function gaeByDefinition(input: GaeInput): number[] {
  const { numSteps, numEnvs, rewards, values, gamma, gaeLambda } = input;
  const delta = (t: number, env: number): number => {
    const i = t * numEnvs + env;
    const following = t + 1 < numSteps ? values[i + numEnvs]! : input.lastValues[env]!;
    const next = input.terminated[i] ? 0 : input.truncated[i] ? input.finalValues[i]! : following;
    return rewards[i]! + gamma * next - values[i]!;
  };
  return Array.from({ length: numSteps * numEnvs }, (_, i) => {
    const env = i % numEnvs;
    let sum = 0;
    for (let t = Math.floor(i / numEnvs), k = 0; t < numSteps; t++, k++) {
      sum += (gamma * gaeLambda) ** k * delta(t, env);
      if (input.terminated[t * numEnvs + env] || input.truncated[t * numEnvs + env]) break;
    }
    return sum;
  });
}

const rollouts = fc
  .record({ numSteps: fc.integer({ min: 1, max: 9 }), numEnvs: fc.integer({ min: 1, max: 3 }) })
  .chain(({ numSteps, numEnvs }) => {
    const n = numSteps * numEnvs;
    const list = (length: number) =>
      fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: length, maxLength: length });
    const flags = fc.array(fc.integer({ min: 0, max: 1 }), { minLength: n, maxLength: n });
    return fc.record({
      ...{ numSteps: fc.constant(numSteps), numEnvs: fc.constant(numEnvs) },
      ...{ rewards: list(n), values: list(n), finalValues: list(n), lastValues: list(numEnvs) },
      ...{ terminated: flags, truncated: flags },
      ...{ gamma: fc.double({ min: 0, max: 1, noNaN: true }), gaeLambda: fc.double({ min: 0, max: 1, noNaN: true }) },
    });
  });

test("the recursion of advantages equals their definition as a sum", () => {
  fc.assert(
    fc.property(rollouts, (input) => {
      const { advantages, returns } = computeGae(input);
      gaeByDefinition(input).forEach((expected, i) => {
        expect(advantages[i]).toBeCloseTo(expected, 9);
        expect(returns[i]).toBeCloseTo(expected + input.values[i]!, 9);
      });
    }),
  );
});

const oneStep = {
  ...{ numSteps: 2, numEnvs: 1, rewards: [1, 1], values: [0, 0], lastValues: [10], finalValues: [4, 0] },
  ...{ gamma: 0.5, gaeLambda: 1 },
};

test("a truncated episode is bootstrapped from its final observation, a terminated one is not", () => {
  const at0 = (terminated: number, truncated: number): number =>
    computeGae({ ...oneStep, terminated: [terminated, 0], truncated: [truncated, 0] }).advantages[0]!;
  expect(at0(1, 0)).toBe(1);
  expect(at0(0, 1)).toBe(1 + 0.5 * 4);
  expect(at0(1, 1)).toBe(1);
  expect(at0(0, 0)).toBe(1 + 0.5 * (1 + 0.5 * 10));
});

test("a step with an unknown reward has no advantage and passes on nothing but its value", () => {
  const input = { ...oneStep, values: [0, 2], terminated: [0, 0], truncated: [0, 0], excluded: [0, 1] };
  expect([...computeGae(input).advantages]).toEqual([1 + 0.5 * 2, 0]);
});

test("normalised advantages have mean 0 and deviation 1, and a single one stays", () => {
  const many = Float64Array.of(1, 2, 3, 6);
  normalizeAdvantages(many);
  expect(many.reduce((sum, x) => sum + x, 0)).toBeCloseTo(0, 9);
  expect(many.reduce((sum, x) => sum + x * x, 0) / 3).toBeCloseTo(1, 6);
  const one = Float64Array.of(7);
  normalizeAdvantages(one);
  expect(one[0]).toBe(7);
});

test("advantages are relative to their own group, whatever the level of its rewards", () => {
  const low = computeGroupAdvantages([0, 1]);
  expect(computeGroupAdvantages([10, 11])).toEqual(low);
  expect(low[0]).toBe(-low[1]!);
  expect(low[1]).toBeCloseTo(0.5 / (0.5 + 1e-4), 12);
});

test("equal rewards give advantages of exactly zero under every method", () => {
  for (const method of ["grpo", "drGrpo", "leaveOneOut"] as const)
    expect(computeGroupAdvantages([0.1, 0.1, 0.1], method)).toEqual([0, 0, 0]);
});

test("leave-one-out compares with the mean of the others, Dr. GRPO with the mean of all", () => {
  expect(computeGroupAdvantages([1, 2, 6], "leaveOneOut")).toEqual([1 - 4, 2 - 3.5, 6 - 1.5]);
  expect(computeGroupAdvantages([1, 2, 6], "drGrpo")).toEqual([-2, -1, 3]);
});

test("a group of one is refused", () => {
  expect(() => computeGroupAdvantages([1])).toThrow("at least two rewards, not 1");
});
