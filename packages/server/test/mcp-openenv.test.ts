import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { counterDefinition, toollessDefinition } from "./mcp-env.ts";
import { type McpTestServer, startMcpServer } from "./mcp-server.ts";

interface Fixture {
  readonly rule: string;
  readonly text: string;
  readonly response: unknown;
}
const fixtures = JSON.parse(
  readFileSync(new URL("./fixtures/mcp-openenv-http.json", import.meta.url), "utf8"),
) as readonly Fixture[];

interface Answer {
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data: unknown };
}

let server: McpTestServer;
const start = async (...options: Parameters<typeof startMcpServer>): Promise<void> => {
  await server.close();
  server = await startMcpServer(...options);
};
beforeEach(async () => {
  server = await startMcpServer(counterDefinition);
});
afterEach(() => server.close());

async function rpc(method: string, params: Record<string, unknown> = {}): Promise<Answer> {
  const response = await server.post({ jsonrpc: "2.0", method, params, id: 1 });
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
}
async function createSession(): Promise<string> {
  const { result } = await rpc("openenv/session/create");
  return result?.session_id as string;
}
const call = (session_id: string, name: string, args: unknown = {}): Promise<Answer> =>
  rpc("tools/call", { session_id, name, arguments: args });

describe("OpenEnv's JSON-RPC over HTTP", () => {
  test.each(fixtures)("$rule", async ({ text, response }) => {
    const answer = await server.post(text);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    const body = (await answer.json()) as Record<string, unknown>;
    expect(body).toEqual(response);
    expect(Object.keys(body)).toEqual(Object.keys(response as object));
  });

  test("a message without JSON content type is read all the same", async () => {
    const response = await fetch(server.url, {
      method: "POST",
      headers: { "content-type": "text/plain" },
      body: '{"jsonrpc":"2.0","method":"nothing","id":5}',
    });
    expect([response.status, await response.json()]).toEqual([
      200,
      { jsonrpc: "2.0", id: 5, error: { code: -32601, message: "Method not found: nothing", data: null } },
    ]);
  });

  test("each listed tool has both spellings of its schema, a text as description and its annotations", async () => {
    const { result } = await rpc("tools/list");
    const inputSchema = {
      type: "object",
      properties: { delta: { type: "integer", minimum: 1, maximum: 3 } },
      required: ["delta"],
      additionalProperties: false,
    };
    const listed = result?.tools as Record<string, unknown>[];
    expect(listed.map((tool) => tool.name)).toEqual([
      "add",
      "increment",
      "look",
      "echo",
      "fail",
      "not_a_number",
      "never",
      "hint",
    ]);
    expect(listed[1]).toEqual({
      name: "increment",
      title: "Increment",
      description: "Adds a number to the total",
      inputSchema,
      input_schema: inputSchema,
      annotations: { title: "Increment", readOnlyHint: false },
    });
    expect(listed[2]).toMatchObject({ annotations: { readOnlyHint: true } });
    expect(listed.every((tool) => typeof tool.description === "string")).toBe(true);
  });

  test("a call without session takes no slot and forgets", async () => {
    await start(counterDefinition, { maxSessions: 1 });
    const id = await createSession();
    expect(await rpc("tools/call", { name: "increment", arguments: { delta: 2 } })).toMatchObject({
      result: { data: { total: 2, finished: false } },
    });
    expect(await rpc("tools/call", { name: "look" })).toMatchObject({ result: { data: { total: 0 } } });
    expect(server.sessions.active).toBe(1);
    expect(await call(id, "look")).toMatchObject({ result: { data: { total: 0 } } });
  });

  test("a created session remembers until it is closed, and can't be closed twice", async () => {
    const id = await createSession();
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    await call(id, "increment", { delta: 3 });
    expect(await call(id, "look")).toMatchObject({ result: { data: { total: 3 } } });
    expect(await rpc("openenv/session/close", { session_id: id })).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result: { session_id: id, closed: true },
    });
    expect(server.sessions.active).toBe(0);
    const gone = { error: { code: -32602, message: `Unknown session_id: ${id}` } };
    expect(await rpc("openenv/session/close", { session_id: id })).toMatchObject(gone);
    expect(await call(id, "look")).toMatchObject(gone);
  });

  test("a session that a socket is attached to closes when the socket leaves", async () => {
    const id = await createSession();
    const session = server.sessions.get(id, counterDefinition);
    const socket = { sessionEnded: () => undefined };
    session.attach(socket);
    expect((await rpc("openenv/session/close", { session_id: id })).result).toEqual({
      session_id: id,
      closed: false,
      closing: true,
    });
    expect(await call(id, "look")).toMatchObject({ result: { data: { total: 0 } } });
    session.detach(socket);
    expect(await call(id, "look")).toMatchObject({ error: { code: -32602 } });
  });

  test("no free slot is a server error with the numbers", async () => {
    await start(counterDefinition, { maxSessions: 1 });
    await createSession();
    expect((await rpc("openenv/session/create")).error).toEqual({
      code: -32000,
      message: "Server at capacity: 1/1 sessions active. Cannot accept new connections.",
      data: { active_sessions: 1, max_sessions: 1 },
    });
  });

  test("an environment that can't be built is a server error with the factory's name", async () => {
    await start({
      ...counterDefinition,
      makeEnv: () => {
        throw new Error("no disk");
      },
    });
    const failed = {
      code: -32000,
      message: "Environment factory 'Counter-v0' failed to create instance.",
      data: { factory_name: "Counter-v0" },
    };
    expect((await rpc("openenv/session/create")).error).toEqual(failed);
    expect((await rpc("tools/call", { name: "look" })).error).toEqual(failed);
  });

  test("an environment without tools does not support MCP, but knows a missing name first", async () => {
    await start(toollessDefinition);
    const unsupported = { code: -32603, message: "Environment does not support MCP", data: { code: "NOT_SUPPORTED" } };
    expect((await rpc("tools/list")).error).toEqual(unsupported);
    expect((await rpc("tools/call", { name: "look" })).error).toEqual(unsupported);
    expect((await rpc("tools/call")).error).toMatchObject({ code: -32602 });
    expect((await rpc("openenv/session/create")).result).toHaveProperty("session_id");
  });

  test("the steps of a call travel with it for harnesses in simulation, never for agents in production", async () => {
    expect((await rpc("tools/call", { name: "increment", arguments: { delta: 3 } })).result?.meta).toEqual({
      "praxis/steps": [{ reward: 0.3, terminated: false, truncated: false }],
    });
    await start(counterDefinition, { mode: "production" });
    expect((await rpc("tools/call", { name: "increment", arguments: { delta: 3 } })).result?.meta).toBeNull();
  });

  test.each(["fail", "not_a_number"])("a step taken by a tool that then fails (%s) is undone", async (name) => {
    const id = await createSession();
    await call(id, "increment", { delta: 2 });
    expect((await call(id, name)).error?.code).toBe(-32603);
    expect(await call(id, "look")).toMatchObject({ result: { data: { total: 2 } } });
    const { wire } = await server.sessions.get(id, counterDefinition).state();
    expect(wire).toMatchObject({ step_count: 1, total: 2 });
  });

  test("a tool that never answers fails after 30 seconds, its step undone and the session usable", async () => {
    const id = await createSession();
    const session = server.sessions.get(id, counterDefinition);
    const stuck = call(id, "never");
    await expect.poll(() => session.isBusy).toBe(true);
    await server.clock.advance(30_000);
    expect((await stuck).error).toMatchObject({
      code: -32603,
      message: expect.stringMatching(/^Tool 'never' timed out after 30 seconds/),
      data: { code: "STEP_TIMEOUT" },
    });
    const next = call(id, "look");
    await server.clock.advance(250);
    expect(await next).toMatchObject({ result: { data: { total: 0 } } });
  });

  test("an ended episode is an error that asks for the trainer's reset, which the agent can't call", async () => {
    const id = await createSession();
    await call(id, "increment", { delta: 3 });
    expect(await call(id, "increment", { delta: 3 })).toMatchObject({ result: { data: { total: 6, finished: true } } });
    expect((await call(id, "increment", { delta: 1 })).error).toMatchObject({
      code: -32603,
      data: { code: "RESET_NEEDED" },
    });
    expect((await call(id, "reset")).error?.code).toBe(-32603);
    expect(await call(id, "look")).toMatchObject({ result: { data: { total: 6 } } });
  });
});
