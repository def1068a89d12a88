import { describe, expect, test } from "vitest";
import { planOf } from "./support/files.ts";
import { eventsOf, runPlan, runScript, runText } from "./support/run.ts";

const flow = (keys: string, subs: readonly string[], workflow = "{ type: sequential, steps: [lead] }"): string =>
  `models:\n  sim: { provider: simulated, model: m }\nagents:\n  - id: lead\n    role: Lead\n    goal: Ship it\n${keys}    sub_agents:\n${subs.map((sub) => `      - ${sub}\n`).join("")}  - { id: other, role: Other, goal: Something else }\nworkflow: ${workflow}\n`;
const dba =
  "{ id: dba, role: Database expert, goal: Design tables, specialization: sql schemas, trigger_conditions: [database, slow query] }";
const ui =
  "{ id: ui, role: Interface designer, goal: Design screens, specialization: layout, trigger_conditions: [screen] }";

describe("plan, run, synthesise", () => {
  test("the planner's order is a small DAG: a member that needs another sees its result and starts after it", async () => {
    const ran = await runScript(flow("", [dba, ui]), [
      {
        agent: "lead",
        kind: "plan",
        json: {
          calls: [
            { id: "dba", task: "make tables", needs: [] },
            { id: "ui", task: "draw them", needs: ["dba"] },
          ],
          reason: "order",
        },
      },
      { agent: "dba", includes: "make tables", text: "tables-made", latencyMs: 100 },
      { agent: "ui", includes: "tables-made", text: "drawn" },
      { agent: "lead", kind: "synthesize", includes: "drawn", text: "all" },
    ]);
    expect(ran.result.outputs.result).toBe("all");
    expect(eventsOf(ran, "subagents.planned")[0]!.data).toMatchObject({ source: "planner", reason: "order" });
  });

  test("a sub-agent is told the parent's goal, its own task and what the others do", async () => {
    const ran = await runScript(flow("", [dba, ui]), [
      {
        kind: "plan",
        json: {
          calls: [
            { id: "dba", task: "make tables" },
            { id: "ui", task: "draw screens" },
          ],
          reason: "",
        },
      },
      { agent: "dba", text: "x" },
      { agent: "ui", text: "y" },
      { kind: "synthesize", text: "z" },
    ]);
    const prompt = JSON.stringify(ran.model.calls[1]!.prompt);
    expect(prompt).toContain("Ship it");
    expect(prompt).toContain("Do not do");
    expect(prompt).toContain("ui: draw screens");
  });

  test("unknown members are dropped with a warning, an unreadable plan falls back to those whose phrases were found", async () => {
    const dropped = await runScript(flow("", [dba, ui]), [
      {
        kind: "plan",
        json: {
          calls: [
            { id: "nobody", task: "t" },
            { id: "ui", task: "t" },
          ],
          reason: "",
        },
      },
      { agent: "ui", text: "u" },
      { kind: "synthesize", text: "z" },
    ]);
    expect(eventsOf(dropped, "log").some((event) => JSON.stringify(event.data.dropped) === '["nobody"]')).toBe(true);
    const fallback = await runScript(
      flow("", [dba, ui]),
      [
        { kind: "plan", text: "I would call everyone!" },
        { agent: "dba", text: "d" },
        { kind: "synthesize", text: "z" },
      ],
      { input: "A slow query in the database" },
    );
    expect(eventsOf(fallback, "subagents.planned")[0]!.data).toMatchObject({
      source: "fallback",
      calls: [{ id: "dba", needs: [] }],
    });
  });

  test("without any phrase found the fallback is the best member alone, never all", async () => {
    const ran = await runScript(
      flow("", [dba, ui]),
      [
        { kind: "plan", text: "?" },
        { agent: "ui", text: "u" },
        { kind: "synthesize", text: "z" },
      ],
      { input: "layout of the start page" },
    );
    expect(ran.result.status).toBe("completed");
  });

  test("sequential members see earlier siblings, parallel ones do not", async () => {
    const seq = await runScript(flow("    delegation_strategy: sequential\n", [dba, ui]), [
      { agent: "dba", text: "from-dba" },
      { agent: "ui", includes: "from-dba", text: "u" },
      { kind: "synthesize", text: "z" },
    ]);
    expect(seq.result.status).toBe("completed");
    const par = await runScript(flow("    delegation_strategy: parallel\n", [dba, ui]), [
      { agent: "dba", text: "from-dba" },
      { agent: "ui", text: "u" },
      { kind: "synthesize", text: "z" },
    ]);
    expect(
      JSON.stringify(
        par.model.calls.find((call) => JSON.stringify(call.prompt).includes("Interface designer"))!.prompt,
      ),
    ).not.toContain("from-dba");
  });

  test("a failed member is shown as an error, never as an empty success", async () => {
    const ran = await runScript(flow("    delegation_strategy: parallel\n", [dba, ui]), [
      { agent: "dba", fail: { class: "auth" } },
      { agent: "ui", text: "u" },
      { kind: "synthesize", includes: "This contribution failed (auth)", text: "without tables" },
    ]);
    expect(ran.result.outputs.result).toBe("without tables");
  });

  test("one successful contribution is returned as it is where that is asked for", async () => {
    const ran = await runScript(
      flow("    delegation_strategy: parallel\n    skip_synthesis_if_single: true\n", [dba]),
      [{ agent: "dba", text: "only" }],
    );
    expect(ran.result.outputs.result).toBe("only");
  });

  test("plans are charged as overhead", async () => {
    const ran = await runText(flow("", [dba, ui]));
    expect(ran.result.usage.overheadTokens).toBeGreaterThan(0);
    expect(ran.result.usage.overheadTokens).toBeLessThan(ran.result.usage.inputTokens);
  });
});

