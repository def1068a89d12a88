import { Rng } from "@praxis/env";
import { describe, expect, test } from "vitest";
import { applyAction } from "../src/course/apply.ts";
import { KnownBuilder } from "../src/observation/known.ts";
import { initialMemory, learn } from "../src/observation/learn.ts";
import { drawSamples, trueValue } from "../src/observation/measure.ts";
import { MEASUREMENTS } from "../src/observation/measurements.ts";
import { hearPatient, symptomScore } from "../src/observation/symptoms.ts";
import type { Mask } from "../src/scenario/types.ts";
import { drugIndex, kb, makeWorld, type WorldOverrides } from "./world-fixtures.ts";

const builder = new KnownBuilder(kb);
const FULL: Mask["values"] = Object.fromEntries(
  [
    ["CREAT", 0.8],
    ["K", 4.3],
    ["NA", 139],
    ["QTC", 425],
    ["HR", 70],
  ].map(([code, value]) => [code, { value: value as number, measuredDay: -3 }]),
);

function see(overrides: WorldOverrides, mask: Partial<Mask> = {}) {
  const world = makeWorld({
    ...overrides,
    scenario: {
      mask: { values: FULL, hidden: new Set(), alertCoverage: 1, conflicts: [], ...mask },
      ...overrides.scenario,
    },
  });
  const memory = initialMemory(world.context);
  return { ...world, memory, known: builder.build(world.context, world.state, memory) };
}

describe("what is known", () => {
  test("hidden fields are null until they are revealed", () => {
    const { context, state, memory, known } = see(
      { drugs: ["lisinopril"] },
      { hidden: new Set(["weight", "indication:m1", "start:m1", "frailty"]) },
    );
    expect(known.weightKg).toBeNull();
    expect(known.crClMlPerMin).toBeNull();
    expect(known.egfrMlPerMin).not.toBeNull();
    expect(known.medications[0]).toMatchObject({ indication: null, startDay: null });
    expect(known.missingFields).toEqual(["weight", "indication:m1", "start:m1"]);
    const request = { context, world: state, known, offered: [], memory };
    const weighed = learn(request, { type: "ORDER_MONITORING", medRef: null, orders: ["WEIGHT"] });
    const told = learn({ ...request, memory: weighed }, { type: "RECONCILE_ITEM", target: "m1" });
    const later = builder.build(context, state, told);
    expect(later.crClMlPerMin).not.toBeNull();
    expect(later.medications[0]).toMatchObject({ indication: "HTN", startDay: -200 });
  });

  test("alerts are the hits of the list; with full coverage none is left out", () => {
    const { known } = see({
      drugs: ["warfarin", "ibuprofen", "lisinopril"],
      conditions: { AF_STROKE: 1, OA_PAIN: 0.7, HTN: 0.8 },
    });
    expect(known.alerts.map((alert) => alert.ruleId)).toContain("DDI001");
    expect(known.alerts.filter((alert) => alert.hit !== null)).toHaveLength(known.pairHits.length);
  });

  test("lower coverage hides alerts, and looking a drug up brings its own back", () => {
    const drugs = ["warfarin", "ibuprofen", "sertraline", "lisinopril", "spironolactone", "simvastatin", "amlodipine"];
    const conditions = { AF_STROKE: 1, OA_PAIN: 0.7, HTN: 0.8, DEPRESSION: 0.5, DYSLIPID: 0.6 };
    const { context, state, memory, known } = see({ drugs, conditions }, { alertCoverage: 0.2 });
    expect(known.alerts.length).toBeLessThan(known.pairHits.length + known.regimenHits.length);
    const looked = learn(
      { context, world: state, known, offered: [], memory },
      { type: "FETCH_EXTERNAL_EVIDENCE", query: "warfarin interactions" },
    );
    const after = builder.build(context, state, looked);
    const ofWarfarin = after.pairHits.filter(
      (hit) => hit.aIndex === drugIndex("warfarin") || hit.bIndex === drugIndex("warfarin"),
    );
    for (const hit of ofWarfarin)
      expect(after.alerts.some((alert) => alert.hit === hit || alert.ruleId === hit.ruleId)).toBe(true);
  });

  test("an alert that is shown does not come and go while the list stays", () => {
    const { context, state, memory, known } = see(
      { drugs: ["warfarin", "ibuprofen", "sertraline", "lisinopril"], conditions: { AF_STROKE: 1 } },
      { alertCoverage: 0.5 },
    );
    const later = builder.build(context, { ...state, clock: { ...state.clock, day: 14, step: 1 } }, memory);
    expect(later.alerts.map((alert) => alert.id)).toEqual(known.alerts.map((alert) => alert.id));
  });

  test("an item with two doses shows the listed one until it is reconciled", () => {
    const gap = { id: "dc1", kind: "dose_conflict", medRef: "m1", listedDosePerDay: 40, isResolved: false } as const;
    const { context, state, memory, known } = see({
      drugs: [{ id: "lisinopril", dosePerDay: 10, isUnreconciled: true }],
      state: { truthGaps: [gap] },
    });
    expect(known.medications[0]).toMatchObject({ dosePerDay: 40, status: "unreconciled" });
    expect(known.discrepancies).toHaveLength(1);
    const settled = applyAction(context, state, { type: "RECONCILE_ITEM", target: "dc1" }).state;
    const after = builder.build(context, settled, memory);
    expect(after.medications[0]).toMatchObject({ dosePerDay: 10, status: "active" });
    expect(after.discrepancies).toEqual([]);
  });

  test("a review closes the open conflict of that specialty and answers with hits, not with a choice", () => {
    const conflicts = [{ id: "cf1", from: "cardiologist", says: "", medRef: "m1" }];
    const { context, state, memory, known } = see(
      { drugs: ["warfarin", "ibuprofen"], conditions: { AF_STROKE: 1 } },
      { conflicts },
    );
    const after = learn(
      { context, world: state, known, offered: [], memory },
      { type: "REQUEST_REVIEW", reviewTo: "cardiologist", target: "m1" },
    );
    expect(after.closedConflicts.has("cf1")).toBe(true);
    expect(after.reviewNotes[0]?.text).toContain("ibuprofen major BLEED");
  });

  test("missing kidney values count as unknown for the hits: conditions on them warn", () => {
    const { known } = see({ drugs: ["lisinopril", "ibuprofen"] }, { values: {} });
    expect(known.crClMlPerMin).toBeNull();
    expect(known.pairHits.some((hit) => hit.ruleId === "DDI073")).toBe(true);
  });
});

