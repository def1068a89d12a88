import { type EnvDefinition, PraxisError } from "@praxis/env";
import { describe, expect, test } from "vitest";
import { Counters } from "../src/counters.ts";
import type { SessionReply } from "../src/env-runner.ts";
import { Session, type SessionHost } from "../src/session.ts";
import { counterDefinition, moodyDefinition } from "./envs.ts";
import { ManualClock, settle } from "./manual-clock.ts";

function makeSession(definition: EnvDefinition): {
  readonly session: Session;
  readonly clock: ManualClock;
  readonly counters: Counters;
  readonly reports: unknown[];
  readonly released: Session[];
} {
  const clock = new ManualClock();
  const counters = new Counters();
  const reports: unknown[] = [];
  const released: Session[] = [];
  const host: SessionHost = {
    clock,
    counters,
    recent: null,
    stepTimeoutMs: 2_500,
    resetTimeoutMs: 30_000,
    toolTimeoutMs: 30_000,
    report: (error) => reports.push(error),
    released: (session) => released.push(session),
  };
  return { session: new Session("s-1", "ws", definition, 7, host), clock, counters, reports, released };
}

/** Code of the error that `run` ends in, thrown or rejected. */
async function codeOf(run: () => unknown): Promise<string> {
  try {
    await run();
    return "none";
  } catch (error) {
    return (error as PraxisError).code;
  }
}

const gate = (): { readonly promise: Promise<void>; open(): void } => {
  let open = (): void => {};
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open: () => open() };
};

const tool = (name: string) => counterDefinition.tools!.find((known) => known.name === name)!;

describe("a session of a synchronous environment", () => {
  test("answers reset, step and state without a promise or a timer", () => {
    const { session, clock } = makeSession(counterDefinition);
    const reset = session.reset({ seed: 3, episodeId: "ep" });
    const step = session.step({ add: 4 }) as SessionReply;
    expect(reset).not.toBeInstanceOf(Promise);
    expect(JSON.parse(step.json)).toEqual(step.wire);
    expect(step.wire).toMatchObject({ observation: { total: 4 }, reward: 0.4, done: false });
    expect(session.state()).toMatchObject({ wire: { episode_id: "ep", step_count: 1, total: 4 } });
    expect(clock.pending).toBe(0);
  });

  test("resets by itself before the first step", () => {
    const { session } = makeSession(counterDefinition);
    expect(session.step({ add: 1 })).toMatchObject({ wire: { observation: { total: 1 } } });
    expect(session.state()).toMatchObject({ wire: { step_count: 1 } });
  });

  test("a step after the end is RESET_NEEDED, and the state stays", () => {
    const { session } = makeSession(counterDefinition);
    session.reset({ options: { limit: 1 } });
    session.step({ add: 1 });
    expect(() => session.step({ add: 1 })).toThrow(expect.objectContaining({ code: "RESET_NEEDED" }));
    expect(session.state()).toMatchObject({ wire: { step_count: 1, total: 1 } });
  });

  test("two resets in a row and a step are answered", () => {
    const { session } = makeSession(counterDefinition);
    session.reset({ seed: 1 });
    session.reset({ seed: 1 });
    expect(session.step({ add: 2 })).toMatchObject({ wire: { observation: { total: 2 } } });
  });

  test("warnings travel in the info", () => {
    const { session } = makeSession(counterDefinition);
    const reply = session.reset({}, ["Unknown reset option 'x' was ignored."]) as SessionReply;
    expect(reply.wire.metadata).toMatchObject({ warnings: ["Unknown reset option 'x' was ignored."] });
  });
});

describe("tools of a session", () => {
  test("a tool steps like any other step and is counted", async () => {
    const { session, counters } = makeSession(counterDefinition);
    expect(await session.callTool(tool("add"), { add: 3 }, "production")).toMatchObject({
      json: expect.stringContaining('"total":3'),
      steps: [{ reward: 0.3 }],
    });
    expect(session.state()).toMatchObject({ wire: { step_count: 1, total: 3 } });
    expect(counters.steps).toBe(1);
  });

  test("a read-only tool of a synchronous environment answers at once", () => {
    const { session } = makeSession(counterDefinition);
    expect(session.callTool(tool("peek"), {}, "simulation")).toEqual({ json: '{"total":0}', steps: [] });
  });

  test("a tool that fails takes its steps back", async () => {
    const { session } = makeSession(counterDefinition);
    session.reset({ seed: 2 });
    const before = session.last;
    expect(await codeOf(() => session.callTool(tool("fail"), {}, "simulation"))).toBe("ENVIRONMENT_ERROR");
    expect(await session.state()).toMatchObject({ wire: { step_count: 0, total: 0 } });
    expect(session.last).toBe(before);
  });
});