test("acceptance 4: sub-agents run inside parallel branches, in feedback and in every other kind of workflow", async () => {
  const workflows = [
    "{ type: parallel, branches: [lead, other] }",
    "{ type: feedback, produce: [lead], review: other, max_iterations: 1 }",
    "{ type: dag, nodes: { A: lead, B: { agent: other, needs: [A] } } }",
    "{ type: loop, do: lead, until: 'true' }",
    "{ type: branch, cases: [{ when: 'true', do: lead }] }",
    "{ type: delegate, roster: [lead], max_steps: 1 }",
  ];
  for (const workflow of workflows) {
    const ran = await runText(flow("    delegation_strategy: parallel\n", [dba, ui], workflow));
    const agents = new Set(eventsOf(ran, "agent.completed").map((event) => event.data.agentId));
    expect([workflow, ran.result.status, agents.has("dba"), agents.has("ui")]).toEqual([
      workflow,
      "completed",
      true,
      true,
    ]);
  }
});

test("sub-agents of sub-agents run, and one that leads back to an agent that waits for it stops with E410", async () => {
  const nested =
    "{ id: mid, role: Middle, goal: g, delegation_strategy: parallel, sub_agents: [{ id: deep, role: Deep, goal: g }] }";
  const ran = await runText(flow("    delegation_strategy: parallel\n", [nested]));
  expect(eventsOf(ran, "agent.completed").map((event) => event.data.agentId)).toEqual(["deep", "mid", "lead"]);
  const plan = await planOf(flow("    delegation_strategy: parallel\n", [dba]));
  const lead = plan.agents.get("lead")!;
  (lead.subAgents as unknown[]).push(lead);
  expect((await runPlan(plan)).result.error).toMatchObject({ code: "E410" });
});

describe("delegate", () => {
  const roster = (keys: string): string =>
    `models:\n  sim: { provider: simulated, model: m }\nagents:\n  - { id: sql, role: Database expert, goal: Tune slow queries }\n  - { id: law, role: Lawyer, goal: Review contracts }\n  - { id: cook, role: Cook, goal: Write recipes }\nworkflow: { type: delegate, roster: [sql, law, cook]${keys} }\n`;

  test("greedy calls who fits the task and stops when nobody else does", async () => {
    const ran = await runText(roster(""), { input: "Tune the slow queries of the database" });
    expect(eventsOf(ran, "delegation.decided").map((event) => [event.data.meta, event.data.slots])).toEqual([
      ["call", ["sql"]],
      ["stop", []],
    ]);
    expect(ran.result.outputs.result).toContain("Database expert");
  });

  test("a member that fails is followed by the next one", async () => {
    const ran = await runScript(
      roster(""),
      [
        { agent: "sql", fail: { class: "auth" } },
        { agent: "law", text: "law stands in" },
      ],
      { input: "Tune slow queries, review contracts" },
    );
    expect(ran.result.outputs.result).toBe("law stands in");
  });

  test("all calls everybody at once, random repeats with its seed, max_steps holds", async () => {
    expect(eventsOf(await runText(roster(", policy: all")), "agent.completed")).toHaveLength(3);
    const drawn = async (seed: string) =>
      eventsOf(await runText(roster(", policy: random"), { seed }), "delegation.decided").map(
        (event) => event.data.slots,
      );
    expect(await drawn("5")).toEqual(await drawn("5"));
    expect(eventsOf(await runText(roster(", policy: random, max_steps: 1")), "agent.completed")).toHaveLength(1);
  });

  test("a policy that can't be loaded is an error, not a silent fallback", async () => {
    expect((await runText(roster(", policy: runs/best.ckpt"))).result.error?.message).toContain("'greedy'");
  });

  test("a catalog makes a roster of specialists", async () => {
    const text =
      "models:\n  sim: { provider: simulated, model: m }\nagents:\n  - { id: own, role: r, goal: g }\ncatalog: team.yml\nworkflow: { type: delegate, roster: catalog }\n";
    const others = {
      "team.yml":
        "version: 1\nsector: software\nspecialists:\n  - { id: api, role: API engineer, description: Designs HTTP interfaces, cost_per_call: 1.0 }\n  - { id: mine, role: x, description: y, flow_agent: own }\n",
    };
    const ran = await runText(text, { others, input: "Design HTTP interfaces" });
    expect(eventsOf(ran, "agent.completed").map((event) => event.data.agentId)).toContain("api");
  });
});
