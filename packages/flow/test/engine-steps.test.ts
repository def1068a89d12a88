import { describe, expect, test } from "vitest";
import { planOf, team } from "./support/files.ts";
import { eventsOf, runPlan, runScript, runText, types } from "./support/run.ts";

const slow = "models:\n  sim: { provider: simulated, model: m, options: { latency_ms: 1000 } }\n";
const timed = (...ids: readonly string[]): string =>
  team(...ids).replace("models:\n  sim: { provider: simulated, model: sim-1 }\n", slow);

describe("sequential", () => {
  test("each step sees the work before it", async () => {
    const ran = await runScript(`${team("a", "b")}workflow: { type: sequential, steps: [a, b] }\n`, [
      { agent: "a", text: "alpha facts" },
      { agent: "b", includes: "alpha facts", text: "done" },
    ]);
    expect(ran.result).toMatchObject({ status: "completed", outputs: { result: "done" } });
  });

  test("a failed step stops the run, later steps are recorded as not run, the error points into the file", async () => {
    const ran = await runScript(`${team("a", "b", "c")}workflow: { type: sequential, steps: [a, b, c] }\n`, [
      { agent: "a", text: "x" },
      { agent: "b", fail: { class: "auth" } },
    ]);
    expect(ran.result.status).toBe("failed");
    expect(ran.result.records.map((record) => [record.stepId, record.status])).toEqual([
      ["a", "completed"],
      ["b", "failed"],
      ["c", "not_run"],
      ["sequential", "failed"],
    ]);
    expect(ran.result.error).toMatchObject({
      code: "E401",
      class: "auth",
      stepId: "b",
      agentId: "b",
      configPosition: { file: "flow.yml", line: 7 },
    });
    expect(ran.result.partial).toEqual({ a: "x" });
  });

  test.each([
    ["continue", "{ agent: a, on_error: continue }", "completed"],
    ["a given text", '{ agent: a, on_error: { use: "nothing found" } }', "completed"],
    ["another agent", "{ agent: a, on_error: { agent: c } }", "completed"],
    ["nothing", "{ agent: a }", "failed"],
  ])("on_error %s decides what happens next", async (_, step, status) => {
    const ran = await runScript(`${team("a", "b", "c")}workflow: { type: sequential, steps: [${step}, b] }\n`, [
      { agent: "a", fail: { class: "auth" } },
      { agent: "b", text: "b", times: Number.POSITIVE_INFINITY },
      { agent: "c", text: "c", times: Number.POSITIVE_INFINITY },
    ]);
    expect(ran.result.status).toBe(status);
  });

  test("a condition that does not hold skips its step, dependants see null", async () => {
    const ran = await runText(
      `${team("a", "b")}workflow:\n  type: sequential\n  steps:\n    - { agent: a, when: 'input contains "nothing like it"' }\n    - { agent: b, when: outputs.a.text == null }\n`,
    );
    expect(ran.result.records.map((record) => record.status)).toEqual(["skipped", "completed", "completed"]);
    expect(eventsOf(ran, "step.skipped")).toHaveLength(1);
  });

  test("a template that names nothing fails its step with its place", async () => {
    const ran = await runText(
      `${team("a", "b")}workflow:\n  type: sequential\n  steps:\n    - a\n    - { agent: b, input: 'See {{ outputs.a.json.score }}' }\n`,
    );
    expect(ran.result.error).toMatchObject({ code: "E402", stepId: "b", configPosition: { line: 10 } });
  });

  test("a fallback agent stands in for an agent that failed for good", async () => {
    const text = `${team("a", "b").replace("id: a,", "id: a, fallback_agent: b,")}workflow: { type: sequential, steps: [a] }\n`;
    const ran = await runScript(text, [
      { agent: "a", fail: { class: "auth" } },
      { agent: "b", text: "stand-in" },
    ]);
    expect(ran.result.outputs).toEqual({ result: "stand-in" });
  });

  test("a saved output is read by its name", async () => {
    const ran = await runScript(
      `${team("a", "b")}workflow:\n  type: sequential\n  steps:\n    - { agent: a, save_as: plan }\n    - { agent: b, input: 'Plan: {{ vars.plan.title }}' }\n`,
      [
        { agent: "a", json: { title: "move fast" } },
        { agent: "b", includes: "Plan: move fast", text: "ok" },
      ],
    );
    expect(ran.result.status).toBe("completed");
  });
});

