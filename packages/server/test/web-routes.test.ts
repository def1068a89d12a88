import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { counterDefinition, moodyDefinition } from "./envs.ts";
import { call, type Json, makeServer, startServer, type TestServer, TestSocket } from "./harness.ts";

describe("the routes of the page", () => {
  const server = makeServer([counterDefinition, moodyDefinition()]);
  const post = (path: string, body?: unknown) => call(server, "POST", path, body);

  test("reset, step and state act on one environment that is no session", async () => {
    expect((await post("/web/reset", { seed: 1, episode_id: "web", limit: 4 })).body).toMatchObject({ reward: null });
    const step = await post("/web/step", { action: { add: 3 } });
    expect(step.body).toMatchObject({ observation: { total: 3 }, reward: 0.3, done: false });
    expect(step.body).not.toHaveProperty("metadata");
    expect((await call(server, "GET", "/web/state")).body).toEqual({ episode_id: "web", step_count: 1, total: 3 });
    expect((await call(server, "GET", "/counter/web/state")).body).toMatchObject({ total: 3 });
    expect((await call(server, "GET", "/health")).body.active_sessions).toBe(0);
  });

  test.each([{}, { seed: 5 }, { seed: "5", episode_id: "e" }, { difficulty: "hard" }, undefined])(
    "a form with %j resets; what the environment does not know is ignored",
    async (form) => {
      expect((await post("/web/reset", form)).status).toBe(200);
    },
  );

  test.each([
    [{ seed: -1 }, "seed"],
    [{ seed: 1.5 }, "seed"],
    [{ episode_id: "x".repeat(256) }, "episode_id"],
  ])("a form with %j is 422 naming the field, and the episode stays", async (form, field) => {
    await post("/web/reset", { episode_id: "kept" });
    const reply = await post("/web/reset", form);
    expect(reply).toMatchObject({ status: 422, body: { detail: [{ loc: [field] }] } });
    expect((await call(server, "GET", "/web/state")).body.episode_id).toBe("kept");
  });

  test("an action that does not fit is 422, not 500", async () => {
    expect((await post("/web/step", { action: { add: 99 } })).status).toBe(422);
    expect((await post("/web/step", {})).status).toBe(422);
    expect((await post("/web/step", { message: "hi" })).status).toBe(422);
  });

  test("a tool's arguments may be given as text", async () => {
    await post("/web/reset", {});
    const reply = await post("/web/step", { action: { type: "call_tool", tool_name: "add", arguments: '{"add":2}' } });
    expect(reply.status).toBe(200);
    expect(reply.body.observation).toMatchObject({ tool_name: "add", error: null });
    const bad = await post("/web/step", { action: { type: "call_tool", tool_name: "add", arguments: "{" } });
    expect(bad.status).toBe(422);
  });

  test("both / and /web lead to the page, and the page is served", async () => {
    for (const path of ["/", "/web", "/counter"]) {
      const reply = await call(server, "GET", path);
      expect(reply.status).toBe(307);
      expect(reply.headers.get("location")).toMatch(/web\/$/);
    }
    expect((await server.app.request("/web/")).headers.get("content-type")).toContain("text/html");
    expect((await server.app.request("/counter/web/")).status).toBe(200);
  });

  test("without the page its paths are 404", async () => {
    const bare = makeServer([counterDefinition], { page: false });
    expect((await call(bare, "GET", "/web/")).status).toBe(404);
  });
});

describe("viewers", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer([counterDefinition]);
  });
  afterAll(() => server.close());
  const update = async (socket: TestSocket): Promise<Json> => JSON.parse(await socket.next()).episode_state;

  test("each sees the present on connecting, then every reset and step; what it sends is ignored", async () => {
    const first = await TestSocket.open(`${server.ws}/ws/ui`);
    expect(await update(first)).toEqual({
      episode_id: null,
      step_count: 0,
      current_observation: null,
      action_logs: [],
      is_reset: true,
    });
    first.send("anything");
    await call(server.server, "POST", "/web/reset", { episode_id: "e", seed: 2 });
    expect(await update(first)).toMatchObject({ episode_id: "e", is_reset: true, action_logs: [] });
    await call(server.server, "POST", "/web/step", { action: { add: 4 } });
    const seen = await update(first);
    expect(seen).toMatchObject({
      step_count: 1,
      is_reset: false,
      action_logs: [{ action: { add: 4 }, reward: 0.4, done: false, step_count: 1 }],
    });
    const second = await TestSocket.open(`${server.ws}/counter/ws/ui`);
    expect(await update(second)).toEqual(seen);
    await Promise.all([first.close(), second.close()]);
  });
});
