import { describe, expect, test } from "vitest";
import type { ActionPayload } from "../src/actions/types.ts";
import { advance } from "../src/course/advance.ts";
import { applyAction } from "../src/course/apply.ts";
import { startDose, targetDose } from "../src/kb/dose-grid.ts";
import { getDrug } from "../src/kb/lookup.ts";
import { drugIndex, kb, makeWorld } from "./world-fixtures.ts";

const stop = (medRef: string, switchTo: string | null = null): ActionPayload => ({
  type: "STOP_DRUG",
  medRef,
  switchToDrugIndex: switchTo === null ? null : drugIndex(switchTo),
  orders: [],
});
const add = (id: string, more: Partial<Extract<ActionPayload, { type: "ADD_DRUG" }>> = {}): ActionPayload => ({
  type: "ADD_DRUG",
  drugIndex: drugIndex(id),
  dosePerDay: startDose(getDrug(kb, id)),
  dosesPerDay: 1,
  crossOverFromMedRef: null,
  orders: [],
  ...more,
});

describe("carrying out an action", () => {
  test("an action never changes the state it was given", () => {
    const { context, state } = makeWorld({
      drugs: ["warfarin", "ibuprofen"],
      conditions: { AF_STROKE: 1, OA_PAIN: 0.7 },
    });
    const before = JSON.stringify(state);
    for (const payload of [stop("m2"), add("acetaminophen"), { type: "HOLD_DOSE", medRef: "m1" } as const])
      applyAction(context, state, payload);
    expect(JSON.stringify(state)).toBe(before);
  });

  test("a stop moves the drug to the stopped ones and costs one change", () => {
    const { context, state } = makeWorld({ drugs: ["warfarin", "ibuprofen"] });
    const { state: next, outcome } = applyAction(context, state, stop("m2"));
    expect(next.medications.map((each) => each.drugId)).toEqual(["warfarin"]);
    expect(next.stopped[0]).toMatchObject({ drugId: "ibuprofen", stopDay: 0, wasAbrupt: true });
    expect(next.clock.changesLeft).toBe(state.clock.changesLeft - 1);
    expect(next.changes[0]?.drugIndexes).toEqual([drugIndex("ibuprofen")]);
    expect(outcome).toMatchObject({ closesVisit: true, days: 14, usedChange: true, isNoEffect: false });
  });

  test("information takes one day, keeps the visit open and costs no change", () => {
    const { context, state } = makeWorld({ drugs: ["warfarin"] });
    const { outcome } = applyAction(context, state, { type: "ORDER_MONITORING", medRef: "m1", orders: ["INR"] });
    expect(outcome).toMatchObject({ closesVisit: false, days: 1, usedChange: false });
  });

  test("an action on a drug that is not there has no effect and costs nothing", () => {
    const { context, state } = makeWorld({ drugs: ["warfarin"] });
    const { state: next, outcome } = applyAction(context, state, stop("m9"));
    expect(next).toBe(state);
    expect(outcome).toMatchObject({ isNoEffect: true, usedChange: false });
  });

  test("a run of holds costs one change, and the dose comes back by itself", () => {
    const { context, state } = makeWorld({ drugs: ["simvastatin"] });
    const hold = { type: "HOLD_DOSE", medRef: "m1" } as const;
    const first = applyAction(context, state, hold);
    const visit = advance(context, first.state, 14);
    const second = applyAction(context, visit, hold);
    expect(first.outcome.usedChange).toBe(true);
    expect(second.outcome.usedChange).toBe(false);
    expect(second.state.medications[0]?.heldUntilDay).toBe(28);
    expect(second.state.medications[0]?.dosePerDay).toBe(state.medications[0]?.dosePerDay);
  });

  test("a declared switch from warfarin to a DOAC opens after 5 days, at once with an INR below 2", () => {
    const { context, state } = makeWorld({
      drugs: ["warfarin"],
      conditions: { AF_STROKE: 1 },
      state: { labs: { INR: 2.5 } },
    });
    expect(applyAction(context, state, stop("m1", "apixaban")).state.declaredSwitch).toMatchObject({ earliestDay: 5 });
    const low = { ...state, labs: { INR: 1.6 } };
    expect(applyAction(context, low, stop("m1", "apixaban")).state.declaredSwitch).toMatchObject({ earliestDay: 0 });
  });

  test.each([
    ["fluoxetine", "phenelzine", 35],
    ["sertraline", "phenelzine", 14],
    ["lisinopril", "sacubitril_valsartan", 2],
  ])("a switch from %s to %s waits %d days", (from, to, days) => {
    const { context, state } = makeWorld({ drugs: [from] });
    expect(applyAction(context, state, stop("m1", to)).state.declaredSwitch?.earliestDay).toBe(days);
  });

  test("adding the declared drug closes the switch and keeps its indication", () => {
    const { context, state } = makeWorld({ drugs: ["warfarin"], conditions: { AF_STROKE: 1 } });
    const declared = advance(context, applyAction(context, state, stop("m1", "apixaban")).state, 14);
    const { state: next } = applyAction(context, declared, add("apixaban"));
    expect(next.declaredSwitch).toBeNull();
    expect(next.medications[0]).toMatchObject({
      drugId: "apixaban",
      indication: "AF_STROKE",
      startDay: 14,
      carryOver: 0,
    });
  });

  test("a replacement of the same taper class takes the adaptation over, so nothing is withdrawn", () => {
    const { context, state } = makeWorld({ drugs: ["paroxetine"], conditions: { DEPRESSION: 0.7 } });
    const sertraline = {
      type: "SUBSTITUTE_DRUG",
      medRef: "m1",
      drugIndex: drugIndex("sertraline"),
      dosePerDay: 50,
      dosesPerDay: 1,
      orders: [],
    } as const;
    const { state: next } = applyAction(context, state, sertraline);
    expect(next.medications[0]?.adaptation).toBe(1);
    expect(next.stopped[0]).toMatchObject({ adaptation: 0, wasAbrupt: false });
  });

  test("a drug that is taken up again goes on from the carry-over and benefit that are left", () => {
    const { context, state } = makeWorld({ drugs: ["fluoxetine"], conditions: { DEPRESSION: 0.7 } });
    const off = advance(context, applyAction(context, state, stop("m1")).state, 9);
    const { state: back } = applyAction(context, off, add("fluoxetine"));
    expect(back.stopped).toEqual([]);
    expect(back.medications[0]?.carryOver).toBeCloseTo(0.5, 12);
    expect(back.medications[0]?.onsetShare).toBeGreaterThan(0.2);
  });

  test("a taper makes its first reduction at once and the later ones by itself", () => {
    const { context, state } = makeWorld({ drugs: [{ id: "diazepam", dosePerDay: 10 }] });
    const begun = applyAction(context, state, {
      type: "START_TAPER",
      medRef: "m1",
      taper: { stepPct: 25, intervalDays: 14 },
      orders: [],
    }).state;
    expect(begun.medications[0]?.dosePerDay).toBe(7.5);
    const later = advance(context, begun, 28);
    expect(later.medications[0]?.doseHistory.map((point) => point.dosePerDay)).toEqual([10, 7.5, 5, 3]);
    expect(later.changes).toHaveLength(1);
  });

  test("a taper that ends inside a long step stops on its day at its last dose, as in steps of a day", () => {
    const { context, state } = makeWorld({ drugs: [{ id: "gabapentin", dosePerDay: 300, startDay: -400 }] });
    const begun = applyAction(context, state, {
      type: "START_TAPER",
      medRef: "m1",
      taper: { stepPct: 50, intervalDays: 7 },
      orders: [],
    }).state;
    let byDay = begun;
    for (let day = 0; day < 90; day++) byDay = advance(context, byDay, 1);
    const [atOnce] = advance(context, begun, 90).stopped;
    expect(atOnce?.dosePerDay).toBeGreaterThan(0);
    expect(atOnce?.stopDay).toBeLessThan(60);
    expect([atOnce?.dosePerDay, atOnce?.stopDay]).toEqual([byDay.stopped[0]?.dosePerDay, byDay.stopped[0]?.stopDay]);
  });

  test("a paused taper holds its dose, a reverted one goes back one reduction and pauses", () => {
    const { context, state } = makeWorld({ drugs: [{ id: "diazepam", dosePerDay: 10 }] });
    const begun = applyAction(context, state, {
      type: "START_TAPER",
      medRef: "m1",
      taper: { stepPct: 25, intervalDays: 14 },
      orders: [],
    }).state;
    const paused = applyAction(context, begun, { type: "PAUSE_TAPER", medRef: "m1" }).state;
    expect(advance(context, paused, 60).medications[0]?.dosePerDay).toBe(7.5);
    const reverted = applyAction(context, begun, { type: "REVERT_TAPER", medRef: "m1" }).state;
    expect(reverted.medications[0]).toMatchObject({ dosePerDay: 10, taperPlan: { isPaused: true, reductions: 0 } });
  });

  test("a course of an antibiotic ends by itself and the infection is over", () => {
    const { context, state } = makeWorld({
      drugs: [{ id: "clarithromycin", startDay: -2, endDay: 8, indication: "INFECTION" }],
      conditions: { INFECTION: 0.8 },
    });
    const later = advance(context, state, 14);
    expect(later.medications).toEqual([]);
    expect(later.stopped[0]).toMatchObject({ reason: "course_end", stopDay: 8 });
    expect(later.conditions[0]?.severity).toBe(0);
  });

  test("reconciling shows what is taken: an item becomes certain, one that is not taken leaves the list", () => {
    const { context, state } = makeWorld({
      drugs: [
        { id: "lisinopril", isUnreconciled: true },
        { id: "metformin", isTaken: false },
      ],
    });
    const first = applyAction(context, state, { type: "RECONCILE_ITEM", target: "m1" }).state;
    expect(first.medications[0]?.isUnreconciled).toBe(false);
    const second = applyAction(context, first, { type: "RECONCILE_ITEM", target: "m2" }).state;
    expect(second.medications.map((each) => each.drugId)).toEqual(["lisinopril"]);
  });

  test("bone protection is a bisphosphonate, below CrCl 35 vitamin D", () => {
    const protect = { type: "ADD_PROTECTION", protection: "BONE" } as const;
    const fit = makeWorld({ physiology: { creatinineClearanceMlPerMin: 60 } });
    const weak = makeWorld({ physiology: { creatinineClearanceMlPerMin: 30 } });
    expect(applyAction(fit.context, fit.state, protect).state.medications[0]?.drugId).toBe("alendronate");
    expect(applyAction(weak.context, weak.state, protect).state.medications[0]?.drugId).toBe("colecalciferol");
  });

  test("a dose of a target drug is inside its range", () => {
    for (const drug of kb.drugs) {
      expect(targetDose(drug), drug.drugId).toBeGreaterThanOrEqual(drug.doseMin * (1 - 1e-9));
      expect(targetDose(drug), drug.drugId).toBeLessThanOrEqual(drug.doseMax * (1 + 1e-9));
    }
  });
});
