import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { advance } from "../src/course/advance.ts";
import { beginTaper } from "../src/course/taper-run.ts";
import { withdrawalOf } from "../src/course/withdrawal.ts";
import { peakOf, stoppedPath, withdrawalPath } from "../src/course/withdrawal-path.ts";
import type { Medication } from "../src/world/types.ts";
import { kb, makeWorld } from "./world-fixtures.ts";

/** Lorazepam 4 mg on a running plan; its strengths allow quarters of that dose. */
function tapering(stepPct: number, intervalDays: number, tau = 21) {
  const { context, state } = makeWorld({ drugs: [{ id: "lorazepam", dosePerDay: 4, adaptationTauDays: tau }] });
  const { patient } = context.scenario;
  const medication: Medication = beginTaper(kb, patient, state.medications[0]!, { stepPct, intervalDays }, 0);
  return { context, patient, medication, state: { ...state, medications: [medication] } };
}

describe("path of the withdrawal", () => {
  test("a quarter of the dose at once is felt as a quarter, and fades with the time constant", () => {
    const { patient, medication } = tapering(25, 365);
    const path = withdrawalPath(kb, patient, medication, { fromDay: 0, toDay: 22 });
    expect(path[0]!.withdrawal).toBeCloseTo(0.25, 12);
    expect(path[21]!.withdrawal).toBeCloseTo(0.25 * Math.exp(-1), 12);
  });

  test("each day of the path is the withdrawal that the course itself reaches on that day", () => {
    const { context, patient, medication, state } = tapering(25, 14);
    const path = withdrawalPath(kb, patient, medication, { fromDay: 0, toDay: 40 });
    for (const day of [1, 13, 14, 15, 28, 39]) {
      const later = advance(context, state, day).medications[0]!;
      expect(path[day]!.withdrawal).toBeCloseTo(withdrawalOf(kb, later), 9);
    }
  });

  test("a slower adaptation is felt more by the same plan", () => {
    const peakAt = (tau: number) => {
      const { patient, medication } = tapering(25, 14, tau);
      return peakOf(withdrawalPath(kb, patient, medication, { fromDay: 0, toDay: 140 }));
    };
    fc.assert(
      fc.property(fc.double({ min: 5, max: 60, noNaN: true }), (tau) => peakAt(tau * 1.2) >= peakAt(tau) - 1e-12),
    );
  });

  test("after a stop the whole adaptation is missed and fades", () => {
    const { state } = makeWorld({ drugs: [{ id: "lorazepam", dosePerDay: 2 }] });
    const { medRef, drugIndex, drugId, dosePerDay, dosesPerDay, startDay, adherence, responseFactor } =
      state.medications[0]!;
    const path = stoppedPath(
      {
        ...{ medRef, drugIndex, drugId, dosePerDay, dosesPerDay, startDay, adherence, responseFactor },
        stopDay: 0,
        indication: null,
        carryOverAtStop: 1,
        onsetShareAtStop: 1,
        adaptation: 1,
        adaptationTauDays: 21,
        wasAbrupt: true,
        reason: "agent",
      },
      { fromDay: 0, toDay: 22 },
    );
    expect(path[0]).toEqual({ day: 0, withdrawal: 1, effect: 0 });
    expect(path[21]!.withdrawal).toBeCloseTo(Math.exp(-1), 12);
  });
});
