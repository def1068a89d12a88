import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { counterDefinition, toollessDefinition } from "./mcp-env.ts";
import { type McpTestServer, startMcpServer } from "./mcp-server.ts";

/** A socket whose replies are read one by one, as OpenEnv's clients do. */
class Socket {
  readonly #ws: WebSocket;
  readonly #received: unknown[] = [];
  #wake: (() => void) | null = null;

  constructor(path: string) {
    this.#ws = new WebSocket(new URL(path, server.url.href.replace("http", "ws")));
    this.#ws.on("message", (data) => {
      this.#received.push(JSON.parse(String(data)));
      this.#wake?.();
    });
    sockets.push(this);
  }

  async open(): Promise<this> {
    await once(this.#ws, "open");
    return this;
  }

  async read(): Promise<unknown> {
    if (this.#received.length === 0)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    return this.#received.shift();
  }

  ask(message: unknown): Promise<unknown> {
    this.#ws.send(typeof message === "string" ? message : JSON.stringify(message));
    return this.read();
  }

  send(message: unknown): void {
    this.#ws.send(JSON.stringify(message));
  }

  async closed(): Promise<number> {
    const [code] = (await once(this.#ws, "close")) as [number];
    return code;
  }

  cut(): void {
    this.#ws.terminate();
  }
}

let server: McpTestServer;
const sockets: Socket[] = [];
const restart = async (...options: Parameters<typeof startMcpServer>): Promise<void> => {
  await server.close();
  server = await startMcpServer(...options);
};
beforeEach(async () => {
  server = await startMcpServer(counterDefinition);
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.cut();
  await server.close();
});

const request = (method: string, params: Record<string, unknown> = {}, id: unknown = 1) => ({
  jsonrpc: "2.0",
  method,
  params,
  id,
});
const callTool = (name: string, args: Record<string, unknown> = {}, more: Record<string, unknown> = {}) =>
  request("tools/call", { name, arguments: args, ...more });
async function post(message: unknown): Promise<Record<string, unknown>> {
  return (await (await server.post(message)).json()) as Record<string, unknown>;
}

/** Both kinds of socket: how a request is put, how a response is read. */
const DOORS = [
  { door: "/mcp", put: (message: unknown) => message, take: (reply: unknown) => reply },
  {
    door: "/ws",
    put: (data: unknown) => ({ type: "mcp", data }),
    take: (reply: unknown) => {
      expect(reply).toMatchObject({ type: "mcp" });
      return (reply as { data: unknown }).data;
    },
  },
];

describe.each(DOORS)("JSON-RPC on WebSocket $door", ({ door, put, take }) => {
  const open = () => new Socket(door).open();
  const ask = async (socket: Socket, message: unknown) => take(await socket.ask(put(message)));

  test("acts on the connection's own environment, which remembers", async () => {
    const socket = await open();
    expect(await ask(socket, callTool("increment", { delta: 2 }))).toMatchObject({
      jsonrpc: "2.0",
      id: 1,
      result: { data: { total: 2, finished: false } },
    });
    expect(await ask(socket, callTool("look"))).toMatchObject({ result: { data: { total: 2 } } });
    expect(server.sessions.active).toBe(1);
  });

  test("lists the same tools as over HTTP", async () => {
    expect(await ask(await open(), request("tools/list"))).toEqual(await post(request("tools/list")));
  });

  test("session/create names the connection's own session each time, and closing that is refused", async () => {
    const socket = await open();
    const created = (await ask(socket, request("openenv/session/create"))) as { result: { session_id: string } };
    expect(await ask(socket, request("openenv/session/create"))).toEqual(created);
    expect(server.sessions.active).toBe(1);
    const { session_id } = created.result;
    expect(await ask(socket, request("openenv/session/close", { session_id }))).toEqual({
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32600, message: "Cannot close active WebSocket-managed session via MCP method", data: null },
    });
    await ask(socket, callTool("increment", { delta: 1 }));
    expect(await post(callTool("look", {}, { session_id }))).toMatchObject({ result: { data: { total: 1 } } });
  });

  test("a request that is none is an error with id null and the connection goes on", async () => {
    const socket = await open();
    expect(await ask(socket, { jsonrpc: "2.0", id: 5 })).toEqual({
      jsonrpc: "2.0",
      id: null,
      error: {
        code: -32600,
        message: "Invalid request: 1 validation error for JsonRpcRequest\nmethod\n  Field required [type=missing]",
        data: null,
      },
    });
    expect(await ask(socket, request("ping", {}, "p"))).toMatchObject({ id: "p", error: { code: -32601 } });
    expect(await ask(socket, callTool("look"))).toMatchObject({ result: { data: { total: 0 } } });
  });

  test("an environment without tools does not support MCP", async () => {
    await restart(toollessDefinition);
    const unsupported = { error: { code: -32603, message: "Environment does not support MCP" } };
    const socket = await open();
    expect(await ask(socket, request("tools/list"))).toMatchObject(unsupported);
    expect(await ask(socket, callTool("look"))).toMatchObject(unsupported);
  });
});

describe("WebSocket /mcp", () => {
  test("answers text that is not JSON with the place of the fault, and an array with an invalid request", async () => {
    const socket = await new Socket("/mcp").open();
    expect(await socket.ask('{"jsonrpc":')).toEqual({
      jsonrpc: "2.0",
      id: null,
      error: { code: -32700, message: "Parse error: Expecting value: line 1 column 12 (char 11)", data: null },
    });
    expect(await socket.ask("[1]")).toMatchObject({ id: null, error: { code: -32600 } });
    expect(await socket.ask(callTool("look"))).toMatchObject({ result: { data: { total: 0 } } });
  });

  test("refuses a connection above the limit with the numbers, then closes with 1000", async () => {
    await restart(counterDefinition, { maxSessions: 1 });
    await new Socket("/mcp").open();
    const refused = new Socket("/mcp");
    const closed = refused.closed();
    expect(await refused.read()).toEqual({
      jsonrpc: "2.0",
      id: null,
      error: {
        code: -32000,
        message: "Server at capacity: 1/1 sessions active. Cannot accept new connections.",
        data: { active_sessions: 1, max_sessions: 1 },
      },
    });
    expect(await closed).toBe(1000);
  });
});

describe("tools through /ws", () => {
  test("step frames list and call tools, with the reward of the steps they took", async () => {
    const socket = await new Socket("/ws").open();
    expect(await socket.ask({ type: "step", data: { type: "list_tools" } })).toMatchObject({
      type: "observation",
      data: { observation: { tools: [{ name: "add", input_schema: { type: "object" } }, {}, {}, {}, {}, {}, {}, {}] } },
    });
    const call = { type: "call_tool", tool_name: "increment", arguments: { delta: 3 } };
    expect(await socket.ask({ type: "step", data: call })).toMatchObject({
      type: "observation",
      data: {
        observation: { tool_name: "increment", error: null, result: { data: { total: 3 } } },
        reward: 0.3,
        done: false,
      },
    });
    expect(await socket.ask({ type: "step", data: call })).toMatchObject({ data: { reward: 0.3, done: true } });
    expect(await socket.ask({ type: "state" })).toMatchObject({ data: { step_count: 2, total: 6 } });
  });

  test("a step frame with a bad tool action is a validation error by field", async () => {
    const socket = await new Socket("/ws").open();
    expect(await socket.ask({ type: "step", data: { type: "call_tool", tool: "look" } })).toMatchObject({
      type: "error",
      data: {
        code: "VALIDATION_ERROR",
        errors: [
          { loc: ["tool_name"], type: "missing" },
          { loc: ["tool"], type: "extra_forbidden" },
        ],
      },
    });
  });

  test("the order of OpenEnv's tool client: create, attach, reset, call, close", async () => {
    const { result } = await post(request("openenv/session/create"));
    const { session_id } = result as { session_id: string };
    const socket = await new Socket(`/ws?session_id=${session_id}`).open();
    await socket.ask({ type: "reset", data: { seed: 5, episode_id: "ep-5" } });
    await post(callTool("increment", { delta: 2 }, { session_id }));
    expect(await socket.ask({ type: "state" })).toMatchObject({
      data: { episode_id: "ep-5", step_count: 1, total: 2 },
    });
    expect(server.sessions.active).toBe(1);
    const closed = socket.closed();
    socket.send({ type: "close" });
    expect(await closed).toBe(1000);
    expect(await post(request("openenv/session/close", { session_id }))).toMatchObject({
      result: { session_id, closed: true },
    });
    expect(server.sessions.active).toBe(0);
  });
});
