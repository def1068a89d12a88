import type { EnvDefinition } from "@praxis/env";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { schemaDocument } from "../src/schema-document.ts";
import { counterDefinition, echoDefinition } from "./envs.ts";
import { call, type Json, makeServer } from "./harness.ts";

const simulation = makeServer([counterDefinition, echoDefinition]);
const production = makeServer([counterDefinition, echoDefinition], { mode: "production" });
const get = async (path: string, server = simulation): Promise<Json> => (await call(server, "GET", path)).body;

describe("schemas", () => {
  test("has four keys; every schema is an object schema with a title", async () => {
    const body = await get("/schema");
    expect(Object.keys(body)).toEqual(["action", "observation", "state", "reset_observation"]);
    for (const schema of Object.values(body) as Json[])
      expect(schema).toMatchObject({ type: "object", title: expect.any(String), properties: expect.any(Object) });
    expect(body.reset_observation).toEqual(body.observation);
  });

  test("actions and observations are closed and know what the wire adds", async () => {
    const { action, observation } = (await get("/schema")) as Record<string, { properties: Json } & Json>;
    expect(action!.additionalProperties).toBe(false);
    expect(action!.title).toBe("CounterAction");
    expect(Object.keys(action!.properties)).toEqual(["add", "note", "loud", "metadata"]);
    expect(observation!.additionalProperties).toBe(false);
    expect(Object.keys(observation!.properties)).toEqual([
      "total",
      "roll",
      "note",
      "done",
      "reward",
      "terminated",
      "truncated",
      "metadata",
    ]);
    expect(observation!.properties.done).toMatchObject({ type: "boolean", default: false });
    expect(observation!.properties.metadata).toMatchObject({ type: "object", additionalProperties: true });
  });

  test("the state is open and has the names of the wire", async () => {
    const { state } = (await get("/schema")) as Record<string, { properties: Json } & Json>;
    expect(Object.keys(state!.properties)).toEqual(["episode_id", "step_count", "total"]);
    expect(state!.additionalProperties).toBe(true);
  });

  test("an observation of the running server fits the schema that it publishes", async () => {
    const { observation } = (await get("/schema")) as Record<string, Json>;
    const fits = z.fromJSONSchema(observation as Parameters<typeof z.fromJSONSchema>[0]);
    for (const [path, body] of [
      ["/reset", {}],
      ["/step", { action: { add: 1, note: "x" } }],
    ] as const) {
      const reply = (await call(simulation, "POST", path, body)).body;
      const whole = { ...(reply.observation as Json), reward: reply.reward, done: reply.done };
      expect(fits.safeParse(whole).success).toBe(true);
      expect(fits.safeParse({ ...whole, extra: 1 }).success).toBe(false);
    }
  });

  test("a union of actions is closed in every form and lists all properties at the top", () => {
    const union: EnvDefinition = {
      ...counterDefinition,
      schemas: {
        ...counterDefinition.schemas,
        action: z.discriminatedUnion("kind", [
          z.strictObject({ kind: z.literal("add"), n: z.int() }),
          z.strictObject({ kind: z.literal("stop") }),
        ]),
      },
    };
    const action = schemaDocument(union).action as { properties: Json; required: string[]; oneOf: Json[] } & Json;
    expect(Object.keys(action.properties)).toEqual(["kind", "n", "metadata"]);
    expect(action.required).toEqual(["kind"]);
    expect(action.additionalProperties).toBe(false);
    expect(action.oneOf).toHaveLength(2);
    for (const form of action.oneOf) {
      expect(form.additionalProperties).toBe(false);
      expect(form.properties).toHaveProperty("metadata");
    }
  });

  test("an observation that is no object is described as the value it travels in", () => {
    const list: EnvDefinition = {
      ...counterDefinition,
      schemas: { ...counterDefinition.schemas, observation: z.array(z.number()) },
    };
    expect(schemaDocument(list).observation).toMatchObject({
      type: "object",
      properties: { value: { type: "array", items: { type: "number" } } },
      required: ["value"],
    });
  });
});

