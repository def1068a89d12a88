import { RE2JS } from "re2js";
import type { ConfigDocument, ConfigPath } from "../document.ts";
import { asList, asMap, asString, type Raw } from "../draft.ts";
import { type BuiltInTool, TOOL_SCHEMAS } from "../flow-schema.ts";
import { findSchemaFault } from "../json-schema.ts";
import { nearestName } from "../nearest.ts";
import { pathText } from "../schema-problems.ts";
import type { DraftAgent, Names } from "./collect.ts";

/** Checks agents: references to agents, models and tools, delegation, schemas, guardrails. */
export function checkAgents(names: Names, hostTools: readonly string[]): void {
  for (const agent of names.allAgents) {
    checkModelReference(names, agent.document, [...agent.path, "model"], asString(agent.raw.model));
    checkModelReference(
      names,
      agent.document,
      [...agent.path, "context", "summary_model"],
      asString(asMap(agent.raw.context)?.summary_model),
    );
    const fallback = asString(agent.raw.fallback_agent);
    if (fallback !== undefined) checkAgentReference(names, agent.document, [...agent.path, "fallback_agent"], fallback);
    for (const key of ["tools", "mcpTools"])
      for (const [i, tool] of asList(agent.raw[key]).entries())
        if (typeof tool === "string") checkTool(names, agent.document, [...agent.path, key, i], tool, hostTools);
    checkToolConfig(names, agent);
    const schema = asMap(asMap(agent.raw.output)?.schema);
    if (schema !== undefined) checkSchemaAt(names, agent.document, [...agent.path, "output", "schema"], schema);
    checkGuardrails(names, agent, hostTools);
  }
  checkDelegation(names);
}

/** Reports E203 for an id that is no agent of the top level. */
export function checkAgentReference(names: Names, document: ConfigDocument, path: ConfigPath, id: string): boolean {
  if (names.agents.has(id) || names.agents.size === 0) return names.agents.has(id);
  const known = [...names.agents.keys()];
  const inner = names.allAgents.find((agent) => agent.id === id);
  const why =
    inner === undefined
      ? "which is not an agent"
      : `which is a sub-agent of "${inner.parent?.id}"; a step runs agents of the top level`;
  names.report("E203", document.valueRange(path), `${pathText(path)} is "${id}", ${why}.`, {
    suggestion: nearestName(id, known),
    known,
  });
  return false;
}

/** Reports E204 for an id that is no model. */
export function checkModelReference(
  names: Names,
  document: ConfigDocument,
  path: ConfigPath,
  id: string | undefined,
): void {
  if (id === undefined || names.models.has(id) || names.models.size === 0) return;
  const known = [...names.models.keys()];
  names.report("E204", document.valueRange(path), `${pathText(path)} is "${id}", which is not a model.`, {
    suggestion: nearestName(id, known),
    known,
  });
}

/** Reports E233 for a schema that is not one. */
export function checkSchemaAt(names: Names, document: ConfigDocument, path: ConfigPath, schema: Raw): void {
  const fault = findSchemaFault(schema);
  if (fault !== null)
    names.report(
      "E233",
      document.valueRange([...path, ...fault.path]),
      `${pathText([...path, ...fault.path])} is not a valid JSON Schema: ${fault.message}.`,
    );
}

/** Reports E205 for a tool, server or tool of a server that is not known. */
function checkTool(
  names: Names,
  document: ConfigDocument,
  path: ConfigPath,
  tool: string,
  hostTools: readonly string[],
): void {
  const servers = Object.keys(names.servers);
  const slash = tool.indexOf("/");
  if (slash > 0) {
    const server = tool.slice(0, slash);
    if (servers.includes(server)) return;
    names.report(
      "E205",
      document.valueRange(path),
      `${pathText(path)} is "${tool}", but there is no server "${server}" under mcp_servers.`,
      { suggestion: nearestName(server, servers), known: servers },
    );
    return;
  }
  const known = [...Object.keys(TOOL_SCHEMAS), ...hostTools];
  if (known.includes(tool) || servers.includes(tool)) return;
  names.report(
    "E205",
    document.valueRange(path),
    `${pathText(path)} is "${tool}", which is not a tool; a tool of a server is written server/tool.`,
    {
      suggestion: nearestName(tool, [...known, ...servers]),
      known: [...known, ...servers.map((server) => `${server}/*`)],
    },
  );
}

