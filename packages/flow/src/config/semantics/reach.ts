import { allSteps, asList, asMap, asString, type DraftStep } from "../draft.ts";
import type { DraftAgent, Names } from "./collect.ts";

/** What a workflow can come to use. */
export interface Reach {
  /** Agents by id, sub-agents and fallbacks included. */
  readonly agents: ReadonlyMap<string, DraftAgent>;
  readonly models: ReadonlySet<string>;
  readonly servers: ReadonlySet<string>;
}

/** Follows steps, sub-agents, fallbacks and tools to everything that a run may need. */
export function computeReach(names: Names, root: DraftStep): Reach {
  const agents = new Map<string, DraftAgent>();
  const models = new Set<string>();
  const servers = new Set<string>();

  const addModel = (id: string | undefined): void => {
    if (id === undefined || models.has(id)) return;
    models.add(id);
    for (const next of asList(names.models.get(id)?.raw.fallback)) addModel(asString(next));
  };
  const addTool = (tool: string): void => {
    const server = tool.includes("/") ? tool.slice(0, tool.indexOf("/")) : tool;
    if (Object.hasOwn(names.servers, server)) servers.add(server);
  };
  const addAgent = (agent: DraftAgent | undefined): void => {
    if (agent === undefined || agents.has(agent.id)) return;
    agents.set(agent.id, agent);
    addModel(asString(agent.raw.model) ?? names.defaultModel);
    addModel(asString(asMap(agent.raw.context)?.summary_model));
    for (const key of ["tools", "mcpTools"])
      for (const tool of asList(agent.raw[key])) if (typeof tool === "string") addTool(tool);
    for (const side of ["input", "output"])
      for (const rule of asList(asMap(agent.raw.guardrails)?.[side])) if (typeof rule === "string") addTool(rule);
    for (const child of agent.children) addAgent(child);
    for (const reference of agent.references) addAgent(names.agents.get(reference.id));
    addAgent(names.agents.get(asString(agent.raw.fallback_agent) ?? ""));
  };
  for (const step of allSteps(root)) {
    if (step.agent !== undefined) addAgent(names.agents.get(step.agent));
    addModel(asString(step.raw.model));
    addModel(asString(asMap(step.raw.context)?.summary_model));
    addAgent(names.agents.get(asString(asMap(step.raw.on_error)?.agent) ?? ""));
    if (step.kind === "delegate" && step.raw.roster === "catalog") {
      addModel(names.defaultModel);
      for (const specialist of names.catalog.values())
        addAgent(names.agents.get(asString(specialist.flow_agent) ?? ""));
    }
    if (step.kind === "delegate")
      for (const id of asList(step.raw.roster)) addAgent(names.agents.get(asString(id) ?? ""));
  }
  addModel(asString(asMap(names.document.data.memory)?.embedder_model));
  return { agents, models, servers };
}
