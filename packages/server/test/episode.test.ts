import { connect, type SocketClass } from "@praxis/env/remote";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { counterDefinition } from "./envs.ts";
import { call, type Json, startServer, type TestServer, TestSocket, until } from "./harness.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer([counterDefinition]);
});
afterAll(() => server.close());

const ADDS = [3, 9, 1, 7];
const RESET = { seed: 11, episode_id: "same", limit: 10 };

/** What a client saw of an episode, step by step. */
type Seen = { readonly reward: unknown; readonly done: unknown; readonly total: unknown }[];
const see = ({ reward, done, observation }: Json): Seen[number] => ({
  reward,
  done,
  total: (observation as Json).total,
});

const overSocket = async (): Promise<Seen> => {
  const socket = await TestSocket.open(`${server.ws}/ws`);
  await socket.ask({ type: "reset", data: RESET });
  const seen: Seen = [];
  for (const add of ADDS) seen.push(see((await socket.ask({ type: "step", data: { add } })).data));
  await socket.close();
  return seen;
};

const overHttp = async (): Promise<Seen> => {
  const id = (await call(server.server, "POST", "/reset", { ...RESET, session_id: "new" })).headers.get(
    "x-session-id",
  )!;
  const seen: Seen = [];
  for (const add of ADDS)
    seen.push(see((await call(server.server, "POST", "/step", { action: { add } }, { "x-session-id": id })).body));
  await call(server.server, "DELETE", `/sessions/${id}`);
  return seen;
};

const overClient = async (): Promise<Seen> => {
  const env = await connect({ baseUrl: server.url, webSocket: WebSocket as unknown as SocketClass });
  await env.reset({ seed: RESET.seed, episodeId: RESET.episode_id, options: { limit: RESET.limit } });
  const seen: Seen = [];
  for (const add of ADDS) {
    const { reward, done, observation } = await env.step({ add });
    seen.push({ reward, done, total: observation.total });
  }
  await env.close();
  return seen;
};

const overAttachedMcp = async (): Promise<Seen> => {
  const rpc = async (method: string, params: object): Promise<Json> =>
    (await call(server.server, "POST", "/mcp", { jsonrpc: "2.0", id: 1, method, params })).body.result as Json;
  const { session_id: id } = await rpc("openenv/session/create", {});
  const socket = await TestSocket.open(`${server.ws}/ws?session_id=${id}`);
  await socket.ask({ type: "reset", data: RESET });
  const seen: Seen = [];
  for (const add of ADDS) {
    const result = await rpc("tools/call", { name: "add", arguments: { add }, session_id: id });
    const [step] = (result.meta as Json)["praxis/steps"] as Json[];
    seen.push({
      reward: step!.reward,
      done: step!.terminated === true || step!.truncated === true,
      total: (result.data as Json).total,
    });
  }
  await socket.close();
  await rpc("openenv/session/close", { session_id: id });
  return seen;
};

describe("one episode through every door", () => {
  const wanted: Seen = [
    { reward: 0.3, done: false, total: 3 },
    { reward: 0.9, done: false, total: 12 },
    { reward: 0.1, done: false, total: 13 },
    { reward: 0.7, done: true, total: 20 },
  ];

  test.each([
    ["the socket", overSocket],
    ["HTTP with a session", overHttp],
    ["the TypeScript client", overClient],
    ["tools over MCP with an attached socket", overAttachedMcp],
  ])("%s gives the same rewards and ends at the same step", async (_door, play) => {
    expect(await play()).toEqual(wanted);
    await until(() => server.server.sessions.active === 0);
  });
});

describe("many episodes", () => {
  test("thousands of resets in one session leave no memory behind that grows with them", async () => {
    const socket = await TestSocket.open(`${server.ws}/ws`);
    const resets = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++) socket.send({ type: "reset", data: { seed: i } });
      for (let i = 0; i < count; i++) await socket.next();
    };
    await resets(2_000);
    const before = process.memoryUsage().heapUsed;
    await resets(4_000);
    // A kilobyte kept per reset would be 4 MB on top of what is not collected yet.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1024 * 1024);
    await socket.close();
  });
});
