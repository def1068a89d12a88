// One system's time for each agent step, on three workflows with one instant fake model:  node flow.mjs SYSTEM
// Prints { sequence, fanout, loop } in ms. Each system runs in a process of its own: LangGraph and Mastra load
// AsyncLocalStorage, which makes every promise of the process dearer, also those of others.
// Mastra 0.24 is the newest that installs on Node 20.

const REPLY = "The answer in a few words.";
const STEPS = { sequence: 10, fanout: 9, loop: 10 };
const WARM_UP_MS = 1_200;
const MEASURE_MS = 700;
const ids = (n) => Array.from({ length: n }, (_, i) => `a${i}`);

/** The instant model, in the AI SDK's version 3 (ours, and a step that calls it) and version 2 (Mastra's agents). */
const model = {
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
const usage = { inputTokens: 50, outputTokens: 6, totalTokens: 56 };
const modelV2 = {
  ...model,
  specificationVersion: "v2",
  doStream: async () => ({
    stream: new ReadableStream({
      start(controller) {
        controller.enqueue({ type: "stream-start", warnings: [] });
        controller.enqueue({ type: "text-start", id: "1" });
        controller.enqueue({ type: "text-delta", id: "1", delta: REPLY });
        controller.enqueue({ type: "text-end", id: "1" });
        controller.enqueue({ type: "finish", finishReason: "stop", usage });
        controller.close();
      },
    }),
  }),
};

/** What a step by hand does: the same call that our agents make, on a prompt of system, question and earlier work. */
async function callModel(out) {
  const { content } = await model.doGenerate({
    prompt: [
      { role: "system", content: "You are an agent." },
      { role: "user", content: [{ type: "text", text: `question\n${out.join("\n")}` }] },
    ],
  });
  return content[0].text;
}

async function praxis() {
  const { Rng } = await import("../../packages/env/dist/index.js");
  const { checkFlow, makeRealClock, runFlow } = await import("../../packages/flow/dist/index.js");
  const plan = async (agents, workflow) => {
    const list = ids(agents).map((id) => `  - { id: ${id}, role: agent ${id}, goal: answer }\n`);
    const text = `models:\n  m: { provider: scripted, model: m }\nagents:\n${list.join("")}workflow: ${workflow}\n`;
    const checked = await checkFlow("flow.yml", {
      files: { resolve: (_, name) => name, read: async () => ({ kind: "text", text }) },
    });
    if (checked.plan === null) throw new Error(JSON.stringify(checked.problems));
    return checked.plan;
  };
  const plans = {
    sequence: await plan(10, `{ type: sequential, steps: [${ids(10).join(", ")}] }`),
    fanout: await plan(9, `{ type: parallel, branches: [${ids(8).join(", ")}], then: { agent: a8 } }`),
    loop: await plan(1, "{ type: loop, do: a0, until: iteration >= 10, max_iterations: 10 }"),
  };
  return (name) => async () => {
    const { status, records } = await runFlow({
      plan: plans[name],
      input: "question",
      rng: Rng.fromSeed(1),
      clock: makeRealClock(() => performance.now()),
      models: async () => model,
    }).result;
    const agents = records.filter((record) => record.agentId !== null && record.text === REPLY);
    if (status !== "completed" || agents.length !== STEPS[name]) throw new Error(`${status}, ${agents.length} agents`);
  };
}

async function langgraph(call) {
  const { Annotation, END, START, StateGraph } = await import("@langchain/langgraph");
  const State = Annotation.Root({
    out: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }),
    n: Annotation({ reducer: (_, b) => b, default: () => 0 }),
  });
  const work = async (state) => ({ out: [await call(state.out)] });
  const count = async (state) => ({ ...(await work(state)), n: state.n + 1 });
  const chain = new StateGraph(State);
  for (const id of ids(10)) chain.addNode(id, work);
  chain.addEdge(START, "a0");
  for (let i = 1; i < 10; i++) chain.addEdge(`a${i - 1}`, `a${i}`);
  const fan = new StateGraph(State);
  for (const id of ids(9)) fan.addNode(id, work);
  for (const id of ids(8)) fan.addEdge(START, id);
  const loop = new StateGraph(State).addNode("a0", count).addEdge(START, "a0");
  const graphs = {
    sequence: chain.addEdge("a9", END).compile(),
    fanout: fan.addEdge(ids(8), "a8").addEdge("a8", END).compile(),
    loop: loop.addConditionalEdges("a0", (state) => (state.n >= 10 ? END : "a0")).compile(),
  };
  return (name) => async () => {
    const { out } = await graphs[name].invoke({ out: [], n: 0 }, { recursionLimit: 50 });
    if (out.length !== STEPS[name]) throw new Error(`${out.length} answers`);
  };
}