describe("parallel", () => {
  test("branches run at the same time, the merged state is in branch order", async () => {
    const text = `${timed("a", "b", "c")}workflow:\n  type: parallel\n  branches: [a, b]\n  then: { agent: c }\n`;
    const ran = await runScript(text, [
      { agent: "a", text: "A", latencyMs: 900 },
      { agent: "b", text: "B", latencyMs: 100 },
      { agent: "c", text: "C" },
    ]);
    expect(ran.result.records.slice(0, 2).map((record) => record.stepId)).toEqual(["a", "b"]);
    expect(ran.events.at(-1)!.time).toBe(900);
  });

  test("the cap on concurrency holds", async () => {
    const ids = Array.from({ length: 10 }, (_, i) => `w${i}`);
    const ran = await runText(
      `${timed(...ids)}workflow: { type: parallel, branches: [${ids.join(", ")}], max_concurrency: 3 }\n`,
    );
    expect(ran.events.at(-1)!.time).toBe(4_000);
    let active = 0;
    let most = 0;
    for (const event of ran.events) {
      if (event.type === "llm.requested") most = Math.max(most, ++active);
      if (event.type === "llm.completed") active--;
    }
    expect(most).toBe(3);
  });

  const three = (keys: string): string =>
    `${team("a", "b", "c", "z")}workflow:\n  type: parallel\n  branches: [a, b, c]\n${keys}`;
  const script = [
    { agent: "a", text: "A", latencyMs: 300 },
    { agent: "b", fail: { class: "auth" as const }, latencyMs: 100 },
    { agent: "c", text: "C", latencyMs: 500 },
  ];

  test("fail_fast ends the siblings at the first failure, and they are cancelled, not failed", async () => {
    const ran = await runScript(three(""), script);
    expect(ran.result.status).toBe("failed");
    expect(ran.result.records.map((record) => record.status)).toEqual(["cancelled", "failed", "cancelled", "failed"]);
    expect(ran.events.at(-1)!.time).toBe(100);
  });

  test("wait_all lets every branch finish, then fails", async () => {
    const ran = await runScript(three("  on_branch_error: wait_all\n"), script);
    expect([ran.result.status, ran.result.partial]).toEqual(["failed", { a: "A", c: "C" }]);
  });

  test("acceptance 5: one failing branch of three with continue reaches the aggregator as an error, with status per branch", async () => {
    const ran = await runScript(three("  then: { agent: z }\n"), [
      ...script,
      { agent: "z", includes: "This branch failed (auth)", text: "two of three" },
    ]);
    expect(ran.result).toMatchObject({ status: "completed", outputs: { result: "two of three" } });
    expect(ran.result.records.slice(0, 3).map((record) => [record.stepId, record.status])).toEqual([
      ["a", "completed"],
      ["b", "failed"],
      ["c", "completed"],
    ]);
  });

  test("any takes the first success and aborts the rest", async () => {
    const ran = await runScript(three("  join: any\n"), [
      script[0]!,
      { agent: "b", text: "B", latencyMs: 100 },
      script[2]!,
    ]);
    expect(ran.result.outputs).toEqual({ result: "B" });
    expect(ran.events.at(-1)!.time).toBe(100);
  });

  test("quorum needs more than half, n needs n, and failures that make it impossible end the step", async () => {
    expect((await runScript(three("  join: quorum\n"), script)).result.status).toBe("completed");
    expect((await runScript(three("  join: { n: 3 }\n"), script)).result.status).toBe("failed");
  });

  test("a hundred branches that take different times leave the same records in the same order as one after another", async () => {
    const ids = Array.from({ length: 30 }, (_, i) => `w${i}`);
    const text = (cap: number): string =>
      `${team(...ids)}workflow: { type: parallel, branches: [${ids.join(", ")}], max_concurrency: ${cap} }\n`;
    const outline = async (cap: number) =>
      (await runText(text(cap))).result.records.map((record) => [record.stepId, record.text]);
    expect(await outline(30)).toEqual(await outline(1));
  });
});

