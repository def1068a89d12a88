import { describe, expect, test } from "vitest";
import type { EnvDefinition } from "../src/env.ts";
import { makeResourceSession } from "../src/harness.ts";
import { toolEnv } from "../src/testing/index.ts";

const begin = (options = {}) => makeResourceSession(toolEnv as EnvDefinition, { seed: 1, episodeId: "e" }, options);

/** Calls `add` until the episode ends at its target. */
async function finish(session: Awaited<ReturnType<typeof begin>>): Promise<void> {
  let left = ((await session.callTool("look")).data as { target: number }).target;
  while (left > 0) {
    const amount = Math.min(5, left);
    await session.callTool("add", { amount });
    left -= amount;
  }
}

describe("a resource session", () => {
  test("an agent gets messages and the tools of its mode, and cannot call reset, step or state", async () => {
    const session = await begin();
    expect(session.episodeId).toBe("e");
    expect(session.initialMessages).toEqual([
      {
        role: "user",
        content: expect.stringMatching(/^Reach a target by adding amounts with tools\.\n\n\{"target":\d+,"total":0\}$/),
      },
    ]);
    expect(session.listTools().map((tool) => tool.name)).toEqual(["look", "add", "fail"]);
    expect(session.listTools()[1]!.inputSchema).toMatchObject({ required: ["amount"], additionalProperties: false });
    for (const name of ["reset", "step", "state", "close", "peek"])
      expect((await session.callTool(name)).error).toMatchObject({ type: "tool_not_found" });
    expect(session.verify()).toEqual({ envReward: 0, done: false, metrics: { steps: 0, toolCalls: 5 } });
    const trainer = await begin({ mode: "simulation" });
    expect(trainer.listTools().map((tool) => tool.name)).toContain("peek");
  });

  test("the reward comes from the environment's steps, call by call, to the end", async () => {
    const session = await begin();
    await finish(session);
    const { envReward, done } = session.verify();
    expect([envReward, done]).toEqual([1, true]);
    expect(session.toolTrace.map((entry) => entry.reward)).toEqual([
      ...new Array(session.toolTrace.length - 1).fill(0),
      1,
    ]);
    expect(session.toolTrace.at(-1)!.result).toMatchObject({ done: true, error: null });
    const after = await session.callTool("add", { amount: 1 });
    expect(after.error).toMatchObject({ type: "execution_error", message: expect.stringContaining("ended at step") });
    expect(session.verify().envReward).toBe(1);
  });

  test("a final reward that is not the environment's is an error", async () => {
    const session = await begin();
    await finish(session);
    expect(() => session.checkFinalReward(1)).not.toThrow();
    for (const made of [0.99, 2, null])
      expect(() => session.checkFinalReward(made)).toThrow(
        expect.objectContaining({
          code: "REWARD_MISMATCH",
          message: `The final reward is ${made}, but the environment gave 1.`,
        }),
      );
  });

  test.each([
    ["add", { amount: 9 }, "invalid_args"],
    ["add", { amount: 1, reward: 100 }, "invalid_args"],
    ["add", "env.reset()", "invalid_args"],
    ["fail", {}, "execution_error"],
    ["ad", {}, "tool_not_found"],
  ])("a call of %s with %o is a %s on the trace and changes nothing", async (name, args, type) => {
    const session = await begin();
    const result = await session.callTool(name, args);
    expect(result).toMatchObject({ data: null, done: false, error: { type } });
    expect(session.toolTrace).toEqual([{ name, arguments: args, result, reward: 0 }]);
    expect(session.verify().metrics.steps).toBe(0);
  });

  test("calls are limited", async () => {
    const session = await begin({ maxToolCalls: 2 });
    await session.callTool("look");
    await session.callTool("look");
    await expect(session.callTool("look")).rejects.toMatchObject({ code: "CAPACITY_REACHED" });
  });

  test("a step marked with an infra error leaves the episode unscored, which is not 0", async () => {
    const definition: EnvDefinition = {
      ...(toolEnv as EnvDefinition),
      makeEnv() {
        const env = toolEnv.makeEnv();
        const infraError = { code: "VERIFIER_ERROR", message: "down" };
        return {
          reset: (request) => env.reset(request),
          step: (action) => ({ ...env.step(action as { amount: number }), info: { infraError } }),
          state: () => env.state(),
          snapshot: () => env.snapshot(),
          restore: (snapshot) => env.restore(snapshot),
          close: () => env.close(),
        };
      },
    };
    const session = await makeResourceSession(definition, { seed: 1 });
    await session.callTool("add", { amount: 1 });
    expect(session.verify().envReward).toBeNull();
    expect(() => session.checkFinalReward(0)).toThrow(expect.objectContaining({ code: "REWARD_MISMATCH" }));
    expect(() => session.checkFinalReward(null)).not.toThrow();
  });

  test("the environment is closed with the session, and if the episode can't begin", async () => {
    let closed = 0;
    const definition: EnvDefinition = {
      ...(toolEnv as EnvDefinition),
      makeEnv() {
        const env = toolEnv.makeEnv();
        return Object.assign(env, { close: () => void closed++ });
      },
    };
    await (await makeResourceSession(definition)).close();
    expect(closed).toBe(1);
    await expect(makeResourceSession(definition, { seed: -1 })).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
    expect(closed).toBe(2);
  });
});
