import type { Code } from "../../codes.ts";
import type { ConfigDocument, ConfigPath } from "../document.ts";
import { asList, asMap, asString, type Raw } from "../draft.ts";
import { nearestName } from "../nearest.ts";
import { makeProblem, type Problem, type ProblemDetails, type Range } from "../problem.ts";
import type { FlowSources } from "../sources.ts";

/** An agent as it stands in a file. */
export interface DraftAgent {
  readonly id: string;
  readonly raw: Raw;
  readonly document: ConfigDocument;
  readonly path: ConfigPath;
  readonly parent: DraftAgent | undefined;
  readonly children: DraftAgent[];
  /** Sub-agents that are named instead of written out. */
  readonly references: readonly { readonly id: string; readonly path: ConfigPath }[];
}

/** A model as it stands in a file. */
export interface DraftModel {
  readonly id: string;
  readonly raw: Raw;
  readonly document: ConfigDocument;
  readonly path: ConfigPath;
}

/** Everything named in a flow and its includes, and a place to report to. */
export class Names {
  readonly document: ConfigDocument;
  readonly models = new Map<string, DraftModel>();
  /** Agents of the top level. */
  readonly agents = new Map<string, DraftAgent>();
  /** Agents and sub-agents, in file order. */
  readonly allAgents: DraftAgent[] = [];
  readonly servers: Raw;
  /** Specialists of the catalog by id. */
  readonly catalog = new Map<string, Raw>();
  readonly problems: Problem[] = [];

  readonly #override: string | undefined;

  /** @param override model that stands in for the default of the file */
  constructor(sources: FlowSources, override?: string) {
    this.#override = override;
    this.document = sources.document;
    this.servers = asMap(sources.document.data.mcp_servers) ?? {};
    for (const document of [sources.document, ...sources.includes]) this.#collect(document);
    if (sources.catalog !== null) this.#collectCatalog(sources.catalog);
  }

  /** Default model: the override, else `provider`, or `default_model`, or the first. */
  get defaultModel(): string | undefined {
    return (
      (this.#override !== undefined && this.models.has(this.#override) ? this.#override : undefined) ??
      asString(this.document.data.provider) ??
      asString(this.document.data.default_model) ??
      this.models.keys().next().value
    );
  }

  report(code: Code, range: Range, message: string, details?: ProblemDetails): void {
    this.problems.push(makeProblem(code, range, message, details));
  }

  #collect(document: ConfigDocument): void {
    for (const [id, value] of Object.entries(asMap(document.data.models) ?? {})) {
      const raw = asMap(value);
      if (raw === undefined) continue;
      const path = ["models", id];
      const first = this.models.get(id);
      if (first === undefined) this.models.set(id, { id, raw, document, path });
      else this.#duplicate("model", id, document.keyRange(path), first.document.keyRange(first.path));
    }
    for (const [i, value] of asList(document.data.agents).entries()) {
      const agent = this.#agent(document, value, ["agents", i], undefined);
      if (agent !== undefined && !this.agents.has(agent.id)) this.agents.set(agent.id, agent);
    }
  }

  #collectCatalog(document: ConfigDocument): void {
    const places = new Map<string, ConfigPath>();
    for (const [i, value] of asList(document.data.specialists).entries()) {
      const raw = asMap(value);
      const id = asString(raw?.id);
      if (raw === undefined || id === undefined) continue;
      const path = ["specialists", i, "id"];
      const first = places.get(id);
      if (first !== undefined) this.#duplicate("specialist", id, document.valueRange(path), document.valueRange(first));
      places.set(id, path);
      this.catalog.set(id, raw);
      const agent = asString(raw.flow_agent);
      if (agent !== undefined && !this.agents.has(agent))
        this.report(
          "E203",
          document.valueRange(["specialists", i, "flow_agent"]),
          `specialists[${i}].flow_agent is "${agent}", which is not an agent.`,
          { suggestion: nearestName(agent, this.agents.keys()), known: [...this.agents.keys()] },
        );
    }
  }

  #agent(
    document: ConfigDocument,
    value: unknown,
    path: ConfigPath,
    parent: DraftAgent | undefined,
  ): DraftAgent | undefined {
    const raw = asMap(value);
    const id = asString(raw?.id);
    if (raw === undefined || id === undefined) return undefined;
    const subAgents = asList(raw.sub_agents);
    const references = subAgents.flatMap((entry, i) =>
      typeof entry === "string" ? [{ id: entry, path: [...path, "sub_agents", i] }] : [],
    );
    const agent: DraftAgent = { id, raw, document, path, parent, children: [], references };
    for (let above = parent; above !== undefined; above = above.parent) {
      if (above.id !== id) continue;
      this.report(
        "E228",
        document.valueRange([...path, "id"]),
        `The sub-agent "${id}" stands below an agent of the same id.`,
      );
      return agent;
    }
    const first = this.allAgents.find((known) => known.id === id);
    if (first !== undefined)
      this.#duplicate(
        "agent",
        id,
        document.valueRange([...path, "id"]),
        first.document.valueRange([...first.path, "id"]),
      );
    this.allAgents.push(agent);
    for (const [i, entry] of subAgents.entries()) {
      const child = this.#agent(document, entry, [...path, "sub_agents", i], agent);
      if (child !== undefined) agent.children.push(child);
    }
    return agent;
  }

  #duplicate(kind: string, id: string, range: Range, first: Range): void {
    this.report(
      "E209",
      range,
      `The ${kind} id "${id}" is used twice (first on line ${first.line}${first.file === range.file ? "" : ` of ${first.file}`}).`,
      {
        related: [{ file: first.file, line: first.line, column: first.column, message: "first used here" }],
      },
    );
  }
}
