import { Rng } from "@praxis/env";
import { describe, expect, test } from "vitest";
import {
  brier,
  clopperPearson,
  comparePaired,
  expectedCalibrationError,
  holm,
  selectiveRisk,
  shareBetween,
} from "../src/index.ts";

describe("exact interval of a share", () => {
  test("matches published values of Clopper and Pearson", () => {
    // Rule of three, exactly: 1 - .025^(1/n) at 0 hits.
    expect(clopperPearson(0, 20).high).toBeCloseTo(1 - 0.025 ** (1 / 20), 9);
    const { low, high } = clopperPearson(1, 10);
    expect(low).toBeCloseTo(0.0025286, 6);
    expect(high).toBeCloseTo(0.4450161, 6);
  });

  test("is mirrored when hits and misses change places", () => {
    const hits = clopperPearson(3, 40);
    const misses = clopperPearson(37, 40);
    expect(misses.low).toBeCloseTo(1 - hits.high, 9);
    expect(misses.high).toBeCloseTo(1 - hits.low, 9);
  });

  test("refuses more hits than units", () => {
    expect(() => clopperPearson(3, 2)).toThrow(expect.objectContaining({ code: "VALIDATION_ERROR" }));
  });
});

describe("paired comparison", () => {
  const rng = Rng.fromSeed(3);
  const base = Array.from({ length: 60 }, () => rng.uniform());

  test("a steady small gain is found although scores differ much between units", () => {
    const { difference, pValue } = comparePaired(
      base.map((value, i) => value + 0.03 + (i % 2) * 0.01),
      base,
    );
    expect(difference.low).toBeGreaterThan(0.03);
    expect(pValue).toBeLessThan(0.001);
  });

  test("equal scores have no difference and a p-value of 1", () => {
    expect(comparePaired(base, base)).toMatchObject({ difference: { mean: 0, low: 0, high: 0 }, pValue: 1 });
  });

  test("Holm multiplies the smallest p-value by their number and never falls below an earlier one", () => {
    const adjusted = holm([0.04, 0.01, 0.03]);
    expect(adjusted[1]).toBeCloseTo(0.03, 12);
    expect(adjusted[2]).toBeCloseTo(0.06, 12);
    expect(adjusted[0]).toBeCloseTo(0.06, 12);
    expect(holm([0.9, 0.8])).toEqual([1, 1]);
  });

  test("the share between low and high is 0 for low, 1 for high, and nothing where they are equal", () => {
    const high = base.map((value) => value + 0.5);
    expect(shareBetween(base, base, high)?.mean).toBe(0);
    expect(shareBetween(high, base, high)).toMatchObject({ mean: 1, low: 1, high: 1 });
    expect(shareBetween(base, base, base)).toBeNull();
  });
});

describe("calibration", () => {
  const sure = { confidence: 1, isGood: true };
  const unsure = { confidence: 0.2, isGood: false };

  test("certainty that is right has no Brier score, certainty that is wrong has 1", () => {
    expect(brier([sure])).toBe(0);
    expect(brier([{ confidence: 1, isGood: false }])).toBe(1);
  });

  test("confidence that comes true as often as stated has no calibration error", () => {
    const decisions = Array.from({ length: 100 }, (_, i) => ({ confidence: 0.7, isGood: i % 10 < 7 }));
    expect(expectedCalibrationError(decisions, 1)).toBeCloseTo(0, 12);
    expect(
      expectedCalibrationError(
        [...decisions, ...decisions].map((each) => ({ ...each, confidence: 0.9 })),
        1,
      ),
    ).toBeCloseTo(0.2, 12);
  });

  test("decisions of one confidence are not told apart by bins", () => {
    const decisions = Array.from({ length: 50 }, (_, i) => ({ confidence: 0.5, isGood: i % 2 === 0 }));
    expect(expectedCalibrationError(decisions, 10)).toBeCloseTo(0, 12);
  });

  test("the risk of the most confident decisions leaves the unsure ones out", () => {
    const decisions = [sure, sure, sure, sure, unsure];
    expect(selectiveRisk(decisions, 0.8)).toBe(0);
    expect(selectiveRisk(decisions, 1)).toBeCloseTo(0.2, 12);
  });

  test("decisions of one confidence count by their share, whatever their order", () => {
    const tied = [sure, { confidence: 1, isGood: false }];
    expect(selectiveRisk(tied, 0.5)).toBe(0.5);
    expect(selectiveRisk(tied.toReversed(), 0.5)).toBe(0.5);
  });
});
