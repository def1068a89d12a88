import { describe, expect, test } from "vitest";
import { counterDefinition } from "./envs.ts";
import { call, makeServer, startServer, TestSocket } from "./harness.ts";

const tokens = { trainer: "trainer-token", agent: "agent-token-1", viewer: "viewer-token" };
const secured = makeServer([counterDefinition], { mode: "production", tokens });
const simulation = makeServer([counterDefinition], { tokens });
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

/** Every route of the API with what each role gets: allowed or not. Health needs no token. */
const ROUTES: readonly (readonly [string, string, readonly string[]])[] = [
  ["GET", "/metadata", ["trainer", "agent", "viewer"]],
  ["GET", "/schema", ["trainer", "agent", "viewer"]],
  ["POST", "/mcp", ["trainer", "agent"]],
  ["GET", "/openapi.json", ["trainer", "viewer"]],
  ["GET", "/docs", ["trainer", "viewer"]],
  ["GET", "/metrics", ["trainer", "viewer"]],
  ["GET", "/list_environments", ["trainer", "viewer"]],
  ["GET", "/counter/splits", ["trainer"]],
  ["POST", "/counter/tasks", ["trainer"]],
  ["POST", "/counter/num_tasks", ["trainer"]],
  ["POST", "/counter/task", ["trainer"]],
  ["POST", "/counter/task_range", ["trainer"]],
  ["POST", "/reset", ["trainer"]],
  ["POST", "/step", ["trainer"]],
  ["GET", "/state", ["trainer"]],
  ["DELETE", "/sessions/x", ["trainer"]],
  ["GET", "/web/metadata", ["trainer", "viewer"]],
  ["POST", "/web/reset", ["trainer"]],
  ["POST", "/web/step", ["trainer"]],
  ["GET", "/web/state", ["trainer", "viewer"]],
];

describe("roles", () => {
  test.each(ROUTES)(
    "%s %s is open to its roles only, at the root and behind the prefix",
    async (method, path, roles) => {
      for (const prefix of path.startsWith("/counter") || path === "/metrics" ? [""] : ["", "/counter"])
        for (const role of ["trainer", "agent", "viewer"] as const) {
          const { status } = await call(
            simulation,
            method,
            prefix + path,
            method === "POST" ? "{}" : undefined,
            bearer(tokens[role]),
          );
          expect(status === 403, `${role} ${prefix}${path}`).toBe(!roles.includes(role));
        }
      const none = await call(simulation, method, path, method === "POST" ? "{}" : undefined);
      expect(none.status).toBe(401);
      expect(none.headers.get("www-authenticate")).toBe("Bearer");
      expect(
        (await call(simulation, method, path, method === "POST" ? "{}" : undefined, bearer("wrong-token"))).status,
      ).toBe(401);
    },
  );

  test("health and the page, which hold no data, need no token", async () => {
    expect((await call(secured, "GET", "/health")).status).toBe(200);
    expect((await secured.app.request("/web/")).status).toBe(200);
  });

  test("no odd spelling of a path gets an agent past its doors", async () => {
    for (const path of [
      "/reset/",
      "//reset",
      "/%72eset",
      "/mcp/../reset",
      "/counter//reset",
      "/Reset",
      "/counter/counter/reset",
    ]) {
      const { status } = await call(simulation, "POST", path, "{}", bearer(tokens.agent));
      expect([307, 403, 404], path).toContain(status);
    }
  });

  test("an unknown token never says which roles exist", async () => {
    const { body } = await call(simulation, "POST", "/reset", "{}", bearer("wrong-token"));
    expect(JSON.stringify(body)).not.toMatch(/trainer|viewer/);
  });
});

describe("production", () => {
  test.each([
    ["POST", "/reset"],
    ["POST", "/step"],
    ["GET", "/state"],
    ["POST", "/web/reset"],
    ["POST", "/web/step"],
    ["GET", "/web/state"],
    ["POST", "/counter/reset"],
    ["POST", "/counter/step"],
    ["GET", "/counter/state"],
    ["DELETE", "/sessions/x"],
  ])("%s %s does not exist, with or without a token", async (method, path) => {
    const open = makeServer([counterDefinition], { mode: "production" });
    expect((await call(open, method, path, method === "POST" ? "{}" : undefined)).status).toBe(404);
    const trainer = await call(secured, method, path, method === "POST" ? "{}" : undefined, bearer(tokens.trainer));
    expect(trainer.status).toBe(404);
  });

  test("an agent can neither list, call nor guess reset, step, state or close as a tool", async () => {
    const rpc = (method: string, params: object) =>
      call(secured, "POST", "/mcp", { jsonrpc: "2.0", id: 1, method, params }, bearer(tokens.agent));
    const list = (await rpc("tools/list", {})).body as { result: { tools: { name: string }[] } };
    expect(list.result.tools.map(({ name }) => name)).toEqual(["peek", "add", "fail"]);
    for (const name of ["reset", "step", "state", "close", "env.reset", "openenv/reset", "../reset"])
      expect((await rpc("tools/call", { name, arguments: {} })).body).toHaveProperty("error");
    for (const method of ["reset", "step", "state", "openenv/reset", "env/reset"])
      expect((await rpc(method, {})).body).toMatchObject({ error: { code: -32601 } });
  });

  test("an agent's token opens the socket of MCP and no other; the trainer's opens all, by header or query", async () => {
    const server = await startServer([counterDefinition], { mode: "production", tokens });
    try {
      for (const path of ["/ws", "/ws/ui", "/counter/ws"]) {
        await expect(TestSocket.open(server.ws + path, bearer(tokens.agent))).rejects.toThrow("403");
        await expect(TestSocket.open(server.ws + path)).rejects.toThrow("401");
        await (await TestSocket.open(server.ws + path, bearer(tokens.trainer))).close();
      }
      await (await TestSocket.open(`${server.ws}/mcp`, bearer(tokens.agent))).close();
      await (await TestSocket.open(`${server.ws}/ws?access_token=${tokens.trainer}`)).close();
      await expect(TestSocket.open(`${server.ws}/ws?access_token=${tokens.agent}`)).rejects.toThrow("403");
    } finally {
      await server.close();
    }
  });

  test("an agent on the socket of MCP cannot reset the episode that a trainer runs", async () => {
    const server = await startServer([counterDefinition], { mode: "production", tokens });
    try {
      const trainer = await TestSocket.open(`${server.ws}/ws`, bearer(tokens.trainer));
      await trainer.ask({ type: "reset", data: { episode_id: "e" } });
      await trainer.ask({ type: "step", data: { add: 4 } });
      const agent = await TestSocket.open(`${server.ws}/mcp`, bearer(tokens.agent));
      for (const message of [
        { type: "reset" },
        { jsonrpc: "2.0", id: 1, method: "reset" },
        { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "reset" } },
      ]) {
        agent.send(message);
        expect(JSON.parse(await agent.next())).toHaveProperty("error");
      }
      expect((await trainer.ask({ type: "state" })).data).toMatchObject({ episode_id: "e", step_count: 1 });
      await Promise.all([trainer.close(), agent.close()]);
    } finally {
      await server.close();
    }
  });
});
