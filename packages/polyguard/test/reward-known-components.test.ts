import { describe, expect, test } from "vitest";
import { effectOf } from "../src/actions/effect.ts";
import { buildLegalityContext } from "../src/actions/legality-context.ts";
import type { ActionPayload } from "../src/actions/types.ts";
import type { StateAssessment } from "../src/reward/assessment.ts";
import { dosingQuality } from "../src/reward/dosing-quality.ts";
import { fingerprint } from "../src/reward/fingerprint.ts";
import { computeF1, judgeExplanation } from "../src/reward/grounding.ts";
import { processFidelity } from "../src/reward/process-fidelity.ts";
import { abstentionQuality } from "../src/reward/score.ts";
import {
  add,
  adjust,
  drugIndex,
  type KnownOverrides,
  kb,
  makeContext,
  makeKnown,
  makeTaper,
  stop,
} from "./known-fixtures.ts";
import { makeWorld, type WorldOverrides } from "./world-fixtures.ts";

const assessment: StateAssessment = {
  keep: { ade: 0.2, dis: 0.3, harm: 0.5, burden: 0.2, utility: -0.51 },
  candidates: [],
  best: -0.4,
  second: -0.45,
  worstLegal: -0.6,
  fields: [],
  needsAbstention: false,
  isDangerVisible: true,
  isKeepNearBest: false,
};
const KEEP: ActionPayload = { type: "KEEP_REGIMEN" };

describe("c7 dosing", () => {
  const quality = (overrides: WorldOverrides, payload: ActionPayload | null = null): number => {
    const { context, state } = makeWorld(overrides);
    return dosingQuality(kb, context.scenario.patient, state, payload);
  };

  test("a dose in range is 1, within a quarter .5, beyond 0, and no drug .5", () => {
    expect(quality({ drugs: [{ id: "amlodipine", dosePerDay: 5 }] })).toBe(1);
    expect(quality({ drugs: [{ id: "amlodipine", dosePerDay: 12.5 }] })).toBe(0.5);
    expect(quality({ drugs: [{ id: "amlodipine", dosePerDay: 20 }] })).toBe(0);
    expect(quality({})).toBe(0.5);
  });

  test("the true kidneys set the upper end, and a forbidden drug is 0", () => {
    const failing = { creatinineClearanceMlPerMin: 20, egfrMlPerMin: 20, serumCreatinineMgPerDl: 2.6 };
    expect(quality({ drugs: [{ id: "gabapentin", dosePerDay: 1800 }], physiology: failing })).toBe(0);
    expect(quality({ drugs: [{ id: "metformin", dosePerDay: 1000 }], physiology: failing })).toBe(0);
    const healthy = { creatinineClearanceMlPerMin: 95, egfrMlPerMin: 95 };
    expect(quality({ drugs: [{ id: "gabapentin", dosePerDay: 1800 }], physiology: healthy })).toBe(1);
  });

  test("a drug that is tapered or just started has no lower end", () => {
    expect(quality({ drugs: [{ id: "diazepam", dosePerDay: 0.5 }] })).toBe(0);
    expect(quality({ drugs: [{ id: "diazepam", dosePerDay: 0.5, isPrn: true }] })).toBe(1);
    expect(quality({}, add("sertraline", 12.5))).toBe(1);
  });

  test("it is judged after the action", () => {
    const overrides = {
      drugs: [
        { id: "amlodipine", dosePerDay: 20, medRef: "m1" },
        { id: "metformin", medRef: "m2" },
      ],
    };
    expect(quality(overrides)).toBe(0.5);
    expect(quality(overrides, stop("m1"))).toBe(1);
    expect(quality(overrides, adjust("m1", 5))).toBe(1);
  });
});

