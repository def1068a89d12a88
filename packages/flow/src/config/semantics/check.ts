import { DEFAULT_MEMORY_DIR, DEFAULT_NAMESPACE } from "../defaults.ts";
import { asMap, asString, type DraftStep, draftWorkflow } from "../draft.ts";
import type { Environment } from "../environment.ts";
import type { Problem } from "../problem.ts";
import type { FlowFiles, FlowSources } from "../sources.ts";
import { checkAgents, checkSchemaAt } from "./agents.ts";
import { Names } from "./collect.ts";
import { checkModels } from "./models.ts";
import { computeReach } from "./reach.ts";
import { checkWorkflow } from "./workflow.ts";

/** What the checks of meaning need beside the file. */
export interface MeaningOptions {
  readonly env: Environment;
  /** Names of tools that the host hands in. */
  readonly hostTools: readonly string[];
  /** Length of the vectors of each embedder that the host hands in. */
  readonly embedderDimensions: Readonly<Record<string, number>>;
  /** What filled a namespace of local memory. */
  readonly memoryHead: NonNullable<FlowFiles["memoryHead"]>;
  /** A limit on money from outside the file. */
  readonly limitsMoney: boolean;
  /** Model that stands in for the default of the file. */
  readonly model: string | undefined;
}

/** Checks of meaning over one flow file and its includes; subflows are checked by themselves. */
export function checkMeaning(
  sources: FlowSources,
  options: MeaningOptions,
): { readonly problems: readonly Problem[]; readonly names: Names; readonly root: DraftStep | undefined } {
  const names = new Names(sources, options.model);
  const root = draftWorkflow(sources.document);
  for (const [key, what, found] of [
    ["models", "map", names.models.size],
    ["agents", "list", names.agents.size],
  ] as const)
    if (found === 0 && sources.document.data[key] === undefined)
      names.report("E201", sources.document.keyRange([key]), `'${key}' (${what}) is missing.`);
  checkAgents(names, options.hostTools);
  if (root !== undefined) checkWorkflow(names, root);
  const reach = root === undefined || names.agents.size === 0 ? undefined : computeReach(names, root);
  checkModels(names, reach, root, options.env, options.limitsMoney);
  const { document } = names;
  const input = asMap(document.data.input);
  if (input !== undefined) checkSchemaAt(names, document, ["input"], input);
  checkMemory(names, options);
  if (document.data.pinecone_config !== undefined)
    names.report(
      "W305",
      document.keyRange(["pinecone_config"]),
      "'pinecone_config' is read as 'memory: { kind: pinecone, … }'; write that.",
    );
  if (reach !== undefined)
    for (const agent of names.agents.values())
      if (!reach.agents.has(agent.id))
        names.report("W302", agent.document.valueRange([...agent.path, "id"]), `No step uses the agent "${agent.id}".`);
  return { problems: names.problems, names, root };
}

function checkMemory(names: Names, options: MeaningOptions): void {
  const memory = asMap(names.document.data.memory);
  const embedder = asString(memory?.embedder) ?? "hash384";
  const wanted = memory?.dimension;
  const has = options.embedderDimensions[embedder];
  if (has === undefined) return;
  if (typeof wanted === "number" && wanted !== has) {
    names.report(
      "E242",
      names.document.valueRange(["memory", "dimension"]),
      `The store has vectors of length ${wanted}, the embedder ${embedder} makes ${has}; nothing is deleted to make them fit.`,
    );
    return;
  }
  const kind = asString(memory?.kind) ?? "local";
  if (memory === undefined || kind !== "local") return;
  const namespace = asString(memory.namespace) ?? DEFAULT_NAMESPACE;
  const head = options.memoryHead(names.document.file, asString(memory.dir) ?? DEFAULT_MEMORY_DIR, namespace);
  if (head === undefined) return;
  // Hosts may name their embedders as they like: of other names only the length tells.
  const isOther = head.embedder !== embedder && Object.hasOwn(options.embedderDimensions, head.embedder);
  if (head.dimension === has && !isOther) return;
  names.report(
    "E242",
    names.document.keyRange(["memory"]),
    `The memory '${namespace}' was filled by the embedder ${head.embedder} (vectors of length ${head.dimension}), not by ${embedder} (${has}); use that embedder or another namespace.`,
  );
}
