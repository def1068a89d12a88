import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { counterDefinition } from "./mcp-env.ts";
import { type McpTestServer, startMcpServer } from "./mcp-server.ts";

let server: McpTestServer;
beforeEach(async () => {
  server = await startMcpServer(counterDefinition, { mode: "production" });
});
afterEach(() => server.close());

const TRAINER_CALLS = ["reset", "step", "state", "close"];
const GUESSES = [
  ...TRAINER_CALLS,
  ...TRAINER_CALLS.map((name) => name.toUpperCase()),
  ...TRAINER_CALLS.map((name) => `env.${name}()`),
  ...TRAINER_CALLS.map((name) => `openenv/${name}`),
  ...TRAINER_CALLS.map((name) => `openenv/session/${name === "close" ? "reset" : name}`),
  ...TRAINER_CALLS.map((name) => ` ${name}`),
  "../../state",
  "__proto__",
  "constructor",
  "toString",
  "call",
  "get_state",
  "getState",
  "snapshot",
  "restore",
  "hint",
  "rpc.discover",
  "resources/read",
];
const HOSTILE = ["env.reset()", "../../state", "__proto__", "$(env.close)", "'; reset --", "\u0000", "{{state}}"];

async function rpc(method: string, params: unknown): Promise<Record<string, unknown>> {
  const response = await server.post({ jsonrpc: "2.0", method, params, id: 1 });
  expect(response.status).toBe(200);
  return (await response.json()) as Record<string, unknown>;
}
/** A session with two steps behind it and what its trainer sees of it. */
async function begunSession() {
  const session = server.sessions.open(counterDefinition, "http-mcp");
  await session.reset({ seed: 1, episodeId: "ep" });
  await session.step({ delta: 1 });
  await session.step({ delta: 1 });
  return { id: session.id, look: async () => JSON.stringify([(await session.state()).wire, session.last]) };
}

describe("an agent on /mcp", () => {
  test("is shown exactly the tools of its mode", async () => {
    const { result } = await rpc("tools/list", {});
    expect((result as { tools: { name: string }[] }).tools.map((tool) => tool.name)).toEqual([
      "add",
      "increment",
      "look",
      "echo",
      "fail",
      "not_a_number",
      "never",
      "submit",
    ]);
  });

  test("can't call or guess reset, step, state or close, as tool or as method", async () => {
    const { id, look } = await begunSession();
    const before = await look();
    for (const name of GUESSES) {
      expect(await rpc("tools/call", { name, arguments: {}, session_id: id })).toMatchObject({
        error: { code: -32603 },
      });
      expect(await rpc(name, { session_id: id })).toMatchObject({ error: { code: -32601 } });
    }
    expect(await look()).toBe(before);
  });

  test("changes nothing with hostile text as value, as field name or as session", async () => {
    const { id, look } = await begunSession();
    const before = await look();
    for (const text of HOSTILE) {
      expect(await rpc("tools/call", { name: "echo", arguments: { value: text }, session_id: id })).toMatchObject({
        result: { data: text },
      });
      expect(await rpc("tools/call", { name: "increment", arguments: { delta: text }, session_id: id })).toMatchObject({
        error: { code: -32603 },
      });
      const named = await server.post(
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look","session_id":"${id}","arguments":{${JSON.stringify(text)}:1}}}`,
      );
      expect(await named.json()).toHaveProperty("error");
      expect(await rpc("tools/call", { name: "look", session_id: text })).toMatchObject({ error: { code: -32602 } });
    }
    expect(await look()).toBe(before);
    expect(({} as Record<string, unknown>).total).toBeUndefined();
  });

  test("can't reach the trainer's calls over Streamable HTTP either", async () => {
    const client = new Client({ name: "agent", version: "0" });
    const transport = new StreamableHTTPClientTransport(server.url);
    await client.connect(transport);
    await client.callTool({ name: "increment", arguments: { delta: 2 } });
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name).filter((name) => TRAINER_CALLS.includes(name))).toEqual([]);
    for (const name of GUESSES) await expect(client.callTool({ name })).rejects.toThrow(`Unknown tool '${name}'.`);
    for (const method of ["reset", "step", "state", "close", "openenv/session/close"]) {
      const response = await server.post(
        { jsonrpc: "2.0", id: 9, method, params: {} },
        { "mcp-session-id": transport.sessionId ?? "" },
      );
      expect(response.status).toBe(200);
      expect(await response.text()).toContain('"code":-32601');
    }
    expect(await client.callTool({ name: "look" })).toMatchObject({ structuredContent: { total: 2 } });
    await client.close();
  });
});
