// Three workflows on our engine, LangGraph.js and Mastra with the same instant fake model, alternating in one run. Prints a
// JSON line a workflow: median ms for each agent step. Mastra 0.24 is the newest that installs on Node 20.
import { createHash } from "node:crypto";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { Agent } from "@mastra/core/agent";
import { createStep, createWorkflow } from "@mastra/core/workflows";
import { z } from "zod";
import { checkFlow, makeRealClock, runFlow } from "../../packages/flow/dist/index.js";

const REPLY = "The answer in a few words.";
const rng = (s) => {
  let n = 0;
  return {
    split: (x) => rng(`${s}/${x}`),
    uniform: () =>
      createHash("sha256")
        .update(s + n++)
        .digest()
        .readUInt32BE(0) /
      2 ** 32,
  };
};
const v3 = {
  specificationVersion: "v3",
  provider: "x",
  modelId: "m",
  supportedUrls: {},
  countTokens: () => 50,
  doGenerate: async () => ({
    content: [{ type: "text", text: REPLY }],
    finishReason: { unified: "stop", raw: "stop" },
    usage: { inputTokens: { total: 50 }, outputTokens: { total: 6 } },
    warnings: [],
  }),
};
const v2 = {
  specificationVersion: "v2",
  provider: "x",
  modelId: "m",
  supportedUrls: {},
  doGenerate: async () => ({
    content: [{ type: "text", text: REPLY }],
    finishReason: "stop",
    usage: { inputTokens: 50, outputTokens: 6, totalTokens: 56 },
    warnings: [],
  }),
  doStream: async () => ({
    stream: new ReadableStream({
      start(c) {
        c.enqueue({ type: "stream-start", warnings: [] });
        c.enqueue({ type: "text-start", id: "1" });
        c.enqueue({ type: "text-delta", id: "1", delta: REPLY });
        c.enqueue({ type: "text-end", id: "1" });
        c.enqueue({
          type: "finish",
          finishReason: "stop",
          usage: { inputTokens: 50, outputTokens: 6, totalTokens: 56 },
        });
        c.close();
      },
    }),
  }),
};

// ours
const head = (n) =>
  "models:\n  m: { provider: scripted, model: m }\nagents:\n" +
  Array.from({ length: n }, (_, i) => `  - { id: a${i}, role: agent ${i}, goal: answer }\n`).join("");
const plan = async (text) => {
  const r = await checkFlow("f.yml", { files: { resolve: (_, n) => n, read: async () => ({ kind: "text", text }) } });
  if (!r.plan) throw new Error(JSON.stringify(r.problems));
  return r.plan;
};
const P = {
  sequence: await plan(
    head(10) +
      "workflow:\n  type: sequential\n  steps: [" +
      Array.from({ length: 10 }, (_, i) => `a${i}`).join(", ") +
      "]\n",
  ),
  fanout: await plan(
    head(9) +
      "workflow:\n  type: parallel\n  branches: [" +
      Array.from({ length: 8 }, (_, i) => `a${i}`).join(", ") +
      "]\n  then: { agent: a8 }\n",
  ),
  loop: await plan(`${head(1)}workflow:\n  type: loop\n  do: a0\n  until: iteration >= 10\n  max_iterations: 10\n`),
};
const STEPS = { sequence: 10, fanout: 9, loop: 10 };
const ours = (name) => async () => {
  const r = await runFlow({
    plan: P[name],
    input: "question",
    rng: rng("1"),
    clock: makeRealClock(() => performance.now()),
    models: async () => v3,
  }).result;
  if (r.status !== "completed") throw new Error(r.status);
};

