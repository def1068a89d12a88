import { type EnvDefinition, EnvRegistry, PraxisError } from "@praxis/env";
import { type ConnectOptions, connect, type RemoteEnv, RemoteServer, RemoteTools } from "@praxis/env/remote";
import { afterEach, expect, test } from "vitest";
import WebSocket from "ws";
import { createServer, type PraxisServer, type ServerOptions } from "../src/index.ts";
import { brokenDefinition, counterDefinition, echoDefinition, moodyDefinition } from "./envs.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Sockets that the clients of a test have opened, to be cut by it. */
const sockets: WebSocket[] = [];
class TestSocket extends WebSocket {
  constructor(...args: ConstructorParameters<typeof WebSocket>) {
    super(...args);
    sockets.push(this);
  }
}

async function start(
  definitions: readonly EnvDefinition[],
  options: Partial<ServerOptions> = {},
): Promise<{ readonly server: PraxisServer; readonly url: string }> {
  const server = createServer({ registry: new EnvRegistry(definitions), port: 0, seed: 0, ...options });
  const { url } = await server.listen();
  cleanups.push(() => server.close());
  return { server, url };
}

async function open(baseUrl: string, options: Partial<ConnectOptions> = {}): Promise<RemoteEnv> {
  const env = await connect({ baseUrl, webSocket: TestSocket, ...options });
  cleanups.push(() => env.close());
  return env;
}

async function failureOf(call: Promise<unknown>): Promise<PraxisError> {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof PraxisError)) throw new Error(`expected a PraxisError, got ${String(error)}`);
  return error;
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}

const ADDS = [3, 9, 9];

test("an episode has the same rewards and the same end through the client, raw frames and HTTP", async () => {
  const { url } = await start([counterDefinition]);
  const env = await open(url);
  await env.reset({ seed: 1 });
  const remote = [];
  for (const add of ADDS) {
    const { reward, done } = await env.step({ add });
    remote.push([reward, done]);
  }

  const socket = new WebSocket(`${url.replace("http", "ws")}/ws`);
  await new Promise((resolve) => socket.once("open", resolve));
  const ask = (frame: unknown): Promise<{ data: { reward: number; done: boolean } }> =>
    new Promise((resolve) => {
      socket.once("message", (data) => resolve(JSON.parse(String(data))));
      socket.send(JSON.stringify(frame));
    });
  await ask({ type: "reset", data: { seed: 1 } });
  const raw = [];
  for (const add of ADDS) {
    const { data } = await ask({ type: "step", data: { add } });
    raw.push([data.reward, data.done]);
  }
  socket.close();

  let session = "new";
  const post = async (path: string, body: unknown): Promise<{ reward: number; done: boolean }> => {
    const headers = { "content-type": "application/json", "x-session-id": session };
    const response = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    session = response.headers.get("x-session-id") ?? session;
    return (await response.json()) as { reward: number; done: boolean };
  };
  await post("/reset", { seed: 1 });
  const http = [];
  for (const add of ADDS) {
    const { reward, done } = await post("/step", { action: { add } });
    http.push([reward, done]);
  }

  expect(remote).toEqual([
    [0.3, false],
    [0.9, false],
    [0.9, true],
  ]);
  expect(raw).toEqual(remote);
  expect(http).toEqual(remote);
});

test("the episode ends truncated at its limit, and stepping on is RESET_NEEDED", async () => {
  const { url } = await start([counterDefinition]);
  const env = await open(url);
  await env.reset({ options: { limit: 1 } });
  expect(await env.step({ add: 1 })).toMatchObject({ terminated: false, truncated: true, done: true });
  expect((await failureOf(env.step({ add: 1 }))).code).toBe("RESET_NEEDED");
});