describe("failures", () => {
  test.each(["nan", "infinity", "minusInfinity", "nanObservation"])(
    "a step that returns %s is NON_FINITE_NUMBER and changes nothing",
    async (mood) => {
      const { session } = makeSession(moodyDefinition());
      await session.reset({ episodeId: "e" });
      await session.step({ mood: "fine" });
      expect(await codeOf(() => session.step({ mood }))).toBe("NON_FINITE_NUMBER");
      expect(await session.state()).toMatchObject({ wire: { episode_id: "e", step_count: 1 } });
      expect(await session.step({ mood: "fine" })).toMatchObject({ wire: { observation: { steps: 2 } } });
    },
  );

  test.each(["throw", "bigint"])(
    "a step that ends in %s is ENVIRONMENT_ERROR, logged, and changes nothing",
    async (mood) => {
      const { session, reports, counters } = makeSession(moodyDefinition());
      await session.reset();
      expect(await codeOf(() => session.step({ mood }))).toBe("ENVIRONMENT_ERROR");
      expect(await session.state()).toMatchObject({ wire: { step_count: 0 } });
      expect(reports).toHaveLength(1);
      expect(counters.failures).toBe(1);
    },
  );

  test("a failed first step takes its implicit reset back too", async () => {
    const { session } = makeSession(moodyDefinition());
    await codeOf(() => session.step({ mood: "throw" }));
    expect(await session.state()).toMatchObject({ wire: { episode_id: null, step_count: 0 } });
    expect(session.last).toBeNull();
  });

  test("a factory that fails is FACTORY_ERROR without its cause in the text", () => {
    const broken: EnvDefinition = {
      ...counterDefinition,
      makeEnv: () => {
        throw new Error("secret");
      },
    };
    expect(() => makeSession(broken)).toThrow(
      expect.objectContaining({
        code: "FACTORY_ERROR",
        message: "Environment factory 'Counter-v0' failed to create instance.",
        details: { factory_name: "Counter-v0" },
      }),
    );
  });
});

describe("the deadline", () => {
  test("a step that listens to its signal is stopped at 2.5 s, and the session goes on from the state before", async () => {
    const log: string[] = [];
    const { session, clock, counters } = makeSession(moodyDefinition(undefined, log));
    await session.reset({ episodeId: "e" });
    await session.step({ mood: "fine" });
    const code = codeOf(() => session.step({ mood: "hang" }));
    await clock.advance(2_499);
    expect(counters.timeouts).toBe(0);
    await clock.advance(1);
    expect(await code).toBe("STEP_TIMEOUT");
    expect(log).toEqual(["made", "aborted"]);
    expect(await session.state()).toMatchObject({ wire: { episode_id: "e", step_count: 1 } });
    expect(await session.step({ mood: "fine" })).toMatchObject({ wire: { observation: { steps: 2 } } });
    expect(clock.pending).toBe(0);
  });

  test("a step that never settles loses its environment; the session goes on in a new one with the state before", async () => {
    const log: string[] = [];
    const { session, clock } = makeSession(moodyDefinition(undefined, log));
    await session.reset({ episodeId: "e" });
    await session.step({ mood: "fine" });
    const code = codeOf(() => session.step({ mood: "hangDeaf" }));
    await clock.advance(2_500);
    expect(await code).toBe("STEP_TIMEOUT");
    const state = session.state();
    await clock.advance(250);
    expect(await state).toMatchObject({ wire: { episode_id: "e", step_count: 1 } });
    expect(log).toEqual(["made", "made", "closed"]);
    expect(await session.step({ mood: "fine" })).toMatchObject({ wire: { observation: { steps: 2 } } });
  });

  test("a result that comes after the deadline is dropped", async () => {
    const slow = gate();
    const { session, clock } = makeSession(moodyDefinition({ slow: () => slow.promise }));
    await session.reset();
    const code = codeOf(() => session.step({ mood: "slow" }));
    await clock.advance(2_500);
    expect(await code).toBe("STEP_TIMEOUT");
    slow.open();
    await settle();
    expect(await session.state()).toMatchObject({ wire: { step_count: 0 } });
  });

  test("a longer deadline may be asked for a single step", async () => {
    const slow = gate();
    const { session, clock } = makeSession(moodyDefinition({ slow: () => slow.promise }));
    await session.reset();
    const reply = session.step({ mood: "slow" }, 10_000);
    await clock.advance(9_000);
    slow.open();
    expect(await reply).toMatchObject({ wire: { observation: { steps: 1 } } });
  });

  test("operations asked for meanwhile are carried out after it, in their order", async () => {
    const { session, clock } = makeSession(moodyDefinition());
    await session.reset();
    const all = [
      codeOf(() => session.step({ mood: "hang" })),
      session.reset({ episodeId: "second" }),
      session.step({ mood: "fine" }),
      session.state(),
      session.step({ mood: "fine" }),
    ];
    await clock.advance(3_000);
    expect(await Promise.all(all)).toMatchObject([
      "STEP_TIMEOUT",
      { wire: { observation: { steps: 0 } } },
      { wire: { observation: { steps: 1 } } },
      { wire: { episode_id: "second", step_count: 1 } },
      { wire: { observation: { steps: 2 } } },
    ]);
  });
});