describe("dag", () => {
  test("acceptance 11: A→{B 5 s, C→D 2+2 s}→E ends at 5 s of virtual time", async () => {
    const ids = ["a", "b", "c", "d", "e"];
    const text = `${team(...ids)}workflow:\n  type: dag\n  nodes:\n    A: a\n    B: { agent: b, needs: [A] }\n    C: { agent: c, needs: [A] }\n    D: { agent: d, needs: [C] }\n    E: { agent: e, needs: [B, D] }\n`;
    const latency: Record<string, number> = { a: 0, b: 5_000, c: 2_000, d: 2_000, e: 0 };
    const ran = await runScript(
      text,
      ids.map((agent) => ({ agent, text: agent, latencyMs: latency[agent]! })),
    );
    expect(ran.result.status).toBe("completed");
    expect(ran.events.at(-1)!.time).toBe(5_000);
    expect(eventsOf(ran, "step.started").find((event) => event.data.stepId === "D")!.time).toBe(2_000);
  });

  test("what depends on a failure is skipped, the rest runs to its end", async () => {
    const text = `${team("a", "b", "c", "d")}workflow:\n  type: dag\n  nodes:\n    A: a\n    B: { agent: b, needs: [A] }\n    C: c\n    D: { agent: d, needs: [C] }\n`;
    const ran = await runScript(text, [
      { agent: "a", fail: { class: "auth" } },
      { agent: "c", text: "c" },
      { agent: "d", text: "d" },
    ]);
    expect(ran.result.status).toBe("failed");
    expect(Object.fromEntries(ran.result.records.map((record) => [record.stepId, record.status]))).toMatchObject({
      A: "failed",
      B: "skipped",
      C: "completed",
      D: "completed",
    });
  });

  test("a tolerated failure lets its dependants run", async () => {
    const text = `${team("a", "b")}workflow:\n  type: dag\n  nodes:\n    A: { agent: a, on_error: continue }\n    B: { agent: b, needs: [A] }\n`;
    const ran = await runScript(text, [
      { agent: "a", fail: { class: "auth" } },
      { agent: "b", text: "b" },
    ]);
    expect(ran.result).toMatchObject({ status: "completed", outputs: { result: "b" } });
  });
});

