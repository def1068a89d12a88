import { describe, expect, test } from "vitest";
import { brokenDefinition, counterDefinition, moodyDefinition } from "./envs.ts";
import { call, makeServer } from "./harness.ts";

const server = makeServer([counterDefinition, moodyDefinition(), brokenDefinition]);
const post = (path: string, body?: unknown, headers?: Record<string, string>) =>
  call(server, "POST", path, body, headers);

describe("calls without a session", () => {
  test.each([undefined, "", "null", "{}", '{"seed":null}'])(
    "reset with the body %j is 200 with OpenEnv's keys",
    async (body) => {
      const reply = await post("/reset", body);
      expect(reply.status).toBe(200);
      expect(reply.headers.get("content-type")).toBe("application/json");
      expect(Object.keys(reply.body)).toEqual(["observation", "reward", "done", "metadata"]);
      expect(reply.body).toMatchObject({ reward: null, done: false, observation: { total: 0 } });
    },
  );

  test("each call has an environment of its own, and a step is preceded by a reset", async () => {
    await post("/step", { action: { add: 9 } });
    const { body } = await post("/step", { action: { add: 2 } });
    expect(body).toMatchObject({ observation: { total: 2 }, reward: 0.2, done: false, metadata: null });
    expect((await call(server, "GET", "/state")).body).toEqual({ episode_id: null, step_count: 0 });
  });

  test("equal seeds give equal observations, and the episode id is taken over", async () => {
    const first = await post("/reset", { seed: 5, episode_id: "e" });
    const second = await post("/reset", { seed: 5, episode_id: "e" });
    expect(first.body).toEqual(second.body);
  });

  test("JSON is read whatever the content type says", async () => {
    const reply = await post("/step", '{"action":{"add":1}}', { "content-type": "text/plain" });
    expect(reply.status).toBe(200);
  });

  test("no call of this kind takes a slot", async () => {
    await post("/reset");
    expect((await call(server, "GET", "/health")).body).toMatchObject({ status: "healthy", active_sessions: 0 });
  });

  test("a factory that fails is 500 on reset, step and state, while health and metadata stay well", async () => {
    for (const [method, path, body] of [
      ["POST", "/broken/reset", undefined],
      ["POST", "/broken/step", { action: { add: 1 } }],
      ["GET", "/broken/state", undefined],
    ] as const) {
      const reply = await call(server, method, path, body);
      expect(reply.status).toBe(500);
      expect(JSON.stringify(reply.body)).not.toContain("secret");
    }
    expect((await call(server, "GET", "/broken/health")).body.status).toBe("healthy");
    expect((await call(server, "GET", "/broken/metadata")).status).toBe(200);
  });

  test("a deadline asked for with timeout_s ends a hanging step with 504", async () => {
    const reply = await post("/moody/step", { action: { mood: "hang" }, timeout_s: 0.02 });
    expect(reply).toMatchObject({ status: 504, body: { code: "STEP_TIMEOUT" } });
  });

  test("a NaN reward is an error and never null", async () => {
    expect(await post("/moody/step", { action: { mood: "nan" } })).toMatchObject({
      status: 500,
      body: { code: "NON_FINITE_NUMBER" },
    });
  });
});

