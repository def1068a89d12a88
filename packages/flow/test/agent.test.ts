import { describe, expect, test } from "vitest";
import { promptText } from "../src/providers/model.ts";
import type { Tool, ToolSource } from "../src/tools/tool.ts";
import { team } from "./support/files.ts";
import { eventsOf, runScript, runText } from "./support/run.ts";

const source = (...tools: readonly Partial<Tool>[]): ToolSource => ({
  resolve: async (_, agent) =>
    tools
      .filter((tool) => agent.tools.includes(tool.name!))
      .map(
        (tool) =>
          ({
            description: "d",
            inputSchema: { type: "object" },
            approval: "never",
            idempotent: false,
            execute: async () => ({ ok: true, content: "ok" }),
            ...tool,
          }) as Tool,
      ),
  close: async () => undefined,
});
const withTools = (names: string, extra = ""): string =>
  `${team("a").replace("id: a,", `id: a, tools: [${names}],${extra}`)}workflow: { type: sequential, steps: [a] }\n`;
const hostTools = ["lookup", "search", "web_search"];

describe("tools", () => {
  test("an unknown tool name is answered with the nearest one, and the run goes on", async () => {
    const ran = await runScript(
      withTools("web_search"),
      [{ toolCalls: [{ name: "serch_web", input: {} }] }, { includes: "There is no tool 'serch_web'", text: "done" }],
      { tools: source({ name: "web_search" }) },
    );
    expect(ran.result.outputs.result).toBe("done");
    expect(eventsOf(ran, "tool.denied")).toHaveLength(1);
    const near = await runScript(
      withTools("lookup"),
      [{ toolCalls: [{ name: "lokup", input: {} }] }, { includes: "Did you mean 'lookup'", text: "done" }],
      { tools: source({ name: "lookup" }), hostTools },
    );
    expect(near.result.status).toBe("completed");
  });

  test("bad JSON and input that does not fit are answered with what is wrong", async () => {
    const tool = {
      name: "lookup",
      inputSchema: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
    };
    const ran = await runScript(
      withTools("lookup"),
      [
        { toolCalls: [{ name: "lookup", input: "{ not json" }] },
        { includes: "not valid JSON", toolCalls: [{ name: "lookup", input: { id: "x" } }] },
        { includes: "does not fit the tool's schema", text: "done" },
      ],
      { tools: source(tool), hostTools },
    );
    expect(ran.result.outputs.result).toBe("done");
  });

  test("calls of one turn run together, four at most, and results come in call order", async () => {
    let active = 0;
    let most = 0;
    const tool: Partial<Tool> = {
      name: "lookup",
      execute: async (input) => {
        most = Math.max(most, ++active);
        await new Promise((resolve) => setTimeout(resolve, 5));
        active--;
        return { ok: true, content: `r${(input as { n: number }).n}` };
      },
    };
    const ran = await runScript(
      withTools("lookup"),
      [{ toolCalls: [1, 2, 3, 4, 5, 6].map((n) => ({ name: "lookup", input: { n } })) }, { text: "done" }],
      { tools: source(tool), hostTools },
    );
    expect(most).toBe(4);
    const results = ran.model.calls[1]!.prompt.at(-1)!;
    expect(JSON.stringify(results).match(/r\d/g)).toEqual(["r1", "r2", "r3", "r4", "r5", "r6"]);
  });

  test("at max_tool_calls the model is asked once more without tools and the run does not throw", async () => {
    const ran = await runScript(
      withTools("lookup", " max_tool_calls: 2,"),
      [
        { toolCalls: [{ name: "lookup", input: {} }], times: 2 },
        { includes: "No more tool calls are possible", text: "from what I have" },
      ],
      { tools: source({ name: "lookup" }), hostTools },
    );
    expect(ran.result.outputs.result).toBe("from what I have");
    expect(ran.model.calls.at(-1)!.tools).toBeUndefined();
    expect(ran.result.usage.toolCalls).toBe(2);
  });

  test("models without tool calling get the same in words, one call a turn", async () => {
    const text = withTools("lookup").replace("model: sim-1", "model: sim-1, tool_calling: text");
    const ran = await runScript(
      text,
      [
        {
          includes: '{ "tool": "name"',
          text: 'Let me look.\n```json\n{ "tool": "lookup", "input": { "id": 7 } }\n```',
        },
        { includes: "Result of the tool", text: '```json\n{ "tool": "lookup", "input": \n```' },
        { includes: "not valid JSON of the form", text: "done" },
      ],
      {
        tools: source({ name: "lookup", execute: async (input) => ({ ok: true, content: JSON.stringify(input) }) }),
        hostTools,
      },
    );
    expect(ran.result.outputs.result).toBe("done");
    expect(ran.model.calls[0]!.tools).toBeUndefined();
  });

  test("a tool that throws is tried again only where a repeat does no harm", async () => {
    const count = async (idempotent: boolean): Promise<number> => {
      let calls = 0;
      const tool = { name: "lookup", idempotent, execute: async () => Promise.reject(new Error(`no ${++calls}`)) };
      await runScript(
        withTools("lookup"),
        [{ toolCalls: [{ name: "lookup", input: {} }] }, { includes: "The tool failed", text: "done" }],
        { tools: source(tool), hostTools },
      );
      return calls;
    };
    expect([await count(true), await count(false)]).toEqual([3, 1]);
  });

  test("long results are cut, and older ones give way when the conversation outgrows its window", async () => {
    const text = withTools("lookup").replace("model: sim-1", "model: sim-1, context_window: 2048, max_tokens: 200");
    const ran = await runScript(text, [{ toolCalls: [{ name: "lookup", input: {} }], times: 6 }, { text: "done" }], {
      tools: source({ name: "lookup", execute: async () => ({ ok: true, content: "row of data. ".repeat(5_000) }) }),
      hostTools,
    });
    expect(ran.result.outputs.result).toBe("done");
    for (const call of ran.model.calls) expect(promptText(call.prompt).length / 3.6).toBeLessThan(2_048);
    expect(promptText(ran.model.calls.at(-1)!.prompt)).toContain("left out: the conversation outgrew the window");
  });

  test("a tool whose schema uses words of another dialect can be called", async () => {
    const tool = {
      name: "lookup",
      inputSchema: {
        $schema: "http://json-schema.org/draft-07/schema#",
        type: "object",
        "x-order": 1,
        properties: { id: { type: "integer", nullable: true, example: 3 } },
      },
    };
    const ran = await runScript(
      withTools("lookup"),
      [{ toolCalls: [{ name: "lookup", input: { id: 3 } }] }, { includes: "ok", text: "done" }],
      { tools: source(tool), hostTools },
    );
    expect(eventsOf(ran, "tool.completed")).toHaveLength(1);
  });

  test("tool budgets deny further calls without ending the agent", async () => {
    const text = `${withTools("lookup")}budgets: { max_tool_calls: 1 }\n`;
    const ran = await runScript(
      text,
      [
        {
          toolCalls: [
            { name: "lookup", input: {} },
            { name: "lookup", input: {} },
          ],
        },
        { includes: "tool_calls 1 of 1", text: "done" },
      ],
      { tools: source({ name: "lookup" }), hostTools },
    );
    expect(ran.result.status).toBe("completed");
  });
});

