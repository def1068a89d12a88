import { type CheckGroup, CheckSkip, expect, show } from "./check.ts";
import { asRecord, field, type HttpReply, type Target } from "./target.ts";

const METHOD_NOT_FOUND = -32601;
const RESERVED = ["reset", "step", "state", "close"];

async function rpc(target: Target, method: string, params: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
  const { status, json } = await target.request("POST", "/mcp", { jsonrpc: "2.0", id: 1, method, params });
  expect(status === 200, `${method} answers HTTP ${status}`);
  expect(field(json, "jsonrpc") === "2.0", `${method} answers ${show(json)}`);
  return json;
}

const errorCode = (reply: unknown): unknown => field(reply, "error", "code");

function expectCode({ status, json }: HttpReply, code: number): void {
  expect(status === 200 && errorCode(json) === code, `HTTP ${status}, ${show(json)}; expected code ${code}`);
}

/** The tools of a session-less call. Skips the check when the environment has none. */
async function tools(target: Target): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const reply = await rpc(target, "tools/list");
  const error = field(reply, "error", "message");
  if (error !== undefined) throw new CheckSkip(`no tools: ${show(error)}`);
  const list = field(reply, "result", "tools");
  expect(Array.isArray(list), `tools/list answers ${show(reply)}`);
  if (list.length === 0) throw new CheckSkip("the environment has no tools");
  return list.map((tool) => asRecord(tool) ?? {});
}

async function openRpcSession(target: Target): Promise<string> {
  const reply = await rpc(target, "openenv/session/create");
  if (errorCode(reply) === METHOD_NOT_FOUND) throw new CheckSkip("this server has no MCP sessions");
  const id = field(reply, "result", "session_id");
  expect(typeof id === "string", `openenv/session/create answers ${show(reply)}`);
  return id;
}

/** Rules of `/mcp`: OpenEnv's JSON-RPC dialect, and Streamable HTTP where it is offered. */
export const mcpChecks: CheckGroup<Target> = {
  name: "MCP",
  checks: [
    {
      id: "mcp_parse_error",
      title: "A body that is not JSON is answered -32700 with HTTP 200",
      required: true,
      async run(target) {
        expectCode(await target.request("POST", "/mcp", "{"), -32700);
      },
    },
    {
      id: "mcp_invalid_request",
      title: "A wrong jsonrpc version is answered -32600",
      required: true,
      async run(target) {
        expectCode(await target.request("POST", "/mcp", { jsonrpc: "1.0", id: 1, method: "tools/list" }), -32600);
      },
    },
    {
      id: "mcp_unknown_method",
      title: "An unknown method is answered -32601 with its id",
      required: true,
      async run(target) {
        const reply = await target.request("POST", "/mcp", {
          jsonrpc: "2.0",
          id: "v-1",
          method: "no/such",
          params: {},
        });
        expectCode(reply, METHOD_NOT_FOUND);
        expect(field(reply.json, "id") === "v-1", `the id was ${show(field(reply.json, "id"))}`);
      },
    },
    {
      id: "mcp_tools",
      title: "Every tool has a name, a description and an input schema, none is named like a reserved call",
      required: true,
      async run(target) {
        const list = await tools(target);
        for (const tool of list) {
          expect(typeof tool.name === "string" && tool.name !== "", `a tool has the name ${show(tool.name)}`);
          expect(!RESERVED.includes(tool.name), `a tool is named ${tool.name}, which agents must not reach`);
          expect(
            typeof tool.description === "string",
            `the description of ${tool.name} is ${show(tool.description)}; clients then drop the whole list`,
          );
          const schema = asRecord(tool.input_schema) ?? asRecord(tool.inputSchema);
          expect(schema !== undefined, `${tool.name} has neither input_schema nor inputSchema`);
        }
        return list.map((tool) => tool.name).join(", ");
      },
    },
    {
      id: "mcp_unknown_tool",
      title: "A call of an unknown tool, or one named reset, is a JSON-RPC error",
      required: true,
      async run(target) {
        await tools(target);
        for (const name of ["no_such_tool", ...RESERVED]) {
          const reply = await rpc(target, "tools/call", { name, arguments: {} });
          expect(field(reply, "error") !== undefined, `calling ${name} answers ${show(reply)}`);
        }
      },
    },
    {
      id: "mcp_session",
      title: "A session can be created, closed once, and is unknown afterwards",
      required: false,
      async run(target) {
        const session_id = await openRpcSession(target);
        const closed = await rpc(target, "openenv/session/close", { session_id });
        expect(field(closed, "result", "closed") === true, `close answers ${show(closed)}`);
        const again = await rpc(target, "openenv/session/close", { session_id });
        expect(errorCode(again) === -32602, `a second close answers ${show(again)}`);
      },
    },
    {
      id: "mcp_attach",
      title: "/ws?session_id= acts on the session's environment, and closing it there is deferred",
      required: false,
      async run(target) {
        const session_id = await openRpcSession(target);
        const socket = await target.openSocket(`/ws?session_id=${session_id}`);
        try {
          const first = await socket.ask({ type: "state" });
          if (field(first, "type") === "error")
            throw new CheckSkip(`attaching is refused: ${show(field(first, "data"))}`);
          const other = await target.openSocket(`/ws?session_id=${session_id}`);
          const second = await other.ask({ type: "state" });
          await other.finish();
          if (field(second, "type") !== "error") throw new CheckSkip("this server ignores session_id on /ws");
          const closing = await rpc(target, "openenv/session/close", { session_id });
          expect(field(closing, "result", "closing") === true, `close of an attached session answers ${show(closing)}`);
        } finally {
          await socket.finish();
          await rpc(target, "openenv/session/close", { session_id });
        }
      },
    },
    {
      id: "mcp_streamable_http",
      title: "A standard MCP client can initialize over Streamable HTTP",
      required: false,
      async run(target) {
        const { status, json, headers } = await target.request(
          "POST",
          "/mcp",
          {
            jsonrpc: "2.0",
            id: 1,
            method: "initialize",
            params: {
              protocolVersion: "2025-06-18",
              capabilities: {},
              clientInfo: { name: "praxis-validate", version: "1" },
            },
          },
          { accept: "application/json, text/event-stream" },
        );
        if (errorCode(json) === METHOD_NOT_FOUND) throw new CheckSkip("only the JSON-RPC dialect of OpenEnv is spoken");
        expect(status === 200, `initialize answers HTTP ${status}, ${show(json)}`);
        const session = headers.get("mcp-session-id");
        if (session !== null) await target.request("DELETE", "/mcp", undefined, { "mcp-session-id": session });
      },
    },
  ],
};
