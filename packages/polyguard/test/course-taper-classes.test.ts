import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { advance } from "../src/course/advance.ts";
import { applyAction } from "../src/course/apply.ts";
import { effectShare, nextTaperDose, occupancy, recommendedTaper, taperLimit } from "../src/course/taper-classes.ts";
import { withdrawalLoss, withdrawalOf } from "../src/course/withdrawal.ts";
import { doseGrid } from "../src/kb/dose-grid.ts";
import { getDrug } from "../src/kb/lookup.ts";
import { kb, makeWorld } from "./world-fixtures.ts";

/** Largest W over a plan of equal steps of the starting dose, sampled daily before relaxation. */
function peakWithdrawal(share: number, intervalDays: number, tauDays: number): number {
  let adaptation = 1;
  let dose = 1;
  let peak = 0;
  for (let day = 0; dose > 1e-9 || adaptation > 1e-3; day++) {
    if (day % intervalDays === 0) dose = Math.max(0, dose - share);
    peak = Math.max(peak, adaptation - dose);
    adaptation = dose + (adaptation - dose) * Math.exp(-1 / tauDays);
  }
  return peak;
}

describe("effect of a tapered dose", () => {
  test("occupancy is hyperbolic: the dose for 80 % occupies 80 %, a quarter of it still 60 %", () => {
    const citalopram = getDrug(kb, "citalopram");
    expect(occupancy(citalopram, 20)).toBeCloseTo(0.8, 12);
    expect(occupancy(citalopram, 5)).toBeCloseTo((0.9 * 5) / 7.5, 12);
  });

  test("other classes are linear in the dose", () => {
    expect(effectShare(getDrug(kb, "diazepam"), 5, 10)).toBe(0.5);
    expect(effectShare(getDrug(kb, "citalopram"), 10, 20)).toBeGreaterThan(0.5);
  });

  test.each([
    [1, 14, 1],
    [0.5, 14, 0.757],
    [0.25, 14, 0.478],
    [0.1, 14, 0.205],
    [0.1, 28, 0.136],
    [0.05, 28, 0.068],
  ])("steps of %d of the start dose every %d days at tau 21 peak at W %d", (share, interval, expected) => {
    expect(peakWithdrawal(share, interval, 21)).toBeCloseTo(expected, 3);
  });

  test("the world's own daily relaxation gives the same peak", () => {
    const { context, state } = makeWorld({
      drugs: [{ id: "diazepam", dosePerDay: 10, adaptationTauDays: 21 }],
      conditions: { ANXIETY: 0.8 },
    });
    let world = state;
    let peak = 0;
    for (const dose of [7.5, 5, 2.5]) {
      const medRef = world.medications[0]!.medRef;
      world = applyAction(context, world, {
        type: "ADJUST_DOSE",
        medRef,
        dosePerDay: dose,
        dosesPerDay: 2,
        orders: [],
      }).state;
      peak = Math.max(peak, withdrawalOf(kb, world.medications[0]!));
      world = advance(context, world, 14);
    }
    world = applyAction(context, world, { type: "STOP_DRUG", medRef: "m1", switchToDrugIndex: null, orders: [] }).state;
    peak = Math.max(peak, world.stopped[0]!.adaptation);
    expect(peak).toBeCloseTo(0.478, 3);
  });
});

