import { describe, expect, test } from "vitest";
import { applyAction } from "../src/course/apply.ts";
import { CourseEvaluator } from "../src/course/evaluator.ts";
import { computeJ, rollKeepJ } from "../src/course/j.ts";
import { closeVisit, DRAWS_PER_VISIT } from "../src/course/visit.ts";
import { domainIndex, HARM_DOMAINS } from "../src/kb/domains.ts";
import { drugIndex, kb, makeWorld } from "./world-fixtures.ts";

const evaluator = new CourseEvaluator(kb);

/** Event numbers of 1, but `u` for a domain of the first visit. */
function numbersWith(domain: (typeof HARM_DOMAINS)[number], u: number, severity = 1): number[] {
  const numbers = Array.from({ length: 12 * DRAWS_PER_VISIT }, () => 1);
  numbers[domainIndex(domain)] = u;
  numbers[HARM_DOMAINS.length] = severity;
  return numbers;
}

describe("closing a visit", () => {
  test("without an event 14 days pass and one visit is used", () => {
    const { context, state } = makeWorld({ drugs: ["warfarin"], conditions: { AF_STROKE: 1 } });
    const closed = closeVisit(context, evaluator, state);
    expect(closed.state.clock).toMatchObject({ day: 14, visit: 1, visitsLeft: 7 });
    expect(closed.events).toEqual([]);
  });

  test("an admission takes 14 more days and one change, stops the drug with most points and raises the rate", () => {
    const { context, state } = makeWorld({
      drugs: ["warfarin", "lisinopril"],
      conditions: { AF_STROKE: 1, HTN: 0.8 },
      scenario: { eventUniforms: numbersWith("BLEED", 0) },
    });
    const { state: later, events, hasSevereEvent } = closeVisit(context, evaluator, state);
    expect(events).toEqual([{ kind: "admission", domain: "BLEED", day: 14, stoppedDrugIndex: drugIndex("warfarin") }]);
    expect(later.clock).toMatchObject({ day: 28, changesLeft: 5 });
    expect(later.medications.map((each) => each.drugId)).toEqual(["lisinopril"]);
    expect(later.hazardMultipliers.BLEED).toBe(1.5);
    expect(later.conditions.some((each) => each.code === "BLEED_HX")).toBe(true);
    expect(hasSevereEvent).toBe(false);
  });

  test("a fall stops no drug and raises the rate by 1.3", () => {
    const { context, state } = makeWorld({
      drugs: ["lorazepam"],
      scenario: { eventUniforms: numbersWith("FALL_SEDATION", 0) },
    });
    const { state: later } = closeVisit(context, evaluator, state);
    expect(later.medications).toHaveLength(1);
    expect(later.hazardMultipliers.FALL_SEDATION).toBe(1.3);
  });

  test("multipliers stop at 4, for falls at 3", () => {
    const { context, state } = makeWorld({
      drugs: ["warfarin"],
      state: { hazardMultipliers: { BLEED: 3.5 } },
      scenario: { eventUniforms: numbersWith("BLEED", 0) },
    });
    expect(closeVisit(context, evaluator, state).state.hazardMultipliers.BLEED).toBe(4);
  });

  test("hypotension and the rest bring nobody to hospital", () => {
    const { context, state } = makeWorld({
      drugs: ["doxazosin"],
      scenario: { eventUniforms: numbersWith("HYPOTENSION", 0) },
    });
    expect(closeVisit(context, evaluator, state).events).toEqual([]);
  });

  test("a severe domain ends the episode when its own number is below .3", () => {
    const drugs = ["citalopram", "sotalol"];
    const bad = makeWorld({ drugs, scenario: { eventUniforms: numbersWith("QT", 0, 0.29) } });
    const good = makeWorld({ drugs, scenario: { eventUniforms: numbersWith("QT", 0, 0.31) } });
    expect(closeVisit(bad.context, evaluator, bad.state).hasSevereEvent).toBe(true);
    expect(closeVisit(good.context, evaluator, good.state).hasSevereEvent).toBe(false);
  });

  test("policies and forks share the event numbers: a safer list can only escape events, not meet others earlier", () => {
    const uniforms = Array.from({ length: 12 * DRAWS_PER_VISIT }, (_, i) => ((i * 7919) % 1000) / 30_000);
    const { context, state } = makeWorld({
      drugs: ["warfarin", "ibuprofen", "sertraline"],
      conditions: { AF_STROKE: 1, OA_PAIN: 0.7, DEPRESSION: 0.7 },
      scenario: { eventUniforms: uniforms },
    });
    const risky = closeVisit(context, evaluator, state);
    const again = closeVisit(context, evaluator, state);
    expect(again).toEqual(risky);
    const stopped = applyAction(context, state, {
      type: "STOP_DRUG",
      medRef: "m2",
      switchToDrugIndex: null,
      orders: [],
    }).state;
    const safe = closeVisit(context, evaluator, stopped);
    const order = (domain: string | null | undefined) =>
      domain ? HARM_DOMAINS.indexOf(domain as (typeof HARM_DOMAINS)[number]) : 99;
    expect(order(safe.events[0]?.domain)).toBeGreaterThanOrEqual(order(risky.events[0]?.domain));
  });
});

