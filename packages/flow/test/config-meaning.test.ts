import { describe, expect, test } from "vitest";
import { checkFlow } from "../src/config/check.ts";
import { checkText, memoryFiles, places, planOf, team } from "./support/files.ts";

const errors = async (text: string, options: Parameters<typeof checkText>[1] = {}): Promise<string[]> =>
  places(await checkText(text, options)).filter((place) => !place.includes(" W"));
const flow = (workflow: string, ids: readonly string[] = ["a", "b", "c"]): string =>
  `${team(...ids)}workflow:\n${workflow}`;

describe("references", () => {
  test("a misspelt agent is named with file, line, column and the nearest name", async () => {
    const checked = await checkText(flow("  type: sequential\n  steps:\n    - agent: resercher\n", ["researcher"]));
    expect(
      checked.problems.map((problem) => `${problem.file}:${problem.line}:${problem.column} ${problem.suggestion}`),
    ).toEqual(["flow.yml:8:14 researcher"]);
  });

  test.each([
    ["an unknown default model", `${flow("  type: sequential\n  steps: [a]\n")}provider: sym\n`, "10:11 E204"],
    [
      "an unknown fallback model",
      flow("  type: sequential\n  steps: [a]\n").replace("sim-1 }", "sim-1, fallback: [simm] }"),
      "2:56 E204",
    ],
    [
      "an unknown tool",
      flow("  type: sequential\n  steps: [a]\n").replace("id: a,", "id: a, tools: [filesytem],"),
      "4:22 E205",
    ],
    [
      "a tool of an undeclared server",
      flow("  type: sequential\n  steps: [a]\n").replace("id: a,", "id: a, tools: [git/log],"),
      "4:22 E205",
    ],
    [
      "an unknown agent on error",
      flow("  type: sequential\n  steps:\n    - { agent: a, on_error: { agent: aa1 } }\n"),
      "10:38 E203",
    ],
    ["an unknown agent in a roster", flow("  type: delegate\n  roster: [a, zzzz]\n"), "9:15 E203"],
    ["an unknown agent as reviewer", flow("  type: feedback\n  produce: [a]\n  review: zzzz\n"), "10:11 E203"],
    [
      "an unknown fallback agent",
      flow("  type: sequential\n  steps: [a]\n").replace("id: a,", "id: a, fallback_agent: zzzz,"),
      "4:30 E203",
    ],
  ])("%s is found", async (_, text, place) => {
    expect(await errors(text)).toEqual([place]);
  });

  test("tools of the host and of declared servers are known", async () => {
    const text = `${flow("  type: sequential\n  steps: [a]\n").replace("id: a,", "id: a, tools: [lookup, files/read, files],")}mcp_servers:\n  files: { command: node }\n`;
    expect(await errors(text, { hostTools: ["lookup"] })).toEqual([]);
  });

  test("an agent's tool settings may only narrow those of the file", async () => {
    const text = `${flow("  type: sequential\n  steps: [a]\n").replace("id: a,", "id: a, tool_config: { filesystem: { allow: [read, delete] } },")}tools:\n  filesystem: { allow: [read, list] }\n`;
    expect(await errors(text)).toEqual(["4:50 E208"]);
  });

  test("an agent that no step uses is a warning", async () => {
    expect(places(await checkText(flow("  type: sequential\n  steps: [a, b]\n")))).toEqual(["6:11 W302"]);
  });
});

describe("ids and branches", () => {
  test.each([
    [
      "the same step id twice",
      "  type: sequential\n  steps:\n    - { agent: a, id: x }\n    - { agent: b, id: x }\n",
      "11:23 E209",
    ],
    ["the same agent twice in branches", "  type: parallel\n  branches: [a, b, a]\n", "9:20 E222"],
    [
      "two branches that save under one name",
      "  type: parallel\n  branches:\n    - { agent: a, save_as: s }\n    - { agent: b, save_as: s }\n",
      "11:28 E222",
    ],
    ["more successes than branches", "  type: parallel\n  branches: [a, b]\n  join: { n: 3 }\n", "10:14 E208"],
    [
      "a feedback target that is no producer",
      "  type: feedback\n  produce: [a, b]\n  review: c\n  feedback_targets: [a, bb]\n",
      "11:25 E223",
    ],
    ["a reviewer that is a producer", "  type: feedback\n  produce: [a, b]\n  review: b\n", "10:11 E221"],
  ])("%s is found", async (_, workflow, place) => {
    expect(await errors(flow(workflow))).toEqual([place]);
  });

  test("two branches of one agent with ids of their own are allowed", async () => {
    expect(
      await errors(flow("  type: parallel\n  branches: [{ agent: a, id: first }, { agent: a, id: second }, b]\n")),
    ).toEqual([]);
  });

  test("a step without id is called after its agent, a repeat gets a number", async () => {
    const plan = await planOf(flow("  type: sequential\n  steps: [a, b, a]\n"));
    expect(plan.workflow.kind === "sequential" && plan.workflow.steps.map((step) => step.id)).toEqual([
      "a",
      "b",
      "a#2",
    ]);
  });
});

