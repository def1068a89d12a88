import { describe, expect, test } from "vitest";
import { countStep, type EndingCounters, type EndingInput, judgeEnding, NO_COUNTS } from "../src/reward/endings.ts";

const quiet: EndingInput = {
  isExploit: false,
  hasSevereEvent: false,
  harmNow: 0.4,
  harmAtReset: 0.4,
  counters: NO_COUNTS,
  isFinish: false,
  isJustifiedReview: false,
  isSuccess: false,
  visitsLeft: 3,
  stepsLeft: 5,
  isWallClockOver: false,
};
const run = (steps: string): EndingCounters =>
  [...steps].reduce(
    (counters, step) => countStep(counters, { isInvalid: step === "x", isTimeout: step === "t", isVeto: step === "v" }),
    NO_COUNTS,
  );

describe("how an episode ends", () => {
  test("a step like any other ends nothing", () => {
    expect(judgeEnding(quiet)).toBeNull();
  });

  test.each([
    ["exploit_detection", "terminated", { isExploit: true }],
    ["patient_destabilised", "terminated", { hasSevereEvent: true }],
    ["patient_destabilised", "terminated", { harmNow: 1.21 }],
    ["finished", "terminated", { isFinish: true }],
    ["success", "terminated", { isFinish: true, isSuccess: true }],
    ["justified_review", "terminated", { isJustifiedReview: true }],
    ["course_complete", "terminated", { visitsLeft: 0 }],
    ["success", "terminated", { visitsLeft: 0, isSuccess: true }],
    ["step_budget_exhausted", "truncated", { stepsLeft: 0 }],
    ["wall_clock_timeout", "truncated", { isWallClockOver: true }],
  ] as const)("%s is %s", (reason, kind, changes) => {
    expect(judgeEnding({ ...quiet, ...changes })).toEqual({ reason, kind });
  });

  test("three invalid actions in a row or five in all end it", () => {
    const reasonAfter = (steps: string): string | undefined => judgeEnding({ ...quiet, counters: run(steps) })?.reason;
    expect(reasonAfter("xx")).toBeUndefined();
    expect(reasonAfter("xxx")).toBe("invalid_action_limit");
    expect(reasonAfter("xx.xx")).toBeUndefined();
    expect(reasonAfter("xx.xx.x")).toBe("invalid_action_limit");
  });

  test("two timeouts in a row cut it short; a decision between them clears the row", () => {
    expect(judgeEnding({ ...quiet, counters: run("tt") })).toEqual({ reason: "step_timeout", kind: "truncated" });
    expect(judgeEnding({ ...quiet, counters: run("t.t") })).toBeNull();
  });

  test("a timeout neither is an invalid action nor breaks a row of them", () => {
    expect(run("xxt").invalidInARow).toBe(2);
    expect(run("xxt").invalidInAll).toBe(2);
  });

  test("three vetoes end an episode that a pipeline drives", () => {
    expect(judgeEnding({ ...quiet, counters: run("vvv") })?.reason).toBe("safety_veto_limit");
  });

  test("the harm to the patient outranks finishing, and an exploit outranks all", () => {
    expect(judgeEnding({ ...quiet, isFinish: true, isSuccess: true, hasSevereEvent: true })?.reason).toBe(
      "patient_destabilised",
    );
    expect(judgeEnding({ ...quiet, isExploit: true, hasSevereEvent: true })?.reason).toBe("exploit_detection");
  });
});