async function chatModel() {
  const { FakeListChatModel } = await import("@langchain/core/utils/testing");
  const chat = new FakeListChatModel({ responses: [REPLY] });
  const messages = (out) => [
    ["system", "You are an agent."],
    ["human", `question\n${out.join("\n")}`],
  ];
  return async (out) => (await chat.invoke(messages(out))).content;
}

async function mastra(call) {
  const { createStep, createWorkflow } = await import("@mastra/core/workflows");
  const { z } = await import("zod");
  const io = z.object({ out: z.array(z.string()), n: z.number() });
  const step = (id) =>
    createStep({
      id,
      inputSchema: io,
      outputSchema: io,
      execute: async ({ inputData }) => ({
        out: inputData.out.concat(await call(inputData.out)),
        n: inputData.n + 1,
      }),
    });
  const gather = createStep({
    id: "a8",
    inputSchema: z.record(z.string(), io),
    outputSchema: io,
    execute: async ({ inputData }) => {
      const out = Object.values(inputData).flatMap((branch) => branch.out);
      return { out: out.concat(await call(out)), n: 9 };
    },
  });
  let chain = createWorkflow({ id: "sequence", inputSchema: io, outputSchema: io });
  for (const id of ids(10)) chain = chain.then(step(id));
  const fan = createWorkflow({ id: "fanout", inputSchema: io, outputSchema: io })
    .parallel(ids(8).map(step))
    .then(gather);
  const loop = createWorkflow({ id: "loop", inputSchema: io, outputSchema: io }).dountil(
    step("a0"),
    async ({ inputData }) => inputData.n >= 10,
  );
  const workflows = { sequence: chain.commit(), fanout: fan.commit(), loop: loop.commit() };
  return (name) => async () => {
    const run = await workflows[name].createRunAsync();
    const { status, result } = await run.start({ inputData: { out: [], n: 0 } });
    if (status !== "success" || result.out.length !== STEPS[name]) throw new Error(status);
  };
}

async function mastraAgent() {
  const { Agent } = await import("@mastra/core/agent");
  const agent = new Agent({ name: "a", instructions: "You are an agent.", model: modelV2 });
  return async (out) => (await agent.generate(`question\n${out.join("\n")}`)).text;
}

const SYSTEMS = {
  praxis,
  "langgraph (node)": async () => langgraph(callModel),
  "langgraph (chat model)": async () => langgraph(await chatModel()),
  "mastra (step)": async () => mastra(callModel),
  "mastra (agent)": async () => mastra(await mastraAgent()),
};

const name = process.argv[2];
if (name === undefined) console.log(JSON.stringify(Object.keys(SYSTEMS)));
else {
  const system = await SYSTEMS[name]();
  const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
  const times = {};
  for (const workflow of Object.keys(STEPS)) {
    const run = system(workflow);
    const timed = [];
    for (const began = performance.now(); ; ) {
      const start = performance.now();
      if (start - began > WARM_UP_MS + MEASURE_MS) break;
      await run();
      if (start - began > WARM_UP_MS) timed.push((performance.now() - start) / STEPS[workflow]);
    }
    times[workflow] = median(timed);
  }
  console.log(JSON.stringify(times));
}