describe("bodies that do not fit", () => {
  const detail = async (path: string, body?: unknown): Promise<unknown> => {
    const reply = await post(path, body);
    expect(reply.status).toBe(422);
    return reply.body.detail;
  };

  test("errors of the envelope begin with body and carry no link", async () => {
    expect(await detail("/reset", { seed: -1 })).toEqual([
      {
        type: "greater_than_equal",
        loc: ["body", "seed"],
        msg: "Input should be greater than or equal to 0",
        input: -1,
        ctx: { ge: 0 },
      },
    ]);
    expect(await detail("/step", {})).toEqual([
      { type: "missing", loc: ["body", "action"], msg: "Field required", input: {} },
    ]);
    expect(await detail("/step")).toEqual([{ type: "missing", loc: ["body"], msg: "Field required", input: null }]);
    expect(await detail("/step", { action: "x" })).toEqual([
      { type: "dict_type", loc: ["body", "action"], msg: "Input should be a valid dictionary", input: "x" },
    ]);
    expect(await detail("/step", [1])).toEqual([
      {
        type: "model_attributes_type",
        loc: ["body"],
        msg: "Input should be a valid dictionary or object to extract fields from",
        input: [1],
      },
    ]);
    expect(await detail("/step", "{a}")).toEqual([
      {
        type: "json_invalid",
        loc: ["body", 1],
        msg: "JSON decode error",
        input: {},
        ctx: { error: "Expecting property name enclosed in double quotes" },
      },
    ]);
  });

  test.each([
    [{ seed: 1.5 }, "int_from_float", "seed"],
    [{ seed: "x" }, "int_parsing", "seed"],
    [{ episode_id: "x".repeat(256) }, "string_too_long", "episode_id"],
    [{ episode_id: 5 }, "string_type", "episode_id"],
    [{ limit: "many" }, "int_parsing", "limit"],
  ])("a reset with %j is refused as %s naming the field", async (body, type, field) => {
    expect(await detail("/reset", body)).toMatchObject([{ type, loc: ["body", field] }]);
  });

  test("a reset with seed, episode id and an option of the environment is accepted", async () => {
    const reply = await post("/reset", { seed: 3, episode_id: "e", limit: 2 });
    expect(reply).toMatchObject({ status: 200, body: { metadata: { seed: 3 } } });
  });

  test("errors of the action are relative to it, in the order of its fields, unknown ones last, each with a link", async () => {
    expect(await detail("/step", { action: { zz: 1, loud: "maybe", add: 77 } })).toEqual([
      {
        type: "less_than_equal",
        loc: ["add"],
        msg: "Input should be less than or equal to 9",
        input: 77,
        ctx: { le: 9 },
        url: "https://errors.pydantic.dev/2.13/v/less_than_equal",
      },
      {
        type: "bool_parsing",
        loc: ["loud"],
        msg: "Input should be a valid boolean, unable to interpret input",
        input: "maybe",
        url: "https://errors.pydantic.dev/2.13/v/bool_parsing",
      },
      {
        type: "extra_forbidden",
        loc: ["zz"],
        msg: "Extra inputs are not permitted",
        input: 1,
        url: "https://errors.pydantic.dev/2.13/v/extra_forbidden",
      },
    ]);
  });

  test("timeout_s must be above zero and request_id at most 255 characters", async () => {
    const action = { add: 1 };
    expect(await detail("/step", { action, timeout_s: 0 })).toMatchObject([
      { type: "greater_than", loc: ["body", "timeout_s"] },
    ]);
    expect(await detail("/step", { action, request_id: "x".repeat(256) })).toMatchObject([
      { type: "string_too_long", loc: ["body", "request_id"] },
    ]);
  });

  test.each(['{"action":{"note":"\\ud800"}}', '{"action":{"__proto__":{}}}'])("%s is refused", async (body) => {
    expect(await detail("/step", body)).toMatchObject([{ loc: ["body", "action", expect.any(String)] }]);
  });
});

