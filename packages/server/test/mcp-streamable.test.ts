import {
  Client,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from "@modelcontextprotocol/client";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { counterDefinition, toollessDefinition } from "./mcp-env.ts";
import { type McpTestServer, startMcpServer } from "./mcp-server.ts";

let server: McpTestServer;
const open: Client[] = [];
const restart = async (...options: Parameters<typeof startMcpServer>): Promise<void> => {
  await server.close();
  server = await startMcpServer(...options);
};
beforeEach(async () => {
  server = await startMcpServer(counterDefinition);
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
  await server.close();
});

async function connect(
  options: StreamableHTTPClientTransportOptions = {},
  clientOptions: ConstructorParameters<typeof Client>[1] = {},
): Promise<{ client: Client; transport: StreamableHTTPClientTransport }> {
  const client = new Client({ name: "test", version: "0" }, clientOptions);
  const transport = new StreamableHTTPClientTransport(server.url, options);
  open.push(client);
  await client.connect(transport);
  return { client, transport };
}

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "0" } },
};
const CALL_LOOK = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "look" } };

/** The JSON-RPC message of a reply, whether it came as JSON or as an event stream. */
async function messageOf(response: Response): Promise<Record<string, unknown>> {
  const text = await response.text();
  const data = /^data: (.*)$/m.exec(text)?.[1];
  return JSON.parse(data ?? text) as Record<string, unknown>;
}
async function initialize(): Promise<string> {
  const response = await server.post(INITIALIZE);
  await response.text();
  return response.headers.get("mcp-session-id") ?? "";
}

describe("an ordinary MCP client", () => {
  test("plays an episode to its end and gets the rewards with the steps", async () => {
    const { client } = await connect();
    const rewards: unknown[] = [];
    let finished: unknown = false;
    while (finished !== true) {
      const result = await client.callTool({ name: "increment", arguments: { delta: 2 } });
      expect(result.isError).toBeFalsy();
      rewards.push(result._meta?.["praxis/steps"]);
      finished = (result.structuredContent as { finished: boolean }).finished;
    }
    expect(rewards).toEqual([
      [{ reward: 0.2, terminated: false, truncated: false }],
      [{ reward: 0.2, terminated: false, truncated: false }],
      [{ reward: 0.2, terminated: true, truncated: false }],
    ]);
    const after = await client.callTool({ name: "increment", arguments: { delta: 2 } });
    expect(after).toMatchObject({ isError: true, structuredContent: { code: "RESET_NEEDED" } });
  });

  test("learns who it talks to and sees each tool with title, schema and whether it changes anything", async () => {
    const { client } = await connect();
    expect(client.getServerVersion()).toMatchObject({ name: "counter", title: "Counter-v0", version: "1.2.3" });
    expect(client.getInstructions()).toBe("Counts up to 5. For tests only.");
    const { tools } = await client.listTools();
    expect(tools.find((tool) => tool.name === "increment")).toEqual({
      name: "increment",
      title: "Increment",
      description: "Adds a number to the total",
      inputSchema: {
        type: "object",
        properties: { delta: { type: "integer", minimum: 1, maximum: 3 } },
        required: ["delta"],
        additionalProperties: false,
      },
      annotations: { title: "Increment", readOnlyHint: false },
    });
  });

  test("reads bad arguments as a result with the path of each field, and goes on", async () => {
    const { client } = await connect();
    expect(await client.callTool({ name: "increment", arguments: { delta: 9 } })).toMatchObject({
      isError: true,
      content: [{ type: "text", text: expect.stringContaining("delta: Input should be less than or equal to 3") }],
      structuredContent: { code: "VALIDATION_ERROR", errors: [{ type: "less_than_equal", loc: ["delta"] }] },
    });
    expect(await client.callTool({ name: "look" })).toMatchObject({ structuredContent: { total: 0 } });
  });

  test("gets a protocol error for a tool that does not exist", async () => {
    const { client } = await connect();
    await expect(client.callTool({ name: "lok" })).rejects.toThrow("Unknown tool 'lok'. Did you mean 'look'?");
  });

  test("that asks for a newer protocol first falls back to this one", async () => {
    const { client } = await connect({}, { versionNegotiation: { mode: "auto" } });
    expect(client.getNegotiatedProtocolVersion()).toBe("2025-11-25");
    expect(await client.callTool({ name: "look" })).toMatchObject({ structuredContent: { total: 0 } });
  });

  test("owns one session and slot from its first message to its last", async () => {
    const { transport } = await connect();
    const other = await connect();
    expect(server.sessions.active).toBe(2);
    await transport.terminateSession();
    expect(server.sessions.active).toBe(1);
    expect(await other.client.callTool({ name: "look" })).toMatchObject({ structuredContent: { total: 0 } });
  });

  test("shares its id with the trainer, who resets and reads the same episode", async () => {
    const { client, transport } = await connect();
    const session = server.sessions.get(transport.sessionId ?? "", counterDefinition);
    await session.reset({ seed: 3, episodeId: "ep-3" });
    await client.callTool({ name: "increment", arguments: { delta: 1 } });
    expect((await session.state()).wire).toEqual({ episode_id: "ep-3", step_count: 1, total: 1 });
  });

  test("two clients' episodes do not touch", async () => {
    const [a, b] = [await connect(), await connect()];
    await a.client.callTool({ name: "increment", arguments: { delta: 3 } });
    await b.client.callTool({ name: "increment", arguments: { delta: 1 } });
    expect(await a.client.callTool({ name: "look" })).toMatchObject({ structuredContent: { total: 3 } });
    expect(await b.client.callTool({ name: "look" })).toMatchObject({ structuredContent: { total: 1 } });
  });

  test("is told when no slot is free, and how long to wait", async () => {
    await restart(counterDefinition, { maxSessions: 1 });
    await connect();
    const refused = await server.post(INITIALIZE);
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refused.json()).toEqual({
      jsonrpc: "2.0",
      id: 1,
      error: {
        code: -32000,
        message: "Server at capacity: 1/1 sessions active. Cannot accept new connections.",
        data: { active_sessions: 1, max_sessions: 1 },
      },
    });
    await expect(connect()).rejects.toThrow("Server at capacity: 1/1");
  });

  test("is told when the environment has no tools, without taking a slot", async () => {
    await restart(toollessDefinition);
    await expect(connect()).rejects.toThrow("Environment does not support MCP");
    expect(server.sessions.active).toBe(0);
  });

  test("whose session was idle too long gets 404, and a new session when it initialises again", async () => {
    const { client } = await connect();
    await server.clock.advance(59_000);
    await client.callTool({ name: "look" });
    await server.clock.advance(59_000);
    expect(server.sessions.active).toBe(1);
    await server.clock.advance(2_000);
    expect(server.sessions.active).toBe(0);
    await expect(client.callTool({ name: "look" })).rejects.toThrow("Session not found");
    expect(await (await connect()).client.callTool({ name: "look" })).toMatchObject({
      structuredContent: { total: 0 },
    });
  });

  test("after a restart of the server gets 404 for its old session and initialises anew", async () => {
    const id = await initialize();
    await restart(counterDefinition);
    const response = await server.post(CALL_LOOK, { "mcp-session-id": id });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ jsonrpc: "2.0", id: 2, error: { code: -32001 } });
    expect(await initialize()).not.toBe(id);
  });
});

