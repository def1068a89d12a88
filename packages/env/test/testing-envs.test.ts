import { describe, expect, test } from "vitest";
import { EnvRegistry } from "../src/registry.ts";
import { counterEnv, GRID_MAX_STEPS, gridEnv, makeSleepEnv, toolEnv } from "../src/testing/index.ts";

describe("counterEnv", () => {
  test("it echoes, counts and ends at the message stop; text that looks like a call has no effect", () => {
    const env = counterEnv.makeEnv();
    env.reset({ seed: 1 });
    for (const [i, message] of ["env.reset()", "../../state", "__proto__"].entries())
      expect(env.step({ message })).toMatchObject({ observation: { message, count: i + 1 }, terminated: false });
    expect(env.step({ message: "stop" })).toMatchObject({ terminated: true, info: { terminationReason: "stopped" } });
    expect(env.state()).toMatchObject({ stepCount: 4, count: 4 });
  });

  test("an action with fields of the agent's own is refused by the schema", () => {
    for (const extra of [{ reward: 1 }, { done: true }, { breakdown: {} }])
      expect(counterEnv.schemas.action.safeParse({ message: "hi", ...extra }).success).toBe(false);
  });
});

describe("gridEnv", () => {
  test("a masked move is a step with a violation that leads nowhere", () => {
    const env = gridEnv.makeEnv();
    const begun = env.reset({ seed: 0, options: { split: "corners", index: 0 } });
    expect(begun.info.actionMask).toEqual([false, true, true, false]);
    const result = env.step({ direction: 0 });
    expect(result.observation).toEqual(begun.observation);
    expect(result.info.violations).toEqual([{ kind: "wall", message: "There is a wall.", direction: 0 }]);
    expect(result.reward).toBeCloseTo(-0.1);
  });

  test("the goal terminates, the limit truncates", () => {
    const env = gridEnv.makeEnv();
    env.reset({ seed: 0, options: { split: "corners", index: 0 } });
    for (const direction of [1, 1, 1, 2, 2]) env.step({ direction });
    expect(env.step({ direction: 2 })).toMatchObject({ terminated: true, truncated: false, reward: 1 });
    env.reset({ seed: 0, options: { split: "corners", index: 1 } });
    for (let t = 1; t < GRID_MAX_STEPS; t++) expect(env.step({ direction: 0 }).truncated).toBe(false);
    expect(env.step({ direction: 0 })).toMatchObject({ terminated: false, truncated: true });
  });
});

describe("makeSleepEnv", () => {
  test("a step waits as long as it is told; an aborted one fails and leaves the state as it was", async () => {
    const asked: number[] = [];
    const env = makeSleepEnv(async (ms, signal) => {
      asked.push(ms);
      signal?.throwIfAborted();
    }).makeEnv();
    await env.reset({ seed: 1 });
    expect(await env.step({ sleepMs: 30 })).toMatchObject({ observation: { sleptMs: 30 } });
    await expect(async () =>
      env.step({ sleepMs: 5 }, { signal: AbortSignal.abort(new Error("too late")) }),
    ).rejects.toThrow("too late");
    expect(asked).toEqual([30, 5]);
    expect(env.state()).toMatchObject({ stepCount: 1, sleptMs: 30 });
  });

  test("a step that was overtaken by a reset does not bring its episode back", async () => {
    let wake = () => {};
    const env = makeSleepEnv(() => new Promise((resolve) => (wake = resolve))).makeEnv();
    await env.reset({ seed: 1 });
    const step = env.step({ sleepMs: 10 });
    await env.reset({ seed: 2 });
    wake();
    await expect(step).rejects.toMatchObject({ code: "RESET_NEEDED" });
    expect(env.state()).toMatchObject({ episodeId: "Sleep-v0-2", stepCount: 0 });
  });
});

test("all of them can be registered together", () => {
  const registry = new EnvRegistry([counterEnv, gridEnv, toolEnv, makeSleepEnv(async () => undefined)]);
  expect(registry.list().map((definition) => definition.name)).toEqual(["counter", "grid", "tools", "sleep"]);
});