describe("sessions over HTTP", () => {
  const open = async (): Promise<string> =>
    (await post("/reset", { seed: 1, session_id: "new" })).headers.get("x-session-id")!;

  test("new opens one, its id in the header; later calls act on the same episode, and DELETE ends it", async () => {
    const id = await open();
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    await post("/step", { action: { add: 2 } }, { "x-session-id": id });
    const step = await post("/step", { action: { add: 3 }, session_id: id });
    expect(step.body).toMatchObject({ observation: { total: 5 } });
    expect((await call(server, "GET", `/state?session_id=${id}`)).body).toMatchObject({ step_count: 2 });
    expect((await call(server, "GET", "/health")).body.active_sessions).toBe(1);
    expect((await call(server, "DELETE", `/sessions/${id}`)).body).toEqual({ session_id: id, closed: true });
    expect((await call(server, "GET", "/health")).body.active_sessions).toBe(0);
    expect(await post("/step", { action: { add: 1 } }, { "x-session-id": id })).toMatchObject({
      status: 404,
      body: { code: "UNKNOWN_SESSION" },
    });
  });

  test("the bodies have the same shape as without a session", async () => {
    const id = await open();
    const [within, without] = [
      await post("/step", { action: { add: 1 } }, { "x-session-id": id }),
      await post("/step", { action: { add: 1 } }),
    ];
    expect(Object.keys(within.body)).toEqual(Object.keys(without.body));
    await call(server, "DELETE", `/sessions/${id}`);
  });

  test("an empty id is 400, an unknown one 404, one of another environment 404", async () => {
    const id = await open();
    expect((await post("/reset", { session_id: "" })).status).toBe(400);
    expect((await post("/reset", { session_id: "nope" })).status).toBe(404);
    expect((await post("/moody/reset", { session_id: id })).status).toBe(404);
    await call(server, "DELETE", `/sessions/${id}`);
  });

  test("a session opened for a call that fails does not stay", async () => {
    await post("/moody/step", { action: { mood: "throw" }, session_id: "new" });
    expect((await call(server, "GET", "/health")).body.active_sessions).toBe(0);
  });

  test("after the end of the episode a step is 409 until the next reset", async () => {
    const id = (await post("/reset", { limit: 1, session_id: "new" })).headers.get("x-session-id")!;
    expect((await post("/step", { action: { add: 1 }, session_id: id })).body.done).toBe(true);
    expect(await post("/step", { action: { add: 1 }, session_id: id })).toMatchObject({
      status: 409,
      body: { code: "RESET_NEEDED" },
    });
    expect((await post("/reset", { session_id: id })).status).toBe(200);
    await call(server, "DELETE", `/sessions/${id}`);
  });
});

describe("paths and methods that do not exist", () => {
  test.each([
    ["GET", "/nope", 404, "Not Found"],
    ["GET", "/ws", 404, "Not Found"],
    ["GET", "/reset", 405, "Method Not Allowed"],
    ["POST", "/health", 405, "Method Not Allowed"],
    ["GET", "/mcp", 405, "Method Not Allowed"],
    ["OPTIONS", "/reset", 405, "Method Not Allowed"],
    ["PUT", "/counter/step", 405, "Method Not Allowed"],
  ])("%s %s is %i", async (method, path, status, detail) => {
    const reply = await call(server, method, path);
    expect(reply).toMatchObject({ status, body: { detail } });
    expect(reply.headers.has("allow")).toBe(status === 405);
  });

  test("HEAD of a known route is 405, of an unknown one 404", async () => {
    expect((await call(server, "HEAD", "/health")).status).toBe(405);
    expect((await call(server, "HEAD", "/nope")).status).toBe(404);
  });

  test("a trailing slash leads to the path without it, query kept", async () => {
    const reply = await call(server, "GET", "/health/?a=1");
    expect(reply.status).toBe(307);
    expect(reply.headers.get("location")).toBe("/health?a=1");
  });

  test("no header of cross-origin sharing is sent unless it is configured", async () => {
    const plain = await call(server, "GET", "/health", undefined, { origin: "https://a.example" });
    expect(plain.headers.has("access-control-allow-origin")).toBe(false);
    const open = makeServer([counterDefinition], { cors: ["https://a.example"] });
    const shared = await call(open, "GET", "/health", undefined, { origin: "https://a.example" });
    expect(shared.headers.get("access-control-allow-origin")).toBe("https://a.example");
    const foreign = await call(open, "GET", "/health", undefined, { origin: "https://b.example" });
    expect(foreign.headers.has("access-control-allow-origin")).toBe(false);
    const preflight = await call(open, "OPTIONS", "/reset", undefined, {
      origin: "https://a.example",
      "access-control-request-method": "POST",
    });
    expect(preflight.status).toBe(204);
  });
});