function checkToolConfig(names: Names, agent: DraftAgent): void {
  const base = { ...asMap(names.document.data.tool_config), ...asMap(names.document.data.tools) };
  for (const [tool, value] of Object.entries(asMap(agent.raw.tool_config) ?? {})) {
    const path = [...agent.path, "tool_config", tool];
    const schema = TOOL_SCHEMAS[tool as BuiltInTool];
    if (schema === undefined) {
      const known = Object.keys(TOOL_SCHEMAS);
      names.report(
        "E205",
        agent.document.keyRange(path),
        `${pathText(path)} sets up "${tool}", which is not a built-in tool.`,
        { suggestion: nearestName(tool, known), known },
      );
      continue;
    }
    for (const [key, wanted] of Object.entries(asMap(value) ?? {})) {
      if (!Object.hasOwn(schema.shape, key)) {
        const known = Object.keys(schema.shape);
        names.report(
          "E206",
          agent.document.keyRange([...path, key]),
          `'${key}' is not a setting of the tool ${tool}.`,
          { suggestion: nearestName(key, known), known },
        );
        continue;
      }
      const fault = widens(asMap(base[tool])?.[key], wanted);
      if (fault !== undefined)
        names.report(
          "E208",
          agent.document.valueRange([...path, key]),
          `${pathText([...path, key])} may only narrow the tool's settings: ${fault}.`,
        );
    }
  }
}

function widens(base: unknown, wanted: unknown): string | undefined {
  if (base === undefined) return undefined;
  if (typeof base === "number" && typeof wanted === "number" && wanted > base) return `${wanted} is above ${base}`;
  if (Array.isArray(base) && Array.isArray(wanted)) {
    const extra = wanted.find((item) => !base.includes(item));
    return extra === undefined ? undefined : `"${String(extra)}" is not among ${base.join(", ")}`;
  }
  return undefined;
}

function checkGuardrails(names: Names, agent: DraftAgent, hostTools: readonly string[]): void {
  const guardrails = asMap(agent.raw.guardrails);
  for (const side of ["input", "output"]) {
    for (const [i, entry] of asList(guardrails?.[side]).entries()) {
      const path = [...agent.path, "guardrails", side, i];
      if (typeof entry === "string") {
        if (entry !== "no_secrets") checkTool(names, agent.document, path, entry, hostTools);
        continue;
      }
      const raw = asMap(entry);
      const schema = asMap(raw?.json_schema);
      if (schema !== undefined) checkSchemaAt(names, agent.document, [...path, "json_schema"], schema);
      const pattern = asString(raw?.regex_deny);
      if (pattern !== undefined) checkPattern(names, agent.document, [...path, "regex_deny"], pattern);
    }
  }
}

function checkPattern(names: Names, document: ConfigDocument, path: ConfigPath, pattern: string): void {
  try {
    RE2JS.compile(pattern);
  } catch (error) {
    names.report(
      "E231",
      document.valueRange(path),
      `${pathText(path)} is not a valid pattern (RE2 syntax): ${(error as Error).message}.`,
    );
  }
}

const DEFAULT_DEPTH = 2;

/** Cycles through named sub-agents (E228) and nesting beyond each agent's limit (E229). */
function checkDelegation(names: Names): void {
  const cyclic = new Set<string>();
  for (const agent of names.allAgents) {
    for (const reference of agent.references) {
      if (!names.agents.has(reference.id)) {
        checkAgentReference(names, agent.document, reference.path, reference.id);
        continue;
      }
      const way = wayTo(names, reference.id, agent, [reference.id]);
      if (way === undefined) continue;
      cyclic.add(agent.id);
      names.report(
        "E228",
        agent.document.valueRange(reference.path),
        `Delegation comes back to its beginning: ${[agent.id, ...way].join(" → ")}.`,
      );
    }
  }
  if (cyclic.size > 0) return;
  for (const agent of names.agents.values()) {
    const limit = typeof agent.raw.max_delegation_depth === "number" ? agent.raw.max_delegation_depth : DEFAULT_DEPTH;
    const deep = deeperThan(names, agent, limit);
    if (deep !== undefined)
      names.report(
        "E229",
        deep.document.valueRange([...deep.path, "id"]),
        `The sub-agent "${deep.id}" is nested deeper below "${agent.id}" than its max_delegation_depth of ${limit}.`,
      );
  }
}

function subAgentsOf(names: Names, agent: DraftAgent): DraftAgent[] {
  return [...agent.children, ...agent.references.flatMap((reference) => names.agents.get(reference.id) ?? [])];
}

function rootOf(agent: DraftAgent): DraftAgent {
  return agent.parent === undefined ? agent : rootOf(agent.parent);
}

/** Ids from `from` to the agent that is looked for (or the one it stands under), if delegation leads there. */
function wayTo(
  names: Names,
  from: string,
  target: DraftAgent,
  way: readonly string[],
  seen: Set<string> = new Set(),
): readonly string[] | undefined {
  const root = rootOf(target);
  if (from === root.id) return way;
  if (seen.has(from)) return undefined;
  seen.add(from);
  const visit = (agent: DraftAgent, so: readonly string[]): readonly string[] | undefined => {
    for (const child of agent.children) {
      const found = visit(child, [...so, child.id]);
      if (found !== undefined) return found;
    }
    for (const reference of agent.references) {
      const found = wayTo(names, reference.id, target, [...so, reference.id], seen);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const agent = names.agents.get(from);
  return agent === undefined ? undefined : visit(agent, way);
}

function deeperThan(names: Names, agent: DraftAgent, limit: number): DraftAgent | undefined {
  for (const child of subAgentsOf(names, agent)) {
    if (limit === 0) return child;
    const found = deeperThan(names, child, limit - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