describe("structured output", () => {
  const schema = "{ type: object, properties: { score: { type: integer, minimum: 1 } }, required: [score] }";
  const flow = (repair: number): string =>
    `${team("a").replace("id: a,", `id: a, output: { schema: ${schema}, repair: ${repair} }, retry: { max_attempts: 1 },`)}workflow: { type: sequential, steps: [a] }\noutputs: { score: outputs.a.json.score }\n`;

  test("the schema goes to the provider, and a good answer is read as data", async () => {
    const ran = await runScript(flow(0), [{ json: { score: 4 } }]);
    expect(ran.result.outputs).toEqual({ score: 4 });
    expect(ran.model.calls[0]!.responseFormat).toMatchObject({ type: "json", schema: { required: ["score"] } });
  });

  test("a bad answer is sent back with what is wrong, as often as allowed", async () => {
    const ran = await runScript(flow(2), [
      { text: "four" },
      { includes: "it is not JSON", json: { score: 0 } },
      { includes: "/score must be >= 1", text: '```json\n{"score": 4}\n```' },
    ]);
    expect(ran.result.outputs).toEqual({ score: 4 });
    const failed = await runScript(flow(1), [{ text: "four", times: 2 }]);
    expect(failed.result.error).toMatchObject({ code: "E405", class: "bad_output" });
  });

  test("the simulated model answers a schema with fitting data", async () => {
    expect((await runText(flow(0))).result.status).toBe("completed");
  });
});

