import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ServerPlan } from "../src/config/plan.ts";
import { makeRealClock } from "../src/engine/clock.ts";
import { connectMcp } from "../src/node/mcp.ts";
import { makeToolSource, type ServerConnection } from "../src/tools/source.ts";
import { team } from "./support/files.ts";
import { runScript } from "./support/run.ts";

const SCRIPT = `${import.meta.dirname}/support/mcp-server.mjs`;
const stdio = (extra: Partial<ServerPlan> = {}): ServerPlan => ({
  name: "desk",
  transport: {
    kind: "stdio",
    command: process.execPath,
    args: [SCRIPT, "--stdio"],
    env: { DESK_TOKEN: "given" },
    cwd: undefined,
  },
  timeoutMs: 20_000,
  approval: "never",
  idempotent: false,
  ...extra,
});
const context = { signal: new AbortController().signal, runId: "r", agentId: "a", stepId: "s" };

const open: ServerConnection[] = [];
afterEach(async () => {
  for (const connection of open.splice(0)) await connection.close();
});
const connect = async (server: ServerPlan): Promise<ServerConnection> => {
  const connection = await connectMcp(server, __filename);
  open.push(connection);
  return connection;
};
const call = async (connection: ServerConnection, name: string, input: unknown, signal = context.signal) => {
  const tool = (await connection.tools()).find((candidate) => candidate.name === name)!;
  return tool.execute(input, { ...context, signal });
};

describe("a server over stdio", () => {
  test("tools are listed and called, an error of a tool is an answer, and only named variables reach it", async () => {
    process.env.FLOW_TEST_CANARY = "must-not-leak";
    const connection = await connect(stdio());
    expect((await connection.tools()).map((tool) => tool.name)).toEqual(["add", "fail", "env", "slow", "grow"]);
    expect(await call(connection, "add", { a: 2, b: 3 })).toEqual({ ok: true, content: "5" });
    expect(await call(connection, "fail", {})).toEqual({ ok: false, content: "out of paper" });
    expect(await call(connection, "env", { name: "DESK_TOKEN" })).toEqual({ ok: true, content: "given" });
    expect(await call(connection, "env", { name: "FLOW_TEST_CANARY" })).toEqual({ ok: true, content: "unset" });
  });

  test("after a notice of change the list is read again", async () => {
    const connection = await connect(stdio());
    await connection.tools();
    await call(connection, "grow", {});
    await expect.poll(async () => (await connection.tools()).map((tool) => tool.name)).toContain("extra");
    expect(await call(connection, "extra", {})).toEqual({ ok: true, content: "extra!" });
  });

  test("a call ends with its signal, and by the server's own time limit", async () => {
    const connection = await connect(stdio({ timeoutMs: 1_500 }));
    const controller = new AbortController();
    const pending = call(connection, "slow", {}, controller.signal);
    setTimeout(() => controller.abort(new Error("enough")), 20);
    await expect(pending).rejects.toThrow();
    await expect(call(connection, "slow", {})).rejects.toThrow(/time/i);
  });

  test("a server that can't be started is E403 with its name", async () => {
    await expect(
      connectMcp(
        stdio({ transport: { kind: "stdio", command: "no-such-command-here", args: [], env: {}, cwd: undefined } }),
        __filename,
      ),
    ).rejects.toMatchObject({ code: "E403", message: expect.stringContaining("desk") as string });
  });
});

describe("a server over streamable HTTP", () => {
  let url = "";
  let stop: () => Promise<void>;
  const tokens: unknown[] = [];
  beforeAll(async () => {
    const { makeServer } = (await import("./support/mcp-server.mjs" as string)) as { makeServer: () => never };
    const handler = createMcpHandler(makeServer);
    const server = createServer(async (request, response) => {
      tokens.push(request.headers["x-team"]);
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const reply = await handler.fetch(
        new Request(`http://127.0.0.1${request.url}`, {
          method: request.method ?? "GET",
          headers: request.headers as Record<string, string>,
          ...(parts.length > 0 ? { body: Buffer.concat(parts) } : {}),
        }),
      );
      response.writeHead(reply.status, Object.fromEntries(reply.headers));
      response.end(Buffer.from(await reply.arrayBuffer()));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    stop = async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    };
  });
  afterAll(() => stop());

  test("tools are called, and the file's headers go along", async () => {
    const connection = await connect(stdio({ transport: { kind: "http", url, headers: { "x-team": "blue" } } }));
    expect(await call(connection, "add", { a: 20, b: 22 })).toEqual({ ok: true, content: "42" });
    expect(new Set(tokens)).toEqual(new Set(["blue"]));
  });

  test("an agent calls server/tool in a flow; a tool that the server lacks is E403 with the nearest name", async () => {
    const flow = (tool: string): string =>
      `${team("a").replace("id: a,", `id: a, tools: [${tool}],`)}mcp_servers:\n  desk: { url: "${url}" }\nworkflow: { type: sequential, steps: [a] }\n`;
    const options = () => ({
      tools: makeToolSource({ builtIns: {}, connect: connectMcp }),
      clock: makeRealClock(() => 0),
    });
    const ran = await runScript(
      flow("desk/add"),
      [{ toolCalls: [{ name: "desk__add", input: { a: 1, b: 1 } }] }, { includes: '"2"', text: "two" }],
      options(),
    );
    expect([ran.result.status, ran.result.outputs.result]).toEqual(["completed", "two"]);
    const missing = await runScript(flow("desk/ad"), [], options());
    expect(missing.result.error).toMatchObject({
      code: "E403",
      message: expect.stringContaining("Did you mean 'desk/add'") as string,
    });
  });
});
