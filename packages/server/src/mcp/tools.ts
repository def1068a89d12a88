import { didYouMean, type EnvDefinition, type EnvTool, PraxisError, type ServerMode, toPraxisError } from "@praxis/env";
import { z } from "zod";
import { notAnObject } from "../action.ts";
import { parseLax } from "../lax-parse.ts";

/** Calls that belong to the trainer; no tool may bear their names, in any case. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(["reset", "step", "state", "close"]);
/** Names that every MCP client accepts (MCP 2025-11-25, tool names). */
const NAME_PATTERN = /^[A-Za-z0-9_.-]{1,128}$/;

/** JSON Schema of a tool's arguments; always of type object. */
type ToolInputSchema = { readonly type: "object" } & Readonly<Record<string, unknown>>;

/** A tool as it is published. */
export interface ToolListing {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: ToolInputSchema;
  readonly annotations: { readonly title?: string; readonly readOnlyHint: boolean };
}

/** The tools of an environment that one mode offers. */
export interface ToolSet {
  /** False for an environment that declares no tool at all, whatever the mode. */
  readonly isSupported: boolean;
  /** In the order of the definition. */
  readonly listings: readonly ToolListing[];
  find(name: string): EnvTool | undefined;
}

function describeTool(tool: EnvTool): ToolListing {
  const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(tool.input, { io: "input" });
  if (inputSchema.type !== "object")
    throw new PraxisError("INVALID_CONFIG", `The input of tool '${tool.name}' must be an object schema.`);
  const title = tool.title === undefined ? {} : { title: tool.title };
  return {
    name: tool.name,
    ...title,
    description: tool.description,
    inputSchema: { ...inputSchema, type: "object" },
    annotations: { ...title, readOnlyHint: tool.readOnly },
  };
}

/**
 * Checks the tools of an environment before it is served. Throws INVALID_CONFIG for a reserved, repeated or unusable name,
 * an empty description (clients drop a whole list for one), and an input that JSON Schema can't express as an object.
 */
export function checkTools(definition: EnvDefinition): void {
  const refuse = (tool: EnvTool, why: string, cause?: unknown): PraxisError =>
    new PraxisError("INVALID_CONFIG", `Tool '${tool.name}' of '${definition.id}' ${why}`, { cause });
  const names = new Set<string>();
  for (const tool of definition.tools ?? []) {
    const name = tool.name.toLowerCase();
    if (RESERVED_NAMES.has(name))
      throw refuse(tool, `bears a reserved name: ${[...RESERVED_NAMES].join(", ")} belong to the trainer. Rename it.`);
    if (!NAME_PATTERN.test(tool.name)) throw refuse(tool, "needs a name of 1 to 128 letters, digits, '_', '-' or '.'.");
    if (names.has(name)) throw refuse(tool, "is declared twice (case is ignored).");
    names.add(name);
    if (tool.description.trim() === "") throw refuse(tool, "needs a description.");
    try {
      describeTool(tool);
    } catch (cause) {
      throw refuse(tool, "needs an input schema that JSON Schema can express as an object.", cause);
    }
  }
}

const toolSets = new WeakMap<EnvDefinition, Map<ServerMode, ToolSet>>();

/** The tools that `mode` offers. A tool of the other mode is not listed and not found. */
export function toolsOf(definition: EnvDefinition, mode: ServerMode): ToolSet {
  let byMode = toolSets.get(definition);
  if (byMode === undefined) {
    byMode = new Map();
    toolSets.set(definition, byMode);
  }
  let set = byMode.get(mode);
  if (set === undefined) {
    const all = definition.tools ?? [];
    const offered = all.filter((tool) => tool.modes === undefined || tool.modes.includes(mode));
    const byName = new Map(offered.map((tool) => [tool.name, tool]));
    set = {
      isSupported: all.length > 0,
      listings: offered.map(describeTool),
      find: (name) => byName.get(name),
    };
    byMode.set(mode, set);
  }
  return set;
}

/** What to say of a name that no tool of `set` bears. */
export function unknownToolMessage(name: string, set: ToolSet): string {
  const names = set.listings.map((tool) => tool.name);
  return `Unknown tool '${name}'.${didYouMean(name, names)} Tools: ${names.join(", ") || "none"}.`;
}

/**
 * The arguments of a call as the tool's schema reads them, with the same leniency as actions; left out or null counts as
 * none given. Throws VALIDATION_ERROR with one entry per field.
 */
export function parseToolArguments(tool: EnvTool, given: unknown): Record<string, unknown> {
  const input = given ?? {};
  try {
    if (typeof input !== "object" || Array.isArray(input)) throw notAnObject(input, ["arguments"], input);
    return parseLax(tool.input, input);
  } catch (cause) {
    const { code, message, fields } = toPraxisError(cause);
    throw new PraxisError(code, `Invalid arguments for tool '${tool.name}': ${message}`, { fields, cause });
  }
}
