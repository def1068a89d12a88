import type { EnvDefinition } from "@praxis/env";
import { counterEnv, gridEnv } from "@praxis/env/testing";
import { expect, test } from "vitest";
import { call, makeServer } from "./harness.ts";

const counter = counterEnv as unknown as EnvDefinition;
const read = async (server: ReturnType<typeof makeServer>): Promise<unknown> =>
  (await server.app.request("/episodes")).json();

test("episodes of sessions are told newest first, with steps, return and end; single calls over HTTP are not", async () => {
  const server = makeServer([counter]);
  expect(await read(server)).toEqual([]);
  await call(server, "POST", "/reset", "{}");
  expect(await read(server)).toEqual([]);
  const session = server.sessions.open(counter, "ws");
  await session.reset({ seed: 4, episodeId: "one" });
  await session.step({ message: "go" });
  await session.reset({ seed: 5, episodeId: "two" });
  await session.step({ message: "stop" });
  expect(await read(server)).toMatchObject([
    { env: "counter", episode_id: "two", seed: 5, steps: 1, status: "terminated", reason: "stopped" },
    { env: "counter", episode_id: "one", seed: 4, steps: 1, status: "left", reason: null },
  ]);
});

test("under an environment's prefix only its own episodes are told", async () => {
  const server = makeServer([counter, gridEnv as unknown as EnvDefinition]);
  for (const definition of [counter, gridEnv as unknown as EnvDefinition])
    await server.sessions.open(definition, "ws").reset({ seed: 1 });
  const told = (await (await server.app.request("/grid/episodes")).json()) as { env: string }[];
  expect(told.map(({ env }) => env)).toEqual(["grid"]);
});

test("an episode whose session ends is left, not running for ever", async () => {
  const server = makeServer([counter]);
  const session = server.sessions.open(counter, "ws");
  await session.reset({ seed: 4 });
  expect(await read(server)).toMatchObject([{ status: "running" }]);
  session.close();
  expect(await read(server)).toMatchObject([{ status: "left" }]);
});

test("only the newest hundred are kept", async () => {
  const server = makeServer([counter]);
  const session = server.sessions.open(counter, "ws");
  for (let seed = 0; seed < 130; seed++) await session.reset({ seed });
  const list = (await read(server)) as { seed: number }[];
  expect([list.length, list[0]?.seed, list.at(-1)?.seed]).toEqual([100, 129, 30]);
});

test("where agents are served, nobody is told which episodes there are", async () => {
  const server = makeServer([counter], { mode: "production" });
  expect((await server.app.request("/episodes")).status).toBe(404);
});

test("services of the whole server are at its root", async () => {
  const server = makeServer([counter], {
    services: [{ method: "POST", path: "/flow/events", description: "Echo.", call: (body) => ({ body }) }],
  });
  const reply = await server.app.request("/flow/events", { method: "POST", body: "x" });
  expect(await reply.json()).toEqual({ body: "x" });
});
