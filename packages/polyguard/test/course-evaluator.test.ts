import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ActionPayload } from "../src/actions/types.ts";
import { advance } from "../src/course/advance.ts";
import { applyAction } from "../src/course/apply.ts";
import { CourseEvaluator } from "../src/course/evaluator.ts";
import { manyChangesFactor } from "../src/course/project.ts";
import { targetDose } from "../src/kb/dose-grid.ts";
import { getDrug } from "../src/kb/lookup.ts";
import { drugIndex, kb, makeWorld } from "./world-fixtures.ts";

const evaluator = new CourseEvaluator(kb);
const stop = (medRef: string): ActionPayload => ({ type: "STOP_DRUG", medRef, switchToDrugIndex: null, orders: [] });

function judge(world: ReturnType<typeof makeWorld>, payload: ActionPayload | null) {
  evaluator.begin(world.context, world.state);
  return evaluator.value(payload);
}

describe("course value", () => {
  test("value on the begun state equals the value of the state after the action", () => {
    const world = makeWorld({
      drugs: ["warfarin", "ibuprofen", "sertraline", "lisinopril", "hydrochlorothiazide"],
      conditions: { AF_STROKE: 1, OA_PAIN: 0.8, DEPRESSION: 0.7, HTN: 0.8 },
    });
    const payloads: ActionPayload[] = [
      stop("m2"),
      {
        type: "SUBSTITUTE_DRUG",
        medRef: "m2",
        drugIndex: drugIndex("acetaminophen"),
        dosePerDay: 2000,
        dosesPerDay: 4,
        orders: ["LFT"],
      },
      {
        type: "ADD_DRUG",
        drugIndex: drugIndex("pantoprazole"),
        dosePerDay: 20,
        dosesPerDay: 1,
        crossOverFromMedRef: null,
        orders: ["MG", "B12"],
      },
      { type: "ADJUST_DOSE", medRef: "m3", dosePerDay: 25, dosesPerDay: 1, orders: [] },
      { type: "START_TAPER", medRef: "m3", taper: { stepPct: 25, intervalDays: 14 }, orders: [] },
      { type: "HOLD_DOSE", medRef: "m4" },
    ];
    const busy = {
      ...world.state,
      changes: [{ day: -3, step: 0, drugIndexes: [drugIndex("ibuprofen")], actionType: "ADD_DRUG" }],
    };
    for (const state of [world.state, busy]) {
      for (const payload of payloads) {
        evaluator.begin(world.context, state);
        const quick = evaluator.value(payload);
        const fresh = new CourseEvaluator(kb).valueOfState(
          world.context,
          applyAction(world.context, state, payload).state,
        );
        expect(quick, payload.type).toEqual(fresh);
      }
    }
  });

  test("information and FINISH are worth what KEEP is worth", () => {
    const world = makeWorld({ drugs: ["warfarin"], conditions: { AF_STROKE: 1 } });
    expect(judge(world, { type: "FINISH" })).toEqual(judge(world, null));
    expect(judge(world, { type: "FETCH_EXTERNAL_EVIDENCE", query: "warfarin" })).toEqual(judge(world, null));
  });

  test("taking ibuprofen away from warfarin lowers H, stopping warfarin raises it", () => {
    const world = makeWorld({ drugs: ["warfarin", "ibuprofen"], conditions: { AF_STROKE: 1, OA_PAIN: 0.6 } });
    expect(judge(world, stop("m2")).harm).toBeLessThan(judge(world, null).harm);
    expect(judge(world, stop("m1")).dis).toBeGreaterThan(judge(world, null).dis + 0.02);
  });

  test("a declared switch counts as carried out from its earliest day on, but no longer once it was let pass", () => {
    const world = makeWorld({ drugs: ["warfarin"], conditions: { AF_STROKE: 1 } });
    const declared = applyAction(world.context, world.state, {
      type: "STOP_DRUG",
      medRef: "m1",
      switchToDrugIndex: drugIndex("apixaban"),
      orders: [],
    }).state;
    const bare = applyAction(world.context, world.state, stop("m1")).state;
    const promised = evaluator.valueOfState(world.context, declared);
    expect(promised.dis).toBeLessThan(evaluator.valueOfState(world.context, bare).dis - 0.02);
    const late = advance(world.context, declared, 14);
    expect(evaluator.valueOfState(world.context, late).dis).toBeGreaterThan(promised.dis + 0.02);
  });

  test("a cross-over counts with the new drug raised and the old one tapered", () => {
    const world = makeWorld({ drugs: ["carbamazepine"], conditions: { EPILEPSY: 1 } });
    const crossed = applyAction(world.context, world.state, {
      type: "ADD_DRUG",
      drugIndex: drugIndex("levetiracetam"),
      dosePerDay: 250,
      dosesPerDay: 2,
      crossOverFromMedRef: "m1",
      orders: [],
    }).state;
    const single = applyAction(world.context, world.state, {
      type: "ADD_DRUG",
      drugIndex: drugIndex("levetiracetam"),
      dosePerDay: 250,
      dosesPerDay: 2,
      crossOverFromMedRef: null,
      orders: [],
    }).state;
    // Alone, the small first dose stays small; as a cross-over it is raised.
    expect(evaluator.settled(world.context, crossed).ade).toBeLessThan(evaluator.settled(world.context, single).ade);
  });

  test("a titrated drug is worth little at its first dose and costs extra in its first 28 days", () => {
    const world = makeWorld({ conditions: { DEPRESSION: 0.9 } });
    const start = (dosePerDay: number) =>
      applyAction(world.context, world.state, {
        type: "ADD_DRUG",
        drugIndex: drugIndex("sertraline"),
        dosePerDay,
        dosesPerDay: 1,
        crossOverFromMedRef: null,
        orders: [],
      }).state;
    const low = start(12.5);
    const full = start(targetDose(getDrug(kb, "sertraline")));
    expect(evaluator.atDay(world.context, low, 180).dis).toBeGreaterThan(
      evaluator.atDay(world.context, full, 180).dis + 0.01,
    );
    expect(evaluator.atDay(world.context, low, 27.5).dis - evaluator.atDay(world.context, low, 28).dis).toBeCloseTo(
      0.02,
      3,
    );
  });

  test("a beta-blocker in HFREF makes the first four weeks worse by .04", () => {
    const world = makeWorld({ conditions: { HFREF: 1 } });
    const started = applyAction(world.context, world.state, {
      type: "ADD_DRUG",
      drugIndex: drugIndex("bisoprolol"),
      dosePerDay: 1.25,
      dosesPerDay: 1,
      crossOverFromMedRef: null,
      orders: [],
    }).state;
    const step = evaluator.atDay(world.context, started, 27.99).dis - evaluator.atDay(world.context, started, 28).dis;
    expect(step).toBeCloseTo(0.04, 3);
  });

  test("many changes in 28 days lower adherence by 3 % each beyond the first", () => {
    const { state } = makeWorld();
    const change = (day: number) => ({ day, step: 0, drugIndexes: [0], actionType: "STOP_DRUG" });
    expect(manyChangesFactor({ ...state, changes: [change(0)] }, 5)).toBe(1);
    expect(manyChangesFactor({ ...state, changes: [change(0), change(1), change(2)] }, 5)).toBeCloseTo(0.94, 12);
    expect(manyChangesFactor({ ...state, changes: [change(0), change(1), change(2)] }, 40)).toBe(1);
  });

  test("taking an inducer away from warfarin harms until the dose follows", () => {
    const world = makeWorld({ drugs: ["warfarin", "carbamazepine"], conditions: { AF_STROKE: 1, TRIGEMINAL: 0.3 } });
    const exposure =
      evaluator.evaluationAt(world.context, world.state, 0).aucr[0]! * world.state.medications[0]!.dosePerDay;
    const titrated = {
      ...world.state,
      medications: world.state.medications.map((each, i) =>
        i === 0 ? { ...each, exposureReference: exposure } : each,
      ),
    };
    const stopped = applyAction(world.context, titrated, stop("m2")).state;
    const bleed = (state: typeof stopped, day: number) =>
      evaluator.evaluationAt(world.context, state, day).lamByDomain[0]!;
    expect(bleed(stopped, 28)).toBeGreaterThan(1.5 * bleed(titrated, 28));
    const cut = applyAction(world.context, stopped, {
      type: "ADJUST_DOSE",
      medRef: "m1",
      dosePerDay: 2,
      dosesPerDay: 1,
      orders: [],
    }).state;
    expect(bleed(cut, 28)).toBeLessThan(bleed(stopped, 28));
  });

  test("the second drug of a cascade can go only after the first: the caused condition fades with its time constant", () => {
    const world = makeWorld({ drugs: ["amlodipine", "furosemide"], conditions: { HTN: 0.8 } });
    const state = {
      ...world.state,
      conditions: [
        ...world.state.conditions,
        {
          code: "OEDEMA",
          severity: 1,
          onsetDay: -100,
          cascade: { causeDrugIndex: drugIndex("amlodipine"), baseSeverity: 0.05 },
        },
      ],
    };
    const off = applyAction(world.context, state, stop("m1")).state;
    const severity = (days: number) => advance(world.context, off, days).conditions[1]!.severity;
    expect(severity(14)).toBeCloseTo(0.05 + 0.95 * Math.exp(-1), 12);
    expect(advance(world.context, state, 60).conditions[1]!.severity).toBeCloseTo(1, 12);
  });

  test("R, D and B do not depend on the order of the list", () => {
    const drugs = [
      "warfarin",
      "ibuprofen",
      "sertraline",
      "lisinopril",
      "hydrochlorothiazide",
      "simvastatin",
      "donepezil",
    ];
    const conditions = { AF_STROKE: 1, OA_PAIN: 0.8, DEPRESSION: 0.7, HTN: 0.8, DYSLIPID: 0.6, DEMENTIA: 0.5 };
    const expected = judge(makeWorld({ drugs, conditions }), null);
    fc.assert(
      fc.property(fc.shuffledSubarray(drugs, { minLength: drugs.length }), (shuffled) => {
        const value = judge(makeWorld({ drugs: shuffled, conditions }), null);
        expect(value.ade).toBeCloseTo(expected.ade, 12);
        expect(value.dis).toBeCloseTo(expected.dis, 12);
        expect(value.burden).toBeCloseTo(expected.burden, 12);
      }),
      { numRuns: 30 },
    );
  });
});
