import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FlowPlan } from "../src/config/plan.ts";
import type { LogEntry } from "../src/engine/journal.ts";
import { makeSimulatedModel } from "../src/providers/simulated.ts";
import { planOf, team } from "./support/files.ts";
import { eventsOf, type Ran, runPlan, runScript, runText } from "./support/run.ts";

/** What a person gets from a run, without times. */
const outcome = (ran: Ran) => ({
  status: ran.result.status,
  outputs: ran.result.outputs,
  usage: ran.result.usage,
  cost: ran.result.costUsd,
  records: ran.result.records.map((record) => [record.path, record.status, record.text]),
});

const big = `${team("a", "b", "c", "d", "e", "z").replace("model: sim-1", "model: sim-1, price: { input: 1, output: 2 }")}workflow:
  type: sequential
  steps:
    - a
    - type: parallel
      max_concurrency: 3
      branches:
        - b
        - { type: sequential, steps: [c, { agent: d, id: d1 }], id: chain }
        - { type: foreach, items: 'split("x,y,z", ",")', do: { agent: e, input: 'Item {{ item }}' }, id: each }
        - { type: loop, do: { agent: d, id: again }, until: 'iteration >= 2', id: twice }
      then: { agent: z, feedback_loop: { max_iterations: 2 } }
`;

/** Runs with a log that holds only the first `count` entries of another run, as after a kill; counts the calls made. */
async function resumeFrom(
  plan: FlowPlan,
  entries: readonly LogEntry[],
): Promise<{ readonly ran: Ran; readonly paths: readonly string[] }> {
  const paths: string[] = [];
  const ran = await runPlan(plan, {
    entries,
    models: async (model, context) => {
      const inner = makeSimulatedModel(model, context);
      return {
        ...inner,
        doGenerate: (options) => {
          paths.push((options.providerOptions as unknown as { flow: { meta: { path: string } } }).flow.meta.path);
          return inner.doGenerate(options);
        },
      };
    },
  });
  return { ran, paths };
}

