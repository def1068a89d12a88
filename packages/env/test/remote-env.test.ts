import { afterEach, describe, expect, test } from "vitest";
import WebSocket from "ws";
import { PraxisError } from "../src/index.ts";
import { type ConnectOptions, connect, isRetryable, RemoteEnv } from "../src/remote/index.ts";
import { OpenEnvServer, type OpenEnvServerOptions } from "./openenv-server.ts";

const servers: OpenEnvServer[] = [];
const envs: RemoteEnv[] = [];
afterEach(async () => {
  await Promise.all(envs.splice(0).map((env) => env.close()));
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function start(options: OpenEnvServerOptions, port = 0): Promise<OpenEnvServer> {
  const server = await OpenEnvServer.start(options, port);
  servers.push(server);
  return server;
}

async function open(server: OpenEnvServer, options: Partial<ConnectOptions> = {}): Promise<RemoteEnv> {
  const env = await connect({ baseUrl: server.url, webSocket: WebSocket, ...options });
  envs.push(env);
  return env;
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof PraxisError)) throw new Error(`expected a PraxisError, got ${String(error)}`);
  return error.code;
}

/** Waits until the event loop has made `isTrue` true. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}

const portOf = (server: OpenEnvServer): number => Number(new URL(server.url).port);

describe.each(["0.3.0", "0.10.0", "praxis"] as const)("a server of generation %s", (generation) => {
  test("plays an episode with rewards and done beside the observation, the same on every generation", async () => {
    const env = await open(await start({ generation }));
    const begun = await env.reset({ seed: 7, episodeId: "ep-1", options: { difficulty: "hard" } });
    expect(begun).toMatchObject({ observation: { total: 0, name: "Zoë 李 👩‍⚕️" }, done: false });
    const results = [await env.step({ add: 4 }), await env.step({ add: 6 })];
    expect(results.map(({ reward }) => reward)).toEqual([0.4, 1]);
    expect(results.map(({ done, terminated, truncated }) => [done, terminated, truncated])).toEqual([
      [false, false, false],
      [true, true, false],
    ]);
    expect(await env.state()).toEqual({ episodeId: "ep-1", stepCount: 2, total: 10 });
  });

  test("a step without a reward is marked as unscored, so that it is never taken for a 0", async () => {
    const env = await open(await start({ generation, isUnscored: true }));
    const begun = await env.reset();
    expect(begun.info.infraError).toBeUndefined();
    const { info } = await env.step({ add: 1 });
    expect(info.infraError).toMatchObject({ code: "VERIFIER_ERROR", message: expect.stringMatching(/unscored/) });
  });

  test("sends no key that a strict server refuses, and reset keywords in their wire names", async () => {
    const server = await start({ generation });
    const env = await open(server);
    await env.reset({ seed: 7, episodeId: "ep-1", options: { difficulty: "hard" } });
    await env.step({ add: 1 });
    await env.state();
    await env.close();
    await until(() => server.frames.at(-1)?.type === "close");
    const sent = server.frames.filter((frame) => frame.type !== "session").map(({ request_id: _, ...frame }) => frame);
    expect(sent).toEqual([
      { type: "reset", data: { seed: 7, episode_id: "ep-1", difficulty: "hard" } },
      { type: "step", data: { add: 1 } },
      { type: "state" },
      { type: "close" },
    ]);
    const correlated = server.frames.filter((frame) => "request_id" in frame).length;
    expect(correlated).toBe(generation === "praxis" ? 3 : 0);
  });

  test("an action that does not fit is VALIDATION_ERROR with its fields, and the session lives", async () => {
    const env = await open(await start({ generation }));
    await env.reset();
    const error = await env.step({ wrong: 1 }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "VALIDATION_ERROR",
      message: "Invalid message (add: Field required).",
      fields: [{ loc: ["add"], type: "missing" }],
    });
    expect((await env.step({ add: 2 })).reward).toBe(0.2);
  });

  test("an error raised by the environment is ENVIRONMENT_ERROR with its text, and the session lives", async () => {
    const env = await open(await start({ generation }));
    const error = await env.step({ crash: "kaput" }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "ENVIRONMENT_ERROR", message: "kaput", details: { code: "EXECUTION_ERROR" } });
    expect(await env.state()).toMatchObject({ stepCount: 0 });
  });

  test("tools are listed and called in the same session as the steps", async () => {
    const env = await open(await start({ generation, maxSessions: 1 }));
    await env.reset();
    await env.step({ add: 3 });
    const [tool] = await env.listTools();
    expect(tool).toMatchObject({ name: "peek", description: "", inputSchema: { required: ["a"] } });
    expect(await env.callTool("peek")).toEqual({ total: 3 });
    expect(await codeOf(env.callTool("nope"))).toBe("UNKNOWN_NAME");
  });

  test("a full server is CAPACITY_REACHED at the first call, retryable, with its numbers", async () => {
    const server = await start({ generation, maxSessions: 1 });
    const first = await open(server);
    await first.reset();
    const second = new RemoteEnv({ baseUrl: server.url, webSocket: WebSocket });
    envs.push(second);
    const error = await second.reset().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "CAPACITY_REACHED", details: { active_sessions: 1, max_sessions: 1 } });
    expect(isRetryable(error)).toBe(true);
    await first.close();
    await until(() => server.sessions.size === 0);
    expect((await second.reset()).observation).toMatchObject({ total: 0 });
  });

  test("a full server is asked again for as long as capacityWaitMs says", async () => {
    const server = await start({ generation, maxSessions: 1 });
    const first = await open(server);
    await first.reset();
    const second = new RemoteEnv({ baseUrl: server.url, webSocket: WebSocket, capacityWaitMs: 20_000 });
    envs.push(second);
    const waiting = second.reset();
    await until(() => server.handshakes.length >= 2);
    await first.close();
    expect((await waiting).observation).toMatchObject({ total: 0 });
  });

  test("a failing factory is FACTORY_ERROR before the first reply, and not retryable", async () => {
    const env = new RemoteEnv({ baseUrl: (await start({ generation, failFactory: true })).url, webSocket: WebSocket });
    envs.push(env);
    const error = await env.reset().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "FACTORY_ERROR", details: { factory_name: "Counter" } });
    expect(isRetryable(error)).toBe(false);
  });

  test("calls made at once are answered in order, each with its own reply", async () => {
    const env = await open(await start({ generation }));
    await env.reset();
    const replies = await Promise.all([env.step({ add: 1 }), env.state(), env.step({ add: 1 }), env.state()]);
    expect(replies).toMatchObject([{ reward: 0.1 }, { stepCount: 1 }, { reward: 0.2 }, { stepCount: 2 }]);
  });

  test("a message above maxMessageBytes is refused before it is sent, and the session lives", async () => {
    const server = await start({ generation });
    const env = await open(server, { maxMessageBytes: 1_000 });
    await env.reset();
    const before = server.frames.length;
    expect(await codeOf(env.step({ add: 1, text: "x".repeat(2_000) }))).toBe("MESSAGE_TOO_LARGE");
    expect(await codeOf(env.step({ add: 1, text: "李".repeat(400) }))).toBe("MESSAGE_TOO_LARGE");
    expect(server.frames.length).toBe(before);
    expect((await env.step({ add: 1 })).reward).toBe(0.1);
  });

  test("after a reply timeout the late reply is never taken for the next call's", async () => {
    const server = await start({ generation });
    const env = await open(server);
    await env.reset({ episodeId: "ep-1" });
    server.holdSteps = true;
    const slow = codeOf(env.step({ add: 1 }, { timeoutMs: 20 }));
    expect(await slow).toBe("CLIENT_TIMEOUT");
    server.holdSteps = false;
    server.release();
    const next = await env.state().catch((error: PraxisError) => error);
    // With a resume token the same session answers; elsewhere the loss is said aloud.
    if (generation === "praxis") expect(next).toEqual({ episodeId: "ep-1", stepCount: 1, total: 1 });
    else expect(next).toMatchObject({ code: "CONNECTION_LOST" });
    expect((await env.reset()).observation).toMatchObject({ total: 0 });
  });

  test("aborting a call drops the socket and throws CLIENT_TIMEOUT", async () => {
    const server = await start({ generation });
    const env = await open(server);
    await env.reset();
    server.holdSteps = true;
    const controller = new AbortController();
    const stepping = codeOf(env.step({ add: 1 }, { signal: controller.signal }));
    await until(() => server.held === 1);
    controller.abort();
    expect(await stepping).toBe("CLIENT_TIMEOUT");
    expect(await codeOf(env.step({ add: 1 }, { signal: controller.signal }))).not.toBe("ENVIRONMENT_ERROR");
  });

  test("a frame that nobody asked for is no answer", async () => {
    const server = await start({ generation });
    const env = await open(server);
    await env.reset();
    server.push('{"type":"hello","data":{"episode_id":"stranger"}}');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await env.state()).toMatchObject({ episodeId: null });
  });

  test("closing twice is harmless, frees the slot, and later calls say that the client is closed", async () => {
    const server = await start({ generation });
    const env = await open(server);
    await env.reset();
    await env.close();
    await env.close();
    await until(() => server.sessions.size === 0);
    await expect(env.step({ add: 1 })).rejects.toThrow(/client is closed/);
  });
});

describe.each(["0.3.0", "0.10.0"] as const)("a lost socket of a %s server", (generation) => {
  test("is told as CONNECTION_LOST to every call until a reset begins anew", async () => {
    const server = await start({ generation });
    const env = await open(server);
    await env.reset();
    server.cut();
    await until(() => server.sessions.size === 0);
    expect(await codeOf(env.step({ add: 1 }))).toBe("CONNECTION_LOST");
    expect(await codeOf(env.state())).toBe("CONNECTION_LOST");
    expect(server.handshakes.length).toBe(1);
    expect((await env.reset()).observation).toMatchObject({ total: 0 });
    expect((await env.step({ add: 1 })).reward).toBe(0.1);
  });

  test("fails the call in flight, and does not act a second time", async () => {
    const server = await start({ generation });
    const env = await open(server);
    await env.reset();
    server.holdSteps = true;
    const stepping = codeOf(env.step({ add: 1 }));
    await until(() => server.held === 1);
    server.cut();
    expect(await stepping).toBe("CONNECTION_LOST");
    expect(server.frames.filter((frame) => frame.type === "step").length).toBe(1);
  });
});

describe("a server that hands out resume tokens", () => {
  test("gives the episode back after a lost socket, between calls and during one", async () => {
    const server = await start({ generation: "praxis" });
    const env = await open(server);
    await env.reset({ episodeId: "ep-1" });
    await env.step({ add: 1 });
    server.cut();
    expect(await env.state()).toMatchObject({ episodeId: "ep-1", stepCount: 1 });
    server.holdSteps = true;
    const stepping = env.step({ add: 2 });
    await until(() => server.held === 1);
    server.release();
    server.cut();
    // Whether the reply came before the cut or was lost with it, the step counts once.
    expect((await stepping).observation).toMatchObject({ total: 3 });
    expect(await env.state()).toMatchObject({ stepCount: 2 });
  });

  test("a session that is gone meanwhile is UNKNOWN_SESSION for a step, and a reset goes on", async () => {
    const server = await start({ generation: "praxis" });
    const env = await open(server);
    await env.reset();
    server.cut();
    server.sessions.clear();
    expect(await codeOf(env.step({ add: 1 }))).toBe("UNKNOWN_SESSION");
    expect(await codeOf(env.step({ add: 1 }))).toBe("CONNECTION_LOST");
    expect((await env.reset()).done).toBe(false);
  });

  test("a server that comes back on its port in time is found again", async () => {
    const server = await start({ generation: "praxis" });
    const env = await open(server);
    await env.reset();
    await server.stop();
    const resetting = env.reset();
    await start({ generation: "praxis" }, portOf(server));
    expect((await resetting).done).toBe(false);
  });
});

describe("opening", () => {
  test("keeps path prefixes and accepts http, ws and no scheme", async () => {
    const server = await start({ generation: "0.10.0", prefix: "/spaces/counter" });
    for (const scheme of ["http://", "ws://", ""]) {
      const env = await open(server, { baseUrl: `${scheme}${server.url.slice("http://".length)}/` });
      expect((await env.reset()).done).toBe(false);
    }
    expect(server.handshakes).toEqual(["/spaces/counter/ws", "/spaces/counter/ws", "/spaces/counter/ws"]);
  });

  test("sends the token, and a refused handshake is UNAUTHORIZED or FORBIDDEN", async () => {
    const server = await start({ generation: "0.10.0", token: "s3cret" });
    expect((await (await open(server, { token: "s3cret" })).reset()).done).toBe(false);
    expect(await codeOf(open(server, { token: "other" }))).toBe("UNAUTHORIZED");
    expect(await codeOf(open(server, { baseUrl: `${server.url}/nowhere` }))).toBe("FORBIDDEN");
  });

  test("a socket class that sends no headers, as a browser's, has the token in its query", async () => {
    class BrowserSocket extends WebSocket {}
    Object.defineProperty(BrowserSocket.prototype, "ping", { value: undefined });
    const server = await start({ generation: "0.10.0" });
    await open(server, { webSocket: BrowserSocket, token: "s3cret&" });
    await open(server, { token: "s3cret&" });
    expect(server.handshakes).toEqual(["/ws?access_token=s3cret%26", "/ws"]);
  });

  test("a port where nobody listens is CONNECTION_LOST", async () => {
    const server = await start({ generation: "0.10.0" });
    const { url } = server;
    await server.stop();
    expect(await codeOf(connect({ baseUrl: url, webSocket: WebSocket }))).toBe("CONNECTION_LOST");
  });

  test("a reply above maxMessageBytes is MESSAGE_TOO_LARGE", async () => {
    const server = await start({ generation: "0.10.0" });
    const env = await open(server, { maxMessageBytes: 100 });
    expect(await codeOf(env.step({ crash: "x".repeat(20), code: "y".repeat(60) }))).toBe("MESSAGE_TOO_LARGE");
  });

  test("attaches to the session of an agent's tools", async () => {
    const server = await start({ generation: "0.10.0", maxSessions: 1 });
    const { RemoteTools } = await import("../src/remote/index.ts");
    const tools = await RemoteTools.open({ baseUrl: server.url });
    const env = await open(server, { sessionId: tools.sessionId });
    await env.reset();
    await env.step({ add: 5 });
    expect(await tools.call("peek")).toEqual({ total: 5 });
    expect(await codeOf(open(server, { sessionId: "nobody" }).then((stranger) => stranger.reset()))).toBe(
      "UNKNOWN_SESSION",
    );
    await env.close();
    await tools.close();
    await tools.close();
  });

  test("pings flow while a step is running, at the interval asked for", async () => {
    const server = await start({ generation: "0.10.0" });
    const env = await open(server, { pingIntervalMs: 5 });
    server.holdSteps = true;
    const stepping = env.step({ add: 1 });
    await until(() => server.held === 1);
    const before = server.pings;
    await until(() => server.pings >= before + 3);
    server.release();
    expect((await stepping).reward).toBe(0.1);
  });

  test("a runtime without WebSocket asks for one by name", () => {
    const own = (globalThis as { WebSocket?: unknown }).WebSocket;
    if (own !== undefined) return expect(new RemoteEnv({ baseUrl: "localhost:1" })).toBeInstanceOf(RemoteEnv);
    expect(() => new RemoteEnv({ baseUrl: "localhost:1" })).toThrow(/default export of 'ws'/);
  });
});
