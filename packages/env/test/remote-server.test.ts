import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAddress } from "../src/remote/address.ts";
import { RemoteServer, RemoteTools } from "../src/remote/index.ts";
import { parseTools, unwrapToolResult } from "../src/remote/remote-tools.ts";
import { OpenEnvServer } from "./openenv-server.ts";

let server: OpenEnvServer;
let older: OpenEnvServer;
beforeAll(async () => {
  server = await OpenEnvServer.start({ generation: "0.10.0", maxSessions: 1 });
  older = await OpenEnvServer.start({ generation: "0.3.0" });
});
afterAll(async () => {
  await server.stop();
  await older.stop();
});

describe("parseAddress", () => {
  test.each([
    ["localhost:8000", "http://localhost:8000", "ws://localhost:8000"],
    ["http://host/a/b/", "http://host/a/b", "ws://host/a/b"],
    ["https://host", "https://host", "wss://host"],
    ["ws://host:1/x", "http://host:1/x", "ws://host:1/x"],
    ["WSS://Host", "https://host", "wss://host"],
    ["[::1]:8000", "http://[::1]:8000", "ws://[::1]:8000"],
  ])("%s is %s and %s", (given, http, ws) => {
    expect(parseAddress(given)).toEqual({ http, ws });
  });

  test.each(["", "ftp://host", "http://user:pass@host", "http://host/?token=x", "http://host/#top", "http://a b"])(
    "'%s' is refused as INVALID_CONFIG",
    (given) => {
      expect(() => parseAddress(given)).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
    },
  );

  test("a refused address with a password does not repeat it", () => {
    expect(() => parseAddress("http://user:pa55@host")).toThrow(/^(?!.*pa55)/);
  });
});

describe("RemoteServer", () => {
  test("reads health, metadata and schemas of both generations", async () => {
    for (const { url } of [server, older]) {
      const remote = new RemoteServer({ baseUrl: url });
      expect((await remote.health()).status).toBe("healthy");
      expect((await remote.metadata()).description).toBe("Counter environment");
      expect(Object.keys(await remote.schema())).toEqual(["action", "observation", "state"]);
    }
  });

  test("reads splits, counts and tasks", async () => {
    const remote = new RemoteServer({ baseUrl: server.url });
    expect(await remote.listEnvironments()).toEqual(["Counter"]);
    expect(await remote.splits("Counter")).toEqual([{ name: "hard", type: "validation" }]);
    expect(await remote.countTasks("Counter", "hard")).toBe(2);
    expect(await remote.task("Counter", "hard", 1)).toEqual({ goal: 1 });
    expect(await remote.tasks("Counter", "hard", { start: 1 })).toEqual([1, 2]);
  });

  test.each([
    [
      "a server without the task API",
      () => new RemoteServer({ baseUrl: older.url }).listEnvironments(),
      "NOT_SUPPORTED",
    ],
    ["an unknown environment", () => new RemoteServer({ baseUrl: server.url }).splits("Nobody"), "UNKNOWN_ENVIRONMENT"],
    [
      "an index out of range",
      () => new RemoteServer({ baseUrl: server.url }).task("Counter", "hard", 9),
      "VALIDATION_ERROR",
    ],
    ["a crash in plain text", () => new RemoteServer({ baseUrl: server.url }).splits("crash"), "ENVIRONMENT_ERROR"],
    ["nobody at the port", () => new RemoteServer({ baseUrl: "127.0.0.1:1" }).health(), "CONNECTION_LOST"],
  ])("%s is a typed error", async (_what, call, code) => {
    await expect(call()).rejects.toMatchObject({ name: "PraxisError", code });
  });

  test("a server that is no OpenEnv server is named with the field that is wrong", async () => {
    const fetchHtml = async (): Promise<Response> => Response.json({ hello: "world" });
    const remote = new RemoteServer({ baseUrl: server.url, fetch: fetchHtml });
    await expect(remote.health()).rejects.toThrow(/field 'status'/);
  });

  test("a service is read by its path, and one that is not there is NOT_SUPPORTED", async () => {
    const remote = new RemoteServer({ baseUrl: server.url });
    expect(await remote.service("/health")).toMatchObject({ status: "healthy" });
    await expect(remote.service("/nothing", { a: 1 })).rejects.toMatchObject({ code: "NOT_SUPPORTED" });
  });

  test("text goes to a service as it is, anything else as JSON", async () => {
    const bodies: unknown[] = [];
    const remote = new RemoteServer({
      baseUrl: server.url,
      fetch: async (_url, init) => {
        bodies.push(init?.body);
        return new Response("{}");
      },
    });
    await remote.service("/review", '{"dose": 1.50}');
    await remote.service("/review", { dose: 1.5 });
    expect(bodies).toEqual(['{"dose": 1.50}', '{"dose":1.5}']);
  });

  test("token and headers go with every request", async () => {
    const seen: unknown[] = [];
    const record = async (_url: unknown, init?: { headers?: unknown }): Promise<Response> => {
      seen.push(init?.headers);
      return Response.json({ status: "healthy" });
    };
    await new RemoteServer({ baseUrl: server.url, token: "t", headers: { "x-run": "7" }, fetch: record }).health();
    expect(seen).toEqual([{ authorization: "Bearer t", "x-run": "7" }]);
  });
});

describe("RemoteTools", () => {
  test("holds one slot from open to close", async () => {
    const tools = await RemoteTools.open({ baseUrl: server.url });
    await expect(RemoteTools.open({ baseUrl: server.url })).rejects.toMatchObject({ code: "CAPACITY_REACHED" });
    expect(await tools.list()).toHaveLength(1);
    await tools.close();
    await (await RemoteTools.open({ baseUrl: server.url })).close();
  });

  test("reads both spellings of the input schema and a missing description", () => {
    const schema = { type: "object", required: ["a"] };
    const tools = parseTools({
      tools: [
        { name: "x", description: "X", inputSchema: schema, input_schema: schema },
        { name: "y", description: null, input_schema: schema },
        { name: "z" },
      ],
    });
    expect(tools).toEqual([
      { name: "x", description: "X", inputSchema: schema },
      { name: "y", description: "", inputSchema: schema },
      { name: "z", description: "", inputSchema: { type: "object" } },
    ]);
  });

  test.each([
    [{ content: [], structured_content: { result: 3 }, data: 3, is_error: false }, 3],
    [{ content: [], structured_content: null, data: null, is_error: false }, null],
    [{ content: [], structuredContent: { result: 3 } }, 3],
    [{ content: [], structuredContent: { a: 1 } }, { a: 1 }],
    [{ content: [{ type: "text", text: "3" }] }, [{ type: "text", text: "3" }]],
    [{ tool_name: "add", result: { data: 3 }, error: null }, 3],
    ["3", "3"],
  ])("unwraps %j", (result, value) => {
    expect(unwrapToolResult(result)).toEqual(value);
  });

  test.each([
    [{ isError: true, content: [{ type: "text", text: "no" }] }, "ENVIRONMENT_ERROR", "no"],
    [
      { tool_name: "x", result: null, error: { error_type: "tool_not_found", message: "no x" } },
      "UNKNOWN_NAME",
      "no x",
    ],
    [{ tool_name: "x", result: null, error: { error_type: "invalid_args", message: "a" } }, "VALIDATION_ERROR", "a"],
    [{ tool_name: "x", result: null, error: { error_type: "timeout", message: "t" } }, "ENVIRONMENT_ERROR", "t"],
  ])("throws the error of %j", (result, code, message) => {
    expect(() => unwrapToolResult(result)).toThrow(expect.objectContaining({ code, message }));
  });
});
