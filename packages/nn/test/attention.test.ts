import fc from "fast-check";
import { expect, test } from "vitest";
import "./allclose.ts";
import { GraphEncoder, MultiHeadAttention, SetEncoder, Tape } from "../src/index.ts";
import { fastSets } from "./kernel-sets.ts";
import { randomMask, randomValues, seeded } from "./random.ts";

const kernels = fastSets[fastSets.length > 1 ? 1 : 0]!;
const CLOSE = { rtol: 1e-4, atol: 1e-5 };
const options = { kernels, rng: seeded(1), name: "encoder", inputs: 4, width: 8, layers: 2, heads: 2 };

/** Rows of `width` in the order of `order`. */
function permuteRows(values: Float32Array, order: readonly number[], width: number): Float32Array {
  return Float32Array.from(order.flatMap((from) => [...values.subarray(from * width, (from + 1) * width)]));
}

const permutation = (count: number) =>
  fc.shuffledSubarray(
    Array.from({ length: count }, (_, i) => i),
    { minLength: count, maxLength: count },
  );

test("masked attention: permuting items and mask permutes the result", () => {
  const layer = new MultiHeadAttention({ kernels, rng: seeded(1), name: "attention", width: 8, heads: 2 });
  const count = 7;
  const x = randomValues(2, count * 8);
  const mask = randomMask(3, count);
  const run = (values: Float32Array, allowed: Float32Array) => {
    const tape = new Tape(kernels, { recording: false });
    return layer.forward(tape, tape.input([1, count, 8], values), { allowed }).data;
  };
  fc.assert(
    fc.property(permutation(count), (order) => {
      const permuted = run(permuteRows(x, order, 8), permuteRows(mask, order, 1));
      expect(permuted).toBeAllclose(permuteRows(run(x, mask), order, 8), CLOSE);
    }),
    { numRuns: 20 },
  );
});

test("a set encoder's items follow a permutation and its pooled result does not notice", () => {
  const encoder = new SetEncoder({ ...options, memory: 6 });
  const count = 6;
  const x = randomValues(4, count * 4);
  const mask = Float32Array.from([1, 1, 0, 1, 1, 0]);
  const run = (values: Float32Array, allowed: Float32Array) => {
    const tape = new Tape(kernels, { recording: false });
    return encoder.forward(tape, { items: tape.input([1, count, 4], values), mask: allowed });
  };
  const plain = run(x, mask);
  fc.assert(
    fc.property(permutation(count), (order) => {
      const permuted = run(permuteRows(x, order, 4), permuteRows(mask, order, 1));
      expect(permuted.pooled.data).toBeAllclose(plain.pooled.data, CLOSE);
      expect(permuted.items.data).toBeAllclose(permuteRows(plain.items.data, order, 6), CLOSE);
    }),
    { numRuns: 20 },
  );
});

test.each(["convolution", "attention"] as const)("a graph encoder by %s follows a renaming of the nodes", (kind) => {
  const encoder = new GraphEncoder({ ...options, kind, relations: 2 });
  const count = 5;
  const x = randomValues(5, count * 4);
  const mask = Float32Array.from([1, 1, 1, 1, 0]);
  const adjacency = randomMask(6, 2 * count * count, 0.4).map((edge, i) => {
    const [row, column] = [Math.floor(i / count) % count, i % count];
    return edge * mask[row]! * mask[column]!;
  });
  const run = (order: readonly number[]) => {
    const tape = new Tape(kernels, { recording: false });
    const edges = Float32Array.from({ length: adjacency.length }, (_, i) => {
      const [relation, row, column] = [Math.floor(i / count ** 2), Math.floor(i / count) % count, i % count];
      return adjacency[(relation * count + order[row]!) * count + order[column]!]!;
    });
    const items = tape.input([1, count, 4], permuteRows(x, order, 4));
    return encoder.forward(tape, { items, adjacency: edges, mask: permuteRows(mask, order, 1) });
  };
  const plain = run([0, 1, 2, 3, 4]);
  fc.assert(
    fc.property(permutation(count), (order) => {
      const renamed = run(order);
      expect(renamed.pooled.data).toBeAllclose(plain.pooled.data, CLOSE);
      expect(renamed.items.data).toBeAllclose(permuteRows(plain.items.data, order, 8), CLOSE);
    }),
    { numRuns: 20 },
  );
});

test("what stands at padding changes nothing", () => {
  const encoder = new SetEncoder(options);
  const run = (padding: number) => {
    const tape = new Tape(kernels, { recording: false });
    const x = randomValues(7, 3 * 4);
    x.fill(padding, 2 * 4);
    const items = tape.input([1, 3, 4], x);
    return [...encoder.forward(tape, { items, mask: Float32Array.from([1, 1, 0]) }).pooled.data];
  };
  expect(run(1000)).toEqual(run(0));
});

test("an empty set is pooled to zeros", () => {
  const encoder = new SetEncoder(options);
  const tape = new Tape(kernels, { recording: false });
  const items = tape.input([1, 3, 4], randomValues(8, 12));
  expect([...encoder.forward(tape, { items, mask: new Float32Array(3) }).pooled.data]).toEqual(new Array(8).fill(0));
});

test("a causal query does not see later keys", () => {
  const layer = new MultiHeadAttention({ kernels, rng: seeded(1), name: "attention", width: 8, heads: 2 });
  const run = (last: number) => {
    const x = randomValues(9, 5 * 8);
    x.fill(last, 4 * 8);
    const tape = new Tape(kernels, { recording: false });
    return [...layer.forward(tape, tape.input([1, 5, 8], x), { causal: true }).data];
  };
  expect(run(5).slice(0, 4 * 8)).toEqual(run(-5).slice(0, 4 * 8));
  expect(run(5).slice(4 * 8)).not.toEqual(run(-5).slice(4 * 8));
});

test("an item's memory carries its own past from call to call, and forgets at a start", () => {
  const encoder = new SetEncoder({ ...options, layers: 0, memory: 6 });
  const tape = new Tape(kernels, { recording: false });
  const [first, second] = [randomValues(10, 2 * 4), randomValues(11, 2 * 4)];
  const mask = Float32Array.from([1, 1]);
  const input = (values: Float32Array) => tape.input([1, 2, 4], values);
  const one = encoder.forward(tape, { items: input(first), mask });
  const carried = encoder.forward(tape, { items: input(second), mask, state: one.state! });
  const both = tape.input([2, 2, 4], [...first, ...second]);
  const together = encoder.forward(tape, { items: both, mask: Float32Array.from([1, 1, 1, 1]), steps: 2 });
  expect([...carried.items.data]).toEqual([...together.items.data.subarray(2 * 6)]);
  const fresh = encoder.forward(tape, { items: input(second), mask });
  const restarted = encoder.forward(tape, { items: input(second), mask, state: one.state!, starts: [1] });
  expect([...restarted.items.data]).toEqual([...fresh.items.data]);
  expect([...carried.items.data]).not.toEqual([...fresh.items.data]);
});

test("heads that do not divide the width and masks of another size are refused", () => {
  expect(() => new MultiHeadAttention({ kernels, rng: seeded(1), name: "a", width: 8, heads: 3 })).toThrow(
    "a: 3 heads do not divide a width of 8.",
  );
  const layer = new MultiHeadAttention({ kernels, rng: seeded(1), name: "a", width: 8, heads: 2 });
  const tape = new Tape(kernels);
  expect(() =>
    layer.forward(tape, tape.input([1, 2, 8], new Float32Array(16)), { allowed: new Float32Array(3) }),
  ).toThrow("The attention mask has 3 elements; 2 or 4 are needed.");
});
