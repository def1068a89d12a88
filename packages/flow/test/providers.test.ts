import { afterEach, describe, expect, test } from "vitest";
import { makeRealClock } from "../src/engine/clock.ts";
import { makeModelFactory } from "../src/providers/factory.ts";
import { planOf } from "./support/files.ts";
import { type Handler, json, loopback, raw, sse } from "./support/loopback.ts";
import { eventsOf, runPlan, type TestOptions } from "./support/run.ts";

type Kind = "openai" | "openai_compatible" | "anthropic" | "gemini";

interface Dialect {
  readonly kind: Kind;
  readonly path: (base: string) => string;
  readonly ok: (text: string) => unknown;
  readonly toolCall: (name: string, input: unknown) => unknown;
  readonly stream: (pieces: readonly string[]) => Handler;
  readonly cutStream: Handler;
  readonly errorInStream: Handler;
  readonly error: (message: string) => unknown;
  readonly sampling: (body: Record<string, unknown>) => unknown;
}

const chunk = (delta: unknown, finish: string | null = null, usage: unknown = null) => ({
  id: "c1",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...(usage === null ? {} : { usage }),
});
const openai = (kind: "openai" | "openai_compatible"): Dialect => ({
  kind,
  path: () => "/v1/chat/completions",
  ok: (text) => ({
    id: "c1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage: { prompt_tokens: 11, completion_tokens: 5, total_tokens: 16 },
  }),
  toolCall: (name, input) => ({
    id: "c1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "t1", type: "function", function: { name, arguments: JSON.stringify(input) } }],
        },
        finish_reason: "tool_calls",
      },
    ],
    usage: { prompt_tokens: 11, completion_tokens: 5, total_tokens: 16 },
  }),
  stream: (pieces) =>
    sse(
      [
        ...pieces.map((content) => chunk({ role: "assistant", content })),
        chunk({}, "stop"),
        { ...chunk({}), choices: [], usage: { prompt_tokens: 11, completion_tokens: 5, total_tokens: 16 } },
      ],
      { done: true },
    ),
  cutStream: sse([chunk({ role: "assistant", content: "half" })], { cut: true }),
  errorInStream: sse(
    [
      chunk({ role: "assistant", content: "half" }),
      { error: { message: "The server is overloaded", type: "server_error", code: "overloaded" } },
    ],
    { done: true },
  ),
  error: (message) => ({ error: { message, type: "error", code: "x" } }),
  sampling: (body) => [body.temperature, body.max_tokens, body.top_p, (body.messages as { role: string }[])[0]!.role],
});
const DIALECTS: readonly Dialect[] = [
  openai("openai"),
  openai("openai_compatible"),
  {
    kind: "anthropic",
    path: () => "/v1/messages",
    ok: (text) => ({
      id: "m1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [{ type: "text", text }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 11, output_tokens: 5 },
    }),
    toolCall: (name, input) => ({
      id: "m1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [{ type: "tool_use", id: "t1", name, input }],
      stop_reason: "tool_use",
      stop_sequence: null,
      usage: { input_tokens: 11, output_tokens: 5 },
    }),
    stream: (pieces) =>
      sse(
        [
          {
            type: "message_start",
            message: {
              id: "m1",
              type: "message",
              role: "assistant",
              model: "m",
              content: [],
              stop_reason: null,
              usage: { input_tokens: 11, output_tokens: 1 },
            },
          },
          { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
          ...pieces.map((text) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })),
          { type: "content_block_stop", index: 0 },
          {
            type: "message_delta",
            delta: { stop_reason: "end_turn", stop_sequence: null },
            usage: { output_tokens: 5 },
          },
          { type: "message_stop" },
        ],
        { named: true },
      ),
    cutStream: sse(
      [
        {
          type: "message_start",
          message: {
            id: "m1",
            type: "message",
            role: "assistant",
            model: "m",
            content: [],
            stop_reason: null,
            usage: { input_tokens: 11, output_tokens: 1 },
          },
        },
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "half" } },
      ],
      { named: true, cut: true },
    ),
    errorInStream: sse(
      [
        {
          type: "message_start",
          message: {
            id: "m1",
            type: "message",
            role: "assistant",
            model: "m",
            content: [],
            stop_reason: null,
            usage: { input_tokens: 11, output_tokens: 1 },
          },
        },
        { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
      ],
      { named: true },
    ),
    error: (message) => ({ type: "error", error: { type: "x", message } }),
    sampling: (body) => [body.temperature, body.max_tokens, body.top_p, body.system === undefined ? "none" : "system"],
  },
  {
    kind: "gemini",
    path: () => "/v1beta/models/m:generateContent",
    ok: (text) => ({
      candidates: [{ content: { role: "model", parts: [{ text }] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 5, totalTokenCount: 16 },
    }),
    toolCall: (name, input) => ({
      candidates: [
        { content: { role: "model", parts: [{ functionCall: { name, args: input } }] }, finishReason: "STOP" },
      ],
      usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 5, totalTokenCount: 16 },
    }),
    stream: (pieces) =>
      sse(
        pieces.map((text, i) => ({
          candidates: [
            {
              content: { role: "model", parts: [{ text }] },
              ...(i === pieces.length - 1 ? { finishReason: "STOP" } : {}),
            },
          ],
          usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 5, totalTokenCount: 16 },
        })),
      ),
    cutStream: sse([{ candidates: [{ content: { role: "model", parts: [{ text: "half" }] } }] }], { cut: true }),
    errorInStream: sse([
      { candidates: [{ content: { role: "model", parts: [{ text: "half" }] } }] },
      { error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } },
    ]),
    error: (message) => ({ error: { code: 400, message, status: "X" } }),
    sampling: (body) => {
      const config = body.generationConfig as Record<string, unknown>;
      return [
        config.temperature,
        config.maxOutputTokens,
        config.topP,
        body.systemInstruction === undefined ? "none" : "system",
      ];
    },
  },
];

