import { PraxisError } from "@praxis/env";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bootstrap, mean, pairedBootstrap, quantile, wilson } from "../src/index.ts";

describe("statistics", () => {
  test("Wilson's interval gives the values of the published formula", () => {
    // 10 of 100: centre 0.11480, half width 0.05956 (hand computed from Wilson 1927).
    const share = wilson(10, 100);
    expect(share.low).toBeCloseTo(0.0552, 4);
    expect(share.high).toBeCloseTo(0.1744, 4);
  });

  test("Wilson's interval touches 0 and 1 only at the ends", () => {
    expect(wilson(0, 20).low).toBe(0);
    expect(wilson(20, 20).high).toBe(1);
    expect(wilson(1, 20).low).toBeGreaterThan(0);
  });

  test("a quantile interpolates between order statistics", () => {
    expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5);
    expect(quantile([10, 20], 0.25)).toBe(12.5);
    expect(quantile([7], 0.99)).toBe(7);
  });

  test("a bootstrap interval holds the mean and repeats for a seed", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: 2, maxLength: 30 }), (values) => {
        const one = bootstrap(values, { resamples: 200 });
        const two = bootstrap(values, { resamples: 200 });
        expect(two).toEqual(one);
        expect(one.low).toBeLessThanOrEqual(one.mean + 1e-9);
        expect(one.high).toBeGreaterThanOrEqual(one.mean - 1e-9);
      }),
      { numRuns: 30 },
    );
  });

  test("pairing removes what both lists share", () => {
    const shared = [1, 50, -20, 300, 4];
    const estimate = pairedBootstrap(
      shared.map((value) => value + 2),
      shared,
    );
    expect([estimate.low, estimate.mean, estimate.high]).toEqual([2, 2, 2]);
  });

  test("empty and unpaired input is refused by a typed error", () => {
    expect(() => mean([])).toThrow(PraxisError);
    expect(() => pairedBootstrap([1], [1, 2])).toThrow(/differ in length/);
    expect(() => wilson(3, 2)).toThrow(/share/);
  });
});