describe("c8 abstention", () => {
  test("abstaining is right when there is need, deciding when there is none", () => {
    const needed = { ...assessment, needsAbstention: true };
    for (const payload of [
      KEEP,
      { type: "HOLD_DOSE", medRef: "m1" },
      { type: "ORDER_MONITORING", medRef: null, orders: ["K"] },
    ] as const) {
      expect(abstentionQuality(needed, payload)).toBe(1);
      expect(abstentionQuality(assessment, payload)).toBe(0.1);
    }
    expect(abstentionQuality(needed, stop("m1"))).toBe(0.1);
    expect(abstentionQuality(assessment, stop("m1"))).toBe(1);
  });

  test("between equally good choices a decision is neither", () => {
    expect(abstentionQuality({ ...assessment, second: assessment.best - 0.0029 }, stop("m1"))).toBe(0.6);
    expect(abstentionQuality({ ...assessment, second: assessment.best - 0.0031 }, stop("m1"))).toBe(1);
  });
});

describe("c10 process", () => {
  const fidelity = (
    overrides: KnownOverrides,
    payload: ActionPayload,
    changes: Partial<StateAssessment> = {},
  ): number => {
    const context = makeContext(overrides);
    return processFidelity(context, effectOf(context, payload), { ...assessment, ...changes });
  };
  const clock = {
    day: 28,
    step: 2,
    visit: 2,
    stepsLeft: 10,
    visitsLeft: 6,
    changesLeft: 5,
    evidenceLeft: 4,
    reviewsLeft: 1,
  };
  const started = (step: number) => [{ day: 0, step, drugIndexes: [drugIndex("lisinopril")], actionType: "ADD_DRUG" }];
  const order = (code: string) => ({ code, drugIndex: null, startDay: 0, endDay: null });

  test("no rule applies to keeping a quiet list", () => {
    expect(fidelity({ drugs: ["amlodipine"] }, KEEP)).toBe(1);
  });

  test("an unreconciled item is reconciled before it is acted on", () => {
    const drugs = [{ id: "amlodipine", status: "unreconciled" as const }];
    expect(fidelity({ drugs }, adjust("m1", 2.5))).toBe(0);
    expect(fidelity({ drugs }, { type: "RECONCILE_ITEM", target: "m1" })).toBe(1);
  });

  test("a level comes before an increase of a narrow-index drug", () => {
    const drugs = [{ id: "warfarin", dosePerDay: 5 }];
    expect(fidelity({ drugs }, adjust("m1", 6))).toBe(0);
    expect(fidelity({ drugs, values: { INR: { value: 1.8, measuredDay: -2 } } }, adjust("m1", 6))).toBe(1);
  });

  test("monitoring follows a start at once or one step later", () => {
    const overrides: KnownOverrides = { drugs: ["lisinopril"], clock, changes: started(1) };
    expect(fidelity(overrides, KEEP)).toBe(0);
    expect(fidelity(overrides, { type: "ORDER_MONITORING", medRef: "m1", orders: ["K", "CREAT", "BP"] })).toBe(1);
    expect(fidelity({ ...overrides, orders: ["K", "CREAT", "BP"].map(order) }, KEEP)).toBe(1);
    expect(fidelity({}, add("lisinopril", 5, { orders: ["K", "CREAT", "BP"] }))).toBe(1);
  });

  test("a value is taken two steps after a change of a watched drug", () => {
    const overrides: KnownOverrides = { drugs: ["lisinopril"], clock, changes: started(0) };
    expect(fidelity(overrides, KEEP)).toBe(0);
    expect(fidelity({ ...overrides, samples: [{ code: "K", day: 14 }] }, KEEP)).toBe(1);
  });

  test("a taper is used where one is needed", () => {
    expect(fidelity({ drugs: ["diazepam"] }, stop("m1"))).toBe(0);
    expect(
      fidelity(
        { drugs: ["diazepam"] },
        { type: "START_TAPER", medRef: "m1", taper: { stepPct: 10, intervalDays: 14 }, orders: [] },
      ),
    ).toBe(1);
  });

  test("something is asked before a decision hangs on a missing field, but only one that it hangs on", () => {
    const fields = [{ name: "CREAT", isMissing: true }];
    expect(fidelity({}, add("gabapentin", 100), { fields })).toBe(0);
    expect(fidelity({}, add("atorvastatin", 10, { orders: ["LFT", "CK"] }), { fields })).toBe(1);
    const asked = [
      {
        step: 0,
        day: 0,
        actionType: "ORDER_MONITORING" as const,
        target: null,
        outcome: "done",
        canonical: "x",
        source: null,
        isLegal: true,
      },
    ];
    expect(fidelity({ history: asked }, add("gabapentin", 100), { fields })).toBe(1);
  });

  test("the stomach is protected when bleeding drugs need it", () => {
    const overrides: KnownOverrides = { drugs: ["ibuprofen"], active: ["GI_ULCER", "OA_PAIN"] };
    expect(fidelity(overrides, KEEP)).toBe(0);
    expect(fidelity(overrides, { type: "ADD_PROTECTION", protection: "PPI" })).toBe(1);
    expect(fidelity(overrides, stop("m1"))).toBe(1);
  });
});