const SECRET = "sk-canary-0123456789abcdef";
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function call(
  dialect: Dialect,
  handlers: readonly Handler[],
  options: { readonly agent?: string; readonly model?: string; readonly run?: TestOptions } = {},
) {
  const server = await loopback(...handlers);
  open.push(server);
  const base = dialect.kind === "gemini" ? `${server.url}/v1beta` : `${server.url}/v1`;
  const text = `models:
  real: { provider: ${dialect.kind}, model: m, base_url: "${base}", api_key_env: KEY, temperature: 0, max_tokens: 77, top_p: 0.9${options.model ?? ""} }
agents:
  - { id: a, role: Tester, goal: Answer, retry: { max_attempts: 2, base_ms: 1 }${options.agent ?? ""} }
workflow: { type: sequential, steps: [a] }
`;
  const plan = await planOf(text, { env: { KEY: SECRET } });
  let time = 0;
  const clock = makeRealClock(() => time++);
  const ran = await runPlan(plan, { clock, models: makeModelFactory({ fetch: globalThis.fetch }), ...options.run });
  // Wherever the key goes, it goes to the server only.
  expect(JSON.stringify([ran.result, ran.events, ran.entries])).not.toContain(SECRET);
  return { ...ran, seen: server.seen };
}

describe.each(DIALECTS.map((dialect) => [dialect.kind, dialect] as const))("%s over the wire", (_, dialect) => {
  test("acceptance 9: temperature 0 and max_tokens arrive, with system prompt and key; text and usage come back", async () => {
    const ran = await call(dialect, [json(dialect.ok("hello"))]);
    expect(ran.result).toMatchObject({
      status: "completed",
      outputs: { result: "hello" },
      usage: { inputTokens: 11, outputTokens: 5 },
    });
    const [request] = ran.seen;
    expect(request!.url).toBe(dialect.path(""));
    expect(dialect.sampling(request!.body)).toEqual([0, 77, 0.9, "system"]);
    expect([
      request!.headers.authorization,
      request!.headers["x-api-key"],
      request!.headers["x-goog-api-key"],
    ]).toContain(dialect.kind.startsWith("openai") ? `Bearer ${SECRET}` : SECRET);
  });

  test("429 with Retry-After waits as long as it says, then goes on", async () => {
    const ran = await call(dialect, [
      json(dialect.error("slow down"), 429, { "retry-after": "0.05" }),
      json(dialect.ok("later")),
    ]);
    expect(ran.result.outputs.result).toBe("later");
    expect(eventsOf(ran, "step.retrying").map((event) => [event.data.reason, event.data.durationMs])).toEqual([
      ["rate_limited", 50],
    ]);
  });

  test.each([
    [401, "auth"],
    [400, "invalid_request"],
    [500, "server"],
    [503, "overloaded"],
  ])("status %i is the class %s, told without the key", async (status, failureClass) => {
    const ran = await call(dialect, [json(dialect.error(`refused ${SECRET}`), status)]);
    expect(ran.result.error).toMatchObject({ code: "E401", class: failureClass, agentId: "a" });
    expect(ran.result.error!.message).toContain("[redacted]");
    expect(ran.seen).toHaveLength(["server", "overloaded"].includes(failureClass) ? 2 : 1);
  });

  test("a prompt too long for the model is told apart", async () => {
    const ran = await call(dialect, [json(dialect.error("This model's maximum context length is 8192 tokens"), 400)]);
    expect(ran.result.error!.class).toBe("context_length");
  });

  test("invalid JSON is a failure of the server, not a crash", async () => {
    const ran = await call(dialect, [raw("<html>gateway</html>"), json(dialect.ok("second"))]);
    expect(ran.result.outputs.result).toBe("second");
    expect(eventsOf(ran, "llm.failed")[0]!.data.class).toBe("server");
  });

  test("a stream comes piece by piece and is put together", async () => {
    const ran = await call(dialect, [dialect.stream(["Hel", "lo ", "you"])], { run: { stream: true } });
    expect(ran.result).toMatchObject({ outputs: { result: "Hello you" }, usage: { inputTokens: 11, outputTokens: 5 } });
    expect(eventsOf(ran, "llm.delta")).toHaveLength(3);
  });

  test("a stream that is cut off is never taken for an answer", async () => {
    const ran = await call(dialect, [dialect.cutStream, dialect.stream(["whole"])], { run: { stream: true } });
    expect(ran.result.outputs.result).toBe("whole");
    expect(["network", "server"]).toContain(eventsOf(ran, "llm.failed")[0]!.data.class);
  });

  test("an error inside a stream is never taken for an answer", async () => {
    const ran = await call(dialect, [dialect.errorInStream, dialect.stream(["whole"])], { run: { stream: true } });
    expect(ran.result.outputs.result).toBe("whole");
    expect(["overloaded", "server", "network"]).toContain(eventsOf(ran, "llm.failed")[0]!.data.class);
  });

  test("a slow first byte ends with the agent's time limit", async () => {
    const ran = await call(dialect, [(_request, response) => void setTimeout(() => response.end(), 5_000).unref()], {
      agent: ", timeout_ms: 60",
    });
    expect(ran.result.error).toMatchObject({ code: "E406", class: "timeout" });
  });

  test("a tool call goes out and its result comes back in the provider's own form", async () => {
    const ran = await call(
      dialect,
      [json(dialect.toolCall("calculator", { expression: "6*7" })), json(dialect.ok("42"))],
      {
        agent: ", tools: [calculator]",
        run: {
          tools: {
            resolve: async () => [
              {
                name: "calculator",
                description: "Computes",
                inputSchema: { type: "object", properties: { expression: { type: "string" } } },
                approval: "never",
                idempotent: true,
                execute: async (input) => ({ ok: true, content: `got ${JSON.stringify(input)}` }),
              },
            ],
            close: async () => undefined,
          },
        },
      },
    );
    expect(ran.result.outputs.result).toBe("42");
    expect(JSON.stringify(ran.seen[0]!.body)).toContain("calculator");
    expect(JSON.stringify(ran.seen[1]!.body)).toContain("6*7");
    expect(JSON.stringify(ran.seen[1]!.body)).toContain("got ");
  });
});