describe("the end of a session", () => {
  test("closing mid-step gives the slot back at once, aborts the step and closes the environment when it has settled", async () => {
    const log: string[] = [];
    const { session, released } = makeSession(moodyDefinition(undefined, log));
    await session.reset();
    const code = codeOf(() => session.step({ mood: "hang" }));
    expect(session.close()).toBe("closed");
    expect(released).toEqual([session]);
    await code;
    expect(log).toEqual(["made", "aborted", "closed"]);
    expect(await codeOf(() => session.step({ mood: "fine" }))).toBe("UNKNOWN_SESSION");
  });

  test("an environment that never settles is closed all the same", async () => {
    const log: string[] = [];
    const { session, clock } = makeSession(moodyDefinition(undefined, log));
    await session.reset();
    const code = codeOf(() => session.step({ mood: "hangDeaf" }));
    session.close();
    await clock.advance(3_000);
    expect(await code).toBe("STEP_TIMEOUT");
    expect(log).toEqual(["made", "closed"]);
    expect(clock.pending).toBe(0);
  });

  test("closing an attached session waits for the socket to leave", () => {
    const { session, released } = makeSession(counterDefinition);
    const socket = { sessionEnded: () => {} };
    session.attach(socket);
    expect(session.close()).toBe("closing");
    expect(session.reset({ seed: 1 })).toMatchObject({ wire: { done: false } });
    expect(released).toEqual([]);
    session.detach(socket);
    expect(released).toEqual([session]);
    expect(session.isClosed).toBe(true);
  });

  test("a second attachment is refused until the first one leaves", () => {
    const { session } = makeSession(counterDefinition);
    const first = { sessionEnded: () => {} };
    session.attach(first);
    expect(() => session.attach({ sessionEnded: () => {} })).toThrow("Session s-1 already has an attached WebSocket");
    session.detach(first);
    session.attach({ sessionEnded: () => {} });
    expect(session.isAttached).toBe(true);
  });

  test("ending tells owner and attached socket why, once", () => {
    const { session } = makeSession(counterDefinition);
    const told: string[] = [];
    session.setOwner({ sessionEnded: (reason) => told.push(`owner ${reason.code}`) });
    session.attach({ sessionEnded: (reason) => told.push(`attached ${reason.code}`) });
    session.end(new PraxisError("SESSION_EXPIRED", "idle"));
    session.end(new PraxisError("SESSION_EXPIRED", "idle"));
    expect(told).toEqual(["owner SESSION_EXPIRED", "attached SESSION_EXPIRED"]);
  });

  test("closing twice closes the environment once", () => {
    const log: string[] = [];
    const { session } = makeSession(moodyDefinition(undefined, log));
    session.close();
    session.close();
    expect(log).toEqual(["made", "closed"]);
  });
});