describe("branch, loop, foreach, subflow", () => {
  test("the first case that holds runs, else the other way", async () => {
    const text = `${team("a", "b")}workflow:\n  type: branch\n  cases:\n    - { when: 'input contains "row"', do: a }\n  else: b\n`;
    expect((await runText(text)).result.records[0]!.stepId).toBe("a");
    expect((await runText(text, { input: "other" })).result.records[0]!.stepId).toBe("b");
  });

  test("a loop ends when its condition holds, exactly at its limit otherwise, and keeps earlier rounds in sight", async () => {
    const text = `${team("a")}workflow:\n  type: loop\n  do: a\n  until: 'outputs.a.text contains "done"'\n  max_iterations: 3\noutputs: { all: 'len(history("a"))' }\n`;
    const early = await runScript(text, [{ text: "go on" }, { text: "done" }]);
    expect(early.result.outputs).toEqual({ all: 2 });
    const late = await runScript(text, [{ text: "go on", times: 3 }]);
    expect([late.result.status, late.result.outputs]).toEqual(["completed", { all: 3 }]);
    expect(late.result.records.filter((record) => record.stepId === "a").map((record) => record.iteration)).toEqual([
      1, 2, 3,
    ]);
  });

  test("foreach works on each item, keeps their order, and collects their outputs", async () => {
    const text = `${team("a")}workflow:\n  type: foreach\n  items: input.tickets\n  as: ticket\n  do: { agent: a, input: 'Ticket {{ ticket.id }} of {{ index }}' }\n  collect: answers\ninput: { type: object }\noutputs: { list: vars.answers }\n`;
    const ran = await runScript(
      text,
      [
        { includes: "Ticket 7 of 0", text: "seven", latencyMs: 50 },
        { includes: "Ticket 8 of 1", text: "eight" },
      ],
      { input: { tickets: [{ id: 7 }, { id: 8 }] } },
    );
    expect(ran.result.outputs).toEqual({ list: ["seven", "eight"] });
  });

  test("an agent inside foreach without an input works on the item", async () => {
    const ran = await runScript(
      `${team("a")}workflow: { type: foreach, items: input, do: a }\ninput: { type: array }\n`,
      [
        { includes: "Task\nred", text: "1" },
        { includes: "Task\nblue", text: "2" },
      ],
      { input: ["red", "blue"] },
    );
    expect(ran.result.status).toBe("completed");
  });

  test("items that are no list, or too many, are an error", async () => {
    const text = `${team("a")}workflow: { type: foreach, items: input, do: a }\ninput: {}\n`;
    expect((await runText(text, { input: 7 })).result.error).toMatchObject({ code: "E402" });
    expect((await runText(text, { input: Array.from({ length: 1_001 }, () => "x") })).result.error?.message).toContain(
      "1001 items",
    );
  });

  test("a subflow has agents and context of its own and gives its outputs", async () => {
    const inner = `${team("x")}workflow: { type: sequential, steps: [x] }\noutputs: { short: outputs.x.text }\n`;
    const text = `${team("a", "b")}workflow:\n  type: sequential\n  steps:\n    - a\n    - { type: subflow, file: inner.yml, id: part, input: 'only this' }\n    - { agent: b, input: 'Part: {{ outputs.part.text }}' }\n`;
    const ran = await runScript(
      text,
      [
        { agent: "a", text: "SECRET-OF-A" },
        { agent: "x", includes: "only this", text: "x-result" },
        { agent: "b", includes: "Part: x-result", text: "end" },
      ],
      { others: { "inner.yml": inner } },
    );
    expect(ran.result.status).toBe("completed");
    expect(JSON.stringify(ran.model.calls[1]!.prompt)).not.toContain("SECRET-OF-A");
  });

  test("a subflow that comes back to a file around it stops at run time too", async () => {
    const plan = await planOf(`${team("a")}workflow: { type: subflow, file: inner.yml }\n`, {
      others: { "inner.yml": `${team("x")}workflow: { type: sequential, steps: [x] }\n` },
    });
    const looped = { ...plan, workflow: { ...plan.workflow } } as typeof plan;
    if (looped.workflow.kind === "subflow") (looped.workflow as { flow: unknown }).flow = looped;
    expect((await runPlan(looped)).result.error).toMatchObject({ code: "E410" });
  });
});

