import type { EnvDefinition } from "@praxis/env";
import pino from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import type { ServerContext } from "../src/context.ts";
import { Counters } from "../src/counters.ts";
import { isToolStep, toolStep } from "../src/mcp/index.ts";
import type { Session } from "../src/session.ts";
import { counterDefinition, toollessDefinition } from "./mcp-env.ts";
import { type McpTestServer, startMcpServer } from "./mcp-server.ts";

let server: McpTestServer;
let session: Session;
let context: ServerContext;
beforeEach(async () => {
  server = await startMcpServer(counterDefinition);
  context = {
    definition: counterDefinition,
    prefix: "",
    mode: "simulation",
    sessions: server.sessions,
    clock: server.clock,
    counters: new Counters(),
    log: pino({ level: "silent" }),
    maxMessageBytes: 1024,
  };
  session = server.sessions.open(counterDefinition, "ws");
});
afterEach(() => server.close());

const step = async (action: Record<string, unknown>, timeoutMs?: number) =>
  toolStep(action, context, session, timeoutMs);
const call = (tool_name: string, args?: Record<string, unknown>) =>
  step({ type: "call_tool", tool_name, ...(args === undefined ? {} : { arguments: args }) });
const failure = (tool_name: string, error_type: string, message: unknown) => ({
  observation: {
    tool_name,
    result: null,
    error: { error_type, message },
    terminated: false,
    truncated: false,
    metadata: {},
  },
  reward: null,
  done: false,
});

describe("tools through the step API", () => {
  test("are listed without beginning an episode", async () => {
    const { observation, reward, done } = await step({ type: "list_tools" });
    expect([reward, done, session.last]).toEqual([null, false, null]);
    expect(observation).toMatchObject({ terminated: false, truncated: false, metadata: {} });
    const tools = observation.tools as Record<string, unknown>[];
    expect(tools[2]).toEqual({
      name: "look",
      description: "Tells the total",
      input_schema: { type: "object", properties: {}, additionalProperties: false },
    });
  });

  test("that take no step earn no reward and count no step", async () => {
    expect(await call("add", { a: 1, b: 2 })).toEqual({
      observation: {
        tool_name: "add",
        result: {
          content: [{ type: "text", text: "3", annotations: null, meta: null }],
          structured_content: { result: 3 },
          structuredContent: { result: 3 },
          meta: { fastmcp: { wrap_result: true } },
          data: 3,
          is_error: false,
          isError: false,
        },
        error: null,
        terminated: false,
        truncated: false,
        metadata: {},
      },
      reward: null,
      done: false,
    });
    expect((await session.state()).wire).toMatchObject({ step_count: 0 });
  });

  test("that step earn what their steps earn and end the episode with them", async () => {
    const first = await call("increment", { delta: 3 });
    expect(first).toMatchObject({
      observation: { tool_name: "increment", result: { data: { total: 3, finished: false } }, error: null },
      reward: 0.3,
      done: false,
      metadata: { reward_components: { progress: 0.3 } },
    });
    const second = await call("increment", { delta: 2 });
    expect(second).toMatchObject({ observation: { terminated: true, truncated: false }, reward: 0.2, done: true });
    expect(await call("look")).toMatchObject({ reward: null, done: true });
    expect((await session.state()).wire).toMatchObject({ step_count: 2, total: 5 });
  });

  test.each([
    ["a tool that does not exist", "lok", {}, "tool_not_found", /^Unknown tool 'lok'\. Did you mean 'look'\?/],
    ["a tool of the other mode", "submit", {}, "tool_not_found", /^Unknown tool 'submit'/],
    ["a reserved name", "reset", {}, "tool_not_found", /^Unknown tool 'reset'/],
    ["bad arguments", "add", { a: 1 }, "invalid_args", /b: Field required/],
    ["a tool that fails", "fail", {}, "execution_error", /^The lamp broke\.$/],
    ["a result that is not a number", "not_a_number", {}, "execution_error", /not finite/],
  ])("report %s as one of the five kinds", async (_what, name, args, type, message) => {
    expect(await call(name, args)).toEqual(failure(name, type, expect.stringMatching(message)));
    expect((await session.state()).wire).toMatchObject({ step_count: 0 });
  });

  test("report a deadline, the session's own or the caller's", async () => {
    for (const [timeoutMs, seconds] of [
      [undefined, 30],
      [1500, 1.5],
    ] as const) {
      const stuck = step({ type: "call_tool", tool_name: "never" }, timeoutMs);
      await expect.poll(() => session.isBusy).toBe(true);
      await server.clock.advance(seconds * 1000);
      const message = expect.stringMatching(new RegExp(`^Tool 'never' timed out after ${seconds} seconds`));
      expect(await stuck).toEqual(failure("never", "timeout", message));
      await server.clock.advance(250);
    }
    expect((await session.state()).wire).toMatchObject({ step_count: 0 });
  });

  test("report an ended episode as an execution error", async () => {
    await call("increment", { delta: 3 });
    await call("increment", { delta: 3 });
    expect(await call("increment", { delta: 1 })).toMatchObject({
      observation: { error: { error_type: "execution_error" } },
      reward: null,
      done: true,
    });
  });

  test("throw the session's own faults, which no tool made", async () => {
    session.close();
    await expect(call("look")).rejects.toMatchObject({ code: "UNKNOWN_SESSION" });
  });

  test.each([
    ["a foreign key", { type: "list_tools", tool: "x" }, [["tool"], "extra_forbidden"]],
    ["no tool name", { type: "call_tool" }, [["tool_name"], "missing"]],
    ["a tool name that is no text", { type: "call_tool", tool_name: 7 }, [["tool_name"], "string_type"]],
    ["a list of arguments", { type: "call_tool", tool_name: "look", arguments: [] }, [["arguments"], "dict_type"]],
  ])("refuse an action with %s by its field", async (_what, action, [loc, type]) => {
    await expect(step(action)).rejects.toMatchObject({ code: "VALIDATION_ERROR", fields: [{ loc, type }] });
    expect(session.last).toBeNull();
  });

  test("accept the metadata that typed clients send", async () => {
    expect(await step({ type: "list_tools", metadata: {} })).toHaveProperty("observation.tools");
    expect(await step({ type: "call_tool", tool_name: "look", arguments: {}, metadata: { k: 1 } })).toMatchObject({
      observation: { error: null },
    });
  });
});