describe("pace of a taper", () => {
  test("a plan rounds down to the grid and stops at a fifth of the starting dose", () => {
    const grid = doseGrid(getDrug(kb, "diazepam"), { weightKg: 70 });
    expect(nextTaperDose(grid, { dosePerDay: 10, startDosePerDay: 10, stepPct: 25 })).toBe(7.5);
    expect(nextTaperDose(grid, { dosePerDay: 2, startDosePerDay: 10, stepPct: 10 })).toBe(0);
  });

  test("the recommended pace of every class is inside its legal maximum at the start", () => {
    for (const drug of kb.drugs) {
      const use = { startDosePerDay: drug.doseMax, dosePerDay: drug.doseMax, daysOfUse: 400 };
      const pace = recommendedTaper(drug, use);
      const limit = taperLimit(drug, use);
      if (drug.taperClass === "NONE") expect(pace).toBeNull();
      if (pace === null || limit === null) continue;
      expect((drug.doseMax * pace.stepPct) / 100, drug.drugId).toBeLessThanOrEqual(limit.drop * 1.02 + 1e-9);
      expect(pace.intervalDays, drug.drugId).toBeGreaterThanOrEqual(limit.intervalDays);
    }
  });

  test("an opioid taken for a year is tapered over months, a shorter one over weeks", () => {
    const oxycodone = getDrug(kb, "oxycodone");
    expect(recommendedTaper(oxycodone, { startDosePerDay: 40, dosePerDay: 40, daysOfUse: 400 })?.intervalDays).toBe(28);
    expect(recommendedTaper(oxycodone, { startDosePerDay: 40, dosePerDay: 40, daysOfUse: 100 })?.intervalDays).toBe(7);
  });
});

describe("loss by withdrawal", () => {
  test("an abrupt stop costs more than the recommended plan", () => {
    const { context, state } = makeWorld({ drugs: [{ id: "lorazepam", dosePerDay: 2 }], conditions: { ANXIETY: 0.7 } });
    const { patient } = context.scenario;
    const stopped = applyAction(context, state, {
      type: "STOP_DRUG",
      medRef: "m1",
      switchToDrugIndex: null,
      orders: [],
    }).state;
    const tapered = applyAction(context, state, {
      type: "START_TAPER",
      medRef: "m1",
      taper: { stepPct: 10, intervalDays: 14 },
      orders: [],
    }).state;
    const abrupt = withdrawalLoss(kb, patient, stopped, 365);
    const slow = withdrawalLoss(kb, patient, tapered, 365);
    expect(abrupt.ade).toBeGreaterThan(slow.ade);
    expect(slow.ade).toBeGreaterThan(0);
  });

  test("the closed form equals the sum by day", () => {
    const { context, state } = makeWorld({ drugs: [{ id: "lorazepam", dosePerDay: 2, adaptationTauDays: 17 }] });
    const stopped = applyAction(context, state, {
      type: "STOP_DRUG",
      medRef: "m1",
      switchToDrugIndex: null,
      orders: [],
    }).state;
    let expected = 0;
    for (let day = 0; day < 100; day++) {
      const w = Math.exp(-day / 17);
      if (w <= 0.05) break;
      expected += 0.0001 * w + 0.4 * 0.04 * Math.max(0, w - 0.5) ** 2;
    }
    expect(withdrawalLoss(kb, context.scenario.patient, stopped, 365).ade).toBeCloseTo(expected, 12);
  });

  test("support orders cut the effects of W by a fifth", () => {
    const { context, state } = makeWorld({ drugs: [{ id: "lorazepam", dosePerDay: 2 }] });
    const stop = { type: "STOP_DRUG", medRef: "m1", switchToDrugIndex: null, orders: [] } as const;
    const bare = withdrawalLoss(kb, context.scenario.patient, applyAction(context, state, stop).state, 365);
    const helped = withdrawalLoss(
      kb,
      context.scenario.patient,
      applyAction(context, state, { ...stop, orders: ["CBT_I"] }).state,
      365,
    );
    expect(helped.ade / bare.ade).toBeCloseTo(0.8, 12);
  });

  test("W stays within 0 and 1 along any plan", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 5, max: 100 }),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 200 }),
        (stepPct, intervalDays, days) => {
          const { context, state } = makeWorld({
            drugs: [{ id: "sertraline", dosePerDay: 100 }],
            conditions: { DEPRESSION: 0.6 },
          });
          const begun = applyAction(context, state, {
            type: "START_TAPER",
            medRef: "m1",
            taper: { stepPct, intervalDays },
            orders: [],
          }).state;
          const later = advance(context, begun, days);
          const values = [
            ...later.medications.map((each) => withdrawalOf(kb, each)),
            ...later.stopped.map((each) => each.adaptation),
          ];
          return values.every((w) => w >= 0 && w <= 1);
        },
      ),
    );
  });
});