describe("guardrails", () => {
  const guarded = (rails: string): string =>
    `${team("a").replace("id: a,", `id: a, guardrails: ${rails},`)}workflow: { type: sequential, steps: [a] }\n`;
  test.each([
    ["a task that is too long", "{ input: [{ max_length: 5 }] }", [], "max_length"],
    [
      "a denied pattern in the answer",
      "{ output: [{ regex_deny: '(?i)password' }] }",
      [{ text: "the PassWord is x" }],
      "regex_deny",
    ],
    [
      "an answer that is no such JSON",
      "{ output: [{ json_schema: { type: array } }] }",
      [{ json: { a: 1 } }],
      "json_schema",
    ],
    ["an answer with a key in it", "{ output: [no_secrets] }", [{ text: "use sk-abcdefghijklmnop1234" }], "no_secrets"],
  ])("%s is refused", async (_, rails, script, name) => {
    const ran = await runScript(guarded(rails), script);
    expect(ran.result.error).toMatchObject({ code: "E404", class: "guardrail" });
    expect(ran.result.error!.message).toContain(name);
  });

  test("a tool can be the check; without a clear yes it refuses", async () => {
    const run = (content: string) =>
      runScript(guarded("{ output: [lookup] }"), [{ text: "t" }], {
        tools: source({ name: "lookup", execute: async () => ({ ok: true, content }) }),
        hostTools,
      });
    expect((await run('{"ok": true}')).result.status).toBe("completed");
    expect((await run('{"ok": false, "reason": "rude"}')).result.error!.message).toContain("rude");
    expect((await run("maybe")).result.status).toBe("failed");
  });
});

