import { describe, expect, test } from "vitest";
import type { CourseValue } from "../src/course/evaluator.ts";
import {
  beginCredit,
  burdenImprovement,
  diseaseStability,
  efficiency,
  legality,
  lowerReferences,
  safetyDelta,
  uncertaintyCalibration,
} from "../src/reward/value-components.ts";

const value = (ade: number, dis: number, burden = 0.2): CourseValue => ({
  ade,
  dis,
  harm: ade + dis,
  burden,
  utility: -(ade + dis) - 0.05 * burden,
});
const keep = value(0.2, 0.3);
const credit = beginCredit(keep, [value(0.11, 0.31), value(0.05, 0.5), value(0.2, 0.25)]);
const context = { keep, credit, isCapped: false };

describe("the yardsticks of an episode", () => {
  test("G4 holds the largest gain of an action that raises U; an action that lowers U sets no yardstick", () => {
    expect(credit.safetyScale).toBeCloseTo(0.09, 12);
    expect(beginCredit(keep, [value(0.2, 0.2)]).diseaseScale).toBeCloseTo(0.1, 12);
    expect(beginCredit(keep, [keep]).safetyScale).toBe(0.018);
    expect(beginCredit(keep, [value(0.05, 0.5)]).safetyScale).toBe(0.018);
  });

  test("a unit of LamDis moves the reward as much as a unit of LamADE", () => {
    const inReward = (safety: number, disease: number): number => 0.4 * 0.45 * safety + 0.25 * 0.5 * disease;
    const safer = inReward(safetyDelta(value(0.17, 0.3), { ...context, voi: 0 }) - 0.5, 0);
    const better = inReward(0, diseaseStability(value(0.2, 0.27), context) - 0.6);
    expect(safer).toBeCloseTo(better, 12);
  });

  test("harm that is repaired later is measured from the best reached, so it earns nothing", () => {
    const harmed = value(0.3, 0.3);
    const afterHarm = lowerReferences(credit, harmed);
    expect(afterHarm).toBe(credit);
    expect(safetyDelta(keep, { ...context, keep: harmed, credit: afterHarm, voi: 0 })).toBe(0.5);
  });

  test("one cut in three slices earns what one cut earns", () => {
    let sliced = 0;
    let state = credit;
    let now = keep;
    for (const ade of [0.18, 0.15, 0.11]) {
      const next = value(ade, 0.3);
      sliced += safetyDelta(next, { keep: now, credit: state, isCapped: false, voi: 0 }) - 0.5;
      state = lowerReferences(state, next);
      now = next;
    }
    expect(sliced).toBeCloseTo(safetyDelta(value(0.11, 0.3), { ...context, voi: 0 }) - 0.5, 12);
  });
});

describe("c4 safety", () => {
  test("no change is half, the best first action is full, harm is below half", () => {
    expect(safetyDelta(keep, { ...context, voi: 0 })).toBe(0.5);
    expect(safetyDelta(value(0.11, 0.3), { ...context, voi: 0 })).toBeCloseTo(1, 12);
    expect(safetyDelta(value(0.245, 0.3), { ...context, voi: 0 })).toBeCloseTo(0.25, 12);
  });

  test("taking a useful drug away is not safety: a rise of H or of LamDis caps it", () => {
    expect(safetyDelta(value(0.12, 0.4), { ...context, voi: 0 })).toBe(0.45);
    expect(safetyDelta(value(0.1, 0.36), { ...context, voi: 0 })).toBe(0.5);
  });

  test("information is worth up to half a point", () => {
    expect(safetyDelta(keep, { ...context, voi: 0.005 })).toBeCloseTo(0.75, 12);
    expect(safetyDelta(keep, { ...context, voi: 1 })).toBe(1);
  });

  test("a capped change earns nothing", () => {
    expect(safetyDelta(value(0.12, 0.3), { ...context, isCapped: true, voi: 0 })).toBe(0.5);
  });
});

describe("c5 burden and c6 disease", () => {
  test("a tenth of burden less is full, but not at the price of disease", () => {
    expect(burdenImprovement(value(0.2, 0.3, 0.1), context)).toBeCloseTo(1, 12);
    expect(burdenImprovement(value(0.2, 0.31, 0.1), context)).toBe(0.5);
    expect(burdenImprovement(value(0.2, 0.3, 0.3), context)).toBeCloseTo(0, 12);
  });

  test("gain is measured in G6 above .6, loss costs at least six per unit, in between it is .6", () => {
    expect(diseaseStability(keep, context)).toBe(0.6);
    expect(diseaseStability(value(0.2, 0.25), context)).toBeCloseTo(1, 12);
    expect(diseaseStability(value(0.2, 0.31), context)).toBeCloseTo(0.6 - 0.08, 12);
    expect(diseaseStability(value(0.2, 0.5), context)).toBe(0);
    const better = lowerReferences(credit, value(0.2, 0.25));
    expect(diseaseStability(value(0.2, 0.28), { ...context, credit: better })).toBe(0.6);
  });
});

describe("c3, c9 and c13", () => {
  test("legality is 0 with a hard violation and falls by .15 a soft one down to .4", () => {
    expect([legality(1, 0), legality(0, 0), legality(0, 2), legality(0, 9)]).toEqual([0, 1, 0.7, 0.4]);
  });

  test("efficiency falls with the step and is halved for an idle one", () => {
    expect([efficiency(0, 9, false), efficiency(5, 9, false), efficiency(5, 9, true)]).toEqual([1, 0.5, 0.25]);
  });

  test("calibration is proper: the truth is the best report, and no wrong choice pays more than a right one", () => {
    for (const p of [0, 0.1, 0.35, 0.5, 0.8, 1]) {
      const expected = (confidence: number): number =>
        p * uncertaintyCalibration(confidence, true) + (1 - p) * uncertaintyCalibration(confidence, false);
      for (let report = 0; report <= 1; report += 0.05)
        expect(expected(p)).toBeGreaterThanOrEqual(expected(report) - 1e-12);
    }
    expect(Math.max(uncertaintyCalibration(0, false), uncertaintyCalibration(1, false))).toBe(0.5);
    expect(Math.min(uncertaintyCalibration(0, true), uncertaintyCalibration(1, true))).toBe(0.5);
  });
});