describe("DAGs", () => {
  const dag = (nodes: string, rest = ""): string => `${flow("  type: dag\n  nodes:\n")}${nodes}${rest}`;

  test("a cycle is printed once, as short as it is, with its places", async () => {
    const text = dag(
      "    one: { agent: a, needs: [three] }\n    two: { agent: b, needs: [one] }\n    three: { agent: c, needs: [two, one] }\n",
    );
    const [problem, ...rest] = (await checkText(text)).problems;
    expect(rest).toEqual([]);
    expect(problem).toMatchObject({ code: "E224", line: 10, column: 30 });
    expect(problem!.message).toContain("one → three → one");
    expect(problem!.related?.map((place) => place.line)).toEqual([12]);
  });

  test("an unknown need and a node that no output depends on are found", async () => {
    expect(await errors(dag("    one: { agent: a, needs: [zero] }\n"))).toEqual(["10:30 E225"]);
    expect(
      await errors(dag("    one: { agent: a }\n    two: { agent: b }\n", "outputs: { result: outputs.one }\n")),
    ).toEqual(["11:5 E226"]);
  });

  test("a node sees what it needs, directly or through others, and nothing else", async () => {
    expect(
      await errors(
        dag(
          "    one: a\n    two: { agent: b, needs: [one] }\n    three: { agent: c, needs: [two], input: '{{ outputs.one.text }}' }\n",
        ),
      ),
    ).toEqual([]);
    expect(await errors(dag("    one: a\n    two: { agent: b, input: '{{ outputs.one.text }}' }\n"))).toEqual([
      "11:33 E232",
    ]);
  });
});

describe("delegation", () => {
  const nested = (depth: number, limit: string): string => {
    let agent = "{ id: s4, role: r, goal: g }";
    for (let i = 3; i > 4 - depth; i--) agent = `{ id: s${i}, role: r, goal: g, sub_agents: [${agent}] }`;
    return `models:\n  sim: { provider: simulated, model: m }\nagents:\n  - { id: top, role: r, goal: g,${limit} sub_agents: [${agent}] }\nworkflow: { type: sequential, steps: [top] }\n`;
  };

  test("nesting up to the limit passes, one more is named at the sub-agent", async () => {
    expect(await errors(nested(2, ""))).toEqual([]);
    expect((await errors(nested(3, "")))[0]).toMatch(/E229$/);
    expect(await errors(nested(3, " max_delegation_depth: 3,"))).toEqual([]);
  });

  test("a sub-agent that leads back to its ancestor is a cycle, written out or by reference", async () => {
    const written = `models:\n  sim: { provider: simulated, model: m }\nagents:\n  - { id: x, role: r, goal: g, sub_agents: [{ id: y, role: r, goal: g, sub_agents: [{ id: x, role: r, goal: g }] }] }\nworkflow: { type: sequential, steps: [x] }\n`;
    expect((await errors(written)).map((place) => place.split(" ")[1])).toEqual(["E228"]);
    const named = `${team("a", "b").replace("id: a,", "id: a, sub_agents: [b],").replace("id: b,", "id: b, sub_agents: [a],")}workflow: { type: sequential, steps: [a] }\n`;
    expect(await errors(named)).toEqual(["4:27 E228", "5:27 E228"]);
  });
});

