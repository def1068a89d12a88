import fc from "fast-check";
import { expect, test } from "vitest";
import { clippedSurrogate, explainedVariance, klK3, valueLoss } from "../src/surrogate.ts";

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });

/** Central difference of `f` at `x`. */
const slopeOf = (f: (x: number) => number, x: number): number => (f(x + 1e-6) - f(x - 1e-6)) / 2e-6;

test("the surrogate is −min(r A, clip(r) A)", () => {
  fc.assert(
    fc.property(number(-2, 2), number(-3, 3), (logRatio, advantage) => {
      const ratio = Math.exp(logRatio);
      const held = Math.min(1.3, Math.max(0.8, ratio));
      const { loss } = clippedSurrogate(logRatio, advantage, { clipLow: 0.2, clipHigh: 0.3 });
      expect(loss).toBeCloseTo(-Math.min(ratio * advantage, held * advantage), 9);
    }),
  );
});

test("slopes of the losses agree with central differences away from kinks", () => {
  fc.assert(
    fc.property(number(-2, 2), number(-3, 3), number(-2, 2), (x, a, b) => {
      const range = { clipLow: 0.2, clipHigh: 0.3 };
      fc.pre([Math.log(0.8), Math.log(1.3)].every((kink) => Math.abs(x - kink) > 1e-4));
      expect(clippedSurrogate(x, a, range).slope).toBeCloseTo(
        slopeOf((y) => clippedSurrogate(y, a, range).loss, x),
        4,
      );
      const heldError = b + Math.sign(x - b) * 0.2 - a;
      fc.pre(Math.abs(Math.abs(x - b) - 0.2) > 1e-4 && Math.abs(Math.abs(x - a) - Math.abs(heldError)) > 1e-4);
      expect(valueLoss(x, b, a, 0.2).slope).toBeCloseTo(
        slopeOf((y) => valueLoss(y, b, a, 0.2).loss, x),
        4,
      );
    }),
  );
});

test("the clip stops only a ratio that already moved the way its advantage wants", () => {
  const range = { clipLow: 0.2, clipHigh: 0.2 };
  expect(clippedSurrogate(Math.log(1.5), 1, range).slope).toBeCloseTo(0, 12);
  expect(clippedSurrogate(Math.log(1.5), -1, range).slope).toBeCloseTo(1.5, 12);
  expect(clippedSurrogate(Math.log(0.5), -1, range).slope).toBeCloseTo(0, 12);
  expect(clippedSurrogate(Math.log(0.5), 1, range).slope).toBeCloseTo(-0.5, 12);
});

test("at a ratio of 1 nothing is clipped and the slope is the negative advantage", () => {
  expect(clippedSurrogate(0, 2, { clipLow: 0.2, clipHigh: 0.2 })).toEqual({ loss: -2, slope: -2, clipped: false });
});

test("the KL estimate is zero at equal policies and positive elsewhere", () => {
  expect(klK3(0)).toBe(0);
  fc.assert(fc.property(number(-20, 20), (x) => klK3(x) >= 0));
});

test("explained variance is 1 for the targets, 0 for their mean and 0 for equal targets", () => {
  expect(explainedVariance([1, 2, 3], [1, 2, 3])).toBe(1);
  expect(explainedVariance([2, 2, 2], [1, 2, 3])).toBeCloseTo(0, 12);
  expect(explainedVariance([1, 2], [5, 5])).toBe(0);
});
