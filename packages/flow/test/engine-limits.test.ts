import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { VirtualClock } from "../src/engine/clock.ts";
import { Ledger } from "../src/engine/ledger.ts";
import { RateLimiter } from "../src/engine/rate-limiter.ts";
import { Scope } from "../src/engine/scope.ts";
import { FlowError } from "../src/errors.ts";
import { team } from "./support/files.ts";
import { eventsOf, runScript, runText } from "./support/run.ts";

describe("retries", () => {
  const one = (retry: string): string =>
    `${team("a")}workflow: { type: sequential, steps: [{ agent: a, retry: ${retry} }] }\n`;

  test("a wait asked for by the provider is kept exactly", async () => {
    const ran = await runScript(one("{ max_attempts: 2 }"), [
      { fail: { class: "rate_limited", retryAfterMs: 7_000 } },
      { text: "ok" },
    ]);
    expect(ran.result.status).toBe("completed");
    expect(eventsOf(ran, "step.retrying").map((event) => event.data.durationMs)).toEqual([7_000]);
    expect(ran.events.at(-1)!.time).toBe(7_000);
  });

  test("without one the wait is drawn below a limit that grows and is capped, the same for the same seed", async () => {
    const waits = async (seed: string) => {
      const ran = await runScript(
        one("{ max_attempts: 5, base_ms: 1000, factor: 10, max_ms: 5000 }"),
        [{ fail: { class: "server" }, times: 4 }, { text: "ok" }],
        { seed },
      );
      return eventsOf(ran, "step.retrying").map((event) => event.data.durationMs as number);
    };
    const drawn = await waits("1");
    for (const [i, wait] of drawn.entries()) expect(wait).toBeLessThanOrEqual([1_000, 5_000, 5_000, 5_000][i]!);
    expect(await waits("1")).toEqual(drawn);
    expect(await waits("2")).not.toEqual(drawn);
  });

  test("a class that is not listed is never tried again, also not by a step around it", async () => {
    const text = `${team("a")}workflow:\n  type: sequential\n  retry: { max_attempts: 3 }\n  steps: [a]\n`;
    const ran = await runScript(text, [{ fail: { class: "invalid_request" } }]);
    expect(ran.model.calls).toHaveLength(1);
    expect(ran.result.status).toBe("failed");
  });

  test("after the attempts the next model is tried, in order", async () => {
    const text =
      "models:\n  sim: { provider: scripted, model: m, fallback: [other] }\n  other: { provider: simulated, model: n }\nagents:\n  - { id: a, role: r, goal: g }\nworkflow: { type: sequential, steps: [a] }\n";
    const ran = await runScript(text, [{ fail: { class: "overloaded" }, times: 3 }]);
    expect(ran.result.status).toBe("completed");
    expect(eventsOf(ran, "llm.completed").map((event) => event.data.model)).toEqual(["n"]);
  });

  test("a timeout of one attempt is tried again as a whole and then fails with E406", async () => {
    const text = `${team("a")}workflow: { type: sequential, steps: [{ agent: a, timeout_ms: 1000, retry: { max_attempts: 2, base_ms: 0 } }] }\n`;
    const good = await runScript(text, [
      { text: "slow", latencyMs: 5_000 },
      { text: "quick", latencyMs: 10 },
    ]);
    expect([good.result.outputs.result, good.result.records[0]!.attempt, good.events.at(-1)!.time]).toEqual([
      "quick",
      2,
      1_010,
    ]);
    const bad = await runScript(text, [{ text: "slow", latencyMs: 5_000, times: 2 }]);
    expect(bad.result.error).toMatchObject({ code: "E406", class: "timeout" });
  });

  test("a time limit of a composite step ends all within it", async () => {
    const ran = await runScript(`${team("a", "b")}workflow: { type: parallel, branches: [a, b], timeout_ms: 500 }\n`, [
      { text: "x", latencyMs: 5_000, times: 2 },
    ]);
    expect(ran.result.error).toMatchObject({ code: "E406" });
    expect(ran.result.records.map((record) => record.status)).toEqual(["cancelled", "cancelled", "failed"]);
    expect(ran.events.at(-1)!.time).toBe(500);
  });
});

