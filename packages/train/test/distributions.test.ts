import { Rng } from "@praxis/env";
import fc from "fast-check";
import { expect, test } from "vitest";
import { NonEmptyBernoulli } from "../src/distributions/non-empty-bernoulli.ts";
import {
  addPlackettLuceGradient,
  choosePlackettLuce,
  plackettLuceLogProb,
} from "../src/distributions/plackett-luce.ts";

const SIZE = 5;
const logits = fc.array(fc.double({ min: -6, max: 6, noNaN: true }), { minLength: SIZE, maxLength: SIZE });
const mask = fc
  .array(fc.boolean(), { minLength: SIZE, maxLength: SIZE })
  .filter((allowed) => allowed.some((each) => each));

function makeSet(values: readonly number[], allowed: readonly boolean[]): NonEmptyBernoulli {
  const set = new NonEmptyBernoulli(values.length);
  expect(set.set(values, 0, (j) => allowed[j]!)).toBe(allowed.includes(true));
  return set;
}

/** Every set of bits as a number. */
const setsOf = (size: number): number[] => Array.from({ length: 2 ** size }, (_, bits) => bits);
const has = (bits: number) => (j: number) => ((bits >> j) & 1) === 1;

test("a non-empty set has the probability of its bits under the condition, and all of them sum to 1", () => {
  fc.assert(
    fc.property(logits, mask, (values, allowed) => {
      const set = makeSet(values, allowed);
      const p = values.map((x, j) => (allowed[j] ? 1 / (1 + Math.exp(-x)) : 0));
      const bernoulli = (bits: number) => p.reduce((product, x, j) => product * (has(bits)(j) ? x : 1 - x), 1);
      let total = 0;
      let entropy = 0;
      for (const bits of setsOf(SIZE)) {
        const logProb = set.logProb(has(bits));
        if (bits > 0) expect(Math.exp(logProb)).toBeCloseTo(bernoulli(bits) / (1 - bernoulli(0)), 10);
        else expect(logProb).toBe(Number.NEGATIVE_INFINITY);
        total += Math.exp(logProb);
        if (Number.isFinite(logProb)) entropy -= Math.exp(logProb) * logProb;
      }
      expect(total).toBeCloseTo(1, 10);
      expect(set.entropy()).toBeCloseTo(entropy, 9);
      // As the chain of the first set bit and independent later ones gives it.
      const binary = (x: number) => (x <= 0 || x >= 1 ? 0 : -x * Math.log(x) - (1 - x) * Math.log(1 - x));
      const first = p.map((x, f) => (x * p.slice(0, f).reduce((none, y) => none * (1 - y), 1)) / (1 - bernoulli(0)));
      const chain = first.reduce(
        (sum, x, f) =>
          x <= 0 ? sum : sum - x * Math.log(x) + x * p.slice(f + 1).reduce((rest, y) => rest + binary(y), 0),
        0,
      );
      expect(set.entropy()).toBeCloseTo(chain, 8);
    }),
    { numRuns: 40 },
  );
});

test("the gradients of a set's log-probability and entropy are those of central differences", () => {
  fc.assert(
    fc.property(logits, mask, fc.integer({ min: 1, max: 31 }), (values, allowed, bits) => {
      const isSet = (j: number) => has(bits)(j) && allowed[j]!;
      if (!allowed.some((_, j) => isSet(j))) return;
      const gradient = new Float32Array(SIZE);
      makeSet(values, allowed).addGradient(isSet, { dLogProb: 0.7, dEntropy: -1.3 }, gradient, 0);
      values.forEach((_, j) => {
        const at = (shift: number): number => {
          const set = makeSet(values.with(j, values[j]! + shift), allowed);
          return 0.7 * set.logProb(isSet) - 1.3 * set.entropy();
        };
        expect(gradient[j]).toBeCloseTo((at(1e-4) - at(-1e-4)) / 2e-4, 5);
      });
    }),
    { numRuns: 40 },
  );
});

