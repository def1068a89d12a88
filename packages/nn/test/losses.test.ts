import { expect, test } from "vitest";
import "./allclose.ts";
import {
  binaryCrossEntropy,
  crossEntropy,
  huberLoss,
  type LossOptions,
  meanSquaredError,
  Tape,
  type Tensor,
} from "../src/index.ts";
import { reference } from "./kernel-sets.ts";
import { randomValues } from "./random.ts";

const weights = [1, 0, 2];

/** Compares the seeded gradient with central differences of the loss itself. */
function expectLossGradient(loss: (tape: Tape, x: Tensor) => number): void {
  const values = randomValues(1, 12);
  const tape = new Tape(reference);
  const x = tape.input([3, 4], values, true);
  loss(tape, x);
  const at = (i: number, change: number) => {
    const moved = values.slice();
    moved[i]! += change;
    const other = new Tape(reference);
    return loss(other, other.input([3, 4], moved));
  };
  const numeric = Array.from(values, (_, i) => (at(i, 1e-2) - at(i, -1e-2)) / 2e-2);
  expect(tape.gradientOf(x)).toBeAllclose(numeric, { rtol: 1e-2, atol: 1e-3 });
}

test("every loss seeds its own gradient, weighted and not", () => {
  const y = randomValues(2, 12);
  const labels = y.map((value) => (value > 0 ? 1 : 0));
  const allowed = Float32Array.from([1, 1, 0, 1]);
  for (const options of [{}, { weights }] as LossOptions[]) {
    expectLossGradient((tape, x) => crossEntropy(tape, x, [1, 0, 3], options));
    expectLossGradient((tape, x) => crossEntropy(tape, x, [1, 0, 3], { ...options, mask: allowed }));
    expectLossGradient((tape, x) => meanSquaredError(tape, x, y, options));
    expectLossGradient((tape, x) => huberLoss(tape, x, y, { ...options, delta: 0.5 }));
    expectLossGradient((tape, x) => binaryCrossEntropy(tape, x, labels, options));
  }
});

test("a row of weight 0 counts for nothing: the loss is the mean over the real rows", () => {
  const tape = new Tape(reference);
  const x = tape.input([3, 2], [1, 2, 1e9, -1e9, 3, 5], true);
  const loss = meanSquaredError(tape, x, [0, 0, 0, 0, 0, 0], { weights: [1, 0, 1] });
  expect(loss).toBe((1 + 4 + 9 + 25) / 4);
  expect([...tape.gradientOf(x).subarray(2, 4)]).toEqual([0, 0]);
});

test("cross-entropy is the logarithm of the number of classes for equal logits, and does not overflow", () => {
  const tape = new Tape(reference);
  expect(crossEntropy(tape, tape.input([1, 8], new Float32Array(8)), [3])).toBeCloseTo(Math.log(8), 6);
  expect(crossEntropy(tape, tape.input([1, 2], [1e4, -1e4]), [0])).toBe(0);
  expect(binaryCrossEntropy(tape, tape.input([1, 2], [1e4, -1e4]), [1, 0])).toBe(0);
});

test("a forbidden or missing target and a batch that counts for nothing are errors", () => {
  const tape = new Tape(reference);
  const x = tape.input([1, 2], [0, 0]);
  expect(() => crossEntropy(tape, x, [1], { mask: Float32Array.from([1, 0]) })).toThrow("forbids its target 1");
  expect(() => crossEntropy(tape, x, [2])).toThrow("target 0 is 2; there are 2 classes");
  expect(() => crossEntropy(tape, x, [0], { weights: [0] })).toThrow("no rows that count");
  expect(() => meanSquaredError(tape, x, [0])).toThrow("1 values; 2 are needed");
});