describe("expressions", () => {
  test("a fault is reported at its column inside the expression", async () => {
    expect(await errors(flow("  type: sequential\n  steps:\n    - { agent: a, when: 'input == ' }\n"))).toEqual([
      "10:35 E231",
    ]);
    expect(
      await errors(flow("  type: sequential\n  steps:\n    - agent: a\n      input: 'See {{ outputs. }}'\n")),
    ).toEqual(["11:31 E231"]);
  });

  test("a later step, a sibling branch and an unknown step can't be named", async () => {
    expect(
      await errors(flow("  type: sequential\n  steps:\n    - { agent: a, when: outputs.b.text }\n    - b\n")),
    ).toEqual(["10:25 E232"]);
    expect(
      await errors(flow("  type: parallel\n  branches:\n    - a\n    - { agent: b, when: outputs.a.text }\n")),
    ).toEqual(["11:25 E232"]);
    expect(await errors(`${flow("  type: sequential\n  steps: [a]\n")}outputs: { r: outputs.zz }\n`)).toEqual([
      "10:15 E232",
    ]);
  });

  test("a loop's condition sees its body, a foreach sees its item, a saved name is seen afterwards", async () => {
    expect(
      await errors(flow('  type: loop\n  do: a\n  until: outputs.a.text contains "done" and iteration > 1\n')),
    ).toEqual([]);
    expect(
      await errors(
        flow("  type: foreach\n  items: input\n  as: ticket\n  do: { agent: a, input: '{{ ticket.title }}' }\n"),
      ),
    ).toEqual([]);
    expect(
      await errors(
        flow(
          "  type: sequential\n  steps:\n    - { agent: a, save_as: plan }\n    - { agent: b, input: '{{ vars.plan }}' }\n",
        ),
      ),
    ).toEqual([]);
    expect(await errors(flow("  type: sequential\n  steps:\n    - { agent: b, input: '{{ vars.plan }}' }\n"))).toEqual([
      "10:30 E232",
    ]);
  });
});

describe("schemas, secrets, prices, memory", () => {
  test("a JSON Schema that is none is reported at the place inside it", async () => {
    const text = flow("  type: sequential\n  steps: [a]\n").replace(
      "id: a,",
      "id: a, output: { schema: { type: object, properties: { n: { type: nmber } } } },",
    );
    expect(await errors(text)).toEqual(["4:73 E233"]);
  });

  test("a missing secret counts only for models that the workflow reaches", async () => {
    const models = `models:\n  sim: { provider: simulated, model: m }\n  gpt: { provider: openai, model: g }\n  local: { provider: openai_compatible, model: l, base_url: '\${ENV:LOCAL_URL}' }\n`;
    const agents = "agents:\n  - { id: a, role: r, goal: g }\n  - { id: b, role: r, goal: g, model: gpt }\n";
    expect(await errors(`${models}${agents}workflow: { type: sequential, steps: [a] }\n`)).toEqual([]);
    expect(await errors(`${models}${agents}workflow: { type: sequential, steps: [b] }\n`)).toEqual(["3:3 E241"]);
    expect(
      await errors(`${models}${agents}workflow: { type: sequential, steps: [b] }\n`, { env: { OPENAI_API_KEY: "k" } }),
    ).toEqual([]);
    expect(
      await errors(`${models}${agents}workflow: { type: sequential, steps: [{ agent: a, model: local }] }\n`),
    ).toEqual(["4:61 E241"]);
  });

  test("a key in the file is a warning, a reference to the environment is not", async () => {
    const text = (key: string): string =>
      `models:\n  m: { provider: openai, model: g, api_key: ${key} }\nagents:\n  - { id: a, role: r, goal: g }\nworkflow: { type: sequential, steps: [a] }\n`;
    expect(places(await checkText(text("sk-123456")))).toEqual(["2:45 W301"]);
    const { problems, plan } = await checkText(text(`'\${ENV:K:-none}'`), { env: { K: "secret-value" } });
    expect(problems).toEqual([]);
    expect(plan?.models.get("m")?.apiKey).toBe("secret-value");
    expect(plan?.secrets).toContain("secret-value");
  });

  test("a money budget without prices is a warning, or an error on demand or when it comes from outside; free providers need none", async () => {
    const text = flow("  type: sequential\n  steps: [a]\n", ["a"]);
    const paid = text.replace(
      "provider: simulated, model: sim-1",
      "provider: openai_compatible, model: m, base_url: http://127.0.0.1:9",
    );
    expect(places(await checkText(`${paid}budgets: { max_cost_usd: 1 }\n`))).toEqual(["2:3 W303"]);
    expect(places(await checkText(`${paid}budgets: { max_cost_usd: 1, on_unknown_price: error }\n`))).toEqual([
      "2:3 E243",
    ]);
    expect(
      places(await checkFlow("flow.yml", { files: memoryFiles({ "flow.yml": paid }), limitsMoney: true })),
    ).toEqual(["2:3 E243"]);
    expect(
      places(await checkFlow("flow.yml", { files: memoryFiles({ "flow.yml": text }), limitsMoney: true })),
    ).toEqual([]);
  });

  test("a store of another vector length is refused, a prompt too large for its window is a warning, an old key is named", async () => {
    const text = flow("  type: sequential\n  steps: [a]\n", ["a"]);
    expect(await errors(`${text}memory: { dimension: 768 }\n`)).toEqual(["8:22 E242"]);
    const large = text
      .replace("sim-1 }", "sim-1, context_window: 1024 }")
      .replace("goal: Do what a does", `goal: ${"word ".repeat(500)}`);
    expect(places(await checkText(large))).toEqual(["4:11 W304"]);
    expect(
      places(await checkText(`${text}pinecone_config: { host: h, api_key_env: K }\n`, { env: { K: "v" } })),
    ).toEqual(["8:1 W305"]);
  });
});