describe("budgets", () => {
  const many = (count: number, keys: string, model = "max_tokens: 200"): string => {
    const ids = Array.from({ length: count }, (_, i) => `w${i}`);
    return `${team(...ids).replace("model: sim-1", `model: sim-1, ${model}`)}workflow: { type: parallel, branches: [${ids.join(", ")}], max_concurrency: 100 }\n${keys}`;
  };

  test("acceptance 6: a hundred parallel branches overshoot a token budget by 0, and their partial results are kept and named", async () => {
    const ran = await runText(many(100, "budgets: { max_tokens: 5000, on_exceeded: stop }\n"));
    expect(ran.result.status).toBe("budget_exceeded");
    expect(ran.result.usage.inputTokens + ran.result.usage.outputTokens).toBeLessThanOrEqual(5_000);
    expect(Object.keys(ran.result.partial).length).toBeGreaterThan(10);
    expect(ran.result.error).toMatchObject({ code: "E407", class: "budget" });
  });

  test("a money budget is not overshot either", async () => {
    const ran = await runText(
      many(
        100,
        "budgets: { max_cost_usd: 0.01, on_exceeded: stop }\n",
        "max_tokens: 100, price: { input: 1, output: 10 }",
      ),
    );
    expect(ran.result.status).toBe("budget_exceeded");
    expect(ran.result.costUsd).toBeGreaterThan(0);
    expect(ran.result.costUsd).toBeLessThanOrEqual(0.01);
  });

  test("a call waits for what others in flight may leave, instead of giving up", async () => {
    // Two worst cases do not fit at the same time; one after another they do.
    const ran = await runText(many(2, "budgets: { max_tokens: 400, on_exceeded: stop }\n"));
    expect(ran.result.status).toBe("completed");
  });

  test("sixteen branches of up to 500 tokens stay within a budget of 1,000 and leave something", async () => {
    const ran = await runText(many(16, "budgets: { max_tokens: 1000 }\n", "max_tokens: 400"));
    expect(ran.result.status).toBe("budget_exceeded");
    expect(ran.result.usage.inputTokens + ran.result.usage.outputTokens).toBeLessThanOrEqual(1_000);
    expect(Object.keys(ran.result.partial).length).toBeGreaterThan(0);
  });

  test("a budget that all branches share never ends without any artefact", async () => {
    const text = many(4, "budgets: { max_tokens: 120000 }\n", "max_tokens: 4096, context_window: 128000");
    const ran = await runText(text, { input: "word ".repeat(23_000) });
    expect(ran.result.status).toBe("budget_exceeded");
    expect(Object.keys(ran.result.partial).length).toBeGreaterThanOrEqual(2);
    expect(ran.result.usage.inputTokens + ran.result.usage.outputTokens).toBeLessThanOrEqual(120_000);
  });

  test("finalize lets the aggregator answer from what exists, within the limit", async () => {
    const text = `${team("a", "b", "c", "z").replace("model: sim-1", "model: sim-1, max_tokens: 300")}workflow:\n  type: parallel\n  branches: [a, b, c]\n  max_concurrency: 1\n  then: { agent: z }\nbudgets: { max_tokens: 600 }\n`;
    const ran = await runText(text);
    expect(ran.result.status).toBe("budget_exceeded");
    expect(ran.result.outputs.result).toContain("z role");
    expect(eventsOf(ran, "llm.requested").at(-1)!.data.kind).toBe("finalize");
    expect(ran.result.usage.inputTokens + ran.result.usage.outputTokens).toBeLessThanOrEqual(600);
  });

  test("the number of calls and the time are budgets too", async () => {
    expect((await runText(many(5, "budgets: { max_llm_calls: 3, on_exceeded: stop }\n"))).result.usage.llmCalls).toBe(
      3,
    );
    const slow = many(
      3,
      "budgets: { max_wall_ms: 1500, on_exceeded: stop }\n",
      "options: { latency_ms: 1000 }",
    ).replace("max_concurrency: 100", "max_concurrency: 1");
    const ran = await runText(slow);
    expect([ran.result.status, Object.keys(ran.result.partial), ran.events.at(-1)!.time]).toEqual([
      "budget_exceeded",
      ["w0"],
      1_500,
    ]);
  });

  test("a warning comes once, at its share", async () => {
    const ran = await runText(
      `${team("a", "b", "c")}workflow: { type: sequential, steps: [a, b, c] }\nbudgets: { max_llm_calls: 3, warn_at: 0.6 }\n`,
    );
    expect(eventsOf(ran, "budget.warned").map((event) => event.data.used)).toEqual([2]);
  });

  test("a step's own budget ends that step alone, and counts once at every ancestor", async () => {
    const text = `${team("a", "b")}workflow:\n  type: sequential\n  steps:\n    - { agent: a, budget: { max_llm_calls: 1, on_exceeded: stop } }\n    - b\n`;
    const ran = await runText(text);
    expect(ran.result.status).toBe("completed");
    const [a, b, all] = ran.result.records;
    expect(all!.usage.inputTokens).toBe(a!.usage.inputTokens + b!.usage.inputTokens);
    expect(ran.result.usage).toEqual(all!.usage);
  });

  test("no sequence of calls overshoots, whatever they really use up to their worst case", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 50, max: 2_000 }),
        fc.array(
          fc.record({
            worst: fc.integer({ min: 1, max: 400 }),
            share: fc.double({ min: 0, max: 1, noNaN: true }),
            ticks: fc.nat(5),
          }),
          { maxLength: 30 },
        ),
        async (limit, calls) => {
          const budget = {
            maxTokens: limit,
            maxCostUsd: undefined,
            maxLlmCalls: undefined,
            maxToolCalls: undefined,
            maxWallMs: undefined,
            warnAt: 0.8,
            onExceeded: "stop",
            finalizeTokens: 0,
          } as const;
          const root = Ledger.root(budget, { onWarn: () => undefined, onExceeded: () => undefined });
          const scope = new Scope();
          await Promise.allSettled(
            calls.map(async (call, i) => {
              const reservation = await root.child(`s${i}`).reserve({ tokens: call.worst, costUsd: 0 }, scope);
              for (let t = 0; t < call.ticks; t++) await Promise.resolve();
              reservation.settle(
                { inputTokens: Math.floor(call.worst * call.share), outputTokens: 0, cachedTokens: 0 },
                null,
                false,
              );
            }),
          );
          expect(root.usage.inputTokens).toBeLessThanOrEqual(limit);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("rate limits", () => {
  const limits = { requestsPerMinute: undefined, tokensPerMinute: undefined, maxConcurrency: undefined };

  test("requests a minute are spread after the first minute's worth, first come first served", async () => {
    const clock = new VirtualClock();
    const scope = new Scope();
    const limiter = new RateLimiter({ ...limits, requestsPerMinute: 3 }, clock, scope);
    const times: number[] = [];
    await Promise.all(
      Array.from({ length: 6 }, async () => {
        const release = await limiter.acquire(1, scope, () => undefined);
        times.push(clock.now());
        release();
      }),
    );
    expect(times).toEqual([0, 0, 0, 20_000, 40_000, 60_000]);
  });

  test("tokens a minute are counted by worst case, one larger than the limit still passes", async () => {
    const clock = new VirtualClock();
    const scope = new Scope();
    const limiter = new RateLimiter({ ...limits, tokensPerMinute: 1_000 }, clock, scope);
    const take = async (tokens: number) => {
      (await limiter.acquire(tokens, scope, () => undefined))();
      return clock.now();
    };
    expect([await take(600), await take(600), await take(5_000)]).toEqual([0, 12_000, 72_000]);
  });

  test("a wait is told as an event and obeys cancellation", async () => {
    const text = `${team("a", "b", "c").replace("model: sim-1", "model: sim-1, options: { latency_ms: 100 }")}workflow: { type: parallel, branches: [a, b, c] }\nrate_limits: { simulated: { max_concurrency: 1 } }\n`;
    const ran = await runText(text);
    expect(eventsOf(ran, "rate.waited").map((event) => event.data.ms)).toEqual([100, 200]);
    const clock = new VirtualClock();
    const root = new Scope();
    const limiter = new RateLimiter({ ...limits, maxConcurrency: 1 }, clock, root);
    await limiter.acquire(1, root, () => undefined);
    const waiting = root.child();
    const second = limiter.acquire(1, waiting, () => undefined);
    waiting.cancel(new FlowError("E408", "cancelled", "enough"));
    await expect(second).rejects.toThrow("enough");
  });
});

describe("virtual time", () => {
  test("sleepers wake in order of time, then of arrival; a cancelled one never moves the clock", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(50), { minLength: 1, maxLength: 20 }), async (delays) => {
        const clock = new VirtualClock();
        const scope = new Scope();
        const woken: [number, number][] = [];
        const cancelled = new Scope();
        const never = clock.sleep(1_000_000, cancelled).catch(() => undefined);
        const all = Promise.all(
          delays.map(async (ms, i) => clock.sleep(ms, scope).then(() => woken.push([clock.now(), i]))),
        );
        cancelled.cancel(new FlowError("E408", "cancelled", "no"));
        await Promise.all([all, never]);
        expect(woken).toEqual([...woken].sort((a, b) => a[0] - b[0] || a[1] - b[1]));
        expect(clock.now()).toBe(Math.max(...delays));
      }),
      { numRuns: 30 },
    );
  });

  test("it waits for work that takes real time", async () => {
    const clock = new VirtualClock();
    const order: string[] = [];
    const slept = clock.sleep(5, new Scope()).then(() => order.push("slept"));
    await clock.hold(new Promise<void>((resolve) => setTimeout(resolve, 15)).then(() => void order.push("held")));
    await slept;
    expect(order).toEqual(["held", "slept"]);
  });
});

test("a scope cancels all below it with one reason, and a closed one is let go", () => {
  const root = new Scope();
  const child = root.child();
  const grandchild = child.child();
  const reason = new FlowError("E408", "cancelled", "stop");
  const seen: unknown[] = [];
  grandchild.onCancel((why) => seen.push(why));
  const { signal } = grandchild;
  root.cancel(reason);
  root.cancel(new FlowError("E408", "cancelled", "later"));
  expect(seen).toEqual([reason]);
  expect([signal.aborted, signal.reason, child.reason]).toEqual([true, reason, reason]);
});