describe("c11 explanation", () => {
  const context = makeContext({ drugs: ["warfarin", "ibuprofen"] });
  const judge = (rationale: string, evidence_ids: string[], facts: string[]) =>
    judgeExplanation(context, { rationale, evidence_ids }, facts);

  test("citing just the facts with grounded words is full", () => {
    expect(judge("ibuprofen beside warfarin", ["m2"], ["m2"]).score).toBe(1);
  });

  test("an id that does not exist is 0 and is named", () => {
    expect(judge("ibuprofen", ["m2", "al:x"], ["m2"])).toEqual({ score: 0, unknownIds: ["al:x"] });
  });

  test("no rationale is .3 whatever is cited", () => {
    expect(judge("  ", ["m2"], ["m2"]).score).toBe(0.3);
  });

  test("numbers with a unit and drug names must occur in the observation", () => {
    expect(judge("weight 65 kg", [], []).score).toBe(1);
    expect(judge("weight 99 kg", [], []).score).toBeCloseTo(0.6, 12);
    expect(judge("better than naproxen", [], []).score).toBeCloseTo(0.6, 12);
    expect(judge("ibuprofen is like naproxen", [], []).score).toBeCloseTo(0.8, 12);
  });

  test("F1 weighs missing and superfluous ids alike", () => {
    expect(computeF1([], [])).toBe(1);
    expect(computeF1(["a"], ["a", "b"])).toBeCloseTo(2 / 3, 12);
    expect(computeF1(["a", "c"], ["a"])).toBeCloseTo(2 / 3, 12);
    expect(computeF1(["c"], ["a"])).toBe(0);
  });
});

describe("the fingerprint behind the loop detector", () => {
  const base: KnownOverrides = { drugs: [{ id: "diazepam", dosePerDay: 10 }] };
  const of = (overrides: KnownOverrides): number => fingerprint(makeKnown({ ...base, ...overrides }));
  const clock = {
    day: 14,
    step: 1,
    visit: 1,
    stepsLeft: 13,
    visitsLeft: 7,
    changesLeft: 6,
    evidenceLeft: 4,
    reviewsLeft: 2,
  };

  test("days that pass do not change it", () => {
    expect(of({ clock })).toBe(of({}));
  });

  test("a dose, a plan, a hold, an order, a sample or an answer does", () => {
    const versions = [
      of({}),
      of({ drugs: [{ id: "diazepam", dosePerDay: 5 }] }),
      of({ drugs: [{ id: "diazepam", dosePerDay: 10, taper: makeTaper() }] }),
      of({ drugs: [{ id: "diazepam", dosePerDay: 10, taper: makeTaper({ isPaused: true }) }] }),
      of({ drugs: [{ id: "diazepam", dosePerDay: 10, status: "held" }] }),
      of({ orders: [{ code: "K", drugIndex: null, startDay: 0, endDay: null }] }),
      of({ samples: [{ code: "K", day: 0 }] }),
    ];
    expect(new Set(versions).size).toBe(versions.length);
  });

  test("the context is built from known facts alone", () => {
    const known = makeKnown(base);
    expect(buildLegalityContext(kb, known).listed.map(({ medRef }) => medRef)).toEqual(["m1"]);
  });
});
