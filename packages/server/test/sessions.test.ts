import { PraxisError } from "@praxis/env";
import { describe, expect, test } from "vitest";
import { Counters } from "../src/counters.ts";
import type { SessionReply } from "../src/env-runner.ts";
import { RecentEpisodes } from "../src/recent-episodes.ts";
import { SessionStore } from "../src/sessions.ts";
import { brokenDefinition, counterDefinition, echoDefinition } from "./envs.ts";
import { ManualClock } from "./manual-clock.ts";

function makeStore(maxSessions: number, sessionTimeoutMs: number | null = 60_000) {
  const clock = new ManualClock();
  const counters = new Counters();
  let ids = 0;
  const store = new SessionStore({
    maxSessions,
    sessionTimeoutMs,
    recent: new RecentEpisodes(),
    stepTimeoutMs: 2_500,
    resetTimeoutMs: 30_000,
    toolTimeoutMs: 30_000,
    clock,
    counters,
    newId: () => `id-${++ids}`,
    nextSeed: () => ids,
    report: () => {},
  });
  return { store, clock, counters };
}

describe("slots", () => {
  test("one more than the limit is CAPACITY_REACHED, and the sessions that are open stay as they were", () => {
    const { store, counters } = makeStore(2);
    const first = store.open(counterDefinition, "ws");
    const second = store.open(counterDefinition, "http");
    first.step({ add: 1 });
    second.step({ add: 2 });
    expect(() => store.open(counterDefinition, "http-mcp")).toThrow(
      expect.objectContaining({
        code: "CAPACITY_REACHED",
        message: "Server at capacity: 2/2 sessions active. Cannot accept new connections.",
        details: { active_sessions: 2, max_sessions: 2 },
      }),
    );
    expect(first.state()).toMatchObject({ wire: { total: 1, step_count: 1 } });
    expect(second.state()).toMatchObject({ wire: { total: 2, step_count: 1 } });
    expect(counters.sessionsRefused).toBe(1);
  });

  test("a closed session gives its slot back once, and its id is unknown from then on", () => {
    const { store } = makeStore(1);
    const session = store.open(counterDefinition, "ws");
    session.freeSlot();
    session.close();
    session.close();
    expect(store.active).toBe(0);
    expect(() => store.get(session.id, counterDefinition)).toThrow(`Unknown session_id: ${session.id}`);
    store.open(counterDefinition, "ws");
    expect(store.active).toBe(1);
  });

  test("a factory that fails leaves no slot behind", () => {
    const { store } = makeStore(1);
    for (let i = 0; i < 3; i++)
      expect(() => store.open(brokenDefinition, "ws")).toThrow(expect.objectContaining({ code: "FACTORY_ERROR" }));
    expect(store.active).toBe(0);
  });

  test("temporary sessions need no slot and are on no list", () => {
    const { store } = makeStore(1);
    store.open(counterDefinition, "ws");
    const session = store.temporary(counterDefinition);
    expect(() => store.get(session.id, counterDefinition)).toThrow(PraxisError);
    session.close();
    expect(store.active).toBe(1);
  });

  test("an id of another environment is unknown", () => {
    const { store } = makeStore(2);
    const { id } = store.open(counterDefinition, "ws");
    expect(() => store.get(id, echoDefinition)).toThrow(expect.objectContaining({ code: "UNKNOWN_SESSION" }));
  });
});

describe("the reaper", () => {
  test("ends a session after its idle time; reset and step begin the time anew, state does not", async () => {
    const { store, clock, counters } = makeStore(4);
    const told: string[] = [];
    const session = store.open(counterDefinition, "ws");
    session.setOwner({ sessionEnded: ({ code }) => told.push(code) });
    await clock.advance(50_000);
    session.step({ add: 1 });
    await clock.advance(50_000);
    session.state();
    expect(told).toEqual([]);
    await clock.advance(11_000);
    expect(told).toEqual(["SESSION_EXPIRED"]);
    expect(store.active).toBe(0);
    expect(counters.sessionsExpired).toBe(1);
  });

  test("spares an attached session and counts from its last activity afterwards", async () => {
    const { store, clock } = makeStore(4);
    const session = store.open(counterDefinition, "http-mcp");
    const socket = { sessionEnded: () => {} };
    session.attach(socket);
    await clock.advance(200_000);
    expect(session.isClosed).toBe(false);
    session.detach(socket);
    await clock.advance(2_000);
    expect(session.isClosed).toBe(true);
  });

  test("ends a session whose lost socket did not come back in time", async () => {
    const { store, clock } = makeStore(4);
    const session = store.open(counterDefinition, "ws");
    session.hold(clock.now() + 30_000);
    await clock.advance(29_000);
    expect(session.isClosed).toBe(false);
    await clock.advance(2_000);
    expect(session.isClosed).toBe(true);
    expect(store.active).toBe(0);
  });

  test("without an idle limit nothing ends by itself", async () => {
    const { store, clock } = makeStore(4, null);
    const session = store.open(counterDefinition, "ws");
    await clock.advance(10_000_000);
    expect(session.isClosed).toBe(false);
  });

  test("one timer serves all sessions", () => {
    const { store, clock } = makeStore(100);
    for (let i = 0; i < 100; i++) store.open(counterDefinition, "ws");
    expect(clock.pending).toBe(1);
  });
});

describe("sessions beside each other", () => {
  test("interleaved episodes of one seed are byte for byte those of a session alone", () => {
    const { store } = makeStore(3);
    const actions = [{ add: 1 }, { add: 5 }, { add: 2 }, { add: 3 }];
    const play = (open: () => (action?: unknown) => string): ((action?: unknown) => string) => open();
    const begin = () =>
      play(() => {
        const session = store.open(counterDefinition, "ws");
        return (action) =>
          ((action === undefined ? session.reset({ seed: 7 }) : session.step(action)) as SessionReply).json;
      });
    const alone = begin();
    const wanted = [alone(), ...actions.map((action) => alone(action))];
    const [a, b] = [begin(), begin()];
    const [gotA, gotB] = [[a()], [b()]];
    for (const action of actions) {
      gotB.push(b(action));
      gotA.push(a(action));
    }
    expect(gotA).toEqual(wanted);
    expect(gotB).toEqual(wanted);
  });

  test("each session has a seed sequence of its own", () => {
    const { store } = makeStore(2);
    const first = store.open(counterDefinition, "ws").reset() as SessionReply;
    const second = store.open(counterDefinition, "ws").reset() as SessionReply;
    expect(first.json).not.toBe(second.json);
  });
});

test("stopping refuses new sessions with SHUTTING_DOWN and ends the open ones when told", () => {
  const { store } = makeStore(2);
  const told: string[] = [];
  store.open(counterDefinition, "ws").setOwner({ sessionEnded: ({ code }) => told.push(code) });
  store.stopOpening();
  expect(() => store.open(counterDefinition, "ws")).toThrow(expect.objectContaining({ code: "SHUTTING_DOWN" }));
  store.endAll();
  expect(told).toEqual(["SHUTTING_DOWN"]);
  expect(store.active).toBe(0);
});
