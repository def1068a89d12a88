import type { FlowPlan, StepPlan } from "../config/plan.ts";

/** A step as graphs show it. */
export interface OutlineNode {
  readonly id: string;
  readonly kind: StepPlan["kind"];
  /** Agent, sub-agents, condition … in words. */
  readonly note: string;
  /** How the children follow each other. */
  readonly flow: "leaf" | "series" | "parallel" | "dag";
  readonly children: readonly OutlineNode[];
  /** The step that closes: aggregator or reviewer. */
  readonly closing: OutlineNode | undefined;
  /** Ids of nodes that must be done before. */
  readonly needs: readonly string[];
}

/** The steps of a flow as a tree. */
export function outlineFlow(plan: FlowPlan): OutlineNode {
  return outline(plan.workflow, plan, []);
}

function outline(step: StepPlan, plan: FlowPlan, needs: readonly string[]): OutlineNode {
  const base = { id: step.id, kind: step.kind, needs, closing: undefined };
  const inner = (steps: readonly StepPlan[]): OutlineNode[] => steps.map((child) => outline(child, plan, []));
  switch (step.kind) {
    case "agent": {
      const agent = plan.agents.get(step.agent);
      const subs = agent?.subAgents.map((sub) => sub.id) ?? [];
      const parts = [
        step.agent === step.id ? "" : step.agent,
        agent?.tools.length ? `tools: ${agent.tools.join(", ")}` : "",
        subs.length > 0 ? `sub-agents: ${subs.join(", ")}` : "",
        step.when === undefined ? "" : "conditional",
      ];
      return { ...base, note: parts.filter((part) => part !== "").join("; "), flow: "leaf", children: [] };
    }
    case "sequential":
      return { ...base, note: "", flow: "series", children: inner(step.steps) };
    case "parallel":
      return {
        ...base,
        note: `join ${step.join.kind === "all" ? "all" : step.join.word === "n" ? step.join.count : step.join.word}, at most ${step.maxConcurrency}`,
        flow: "parallel",
        children: inner(step.branches),
        closing: step.aggregator === undefined ? undefined : outline(step.aggregator, plan, []),
      };
    case "feedback":
      return {
        ...base,
        note: `at most ${step.maxIterations} rounds`,
        flow: "parallel",
        children: inner(step.produce),
        closing: outline(step.review, plan, []),
      };
    case "dag": {
      const ids = new Map(step.nodes.map((node) => [node.name, node.step.id]));
      return {
        ...base,
        note: "",
        flow: "dag",
        children: step.nodes.map((node) =>
          outline(
            node.step,
            plan,
            node.needs.map((name) => ids.get(name)!),
          ),
        ),
      };
    }
    case "branch":
      return {
        ...base,
        note: `${step.cases.length} ${step.cases.length === 1 ? "case" : "cases"}${step.otherwise === undefined ? "" : " and else"}`,
        flow: "parallel",
        children: inner([
          ...step.cases.map((item) => item.step),
          ...(step.otherwise === undefined ? [] : [step.otherwise]),
        ]),
      };
    case "loop":
      return { ...base, note: `at most ${step.maxIterations} times`, flow: "series", children: inner([step.body]) };
    case "foreach":
      return {
        ...base,
        note: `each ${step.as}, at most ${step.maxConcurrency} at once`,
        flow: "series",
        children: inner([step.body]),
      };
    case "subflow":
      return { ...base, note: step.flow.file, flow: "series", children: [outline(step.flow.workflow, step.flow, [])] };
    case "human":
      return { ...base, note: "asks a person", flow: "leaf", children: [] };
    case "delegate":
      return { ...base, note: `policy ${step.policy}; roster: ${step.roster.join(", ")}`, flow: "leaf", children: [] };
  }
}