test("a set of chances that float32 would lose, and one of certainties, keep exact probabilities", () => {
  const rare = makeSet([-60, -60, -61], [true, true, true]);
  const weights = [1, 1, Math.exp(-1)];
  const total = weights.reduce((sum, x) => sum + x, 0);
  weights.forEach((weight, j) => {
    expect(rare.logProb((i) => i === j)).toBeCloseTo(Math.log(weight / total), 9);
  });
  const extreme = makeSet([-1e4, 1e4, -1e4], [true, true, true]);
  expect(extreme.logProb((j) => j === 1)).toBe(0);
  expect(extreme.entropy()).toBeCloseTo(0, 12);
  const hopeless = makeSet([-1e4, -1e4, 1e4], [true, true, false]);
  expect(hopeless.logProb((j) => j === 0)).toBeCloseTo(Math.log(0.5), 9);
  expect(hopeless.entropy()).toBeCloseTo(Math.log(2), 7);
  expect(makeSet([0, 0, 0], [false, false, false]).logProb(() => false)).toBe(Number.NEGATIVE_INFINITY);
});

test("drawn sets are never empty, never hold what is forbidden, and come as often as their probability says", () => {
  const allowed = [true, false, true, true];
  const set = makeSet([-2, 5, 0.5, -1], allowed);
  const rng = Rng.fromSeed(3);
  const bits = new Uint8Array(4);
  const counts = new Map<number, number>();
  const n = 20_000;
  for (let i = 0; i < n; i++) {
    set.draw(rng, bits);
    const key = bits.reduce((sum, bit, j) => sum + (bit << j), 0);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  for (const key of setsOf(4)) {
    const p = Math.exp(set.logProb(has(key)));
    // Five standard deviations of a share.
    expect(Math.abs((counts.get(key) ?? 0) / n - p)).toBeLessThanOrEqual(5 * Math.sqrt((p * (1 - p)) / n));
  }
});

test("the mode of a set is what is likelier than not, at least the best", () => {
  const bits = new Uint8Array(3);
  makeSet([1, -1, 2], [true, true, false]).mode(bits);
  expect([...bits]).toEqual([1, 0, 0]);
  makeSet([-3, -1, 2], [true, true, false]).mode(bits);
  expect([...bits]).toEqual([0, 1, 0]);
});

/** All orders of the slots in `chosen` as ranks. */
function ordersOf(chosen: readonly number[], size: number): Float32Array[] {
  const visit = (rest: readonly number[], order: readonly number[]): Float32Array[] => {
    if (rest.length > 0)
      return rest.flatMap((j) =>
        visit(
          rest.filter((i) => i !== j),
          [...order, j],
        ),
      );
    const rank = new Float32Array(size);
    order.forEach((j, k) => {
      rank[j] = k + 1;
    });
    return [rank];
  };
  return visit(chosen, []);
}

test("the orders of a set have probabilities that sum to 1, and their gradients are those of central differences", () => {
  fc.assert(
    fc.property(logits, fc.subarray([0, 1, 2, 3, 4], { minLength: 1 }), (values, chosen) => {
      const orders = ordersOf(chosen, SIZE);
      const logProb = (rank: Float32Array, x = values) => plackettLuceLogProb(x, 0, { rank, at: 0, size: SIZE });
      expect(orders.reduce((sum, rank) => sum + Math.exp(logProb(rank)), 0)).toBeCloseTo(1, 10);
      const rank = orders[orders.length - 1]!;
      const gradient = new Float32Array(SIZE);
      addPlackettLuceGradient(values, 0, { rank, at: 0, size: SIZE }, -0.4, gradient);
      values.forEach((x, j) => {
        const slope = (logProb(rank, values.with(j, x + 1e-4)) - logProb(rank, values.with(j, x - 1e-4))) / 2e-4;
        expect(gradient[j]).toBeCloseTo(-0.4 * slope, 5);
      });
    }),
    { numRuns: 30 },
  );
});

test("orders are drawn as often as their probability says, and the mode is the order of falling logits", () => {
  const values = [0.5, -1, 3, 1];
  const bits = Uint8Array.of(1, 1, 0, 1);
  const rank = new Float32Array(4);
  choosePlackettLuce(values, 0, bits, null, { rank, at: 0 });
  expect([...rank]).toEqual([2, 3, 0, 1]);
  const rng = Rng.fromSeed(5);
  const counts = new Map<string, number>();
  const n = 20_000;
  for (let i = 0; i < n; i++) {
    choosePlackettLuce(values, 0, bits, rng, { rank, at: 0 });
    counts.set(rank.join(), (counts.get(rank.join()) ?? 0) + 1);
  }
  for (const order of ordersOf([0, 1, 3], 4)) {
    const p = Math.exp(plackettLuceLogProb(values, 0, { rank: order, at: 0, size: 4 }));
    expect(Math.abs((counts.get(order.join()) ?? 0) / n - p)).toBeLessThan(5 * Math.sqrt((p * (1 - p)) / n));
  }
});