test("each error comes back under its own code, with its fields, and the session lives", async () => {
  const { url } = await start([moodyDefinition()], { stepTimeoutMs: 20 });
  const env = await open(url);
  await env.reset({ episodeId: "ep" });
  const unfit = await failureOf(env.step({ mood: "sulky" }));
  expect(unfit).toMatchObject({ code: "VALIDATION_ERROR", fields: [{ loc: ["mood"] }] });
  expect(await failureOf(env.step({ mood: "throw" }))).toMatchObject({ code: "ENVIRONMENT_ERROR", message: "kaput" });
  expect((await failureOf(env.step({ mood: "nan" }))).code).toBe("NON_FINITE_NUMBER");
  expect((await failureOf(env.step({ mood: "hang" }))).code).toBe("STEP_TIMEOUT");
  expect((await failureOf(env.reset({ seed: -1 }))).fields.map(({ loc }) => loc.at(-1))).toEqual(["seed"]);
  expect(await env.state()).toMatchObject({ episodeId: "ep", stepCount: 0 });
});

test("a full server is CAPACITY_REACHED with its numbers, and waiting for a place gets one", async () => {
  const { url } = await start([counterDefinition], { maxSessions: 1 });
  const first = await open(url);
  await first.reset();
  const refused = await failureOf(open(url).then((env) => env.reset()));
  expect(refused).toMatchObject({ code: "CAPACITY_REACHED", details: { active_sessions: 1, max_sessions: 1 } });
  const before = sockets.length;
  const waiting = open(url, { capacityWaitMs: 20_000 }).then((env) => env.reset());
  await until(() => sockets.length >= before + 2);
  await first.close();
  expect((await waiting).observation).toMatchObject({ total: 0 });
});

test("an environment that can't be built is FACTORY_ERROR without its cause", async () => {
  const { url } = await start([brokenDefinition]);
  const error = await failureOf(open(url).then((env) => env.reset()));
  expect(error).toMatchObject({ code: "FACTORY_ERROR", details: { factory_name: "Broken-v0" } });
  expect(JSON.stringify(error.message)).not.toContain("secret");
});

test("after a reply timeout the next call gets its own answer, never the late one", async () => {
  let finish = (): void => {};
  const slow = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const { url } = await start([moodyDefinition({ slow: () => slow })], { stepTimeoutMs: 60_000 });
  const env = await open(url);
  await env.reset({ episodeId: "ep" });
  expect((await failureOf(env.step({ mood: "slow" }, { timeoutMs: 20 }))).code).toBe("CLIENT_TIMEOUT");
  const asking = env.state();
  finish();
  expect(await asking).toMatchObject({ episodeId: "ep", stepCount: 1 });
});

test("a cut socket is replaced and the episode goes on, also in the middle of a step, which counts once", async () => {
  let finish = (): void => {};
  const slow = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let isStepping = false;
  const waits = {
    slow: () => {
      isStepping = true;
      return slow;
    },
  };
  const { url, server } = await start([moodyDefinition(waits)], { stepTimeoutMs: 60_000 });
  const env = await open(url);
  await env.reset({ episodeId: "ep" });
  sockets.at(-1)!.terminate();
  expect(await env.state()).toMatchObject({ episodeId: "ep" });
  const stepping = env.step({ mood: "slow" });
  await until(() => isStepping);
  sockets.at(-1)!.terminate();
  finish();
  expect((await stepping).observation).toEqual({ steps: 1 });
  expect(await env.state()).toMatchObject({ episodeId: "ep", stepCount: 1 });
  expect(server.sessions.active).toBe(1);
});

test("a session that was not resumed in time is told, and only a reset goes on", async () => {
  const { url, server } = await start([counterDefinition], { resumeGraceMs: 1 });
  const env = await open(url);
  await env.reset();
  sockets.at(-1)!.terminate();
  await until(() => server.sessions.active === 0);
  expect((await failureOf(env.step({ add: 1 }))).code).toBe("UNKNOWN_SESSION");
  expect((await failureOf(env.step({ add: 1 }))).code).toBe("CONNECTION_LOST");
  expect((await env.reset()).observation).toMatchObject({ total: 0 });
});

