import { describe, expect, test } from "vitest";
import { advance } from "../src/course/advance.ts";
import { applyAction } from "../src/course/apply.ts";
import { exposureRatio, settledLevel } from "../src/course/labs.ts";
import { drugIndex, makeWorld } from "./world-fixtures.ts";

const stop = (medRef: string) => ({ type: "STOP_DRUG", medRef, switchToDrugIndex: null, orders: [] }) as const;

describe("values follow late", () => {
  test("a list that is left alone leaves every value where it is", () => {
    const { context, state } = makeWorld({
      drugs: ["lisinopril", "spironolactone", "citalopram", "bisoprolol"],
      physiology: { potassiumMmolPerL: 5.2 },
    });
    const later = advance(context, state, 100);
    for (const [key, value] of Object.entries(state.physiology))
      expect(later.physiology[key as keyof typeof later.physiology], key).toBeCloseTo(value, 9);
  });

  test("potassium falls after spironolactone with a time constant of 3 days", () => {
    const { context, state } = makeWorld({
      drugs: ["lisinopril", "spironolactone"],
      physiology: { potassiumMmolPerL: 5.2 },
    });
    const off = applyAction(context, state, stop("m2")).state;
    const end = advance(context, off, 1000).physiology.potassiumMmolPerL;
    expect(end).toBeLessThan(5.0);
    const early = advance(context, off, 3).physiology.potassiumMmolPerL;
    expect(early - end).toBeCloseTo((5.2 - end) * Math.exp(-1), 9);
  });

  test("sodium rises once the antidepressant and the thiazide are gone", () => {
    const { context, state } = makeWorld({
      drugs: ["sertraline", "hydrochlorothiazide"],
      physiology: { sodiumMmolPerL: 129 },
    });
    const off = applyAction(context, state, stop("m2")).state;
    expect(advance(context, off, 30).physiology.sodiumMmolPerL).toBeGreaterThan(130);
  });

  test("an INR follows warfarin's exposure with a time constant of 4 days, and a drug stopped falls to 1", () => {
    const world = makeWorld({ drugs: ["warfarin"] });
    const exposure =
      world.state.medications[0]!.dosePerDay * exposureRatio(world.context, world.state, drugIndex("warfarin"));
    const context = {
      ...world.context,
      scenario: { ...world.context.scenario, levelPerExposure: { warfarin: 1 / exposure } },
    };
    const state = { ...world.state, labs: { INR: 2.5 } };
    expect(settledLevel("INR", exposure, 1 / exposure)).toBe(2.5);
    expect(advance(context, state, 50).labs.INR).toBeCloseTo(2.5, 9);
    const off = applyAction(context, state, stop("m1")).state;
    expect(advance(context, off, 4).labs.INR).toBeCloseTo(1 + 1.5 * Math.exp(-1), 9);
  });

  test("a TSH that a calcium tablet raised falls over weeks once it is taken at another time", () => {
    const world = makeWorld({ drugs: [{ id: "levothyroxine", dosePerDay: 100 }, "calcium_carbonate"] });
    const context = {
      ...world.context,
      scenario: { ...world.context.scenario, levelPerExposure: { levothyroxine: 1 / 100 } },
    };
    const high = advance(context, { ...world.state, labs: { TSH: 2 } }, 400);
    expect(high.labs.TSH).toBeGreaterThan(6);
    const apart = applyAction(context, high, { type: "SEPARATE_TIMING", medRef: "m1" }).state;
    expect(advance(context, apart, 20).labs.TSH).toBeCloseTo(2 + (high.labs.TSH! - 2) * Math.exp(-1), 6);
  });
});