test("a server that is not there is a network failure", async () => {
  const server = await loopback(json({}));
  await server.close();
  const plan = await planOf(
    `models:\n  real: { provider: openai_compatible, model: m, base_url: "${server.url}" }\nagents:\n  - { id: a, role: r, goal: g, retry: { max_attempts: 1 } }\nworkflow: { type: sequential, steps: [a] }\n`,
  );
  const ran = await runPlan(plan, {
    clock: makeRealClock(() => 0),
    models: makeModelFactory({ fetch: globalThis.fetch }),
  });
  expect(ran.result.error).toMatchObject({ code: "E401", class: "network" });
});

test("structured output asks for the schema natively, or in words where the file says so", async () => {
  const dialect = DIALECTS[1]!;
  const agent = ", output: { schema: { type: object, properties: { n: { type: integer } }, required: [n] } }";
  const native = await call(dialect, [json(dialect.ok('{"n": 1}'))], { agent });
  expect(native.seen[0]!.body.response_format).toMatchObject({
    type: "json_schema",
    json_schema: { schema: { required: ["n"] } },
  });
  const words = await call(dialect, [json(dialect.ok('{"n": 1}'))], { agent, model: ", structured_output: prompt" });
  expect(words.seen[0]!.body.response_format).toBeUndefined();
  expect(words.result.status).toBe("completed");
});

test("options of a model are passed through to the request", async () => {
  const dialect = DIALECTS[1]!;
  const ran = await call(dialect, [json(dialect.ok("x"))], {
    model: ", options: { repetition_penalty: 1.1 }, headers: { x-team: blue }",
  });
  expect(ran.seen[0]!.body.repetition_penalty).toBe(1.1);
  expect(ran.seen[0]!.headers["x-team"]).toBe("blue");
});

test("any AI SDK provider package plugs in by its name; one that is none says so", async () => {
  const plan = (provider: string) =>
    planOf(
      `models:\n  p: { provider: "${provider}", model: m, base_url: "http://127.0.0.1:9/v1", api_key: "${"$"}{ENV:K}" }\nagents:\n  - { id: a, role: r, goal: g }\nworkflow: { type: sequential, steps: [a] }\n`,
      { env: { K: "kkkk" } },
    );
  const server = await loopback(json(DIALECTS[1]!.ok("from a package")));
  open.push(server);
  const load = (name: string): Promise<Readonly<Record<string, unknown>>> =>
    name === "@ai-sdk/openai-compatible"
      ? import("@ai-sdk/openai-compatible").then((module) => ({
          createX: (settings: object) =>
            module.createOpenAICompatible({ ...settings, name: "x", baseURL: `${server.url}/v1` }),
        }))
      : Promise.resolve({ other: 1 });
  const models = makeModelFactory({ fetch: globalThis.fetch, importPackage: load });
  const good = await runPlan(await plan("@ai-sdk/openai-compatible"), { models, clock: makeRealClock(() => 0) });
  expect(good.result.outputs.result).toBe("from a package");
  const bad = await runPlan(await plan("npm:left-pad"), { models, clock: makeRealClock(() => 0) });
  expect(bad.result.error!.message).toContain("no AI SDK provider");
});
