import type { StepResult } from "@praxis/env";
import { describe, expect, test } from "vitest";
import { actionFor, definePolyGuard } from "../src/definition.ts";
import { loadBundledKnowledgeBase } from "../src/kb/node.ts";
import type { Observation } from "../src/observation/schema.ts";
import { withTimeouts } from "../src/timeouts.ts";

const definition = definePolyGuard(loadBundledKnowledgeBase());

/** An environment on a clock that the test moves. */
function timed() {
  let ms = 0;
  const env = definition.makeEnv();
  const held = withTimeouts(env, { now: () => ms, decisionMs: 1000, episodeMs: 10_000 });
  let observation = held.reset({ seed: 5 }).observation;
  const keepAfter = (thinkingMs: number): StepResult<Observation> => {
    ms += thinkingMs;
    const keep = observation.candidates.find(({ action_type }) => action_type === "KEEP_REGIMEN")!;
    const result = held.step(actionFor(observation, keep, { confidence: 0.5, rationale: "wait" }));
    observation = result.observation;
    return result;
  };
  return { env, keepAfter };
}

describe("time limits", () => {
  test("an action in time is played as without a clock", () => {
    const { keepAfter } = timed();
    const plain = definition.makeEnv();
    const { observation } = plain.reset({ seed: 5 });
    const keep = observation.candidates.find(({ action_type }) => action_type === "KEEP_REGIMEN")!;
    expect(keepAfter(1000)).toEqual(plain.step(actionFor(observation, keep, { confidence: 0.5, rationale: "wait" })));
  });

  test("an action that comes too late is not carried out: a step passes, no day does, and the reward is the lowest", () => {
    const { env, keepAfter } = timed();
    const before = env.latentState()!.world;
    const late = keepAfter(1001);
    const after = env.latentState()!.world;
    expect(late).toMatchObject({ reward: 0.001, terminated: false, truncated: false });
    expect(late.info).toMatchObject({
      failure_reasons: ["step_timeout"],
      violations: [],
      timeouts: { in_a_row: 1, total: 1 },
      invalid_action_count: 0,
    });
    expect(after.clock.day).toBe(before.clock.day);
    expect(after.clock.stepsLeft).toBe(before.clock.stepsLeft - 1);
    expect(after.medications).toBe(before.medications);
    expect(env.latentState()!.hadIllegalAction).toBe(false);
  });

  test("two timeouts in a row cut the episode; one in between that is in time does not", () => {
    const { keepAfter } = timed();
    keepAfter(2000);
    expect(keepAfter(10).truncated).toBe(false);
    keepAfter(2000);
    const last = keepAfter(2000);
    expect(last).toMatchObject({ terminated: false, truncated: true });
    expect(last.info.terminationReason).toBe("step_timeout");
  });

  test("the time of the episode cuts it at the step that comes after it", () => {
    const { keepAfter } = timed();
    expect(keepAfter(900).truncated).toBe(false);
    const last = keepAfter(9200);
    expect(last.truncated).toBe(true);
    expect(last.info.terminationReason).toBe("wall_clock_timeout");
    expect(last.info.task_score).toBeNull();
  });
});