describe("Streamable HTTP, message by message", () => {
  test("a second initialize on one session is refused and the session goes on", async () => {
    const id = await initialize();
    const again = await server.post(INITIALIZE, { "mcp-session-id": id });
    expect(again.status).toBe(400);
    expect(await again.json()).toMatchObject({ jsonrpc: "2.0", error: { code: -32600 } });
    const call = await server.post(CALL_LOOK, { "mcp-session-id": id });
    expect(call.status).toBe(200);
    expect(await messageOf(call)).toMatchObject({ id: 2, result: { structuredContent: { total: 0 } } });
    expect(server.sessions.active).toBe(1);
  });

  test("tools/call before initialize is refused to a client that shows its protocol version", async () => {
    const response = await server.post(CALL_LOOK, { "mcp-protocol-version": "2025-06-18" });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      jsonrpc: "2.0",
      id: 2,
      error: { code: -32000, message: expect.stringContaining("send initialize first") },
    });
  });

  test("tools/call without any sign of the standard protocol is OpenEnv's dialect", async () => {
    const response = await server.post(CALL_LOOK);
    expect([response.status, await response.json()]).toMatchObject([200, { id: 2, result: { data: { total: 0 } } }]);
  });

  test.each([
    ["no parameters", { jsonrpc: "2.0", id: 1, method: "initialize" }, 400, -32602],
    ["a list as parameters", { jsonrpc: "2.0", id: 1, method: "initialize", params: [] }, 400, -32600],
    ["no version of JSON-RPC", { id: 1, method: "initialize", params: INITIALIZE.params }, 400, -32600],
  ])("initialize with %s is refused and takes no slot", async (_what, body, status, code) => {
    const response = await server.post(body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ jsonrpc: "2.0", id: 1, error: { code } });
    expect(server.sessions.active).toBe(0);
  });

  test.each([
    ["Accept", { accept: "application/json" }, 406],
    ["content type", { "content-type": "text/plain" }, 415],
  ])("initialize with a wrong %s is refused and takes no slot", async (_what, headers, status) => {
    const response = await server.post(INITIALIZE, headers);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ jsonrpc: "2.0", error: { code: -32000 } });
    expect(server.sessions.active).toBe(0);
  });

  test.each([
    ["an empty object", "{}"],
    ["text that is not JSON", "{"],
    ["a number", "1"],
    ["nothing", ""],
    ["a prototype key", '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"__proto__":{"name":"look"}}}'],
  ])("%s within a session is a JSON-RPC error with status 400", async (_what, text) => {
    const id = await initialize();
    const response = await server.post(text, { "mcp-session-id": id });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: expect.any(Number) } });
  });

  test("a session of OpenEnv's dialect is none of this one", async () => {
    const created = await server.post({ jsonrpc: "2.0", method: "openenv/session/create", id: 1 });
    const { result } = (await created.json()) as { result: { session_id: string } };
    expect((await server.post(CALL_LOOK, { "mcp-session-id": result.session_id })).status).toBe(404);
  });

  test("a session closed through OpenEnv's dialect is gone here too", async () => {
    const id = await initialize();
    await server.post({ jsonrpc: "2.0", method: "openenv/session/close", params: { session_id: id }, id: 1 });
    expect((await server.post(CALL_LOOK, { "mcp-session-id": id })).status).toBe(404);
    expect(server.sessions.active).toBe(0);
  });

  test("GET opens an event stream that ends with the session", async () => {
    const id = await initialize();
    const headers = { accept: "text/event-stream", "mcp-session-id": id };
    const stream = await fetch(server.url, { headers });
    expect(stream.status).toBe(200);
    expect(stream.headers.get("content-type")).toBe("text/event-stream");
    expect((await fetch(server.url, { headers })).status).toBe(409);
    const deleted = await fetch(server.url, { method: "DELETE", headers: { "mcp-session-id": id } });
    expect(deleted.status).toBe(200);
    expect(await stream.text()).toBe("");
  });

  test("a request with the id of a running call is refused, and neither is left waiting", async () => {
    const id = await initialize();
    const never = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "never" } };
    const running = await server.post(never, { "mcp-session-id": id });
    const second = await server.post(CALL_LOOK, { "mcp-session-id": id });
    expect(second.status).toBe(400);
    expect(await second.json()).toMatchObject({ id: 2, error: { code: -32600 } });
    await server.clock.advance(30_250);
    expect(await messageOf(running)).toMatchObject({ id: 2, result: { structuredContent: { code: "STEP_TIMEOUT" } } });
    expect(await messageOf(await server.post(CALL_LOOK, { "mcp-session-id": id }))).toMatchObject({
      id: 2,
      result: {},
    });
  });

  test("calls at the same time are carried out one after the other", async () => {
    const { client } = await connect();
    const results = await Promise.all(
      [1, 2, 1].map((delta) => client.callTool({ name: "increment", arguments: { delta } })),
    );
    expect(results.map((result) => (result.structuredContent as { total: number }).total)).toEqual([1, 3, 4]);
  });

  test("no JSON, in either dialect, is a fault of the server", async () => {
    const id = await initialize();
    const methods = fc.constantFrom("initialize", "tools/list", "tools/call", "openenv/session/close", "ping", "x");
    const params = fc.oneof(
      fc.jsonValue(),
      fc.record({ name: fc.constantFrom("add", "x"), arguments: fc.jsonValue() }),
    );
    const message = fc.oneof(
      fc.jsonValue(),
      fc.record({ jsonrpc: fc.constantFrom("2.0", "1.0"), id: fc.jsonValue(), method: methods, params }),
      fc.record({ jsonrpc: fc.constant("2.0"), method: methods }),
    );
    await fc.assert(
      fc.asyncProperty(message, fc.boolean(), async (body, isStandard) => {
        const response = await server.post(JSON.stringify(body), isStandard ? { "mcp-session-id": id } : {});
        const text = await response.text();
        expect([200, 202, 400, 404]).toContain(response.status);
        if (response.status !== 202 && text !== "") expect(text).toContain('"jsonrpc":"2.0"');
      }),
      { numRuns: 150 },
    );
  });

  test("DELETE during a call ends the call's stream and frees the slot at once", async () => {
    const id = await initialize();
    const running = await server.post(
      { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "never" } },
      { "mcp-session-id": id },
    );
    const deleted = await fetch(server.url, { method: "DELETE", headers: { "mcp-session-id": id } });
    expect([deleted.status, server.sessions.active]).toEqual([200, 0]);
    expect(await running.text()).toBe("");
  });

  test("GET and DELETE: 405 without a session, 404 for an unknown one", async () => {
    for (const method of ["GET", "DELETE"]) {
      const bare = await fetch(server.url, { method, headers: { accept: "text/event-stream" } });
      expect([bare.status, bare.headers.get("allow"), await bare.json()]).toEqual([
        405,
        "POST",
        { detail: "Method Not Allowed" },
      ]);
      const unknown = await fetch(server.url, {
        method,
        headers: { accept: "text/event-stream", "mcp-session-id": "nobody" },
      });
      expect(unknown.status).toBe(404);
      expect(await unknown.json()).toMatchObject({ jsonrpc: "2.0", error: { code: -32001 } });
    }
  });

  test("a protocol version nobody knows is refused within a session", async () => {
    const id = await initialize();
    const response = await server.post(CALL_LOOK, { "mcp-session-id": id, "mcp-protocol-version": "1999-01-01" });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ jsonrpc: "2.0", error: { code: -32000 } });
  });
});
