import { EnvRegistry } from "@praxis/env";
import { describe, expect, test } from "vitest";
import { resolveOptions, type ServerOptions } from "../src/options.ts";
import { createServer } from "../src/server.ts";
import { counterDefinition, echoDefinition } from "./envs.ts";
import { call, makeServer } from "./harness.ts";

const registry = new EnvRegistry([counterDefinition, echoDefinition]);
const resolve = (options: object) => resolveOptions({ registry, ...options } as ServerOptions);

describe("options of a server", () => {
  test("have lenient defaults", () => {
    expect(resolve({})).toMatchObject({
      host: "127.0.0.1",
      port: 8000,
      mode: "simulation",
      maxSessions: 256,
      stepTimeoutMs: 2_500,
      sessionTimeoutMs: 900_000,
      resumeGraceMs: 30_000,
      pingIntervalMs: 20_000,
      pingTimeoutMs: 300_000,
      maxMessageBytes: 104_857_600,
    });
  });

  test("the mode is read without case, and any other is refused", () => {
    expect(resolve({ mode: "PRODUCTION" }).mode).toBe("production");
    expect(() => resolve({ mode: "staging" })).toThrow(/Server option 'mode'/);
  });

  test("an unknown option is refused with the nearest name", () => {
    expect(() => resolve({ maxSesions: 4 })).toThrow("Unknown server option 'maxSesions'. Did you mean 'maxSessions'?");
    expect(() => resolve({ tokens: { trianer: "abcdefgh" } })).toThrow(
      "Unknown server option 'tokens.trianer'. Did you mean 'trainer'?",
    );
  });

  test.each([
    { port: -1 },
    { maxSessions: 0 },
    { stepTimeoutMs: 0 },
    { tokens: { agent: "short" } },
    { pingIntervalMs: "x" },
  ])("%j is INVALID_CONFIG", (options) => {
    expect(() => resolve(options)).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
  });
});

describe("what is served where", () => {
  test("an unknown root is refused with the nearest name", () => {
    expect(() => createServer({ registry, root: "conter" })).toThrow(/Did you mean 'counter'/);
  });

  test("a registry without environments is refused", () => {
    expect(() => createServer({ registry: new EnvRegistry() })).toThrow(/holds no environment/);
  });

  test("an environment may not be named like a route", () => {
    expect(() => createServer({ registry: new EnvRegistry([{ ...counterDefinition, name: "ws" }]) })).toThrow(
      "An environment can't be named 'ws': that is a route.",
    );
  });

  test("without a root only the prefixes have environments, and the root still tells its health", async () => {
    const server = createServer({ registry, port: 0 });
    expect((await call(server, "GET", "/health")).status).toBe(200);
    expect((await call(server, "POST", "/reset")).status).toBe(404);
    expect((await call(server, "POST", "/echo/reset")).status).toBe(200);
    expect((await call(server, "GET", "/list_environments")).body).toEqual(["counter", "echo"]);
  });

  test("a single environment is at the root by itself", async () => {
    const server = createServer({ registry: new EnvRegistry([echoDefinition]), port: 0 });
    expect((await call(server, "POST", "/reset")).body.observation).toMatchObject({ echo: "ready" });
  });

  test("a seed makes the whole server repeatable", async () => {
    const play = async () => (await call(makeServer([counterDefinition], { seed: 9 }), "POST", "/reset")).body;
    expect(await play()).toEqual(await play());
  });
});
