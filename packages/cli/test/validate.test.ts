import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type EnvDefinition, EnvRegistry, PraxisError } from "@praxis/env";
import { gridEnv, toolEnv } from "@praxis/env/testing";
import { createServer } from "@praxis/server";
import { afterEach, describe, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { formatJunit, formatReport, makeReport } from "../src/validate/report.ts";
import { type ValidateOptions, validate } from "../src/validate/validate.ts";

const options: ValidateOptions = { timeoutMs: 2000, sessions: 4, strict: true, now: () => performance.now() };
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function serve(
  definition: unknown,
  more: { mode?: string; maxSessions?: number; tokens?: object } = {},
): Promise<string> {
  const server = createServer({ registry: new EnvRegistry([definition as EnvDefinition]), port: 0, ...more });
  closers.push(() => server.close());
  return (await server.listen()).url;
}

interface Flaws {
  /** Answer of a request by type; left out: the sound one. */
  readonly answers?: (message: { type?: string; data?: Record<string, unknown> }) => string | null | undefined;
  readonly greeting?: string;
  readonly closeCode?: number;
  readonly routes?: Readonly<Record<string, unknown>>;
}

const ACTION = {
  type: "object",
  properties: { add: { type: "integer", minimum: 1 } },
  required: ["add"],
  additionalProperties: false,
};
const ROUTES: Readonly<Record<string, unknown>> = {
  "/openapi.json": { info: { version: "1.0.0" }, paths: { "/reset": {}, "/step": {}, "/state": {} } },
  "/health": { status: "healthy" },
  "/metadata": { name: "small", description: "small" },
  "/schema": { action: ACTION, observation: { type: "object" }, state: { type: "object" } },
  "/mcp": {
    jsonrpc: "2.0",
    id: null,
    error: { code: -32603, message: "Environment does not support MCP", data: null },
  },
};

/** A hand-made OpenEnv server with some flaw; without any it is as sound as the checks of `/ws` want it. */
async function serveFlawed({ answers, greeting, closeCode = 1000, routes = {} }: Flaws): Promise<string> {
  const http = createHttpServer((request, response) => {
    const body = { ...ROUTES, ...routes }[request.url ?? ""];
    response.statusCode = body === undefined ? 404 : 200;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(body ?? {}));
  });
  const sockets = new WebSocketServer({ server: http });
  sockets.on("connection", (socket) => {
    let state = { episode_id: null as unknown, step_count: 0 };
    const observation = (reward: number | null) =>
      JSON.stringify({ type: "observation", data: { observation: { metadata: {} }, reward, done: false } });
    const error = (code: string) => JSON.stringify({ type: "error", data: { message: code, code, errors: [] } });
    if (greeting !== undefined) socket.send(greeting);
    socket.on("message", (raw, isBinary) => {
      let message: { type?: string; data?: Record<string, unknown> };
      try {
        message = JSON.parse(isBinary ? "" : String(raw));
        if (typeof message !== "object" || message === null || Array.isArray(message)) throw new Error("no object");
      } catch {
        return socket.send(error("INVALID_JSON"));
      }
      const flawed = answers?.(message);
      if (flawed === null) return undefined;
      if (flawed !== undefined) return socket.send(flawed);
      const { type, data, ...others } = message;
      if (type === "close") return socket.close(closeCode);
      if (type !== "reset" && type !== "step" && type !== "state") return socket.send(error("UNKNOWN_TYPE"));
      if (Object.keys(others).length > 0) return socket.send(error("VALIDATION_ERROR"));
      if (type === "state") return socket.send(JSON.stringify({ type: "state", data: state }));
      if (type === "reset") {
        state = { episode_id: data?.episode_id ?? "e", step_count: 0 };
        return socket.send(observation(null));
      }
      if (Object.keys(data ?? {}).join() !== "add") return socket.send(error("VALIDATION_ERROR"));
      state = { ...state, step_count: state.step_count + 1 };
      return socket.send(observation(0.5));
    });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  closers.push(
    () =>
      new Promise((resolve) => {
        for (const client of sockets.clients) client.terminate();
        http.close(resolve);
        http.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

/** Failed checks of `/ws` groups: the hand-made server has no HTTP step routes and no real MCP. */
async function failedOnSocket(flaws: Flaws): Promise<string[]> {
  const report = await validate(await serveFlawed(flaws), { ...options, timeoutMs: 400, sessions: 2 });
  return report.checks
    .filter(({ id, status }) => status === "fail" && /^(ws|frame|capacity|slots|sessions)/.test(id))
    .map(({ id }) => id);
}

describe("a server", () => {
  test("of ours is valid without a warning in both modes, with tools and without", async () => {
    for (const [definition, mode] of [
      [toolEnv, "simulation"],
      [toolEnv, "production"],
      [gridEnv, "simulation"],
    ] as const) {
      const report = await validate(await serve(definition, { mode }), options);
      expect(report.checks.filter(({ status }) => status === "fail" || status === "warn")).toEqual([]);
      expect(report.passed).toBe(true);
      expect(report.timing.map(({ request }) => request)).toEqual(["reset", "step", "state"]);
    }
  });

  test("with one slot is valid: what needs two sessions is skipped, the rest of four are refused as they should be", async () => {
    const report = await validate(await serve(gridEnv, { maxSessions: 1 }), options);
    expect(report.passed).toBe(true);
    const byId = new Map(report.checks.map((check) => [check.id, check]));
    expect(byId.get("seed_repeats")).toMatchObject({ status: "skip", detail: "the server takes only one session" });
    expect(byId.get("capacity")).toMatchObject({ status: "pass", detail: "1 of 4 served" });
  });

  test("guarded by a token is valid with it and not without", async () => {
    const url = await serve(gridEnv, { tokens: { trainer: "a-trainer-token" } });
    expect((await validate(url, { ...options, token: "a-trainer-token" })).passed).toBe(true);
    expect((await validate(url, options)).passed).toBe(false);
  });

  test("that nobody runs gives one failed check, not fifty", async () => {
    const url = await serveFlawed({});
    for (const close of closers.splice(0)) await close();
    const report = await validate(url, options);
    expect(report.checks.map(({ id, status }) => [id, status])).toEqual([["reachable", "fail"]]);
    expect(report.checks[0]!.detail).toContain("ECONNREFUSED");
  });

  test("without a flaw passes every check of /ws", async () => {
    expect(await failedOnSocket({})).toEqual([]);
  });

  test.each<[flaw: string, failed: string, flaws: Flaws]>([
    ["greets", "ws_no_greeting", { greeting: '{"type":"hello","data":{}}' }],
    [
      "puts the reward inside the observation",
      "ws_reset",
      {
        answers: ({ type }) =>
          type === "reset"
            ? '{"type":"observation","data":{"observation":{"reward":1},"reward":null,"done":false}}'
            : undefined,
      },
    ],
    [
      "sends a boolean reward",
      "ws_step",
      {
        answers: ({ type, data }) =>
          type === "step" && data?.add !== undefined
            ? '{"type":"observation","data":{"observation":{},"reward":true,"done":false}}'
            : undefined,
      },
    ],
    [
      "forgets the episode id",
      "ws_state",
      {
        answers: ({ type }) =>
          type === "state" ? '{"type":"state","data":{"episode_id":"other","step_count":0}}' : undefined,
      },
    ],
    [
      "counts no steps",
      "ws_step_count",
      {
        answers: ({ type }) =>
          type === "state" ? '{"type":"state","data":{"episode_id":"e","step_count":0}}' : undefined,
      },
    ],
    ["ends with another close code", "ws_close", { closeCode: 1011 }],
    [
      "takes any type",
      "frame_unknown_type",
      { answers: ({ type }) => (type === "dance" ? '{"type":"observation","data":{}}' : undefined) },
    ],
    [
      "never answers a missing type",
      "frame_no_type",
      { answers: ({ type }) => (type === undefined ? null : undefined) },
    ],
    [
      "refuses a bad action without naming the field",
      "frame_bad_action",
      {
        answers: ({ data }) =>
          data?.__validate__ === 1 ? '{"type":"error","data":{"message":"no","code":"VALIDATION_ERROR"}}' : undefined,
      },
    ],
  ])("that %s fails %s", async (_flaw, failed, flaws) => {
    expect(await failedOnSocket(flaws)).toContain(failed);
  });

  test.each<[failed: string, routes: Readonly<Record<string, unknown>>]>([
    ["openapi_version_available", { "/openapi.json": { info: {}, paths: { "/x": {} } } }],
    ["health_endpoint", { "/health": { status: "degraded" } }],
    ["metadata_endpoint", { "/metadata": { name: "small", description: null } }],
    ["schema_endpoint", { "/schema": { action: ACTION, observation: {}, state: null } }],
    ["mcp_endpoint", { "/mcp": { result: 1 } }],
    ["mode_endpoint_consistency", { "/openapi.json": { info: { version: "1.0.0" }, paths: { "/reset": {} } } }],
  ])("that breaks the official criterion %s fails just that one of the six", async (failed, routes) => {
    const report = await validate(await serveFlawed({ routes }), { ...options, timeoutMs: 400, sessions: 1 });
    const criteria = report.checks.filter(({ group }) => group === "OpenEnv criteria");
    expect(criteria).toHaveLength(6);
    expect(criteria.filter(({ status }) => status === "fail").map(({ id }) => id)).toEqual([failed]);
  });
});

describe("a target", () => {
  test("that is neither URL nor folder is refused with what would do", async () => {
    await expect(validate("no/such/folder", options)).rejects.toThrow(
      "'no/such/folder' is neither a URL (http://…) nor a folder.",
    );
    await expect(validate("http://:x", options)).rejects.toThrow(PraxisError);
  });

  test("given as host and port counts as a URL", async () => {
    const url = await serve(gridEnv);
    expect((await validate(url.replace("http://", ""), options)).target).toBe(url);
  });
});

describe("a report", () => {
  const check = { group: "G", id: "c", title: "A & B", required: true, ms: 1.5 } as const;
  const report = (strict: boolean) =>
    makeReport(
      { target: "t", kind: "url", strict },
      [
        { ...check, status: "pass", detail: "seen" },
        { ...check, id: "d", required: false, status: "warn", detail: 'odd "<x>" \u0000' },
        { ...check, id: "e", status: "skip", detail: "none" },
      ],
      [],
    );

  test("passes with warnings, unless it is strict", () => {
    expect(report(false)).toMatchObject({ passed: true, counts: { pass: 1, fail: 0, warn: 1, skip: 1 } });
    expect(report(true).passed).toBe(false);
  });

  test("says in text what was seen, what is wrong and what was skipped", () => {
    expect(formatReport(report(false), (_status, text) => text).split("\n")).toEqual([
      "t",
      "",
      "G",
      "  ok   A & B (seen)",
      '  warn A & B: odd "<x>" \u0000',
      "  skip A & B: none",
      "",
      "Valid: 1 passed, 0 failed, 1 warnings, 1 skipped.",
    ]);
  });

  test("is well-formed JUnit XML, in which a warning fails only a strict run", () => {
    expect(formatJunit(report(true)).split("\n")).toEqual([
      '<?xml version="1.0" encoding="UTF-8"?>',
      "<testsuites>",
      '  <testsuite name="praxis validate t" tests="3" failures="1" errors="0" skipped="1" time="0.0045">',
      '    <testcase classname="G" name="c: A &amp; B" time="0.0015"/>',
      '    <testcase classname="G" name="d: A &amp; B" time="0.0015"><failure message="odd &quot;&lt;x&gt;&quot; \uFFFD"/></testcase>',
      '    <testcase classname="G" name="e: A &amp; B" time="0.0015"><skipped message="none"/></testcase>',
      "  </testsuite>",
      "</testsuites>",
      "",
    ]);
    expect(formatJunit(report(false))).toContain('failures="0"');
  });
});