describe("an action is a tool step", () => {
  const inEnv = (definition: EnvDefinition) => ({ ...context, definition });
  const withAction = (action: z.ZodType): EnvDefinition => ({
    ...counterDefinition,
    schemas: { ...counterDefinition.schemas, action },
  });
  const listTools = { type: "list_tools" };

  test("by its type, whatever else it holds", () => {
    expect(isToolStep(listTools, context)).toBe(true);
    expect(isToolStep({ type: "call_tool", nonsense: 1 }, context)).toBe(true);
    for (const action of [{ delta: 1 }, { type: "reset" }, { type: 1 }, {}, null, "list_tools", [listTools]])
      expect(isToolStep(action, context)).toBe(false);
  });

  test("never where the environment has no tools", () => {
    expect(isToolStep(listTools, inEnv(toollessDefinition))).toBe(false);
  });

  test("never where the environment's own actions use the type", () => {
    const own = z.strictObject({ type: z.literal("list_tools"), page: z.int() });
    const other = z.strictObject({ type: z.enum(["look", "call_tool"]) });
    for (const schema of [own, z.discriminatedUnion("type", [own, other]), z.strictObject({ type: z.string() })])
      expect(isToolStep(listTools, inEnv(withAction(schema)))).toBe(false);
    expect(isToolStep({ type: "call_tool" }, inEnv(withAction(own)))).toBe(true);
    expect(isToolStep({ type: "call_tool" }, inEnv(withAction(other)))).toBe(false);
    expect(isToolStep(listTools, inEnv(withAction(other)))).toBe(true);
  });
});