describe("several files", () => {
  const main = (extra: string, workflow = "{ type: sequential, steps: [a, shared] }"): string =>
    `${extra}models:\n  sim: { provider: simulated, model: m }\nagents:\n  - { id: a, role: r, goal: g }\nworkflow: ${workflow}\n`;

  test("agents of an included file are known, a duplicate id names both files", async () => {
    const others = { "more.yml": "agents:\n  - { id: shared, role: r, goal: g }\n" };
    expect(await errors(main("include: [more.yml]\n"), { others })).toEqual([]);
    const [problem] = (
      await checkText(main("include: [more.yml]\n", "{ type: sequential, steps: [a] }"), {
        others: { "more.yml": "agents:\n  - { id: a, role: r, goal: g }\n" },
      })
    ).problems;
    expect(problem).toMatchObject({ code: "E209", file: "more.yml", line: 2 });
    expect(problem!.message).toContain("flow.yml");
  });

  test("a missing include and a misspelt subflow are found where they are named", async () => {
    expect(
      await errors(main("include: [mor.yml]\n", "{ type: sequential, steps: [a] }"), { others: { "more.yml": "" } }),
    ).toEqual(["1:11 E101"]);
    const checked = await checkText(main("", "{ type: subflow, file: innr.yml }"), {
      others: { "inner.yml": main("", "a") },
    });
    expect(checked.problems[0]).toMatchObject({ code: "E101", suggestion: "inner.yml", line: 5 });
  });

  test("a subflow that calls its parent is a cycle, also over several files", async () => {
    const call = (file: string): string => main("", `{ type: subflow, file: ${file} }`);
    expect(await errors(call("flow.yml"))).toContain("5:34 E227");
    expect(await errors(call("b.yml"), { others: { "b.yml": call("c.yml"), "c.yml": call("flow.yml") } })).toEqual([
      "5:34 E227",
    ]);
  });

  test("subflows deeper than five levels are refused", async () => {
    const chain = (length: number): Record<string, string> =>
      Object.fromEntries(
        Array.from({ length }, (_, i) => [
          `s${i}.yml`,
          main("", i === length - 1 ? "{ type: sequential, steps: [a] }" : `{ type: subflow, file: s${i + 1}.yml }`),
        ]),
      );
    const start = main("", "{ type: subflow, file: s0.yml }");
    expect(await errors(start, { others: chain(5) })).toEqual([]);
    expect(await errors(start, { others: chain(6) })).toEqual(["5:34 E227"]);
  });

  test("a problem inside a subflow carries the subflow's name", async () => {
    const checked = await checkText(main("", "{ type: subflow, file: inner.yml }"), {
      others: { "inner.yml": main("", "{ type: sequential, steps: [zzzz] }") },
    });
    expect(checked.problems.filter((problem) => problem.severity === "error")).toMatchObject([
      { file: "inner.yml", code: "E203" },
    ]);
  });
});

test("aliases of keys mean the same: mcpTools, default_model, tool_config, enable_persistent_memory, then.feedback_loop", async () => {
  const text = `models:
  one: { provider: simulated, model: m }
  two: { provider: simulated, model: n }
default_model: two
tool_config:
  calculator: {}
agents:
  - { id: a, role: r, goal: g, mcpTools: [calculator], tools: [calculator, json_query], enable_persistent_memory: true }
  - { id: b, role: r, goal: g }
workflow:
  type: parallel
  branches: [a]
  then:
    agent: b
    feedback_loop: { enabled: true, max_iterations: 2, approval_keyword: OK, feedback_targets: [a] }
`;
  const plan = await planOf(text);
  expect(plan.defaultModel).toBe("two");
  expect(plan.agents.get("a")).toMatchObject({
    model: "two",
    tools: ["calculator", "json_query"],
    memory: { read: true, write: true },
  });
  expect(plan.workflow).toMatchObject({ kind: "feedback", maxIterations: 2, approvalKeyword: "OK", targets: ["a"] });
});