describe("J", () => {
  test("in a steady state J is minus the loss rate", () => {
    const { context, state } = makeWorld({
      drugs: ["lisinopril", "atorvastatin"],
      conditions: { HTN: 0.8, DYSLIPID: 0.7 },
    });
    const now = evaluator.now(context, state);
    expect(rollKeepJ(context, evaluator, state)).toBeCloseTo(-(now.harm + 0.05 * now.burden), 6);
  });

  test("J does not depend on where the visits were cut", () => {
    const { context, state } = makeWorld({
      drugs: ["lisinopril", "atorvastatin"],
      conditions: { HTN: 0.8, DYSLIPID: 0.7 },
    });
    const later = { ...state, clock: { ...state.clock, day: 28 } };
    const whole = computeJ(context, evaluator, [{ state, fromDay: 0, toDay: 28 }], later);
    const cut = computeJ(
      context,
      evaluator,
      [
        { state, fromDay: 0, toDay: 14 },
        { state: { ...state, clock: { ...state.clock, day: 14 } }, fromDay: 14, toDay: 28 },
      ],
      later,
    );
    expect(cut).toBeCloseTo(whole, 10);
  });

  test("an earlier repair is worth more", () => {
    const { context, state } = makeWorld({
      drugs: ["warfarin", "ibuprofen"],
      conditions: { AF_STROKE: 1, OA_PAIN: 0.6 },
    });
    const repairAt = (visit: number): number => {
      const segments = [];
      let world = state;
      for (let i = 0; i < 4; i++) {
        if (i === visit)
          world = applyAction(context, world, {
            type: "STOP_DRUG",
            medRef: "m2",
            switchToDrugIndex: null,
            orders: [],
          }).state;
        const closed = closeVisit(context, evaluator, world);
        segments.push(...closed.segments);
        world = closed.state;
      }
      return computeJ(context, evaluator, segments, world);
    };
    expect(repairAt(0)).toBeGreaterThan(repairAt(2));
    expect(repairAt(2)).toBeGreaterThan(rollKeepJ(context, evaluator, state));
  });

  test("a change after day 365 changes nothing", () => {
    const { context, state } = makeWorld({ drugs: ["warfarin", "ibuprofen"], conditions: { AF_STROKE: 1 } });
    const late = { ...state, clock: { ...state.clock, day: 400 } };
    const without = { ...late, medications: late.medications.slice(0, 1) };
    const segments = [{ state, fromDay: 0, toDay: 365 }];
    expect(computeJ(context, evaluator, segments, without)).toBe(computeJ(context, evaluator, segments, late));
  });
});