describe("the run", () => {
  const text = `${team("a", "b", "c")}workflow:\n  type: parallel\n  branches: [a, b]\n  then: { agent: c }\n`;

  test("acceptance 10: the same seed gives equal event lines, another seed another run id", async () => {
    const lines = async (seed: string): Promise<string> =>
      (await runText(text, { seed })).events.map((event) => JSON.stringify(event)).join("\n");
    expect(await lines("7")).toBe(await lines("7"));
    expect(await lines("7")).not.toBe(await lines("8"));
  });

  test("events are numbered from 0 without gaps, begin with the run and end with it", async () => {
    const ran = await runText(text);
    expect(ran.events.map((event) => event.seq)).toEqual(ran.events.map((_, i) => i));
    expect([types(ran)[0], types(ran).at(-1)]).toEqual(["run.started", "run.completed"]);
    expect(ran.result.runId).toMatch(/^run_[a-z2-7]{26}$/);
  });

  test("events tell lengths and hashes, texts only on demand", async () => {
    const brief = await runText(text, { input: "unmistakable words" });
    expect(eventsOf(brief, "llm.requested").some((event) => JSON.stringify(event).includes("unmistakable"))).toBe(
      false,
    );
    const full = await runText(text, { input: "unmistakable words", recordContent: true });
    expect(eventsOf(full, "llm.requested")[0]!.data.prompt).toContain("unmistakable");
  });

  test("two runs in one process do not see each other", async () => {
    const [one, two] = await Promise.all([
      runText(text, { input: "apples", seed: "1" }),
      runText(text, { input: "pears", seed: "2" }),
    ]);
    expect(JSON.stringify(one)).not.toContain("pears");
    expect(JSON.stringify(two)).not.toContain("apples");
  });

  test("an input that does not fit its schema is refused before anything runs", async () => {
    const plan = await planOf(
      `${team("a")}workflow: { type: sequential, steps: [a] }\ninput: { type: object, required: [id] }\n`,
    );
    await expect(runPlan(plan, { input: "text" })).rejects.toMatchObject({ code: "E405" });
    expect((await runPlan(plan, { input: '{"id": 1}' })).result.status).toBe("completed");
  });

  test("cancelling ends the run, what is done is kept, no later call is made", async () => {
    const controller = new AbortController();
    const ran = await runText(`${timed("a", "b")}workflow: { type: sequential, steps: [a, b] }\n`, {
      signal: controller.signal,
      onEvent: (event) => {
        if (event.type === "llm.requested" && event.spanId.includes("/b/")) controller.abort();
      },
    });
    expect(ran.result.status).toBe("cancelled");
    expect(Object.keys(ran.result.partial)).toEqual(["a"]);
    expect(eventsOf(ran, "run.cancelled")).toHaveLength(1);
  });

  test("iterating a run gives its events until its end", async () => {
    const seen: string[] = [];
    let loop: Promise<void> | undefined;
    const ran = await runText(text, {
      onStart: (run) => {
        loop = (async () => {
          for await (const event of run) seen.push(event.type);
        })();
      },
    });
    await loop;
    expect(seen).toEqual(types(ran));
  });
});

describe("contradictions between branches", () => {
  const flow = (then: string): string =>
    `${team("a", "b", "c", "lead")}workflow: { type: parallel, branches: [a, b, c]${then} }\n`;
  const script = [
    { agent: "a", text: '{"severity":"high","fix":true,"why":"the lock is held for long"}' },
    { agent: "b", text: '{"severity":"low","fix":true,"why":"nobody waits for it"}' },
    { agent: "c", text: "In words: it depends." },
  ];

  test("a field that holds different words is told with the agents and who resolves it; longer texts and equal values are not", async () => {
    const ran = await runScript(flow(", then: { agent: lead }"), [...script, { agent: "lead", text: "High." }]);
    const conflict = { topic: "severity", agents: ["a", "b"], strategy: "aggregator" };
    expect(eventsOf(ran, "conflict.found").map((event) => event.data)).toEqual([conflict]);
    expect(eventsOf(ran, "conflict.resolved").map((event) => event.data)).toEqual([conflict]);
  });

  test("without an aggregator nobody resolves it", async () => {
    const ran = await runScript(flow(""), script);
    expect(eventsOf(ran, "conflict.found").map((event) => event.data.strategy)).toEqual(["none"]);
    expect(eventsOf(ran, "conflict.resolved")).toEqual([]);
  });
});