test("closing frees the slot at once", async () => {
  const { url, server } = await start([counterDefinition]);
  const env = await open(url);
  await env.reset();
  expect(server.sessions.active).toBe(1);
  await env.close();
  await until(() => server.sessions.active === 0);
});

test("tools act in the client's own session", async () => {
  const { url, server } = await start([counterDefinition]);
  const env = await open(url);
  await env.reset();
  await env.step({ add: 4 });
  expect((await env.listTools()).map(({ name }) => name)).toEqual(["peek", "add", "fail"]);
  expect(await env.callTool("peek")).toMatchObject({ total: 4 });
  expect((await failureOf(env.callTool("peak"))).code).toBe("UNKNOWN_NAME");
  expect(server.sessions.active).toBe(1);
});

test("a trainer attaches to the session of an agent's tools, and the session outlives the socket", async () => {
  const { url, server } = await start([counterDefinition], { maxSessions: 1 });
  const tools = await RemoteTools.open({ baseUrl: url });
  const env = await open(url, { sessionId: tools.sessionId });
  await env.reset();
  await env.step({ add: 7 });
  expect(await tools.call("peek")).toMatchObject({ total: 7 });
  expect((await failureOf(open(url, { sessionId: tools.sessionId }).then((other) => other.state()))).code).toBe(
    "SESSION_BUSY",
  );
  await env.close();
  expect(await tools.call("peek")).toMatchObject({ total: 7 });
  await tools.close();
  await until(() => server.sessions.active === 0);
  expect((await failureOf(tools.list())).code).toBe("UNKNOWN_SESSION");
});

test("text of any language comes back as it went", async () => {
  const { url } = await start([echoDefinition]);
  const env = await open(url);
  for (const message of ["Zoë 李 👩‍⚕️", "paracétamol", "\u0000nul", "\u2028 \ufeff"])
    expect((await env.step({ message })).observation).toEqual({ echo: message });
});

test("health, metadata, schemas and tasks are read below a path prefix", async () => {
  const { url } = await start([counterDefinition, echoDefinition]);
  const remote = new RemoteServer({ baseUrl: `${url}/counter` });
  expect(await remote.health()).toMatchObject({ status: "healthy", active_sessions: 0 });
  expect((await remote.metadata()).name).toBe("counter");
  expect(Object.keys((await remote.schema()).action.properties as object)).toContain("add");
  expect((await remote.splits("counter")).map(({ name }) => name)).toEqual(["train", "extra"]);
  expect(await remote.countTasks("counter", "train")).toBe(3);
  expect(await remote.task("counter", "train", 2)).toEqual({ split: "train", index: 2, limit: 3 });
  expect((await failureOf(remote.task("counter", "train", 3))).code).toBe("VALIDATION_ERROR");
  expect((await failureOf(remote.splits("echo"))).code).toBe("UNKNOWN_ENVIRONMENT");
  const env = await open(`${url}/echo`);
  expect((await env.step({ message: "hi" })).observation).toEqual({ echo: "hi" });
});

test("a token opens the door, another is UNAUTHORIZED, and an agent's is FORBIDDEN on /ws", async () => {
  const { url } = await start([counterDefinition], { tokens: { trainer: "trainer-token", agent: "agent-token" } });
  expect((await (await open(url, { token: "trainer-token" })).reset()).done).toBe(false);
  expect((await failureOf(open(url, { token: "someone-else" }))).code).toBe("UNAUTHORIZED");
  expect((await failureOf(open(url, { token: "agent-token" }))).code).toBe("FORBIDDEN");
  const tools = await RemoteTools.open({ baseUrl: url, token: "agent-token" });
  expect(await tools.list()).toHaveLength(3);
  await tools.close();
  expect((await failureOf(RemoteTools.open({ baseUrl: url }))).code).toBe("UNAUTHORIZED");
});