describe("metadata", () => {
  test("has OpenEnv's six keys first, then Praxis's own", async () => {
    const body = await get("/metadata");
    expect(Object.keys(body).slice(0, 6)).toEqual([
      "name",
      "description",
      "readme_content",
      "version",
      "author",
      "documentation_url",
    ]);
    expect(body).toMatchObject({
      name: "counter",
      description: "Adds numbers up.",
      readme_content: null,
      version: "0.1.0",
      id: "Counter-v0",
      reward_range: [0, 1],
      tools: ["peek", "add", "fail"],
    });
  });

  test("each prefix tells of its own environment", async () => {
    expect((await get("/echo/metadata")).name).toBe("echo");
    expect((await get("/counter/metadata")).name).toBe("counter");
  });
});

describe("the API document", () => {
  test("names the protocol version and, in simulation, reset, step and state", async () => {
    const body = await get("/openapi.json");
    expect(body).toMatchObject({
      openapi: "3.1.0",
      info: { title: "OpenEnv Environment HTTP API", version: "1.0.0" },
    });
    expect(Object.keys(body)).toEqual(["openapi", "info", "paths", "components", "tags"]);
    expect(Object.keys(body.paths as Json)).toEqual(
      expect.arrayContaining(["/reset", "/step", "/state", "/metadata", "/health", "/schema", "/mcp"]),
    );
  });

  test("lists none of the three in production, and still some paths", async () => {
    const paths = Object.keys((await get("/openapi.json", production)).paths as Json);
    for (const path of ["/reset", "/step", "/state", "/web/reset", "/web/step", "/web/state"])
      expect(paths).not.toContain(path);
    expect(paths).toContain("/health");
    expect(paths).toContain("/list_environments");
  });

  test("every reference in it leads somewhere", async () => {
    const body = await get("/openapi.json");
    const text = JSON.stringify(body);
    const schemas = (body.components as { schemas: Json }).schemas;
    for (const [, name] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) expect(schemas).toHaveProperty(name!);
  });

  test("every path of it answers something other than 404 or 405", async () => {
    for (const [server, mode] of [
      [simulation, "simulation"],
      [production, "production"],
    ] as const) {
      const paths = (await get("/openapi.json", server)).paths as Record<string, Json>;
      for (const [path, methods] of Object.entries(paths))
        for (const method of Object.keys(methods)) {
          const { status } = await call(
            server,
            method.toUpperCase(),
            path.replace("{env_name}", "counter"),
            method === "post" ? "{}" : undefined,
          );
          expect([404, 405], `${mode} ${method} ${path}`).not.toContain(status);
        }
    }
  });

  test("the pages that show it load nothing from elsewhere and run no script", async () => {
    for (const path of ["/docs", "/redoc"]) {
      const page = await simulation.app.request(path);
      expect(page.headers.get("content-type")).toContain("text/html");
      const html = await page.text();
      expect(html).toContain("<code>/reset</code>");
      expect(html).not.toMatch(/<script|<link|src=|url\(/);
    }
  });
});

describe("what OpenEnv's own check of a running server asks", () => {
  test.each([
    ["simulation", simulation],
    ["production", production],
  ])("all six criteria hold in %s", async (mode, server) => {
    const openApi = await get("/openapi.json", server);
    expect(typeof (openApi.info as Json).version).toBe("string");
    expect((await get("/health", server)).status).toBe("healthy");
    expect(await get("/metadata", server)).toMatchObject({ name: expect.any(String), description: expect.any(String) });
    expect(await get("/schema", server)).toMatchObject({
      action: expect.any(Object),
      observation: expect.any(Object),
      state: expect.any(Object),
    });
    const mcp = await call(server, "POST", "/mcp", {});
    expect(mcp).toMatchObject({ status: 200, body: { jsonrpc: "2.0" } });
    const paths = openApi.paths as Json;
    const control = ["/reset", "/step", "/state"].filter((path) => path in paths);
    expect(control).toHaveLength(mode === "simulation" ? 3 : 0);
  });
});
