import { Rng, type Space } from "@praxis/env";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ActionHead, type HeadRow } from "../src/action-head.ts";
import { readActionMask } from "../src/action-mask.ts";

const NONE = new Float32Array(0);

function rowOf(head: ActionHead, inputs: ArrayLike<number>, masks: Uint8Array | null = null): HeadRow {
  const logDeviations = Float32Array.from({ length: head.deviationSize }, (_, j) => 0.3 - 0.2 * j);
  return { inputs: Float32Array.from(inputs), masks, logDeviations, row: 0 };
}

const factored: Space = {
  kind: "dict",
  spaces: {
    verb: { kind: "discrete", n: 3 },
    flags: { kind: "multiBinary", n: 2 },
    dose: { kind: "box", shape: [2], low: -1, high: 1 },
    where: { kind: "multiDiscrete", nvec: [2, 4] },
  },
};

test("one legal choice of 1,400 has probability 1, also beside logits of ±10,000", () => {
  const head = new ActionHead({ kind: "discrete", n: 1400 });
  const masks = new Uint8Array(1400);
  masks[700] = 1;
  const row = rowOf(
    head,
    Float32Array.from({ length: 1400 }, (_, j) => (j % 2 === 0 ? 1e4 : -1e4)),
    masks,
  );
  const actions = new Float32Array(1);
  expect(head.sample(row, Rng.fromSeed(1), actions)).toBe(0);
  expect(actions[0]).toBe(700);
  expect(head.evaluate(row, actions)).toEqual({ logProb: 0, entropy: 0 });
});

test("a mask that allows nothing is an error that names the part", () => {
  const head = new ActionHead({ kind: "multiDiscrete", nvec: [2, 3] });
  const row = rowOf(head, [0, 0, 0, 0, 0], Uint8Array.of(1, 1, 0, 0, 0));
  expect(() => head.sample(row, Rng.fromSeed(1), new Float32Array(2))).toThrow(
    expect.objectContaining({ code: "ALL_MASKED", message: "The mask of action[1] in row 0 allows none of 3." }),
  );
});

test("masked choices are never drawn and do not count in the entropy", () => {
  const head = new ActionHead({ kind: "discrete", n: 5 });
  const rng = Rng.fromSeed(7);
  const actions = new Float32Array(1);
  for (let i = 0; i < 10_000; i++) {
    const masks = Uint8Array.from({ length: 5 }, () => rng.integer(0, 1));
    masks[rng.integer(0, 4)] = 1;
    head.sample(rowOf(head, [3, -3, 0, 50, 1], masks), rng, actions);
    expect(masks[actions[0]!]).toBe(1);
  }
  const { entropy } = head.evaluate(rowOf(head, [0, 9, 0, -9, 9], Uint8Array.of(1, 0, 1, 0, 0)), Float32Array.of(2));
  expect(entropy).toBeCloseTo(Math.log(2), 12);
});

test("a masked bit stays 0 and adds neither log-probability nor entropy", () => {
  const head = new ActionHead({ kind: "multiBinary", n: 2 });
  const row = rowOf(head, [100, 0], Uint8Array.of(0, 1));
  const actions = new Float32Array(2);
  head.sample(row, Rng.fromSeed(3), actions);
  expect(actions[0]).toBe(0);
  const { logProb, entropy } = head.evaluate(row, actions);
  expect(logProb).toBeCloseTo(-Math.log(2), 12);
  expect(entropy).toBeCloseTo(Math.log(2), 12);
  expect(() => head.evaluate(row, Float32Array.of(1, 0))).toThrow("set but masked");
});

test("probabilities of all actions of a factored head sum to 1 and their mean surprise is the entropy", () => {
  const head = new ActionHead({
    kind: "dict",
    spaces: { verb: { kind: "discrete", n: 3 }, flags: { kind: "multiBinary", n: 2 } },
  });
  fc.assert(
    fc.property(fc.array(fc.float({ min: -5, max: 5, noNaN: true }), { minLength: 5, maxLength: 5 }), (inputs) => {
      const row = rowOf(head, inputs);
      let total = 0;
      let surprise = 0;
      for (let verb = 0; verb < 3; verb++)
        for (const [a, b] of [
          [0, 0],
          [0, 1],
          [1, 0],
          [1, 1],
        ] as const) {
          const { logProb } = head.evaluate(row, Float32Array.of(verb, a, b));
          total += Math.exp(logProb);
          surprise -= Math.exp(logProb) * logProb;
        }
      expect(total).toBeCloseTo(1, 9);
      expect(surprise).toBeCloseTo(head.evaluate(row, Float32Array.of(0, 0, 0)).entropy, 9);
    }),
  );
});