describe("a run that was cut off", () => {
  test("resumed from any entry of its log it gives the result of the uninterrupted run, and repeats no call that the log holds", async () => {
    const plan = await planOf(big);
    const whole = await runPlan(plan);
    expect(whole.result.status).toBe("completed");
    const want = outcome(whole);
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.entries.length - 1), async (cut) => {
        const entries = whole.entries.slice(0, cut);
        const { ran, paths } = await resumeFrom(plan, entries);
        expect(outcome(ran)).toEqual(want);
        const held = new Set(entries.flatMap((entry) => (entry.kind === "call" ? [entry.path] : [])));
        expect(paths.filter((path) => held.has(path))).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  test("a finished branch is never run again", async () => {
    const plan = await planOf(`${team("a", "b", "c")}workflow: { type: parallel, branches: [a, b, c] }\n`);
    const whole = await runPlan(plan);
    const upToFirst = whole.entries.slice(0, whole.entries.findIndex((entry) => entry.kind === "step") + 1);
    const { ran, paths } = await resumeFrom(plan, upToFirst);
    const done = upToFirst.find((entry) => entry.kind === "step")!;
    expect(paths.some((path) => path.startsWith(done.path))).toBe(false);
    expect(eventsOf(ran, "step.started").map((event) => event.data.stepId)).not.toContain("a");
    expect(ran.result.status).toBe("completed");
  });

  test("with join any, a branch that had finished decides before another one is paid for", async () => {
    const plan = await planOf(`${team("a", "b", "c")}workflow: { type: parallel, join: any, branches: [a, b, c] }\n`);
    const head = (await runPlan(plan)).entries[0]!;
    const record = {
      stepId: "c",
      kind: "agent",
      agentId: "c",
      role: "c role",
      iteration: 0,
      status: "completed",
      text: "C",
      json: null,
      error: null,
      startedAt: 0,
      endedAt: 1,
      usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0, llmCalls: 0, toolCalls: 0, overheadTokens: 0 },
      costUsd: 0,
      parentStepId: "parallel",
      attempt: 1,
      path: "flow/parallel/c",
    } as const;
    const { ran, paths } = await resumeFrom(plan, [head, { kind: "step", path: record.path, record }]);
    expect([ran.result.outputs.result, paths]).toEqual(["C", []]);
  });

  test("budgets go on from what was used before", async () => {
    const plan = await planOf(
      `${team("a", "b", "c")}workflow: { type: sequential, steps: [a, b, c] }\nbudgets: { max_llm_calls: 2, on_exceeded: stop }\n`,
    );
    const first = await runPlan(plan);
    expect(first.result.usage.llmCalls).toBe(2);
    const { ran, paths } = await resumeFrom(plan, first.entries);
    expect([ran.result.status, ran.result.usage.llmCalls, paths]).toEqual(["budget_exceeded", 2, []]);
  });

  test("the log of a changed file is refused unless forced", async () => {
    const text = `${team("a", "b")}workflow: { type: sequential, steps: [a, b] }\n`;
    const { entries } = await runText(text);
    const changed = await planOf(text.replace("Do what a does", "Do something else"));
    await expect(runPlan(changed, { entries })).rejects.toMatchObject({ code: "E412" });
    expect((await runPlan(changed, { entries, force: true })).result.status).toBe("completed");
  });
});

test("a run that failed is tried anew where it failed when it is resumed, and nothing else is", async () => {
  const text = `${team("a", "b")}workflow: { type: sequential, steps: [a, b] }\n`;
  const failed = await runScript(text, [
    { agent: "a", text: "A" },
    { agent: "b", fail: { class: "auth" } },
  ]);
  expect(failed.result.status).toBe("failed");
  const again = await runScript(text, [{ agent: "b", text: "B" }], { entries: failed.entries });
  expect(again.result).toMatchObject({ status: "completed", outputs: { result: "B" } });
  expect(again.events[0]!.type).toBe("run.resumed");
});

describe("replay", () => {
  test("a log is played again without any call, with the same outputs", async () => {
    const whole = await runText(big);
    const plan = await planOf(big);
    const { paths, ran } = await (async () => {
      const calls: string[] = [];
      const replayed = await runPlan(plan, {
        entries: whole.entries.filter(
          (entry) => entry.kind !== "step" && entry.kind !== "branch" && entry.kind !== "end",
        ),
        replay: true,
        models: async (model, context) => ({
          ...makeSimulatedModel(model, context),
          doGenerate: () => Promise.reject(new Error(`call ${calls.push("x")}`)),
        }),
      });
      return { paths: calls, ran: replayed };
    })();
    expect(paths).toEqual([]);
    expect(ran.result.outputs).toEqual(whole.result.outputs);
  });

  test("a call that the log does not hold fails", async () => {
    const whole = await runText(`${team("a", "b")}workflow: { type: sequential, steps: [a, b] }\n`);
    const plan = await planOf(`${team("a", "b")}workflow: { type: sequential, steps: [a, b] }\n`);
    const short = whole.entries.filter(
      (entry) =>
        entry.kind !== "step" && entry.kind !== "end" && !(entry.kind === "call" && entry.path.includes("/b/")),
    );
    expect((await runPlan(plan, { entries: short, replay: true })).result.error).toMatchObject({ code: "E412" });
  });
});

describe("people", () => {
  const ask = `${team("a", "b")}workflow:
  type: sequential
  steps:
    - a
    - { type: human, id: ok, prompt: 'Release {{ outputs.a.text }}?', schema: { type: object, properties: { go: { type: boolean } }, required: [go] } }
    - { agent: b, when: outputs.ok.json.go }
`;

  test("a question suspends the run with token, prompt and schema; the answer goes on from there", async () => {
    const first = await runText(ask);
    expect(first.result.status).toBe("suspended");
    const [human] = first.result.pending;
    expect(human).toMatchObject({
      prompt: expect.stringContaining("Release a role") as string,
      schema: { required: ["go"] },
    });
    const plan = await planOf(ask);
    const { ran, paths } = await (async () => {
      const calls: string[] = [];
      const second = await runPlan(plan, {
        entries: first.entries,
        answers: { [human!.token]: { go: true } },
        models: async (model, context) => ({
          ...makeSimulatedModel(model, context),
          doGenerate: (options) => {
            calls.push("x");
            return makeSimulatedModel(model, context).doGenerate(options);
          },
        }),
      });
      return { ran: second, paths: calls };
    })();
    expect([ran.result.status, paths.length]).toEqual(["completed", 1]);
  });

  test("an answer that does not fit leaves the question open; a second or unknown one is E411", async () => {
    const first = await runText(ask);
    const { token } = first.result.pending[0]!;
    const plan = await planOf(ask);
    expect((await runPlan(plan, { entries: first.entries, answers: { [token]: "yes" } })).result.error).toMatchObject({
      code: "E405",
    });
    expect((await runPlan(plan, { entries: first.entries, answers: { h_0: true } })).result.error).toMatchObject({
      code: "E411",
    });
    const done = await runPlan(plan, { entries: first.entries, answers: { [token]: { go: false } } });
    expect(done.result.status).toBe("completed");
    expect(
      (await runPlan(plan, { entries: done.entries, answers: { [token]: { go: true } } })).result.error,
    ).toMatchObject({ code: "E411" });
  });

  test("an answer given at once needs no suspension", async () => {
    const ran = await runText(ask, { onHuman: async (request) => ({ go: request.stepId === "ok" }) });
    expect(ran.result.records.map((record) => record.status)).not.toContain("skipped");
    expect(ran.result.status).toBe("completed");
  });

  test("after its time limit a question takes its default, or fails where it has none", async () => {
    const text = (keys: string): string =>
      `${team("a")}workflow: { type: sequential, steps: [{ type: human, prompt: 'Well?', timeout_ms: 5000${keys} }] }\n`;
    const ran = await runText(text(", default: go on"));
    expect([ran.result.status, ran.result.outputs.result, ran.events.at(-1)!.time]).toEqual([
      "completed",
      "go on",
      5_000,
    ]);
    const open = await runText(text(""));
    expect(open.result.status).toBe("suspended");
    const late = await runPlan(await planOf(text("")), {
      entries: open.entries,
      clock: new (await import("../src/engine/clock.ts")).VirtualClock(6_000),
    });
    expect(late.result.error).toMatchObject({ code: "E406" });
  });

  test("an answer that comes while others still run goes on at once, in the same run", async () => {
    const text = `${team("slow", "quick").replace("model: sim-1", "model: sim-1, options: { latency_ms: 1000 }")}workflow:\n  type: parallel\n  branches:\n    - { type: sequential, id: asks, steps: [{ type: human, id: q, prompt: 'Now?' }, quick] }\n    - { type: loop, id: work, do: slow, until: 'iteration >= 5' }\n`;
    let answer: ((token: string, value: unknown) => void) | undefined;
    const ran = await runText(text, {
      onStart: (run) => {
        answer = (token, value) => run.answer(token, value);
      },
      onEvent: (event) => {
        if (event.type === "human.requested") {
          const token = String(event.data.token);
          queueMicrotask(() => setImmediate(() => answer!(token, "yes")));
        }
      },
    });
    expect(ran.result.status).toBe("completed");
    expect(ran.events.at(-1)!.time).toBe(5_000);
  });

  test("any number of branches wait at once and are answered in any order, each once, with the result of asking right away", async () => {
    const ids = ["p", "q", "r", "s"];
    const text = `${team(...ids)}workflow:\n  type: parallel\n  max_concurrency: 2\n  branches:\n${ids.map((id) => `    - { type: sequential, id: b${id}, steps: [{ agent: ${id} }, { type: human, id: h${id}, prompt: 'Say ${id}' }, { agent: ${id}, id: ${id}2, input: '{{ outputs.h${id}.text }}' }] }\n`).join("")}`;
    const plan = await planOf(text);
    const right = outcome(await runPlan(plan, { onHuman: async (request) => `answer ${request.prompt}` }));
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }),
        fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 4, maxLength: 4 }),
        async (order, sizes) => {
          let ran = await runPlan(plan);
          expect([ran.result.status, ran.result.pending.length]).toEqual(["suspended", 4]);
          const tokens = order.map((i) => ran.result.pending[i]!);
          for (let next = 0, i = 0; next < tokens.length; i++) {
            const group = tokens.slice(next, next + sizes[i % 4]!);
            next += group.length;
            ran = await runPlan(plan, {
              entries: ran.entries,
              answers: Object.fromEntries(group.map((human) => [human.token, `answer ${human.prompt}`])),
            });
          }
          expect(outcome(ran)).toEqual(right);
        },
      ),
      { numRuns: 15 },
    );
  });

  test("a tool that needs approval suspends like a question; other calls of the turn are kept", async () => {
    const calls: string[] = [];
    const tools = {
      resolve: async () =>
        ["safe", "risky"].map((name) => ({
          name,
          description: "",
          inputSchema: { type: "object" },
          approval: name === "risky" ? ("first" as const) : ("never" as const),
          idempotent: false,
          execute: async () => ({ ok: calls.push(name) > 0, content: `${name} done` }),
        })),
      close: async () => undefined,
    };
    const text = `${team("a").replace("id: a,", "id: a, tools: [safe, risky],")}workflow: { type: sequential, steps: [a] }\n`;
    const turn = {
      toolCalls: [
        { name: "safe", input: {} },
        { name: "risky", input: { delete: "all" } },
      ],
    };
    const options = { tools, hostTools: ["safe", "risky"] };
    const first = await runScript(text, [turn], options);
    expect([first.result.status, calls]).toEqual(["suspended", ["safe"]]);
    expect(first.result.pending[0]!.prompt).toContain('risky with {"delete":"all"}');
    const { token } = first.result.pending[0]!;
    const yes = await runScript(text, [{ includes: "risky done", text: "end" }], {
      ...options,
      entries: first.entries,
      answers: { [token]: true },
    });
    expect([yes.result.outputs.result, calls]).toEqual(["end", ["safe", "risky"]]);
    const no = await runScript(text, [{ includes: "A person refused", text: "end" }], {
      ...options,
      entries: first.entries,
      answers: { [token]: false },
    });
    expect([no.result.outputs.result, calls]).toEqual(["end", ["safe", "risky"]]);
  });
});