describe("context", () => {
  test("outputs of 200,000 characters in a window of 4,096 tokens are cut with a warning and nothing breaks", async () => {
    const ids = ["a", "b", "c", "d"];
    const text = `${team(...ids).replace("model: sim-1", "model: sim-1, context_window: 4096, max_tokens: 1000")}workflow:\n  type: sequential\n  steps:\n    - { type: parallel, branches: [a, b, c] }\n    - { agent: d, input: '{{ outputs.a }}' }\n`;
    const long = "The quick brown fox decides to jump. ".repeat(5_500);
    const ran = await runScript(text, [
      ...["a", "b", "c"].map((agent) => ({ agent, kind: "work" as const, text: long })),
      { kind: "summary", json: { insights: ["fox jumps"], reference: "fox" }, times: Number.POSITIVE_INFINITY },
      { agent: "d", kind: "work", text: "end" },
    ]);
    expect(ran.result).toMatchObject({ status: "completed", outputs: { result: "end" } });
    expect(eventsOf(ran, "log").some((event) => event.data.window === 4_096)).toBe(true);
    const last = promptText(ran.model.calls.at(-1)!.prompt);
    expect(last.length / 3.6).toBeLessThan(4_096 - 1_000);
    expect(last).toContain("characters left out");
  });

  test("summaries are made only when needed, once for each text, and counted as overhead", async () => {
    const flow = (tokens: number): string =>
      `${team("a", "b", "c")}defaults: { context: { max_tokens: ${tokens} } }\nworkflow:\n  type: sequential\n  steps: [a, { type: parallel, branches: [b, c] }]\n`;
    const script = [
      { agent: "a", text: "Sentence about storage. ".repeat(150) },
      { kind: "work" as const, text: "x", times: 2 },
    ];
    expect(eventsOf(await runScript(flow(4_000), script), "context.summarized")).toHaveLength(0);
    const ran = await runScript(flow(400), [
      ...script,
      { kind: "summary", json: { insights: ["rows and columns differ"], reference: "storage" } },
    ]);
    expect(ran.result.status).toBe("completed");
    expect(eventsOf(ran, "context.summarized")).toHaveLength(2);
    expect(ran.result.usage.overheadTokens).toBeGreaterThan(0);
  });

  test("where the summariser fails, the sentences that say most stand in", async () => {
    const long = ["Rows are stored together.", "Columns compress well because values repeat."]
      .map((line) => `${line} ${"More words follow here. ".repeat(60)}`)
      .join("\n\n");
    const ran = await runScript(
      `${team("a", "b")}defaults: { context: { max_tokens: 400 } }\nworkflow: { type: sequential, steps: [a, b] }\n`,
      [
        { agent: "a", text: long },
        { kind: "summary", text: "no json" },
        { agent: "b", includes: "Columns compress well because values repeat.", text: "ok" },
      ],
    );
    expect(ran.result.status).toBe("completed");
  });

  test("from names what is shown and nothing else; none shows nothing", async () => {
    const flow = (from: string): string =>
      `${team("a", "b", "c")}workflow:\n  type: sequential\n  steps: [a, b, { agent: c, context: { from: ${from} } }]\n`;
    const script = [
      { agent: "a", text: "AAA" },
      { agent: "b", text: "BBB" },
      { agent: "c", text: "end" },
    ];
    const shown = async (from: string) => promptText((await runScript(flow(from), script)).model.calls.at(-1)!.prompt);
    expect(await shown("[a]")).toContain("AAA");
    expect(await shown("[a]")).not.toContain("BBB");
    expect(await shown("none")).not.toMatch(/AAA|BBB/);
  });
});

test("temperature, tokens, seed, top_p and stop of model, agent and step reach the call; 0 stays 0", async () => {
  const text =
    "models:\n  sim: { provider: scripted, model: m, temperature: 0, max_tokens: 300, top_p: 0.5, seed: 7, stop: [END] }\nagents:\n  - { id: a, role: r, goal: g }\n  - { id: b, role: r, goal: g, temperature: 1.5, max_tokens: 50 }\nworkflow:\n  type: sequential\n  steps: [a, b, { agent: b, temperature: 0, max_tokens: 20, id: c }]\n";
  const ran = await runScript(text, [{ text: "x", times: 3 }]);
  expect(ran.model.calls.map((call) => [call.temperature, call.maxOutputTokens])).toEqual([
    [0, 300],
    [1.5, 50],
    [0, 20],
  ]);
  expect(ran.model.calls[0]).toMatchObject({ topP: 0.5, seed: 7, stopSequences: ["END"] });
});

test("an answer without text is no success", async () => {
  const ran = await runScript(
    `${team("a").replace("id: a,", "id: a, retry: { max_attempts: 2, base_ms: 0 },")}workflow: { type: sequential, steps: [a] }\n`,
    [{ text: "  ", times: 2 }],
  );
  expect(ran.result.error).toMatchObject({ code: "E405", class: "bad_output" });
});

test("a script fails on a call it does not expect and on one that never came", async () => {
  const text = `${team("a")}workflow: { type: sequential, steps: [a] }\n`;
  expect((await runScript(text, [])).result.error!.message).toContain("expects no call");
  expect((await runScript(text, [{ text: "x" }, { text: "y" }])).result.error!.message).toContain(
    "not played to its end",
  );
});