test("a Gaussian's log-probability and entropy are those of the normal distribution", () => {
  const head = new ActionHead({ kind: "box", shape: [1], low: -1, high: 1 });
  const { logProb, entropy } = head.evaluate(rowOf(head, [0.5]), Float32Array.of(1.5));
  const sigma = Math.exp(Math.fround(0.3));
  expect(logProb).toBeCloseTo(-0.5 / sigma ** 2 - Math.log(sigma * Math.sqrt(2 * Math.PI)), 9);
  expect(entropy).toBeCloseTo(0.5 * Math.log(2 * Math.PI * Math.E * sigma ** 2), 9);
});

test("gradients of log-probability and entropy agree with central differences in every part", () => {
  const head = new ActionHead(factored);
  const rng = Rng.fromSeed(5);
  for (let round = 0; round < 20; round++) {
    const inputs = Float32Array.from({ length: head.inputSize }, () => rng.normal());
    const masks = Uint8Array.from({ length: head.maskSize }, (_, j) => (j === 1 || j === 4 ? 0 : 1));
    const row = rowOf(head, inputs, masks);
    const actions = new Float32Array(head.actionSize);
    head.sample(row, rng, actions);
    const weights = { dLogProb: 0.7, dEntropy: -0.4 };
    const dInputs = new Float32Array(head.inputSize);
    const dLogDeviations = new Float32Array(head.deviationSize);
    head.addGradient(row, actions, weights, { dInputs, dLogDeviations });
    const objective = (): number => {
      const { logProb, entropy } = head.evaluate(row, actions);
      return weights.dLogProb * logProb + weights.dEntropy * entropy;
    };
    const differences = (array: Float32Array): number[] =>
      Array.from(array, (x, j) => {
        array[j] = x + 2 ** -8;
        const above = objective();
        array[j] = x - 2 ** -8;
        const below = objective();
        array[j] = x;
        return (above - below) * 2 ** 7;
      });
    differences(row.inputs).forEach((expected, j) => {
      expect(dInputs[j]).toBeCloseTo(expected, 3);
    });
    differences(row.logDeviations).forEach((expected, j) => {
      expect(dLogDeviations[j]).toBeCloseTo(expected, 2);
    });
  }
});

test("the environment gets a clipped action, the stored one stays as drawn", () => {
  const head = new ActionHead(factored);
  const actions = Float32Array.of(2, 1, 0, 5, -0.5, 1, 3);
  expect(head.toSpaceValue(actions, 0)).toEqual({ verb: 2, flags: [1, 0], dose: [1, -0.5], where: [1, 3] });
  expect(actions[3]).toBe(5);
});

test("an output that is not finite is named", () => {
  const head = new ActionHead({ kind: "discrete", n: 2 });
  expect(() => head.evaluate({ ...rowOf(head, [0, Number.NaN]), logDeviations: NONE }, Float32Array.of(0))).toThrow(
    "The policy's output for action in row 0 is NaN.",
  );
});

test("a mask by part fills what it names and leaves the rest legal", () => {
  const masks = new Uint8Array(22).fill(9);
  readActionMask(
    factored,
    { actionMask: { flags: [false, true], where: [true, false, true, true, true, false] } },
    masks,
    1,
  );
  expect([...masks.subarray(11)]).toEqual([1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0]);
  expect(() => readActionMask(factored, { actionMask: { verbs: [true] } }, masks, 0)).toThrow("actionMask.verbs");
  expect(() => readActionMask(factored, { actionMask: [true] }, masks, 0)).toThrow(
    "1 entries; the action space needs 11",
  );
});