// langgraph
function lg(useModel) {
  const State = Annotation.Root({
    out: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }),
    n: Annotation({ reducer: (_, b) => b, default: () => 0 }),
  });
  const model = new FakeListChatModel({ responses: [REPLY] });
  const call = useModel
    ? async (s) =>
        (
          await model.invoke([
            ["system", "You are an agent."],
            ["human", `question\n${s.out.join("\n")}`],
          ])
        ).content
    : async () => REPLY;
  const node = async (s) => ({ out: [await call(s)], n: s.n + 1 });
  const node1 = async (s) => ({ out: [await call(s)] });
  let g = new StateGraph(State);
  for (let i = 0; i < 10; i++) g = g.addNode(`a${i}`, node);
  g = g.addEdge(START, "a0");
  for (let i = 1; i < 10; i++) g = g.addEdge(`a${i - 1}`, `a${i}`);
  const sequence = g.addEdge("a9", END).compile();
  let f = new StateGraph(State);
  for (let i = 0; i < 9; i++) f = f.addNode(`a${i}`, node1);
  for (let i = 0; i < 8; i++) f = f.addEdge(START, `a${i}`);
  f = f.addEdge(
    Array.from({ length: 8 }, (_, i) => `a${i}`),
    "a8",
  );
  const fanout = f.addEdge("a8", END).compile();
  const loop = new StateGraph(State)
    .addNode("a0", node)
    .addEdge(START, "a0")
    .addConditionalEdges("a0", (s) => (s.n >= 10 ? END : "a0"))
    .compile();
  return { sequence, fanout, loop };
}
const LG = lg(false),
  LGM = lg(true);
const langgraph = (set) => (name) => async () => {
  const r = await set[name].invoke({ out: [], n: 0 }, { recursionLimit: 50 });
  if (r.out.length !== STEPS[name]) throw new Error(`lg ${r.out.length}`);
};

// mastra
const io = z.object({ out: z.array(z.string()), n: z.number() });
function mastra(useAgent) {
  const agent = new Agent({ name: "a", instructions: "You are an agent.", model: v2 });
  const call = useAgent ? async (d) => (await agent.generate(`question\n${d.out.join("\n")}`)).text : async () => REPLY;
  const step = (id) =>
    createStep({
      id,
      inputSchema: io,
      outputSchema: io,
      execute: async ({ inputData }) => ({ out: inputData.out.concat(await call(inputData)), n: inputData.n + 1 }),
    });
  let w = createWorkflow({ id: "seq", inputSchema: io, outputSchema: io });
  for (let i = 0; i < 10; i++) w = w.then(step(`a${i}`));
  const sequence = w.commit();
  const many = z.record(z.string(), io);
  const fanout = createWorkflow({ id: "fan", inputSchema: io, outputSchema: io })
    .parallel(Array.from({ length: 8 }, (_, i) => step(`a${i}`)))
    .then(
      createStep({
        id: "a8",
        inputSchema: many,
        outputSchema: io,
        execute: async ({ inputData }) => ({
          out: Object.values(inputData)
            .flatMap((d) => d.out)
            .concat(await call({ out: [] })),
          n: 9,
        }),
      }),
    )
    .commit();
  const loop = createWorkflow({ id: "loop", inputSchema: io, outputSchema: io })
    .dountil(step("a0"), async ({ inputData }) => inputData.n >= 10)
    .commit();
  return { sequence, fanout, loop };
}
const MA = mastra(false),
  MAA = mastra(true);
const runMastra = (set) => (name) => async () => {
  const run = await set[name].createRunAsync();
  const r = await run.start({ inputData: { out: [], n: 0 } });
  if (r.status !== "success") throw new Error(`mastra ${JSON.stringify(r).slice(0, 300)}`);
};

const systems = {
  praxis: ours,
  "langgraph (function)": langgraph(LG),
  "langgraph (chat model)": langgraph(LGM),
  "mastra (function)": runMastra(MA),
  "mastra (agent)": runMastra(MAA),
};
const median = (a) => a.sort((x, y) => x - y)[a.length >> 1];
for (const name of ["sequence", "fanout", "loop"]) {
  const times = Object.fromEntries(Object.keys(systems).map((k) => [k, []]));
  for (let round = 0; round < 12; round++)
    for (const [k, f] of Object.entries(systems)) {
      const run = f(name);
      const n = k.includes("agent") ? 3 : 10;
      const t = performance.now();
      for (let i = 0; i < n; i++) await run();
      if (round >= 2) times[k].push((performance.now() - t) / n / STEPS[name]);
    }
  const { praxis, ...peers } = Object.fromEntries(Object.entries(times).map(([k, v]) => [k, median(v)]));
  console.log(JSON.stringify({ workflow: name, ours: praxis, peers }));
}