describe("measuring", () => {
  test("noise has a CV of 3 %, creatinine 5 %, and values are printed to their places", () => {
    const { context, state } = makeWorld({});
    const memory = initialMemory(context);
    const rng = Rng.fromSeed(1);
    const draw = (code: string, order: string): number[] =>
      Array.from(
        { length: 2000 },
        () => drawSamples(context, state, memory, new Set([order]), rng).memory.values[code]!.value,
      );
    const cv = (values: number[]): number => {
      const mean = values.reduce((sum, each) => sum + each, 0) / values.length;
      return Math.sqrt(values.reduce((sum, each) => sum + (each - mean) ** 2, 0) / values.length) / mean;
    };
    expect(cv(draw("NA", "NA"))).toBeCloseTo(0.03, 2);
    expect(cv(draw("CREAT", "CREAT"))).toBeCloseTo(0.05, 2);
    for (const value of draw("K", "K").slice(0, 50)) expect(Math.round(value * 10) / 10).toBe(value);
  });

  test("an order yields every value it measures, and observations without a number yield none", () => {
    const { context, state } = makeWorld({});
    const { memory } = drawSamples(context, state, initialMemory(context), new Set(["BP", "RESP"]), Rng.fromSeed(1));
    expect(memory.samples.map((sample) => sample.code)).toEqual(["SBP", "SBP_DROP"]);
  });

  test("a level inside its target becomes the new reference of its drug", () => {
    const { context, state } = makeWorld({
      drugs: [{ id: "warfarin", exposureReference: 99 }],
      state: { labs: { INR: 2.5 } },
    });
    const { state: after } = drawSamples(context, state, initialMemory(context), new Set(["INR"]), Rng.fromSeed(2));
    expect(after.medications[0]?.exposureReference).not.toBe(99);
    expect(after.medications[0]?.lastInRangeLevelDay).toBe(0);
    const high = { ...state, labs: { INR: 5 } };
    expect(drawSamples(context, high, initialMemory(context), new Set(["INR"]), Rng.fromSeed(2)).state).toBe(high);
  });

  test("every physiological value can be measured", () => {
    const { state } = makeWorld({});
    for (const { code, place } of MEASUREMENTS)
      if (place !== "lab" || ["K", "NA", "MG", "HB", "ALB"].includes(code))
        expect(trueValue(state, code), code).not.toBeNull();
  });
});

describe("what the patient reports", () => {
  test("a drug that does not help shows in the score and nowhere else", () => {
    const drugs = ["sertraline"];
    const conditions = { DEPRESSION: 0.8 };
    const good = makeWorld({ drugs, conditions });
    const poor = makeWorld({
      drugs,
      conditions,
      state: { hidden: { adherence: 1, responses: { "DEPRESSION:sertraline": 0.35 }, pkEffects: {} } },
    });
    expect(symptomScore(kb, poor.state, "DEPRESSION", 0.8)).toBeGreaterThan(
      symptomScore(kb, good.state, "DEPRESSION", 0.8) + 1,
    );
    const a = builder.build(good.context, good.state, initialMemory(good.context));
    const b = builder.build(poor.context, poor.state, initialMemory(poor.context));
    expect(b).toEqual(a);
  });

  test("every drug changed in the last 28 days is a suspect", () => {
    const { context, state } = makeWorld({ conditions: { OA_PAIN: 0.7 } });
    const change = (day: number, id: string) => ({
      day,
      step: 0,
      drugIndexes: [drugIndex(id)],
      actionType: "ADD_DRUG",
    });
    const later = {
      ...state,
      clock: { ...state.clock, day: 40 },
      changes: [change(5, "tramadol"), change(20, "lisinopril"), change(40, "sertraline")],
    };
    const { symptoms } = hearPatient(kb, later, initialMemory(context), Rng.fromSeed(1));
    expect(symptoms[0]?.suspects).toEqual(["lisinopril", "sertraline"]);
  });

  test("withdrawal scores are reported for tapered drugs, within 0 and 1", () => {
    const { context, state } = makeWorld({ drugs: [{ id: "diazepam", dosePerDay: 10 }, "lisinopril"] });
    const begun = applyAction(context, state, {
      type: "START_TAPER",
      medRef: "m1",
      taper: { stepPct: 50, intervalDays: 14 },
      orders: [],
    }).state;
    const { withdrawalScores } = hearPatient(kb, begun, initialMemory(context), Rng.fromSeed(1));
    expect(Object.keys(withdrawalScores)).toEqual(["m1"]);
    expect(withdrawalScores.m1).toBeGreaterThan(0.3);
  });
});
