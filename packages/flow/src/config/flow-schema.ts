import { z } from "zod";
import { agentSchema } from "./agent-schema.ts";
import {
  budgetSchema,
  contextSchema,
  idSchema,
  jsonSchemaSchema,
  rateLimitSchema,
  retrySchema,
  textSchema,
  timeoutSchema,
} from "./limits-schema.ts";
import { modelSchema } from "./model-schema.ts";
import { workflowSchema } from "./step-schema.ts";

const approval = z.enum(["always", "first", "never"]).optional().describe("Whether a person is asked before a call.");
const shared = { approval, idempotent: z.boolean().optional().describe("Whether a failed call may be tried again.") };

/** Settings of every built-in tool. */
export const TOOL_SCHEMAS = {
  filesystem: z.strictObject({
    ...shared,
    root: z
      .string()
      .min(1)
      .optional()
      .describe("Folder outside of which nothing is reached; default: that of the flow file."),
    allow: z
      .array(z.enum(["read", "write", "list", "exists", "delete"]))
      .optional()
      .describe("Default: read, list, exists."),
    extensions: z.array(z.string()).optional().describe("Allowed endings such as '.md'; '' allows names without one."),
    max_bytes: z
      .int()
      .min(1)
      .max(16 * 1_048_576)
      .optional(),
  }),
  code: z.strictObject({
    ...shared,
    timeout_ms: z.int().min(1).max(60_000).optional(),
    memory_mb: z.int().min(1).max(512).optional(),
  }),
  http_fetch: z.strictObject({
    ...shared,
    hosts: z.array(z.string().min(1)).optional().describe("Allowed hosts; '*.example.org' allows those below it."),
    allow_private: z.array(z.string().min(1)).optional().describe("Private addresses that may be reached."),
    max_bytes: z
      .int()
      .min(1)
      .max(16 * 1_048_576)
      .optional(),
    timeout_ms: z.int().min(1).max(600_000).optional(),
  }),
  web_search: z.strictObject({
    ...shared,
    adapter: z.enum(["brave"]).optional(),
    api_key_env: z.string().min(1).optional(),
    base_url: z.string().min(1).optional(),
    limit: z.int().min(1).max(20).optional(),
  }),
  calculator: z.strictObject({ ...shared }),
  json_query: z.strictObject({ ...shared }),
} as const;

/** Name of a built-in tool. */
export type BuiltInTool = keyof typeof TOOL_SCHEMAS;

const serverSchema = z
  .strictObject({
    command: z.string().min(1).optional(),
    args: z.array(z.string()).optional(),
    env: z.record(z.string(), z.string()).optional(),
    cwd: z.string().min(1).optional(),
    url: z.string().min(1).optional(),
    headers: z.record(z.string(), z.string()).optional(),
    timeout_ms: timeoutSchema.optional(),
    ...shared,
  })
  .refine((server) => (server.command === undefined) !== (server.url === undefined), { error: "one-of-command-url" })
  .describe("A tool server: 'command' starts one that speaks over stdio, 'url' names one on streamable HTTP.");

const memorySchema = z.strictObject({
  kind: z.enum(["local", "memory", "pinecone"]).optional(),
  dir: z.string().min(1).optional(),
  namespace: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, { error: "bad-id" })
    .optional(),
  embedder: z.enum(["hash384", "minilm", "openai_compatible"]).optional(),
  embedder_model: z
    .string()
    .min(1)
    .optional()
    .describe("For openai_compatible: a model id of this file whose server embeds."),
  dimension: z.int().min(1).max(8_192).optional(),
  max_records: z.int().min(1).optional(),
  ttl_days: z.number().positive().optional(),
  host: z.string().min(1).optional(),
  api_key: z.string().min(1).optional(),
  api_key_env: z.string().min(1).optional(),
});

const pineconeSchema = z.strictObject({
  api_key: z.string().min(1).optional(),
  api_key_env: z.string().min(1).optional(),
  host: z.string().min(1).optional(),
  index: z.string().min(1).optional(),
  namespace: z.string().min(1).optional(),
  dimension: z.int().min(1).optional(),
});

const toolsSchema = z.strictObject(
  Object.fromEntries(Object.entries(TOOL_SCHEMAS).map(([name, schema]) => [name, schema.nullable().optional()])),
);

const shareable = {
  models: z.record(z.string(), modelSchema),
  agents: z.array(agentSchema).min(1),
};

/** The whole flow file. Keys are those of the file, in snake_case. */
export const flowSchema = z
  .strictObject({
    version: z.literal(1).optional(),
    name: z.string().min(1).max(200).optional(),
    description: z.string().optional(),
    include: z.array(z.string().min(1)).optional().describe("Files whose models, agents and tools are added."),
    // Required, but an included file may bring them: their absence is looked at once all files are read.
    models: shareable.models.optional(),
    agents: shareable.agents.optional(),
    provider: z.string().min(1).optional().describe("Default model; else the first."),
    default_model: z.string().min(1).optional().describe("Same as provider."),
    workflow: workflowSchema,
    tools: toolsSchema.optional(),
    tool_config: toolsSchema.optional().describe("Same as tools."),
    mcp_servers: z.record(z.string(), serverSchema).optional(),
    memory: memorySchema.optional(),
    pinecone_config: pineconeSchema.optional().meta({ deprecated: true }),
    defaults: z
      .strictObject({
        retry: retrySchema.optional(),
        timeout_ms: timeoutSchema.optional(),
        temperature: z.number().min(0).max(2).optional(),
        max_tokens: z.int().min(1).optional(),
        context: contextSchema.optional(),
      })
      .optional(),
    budgets: budgetSchema.optional(),
    rate_limits: z.record(z.string(), rateLimitSchema).optional(),
    outputs: z.record(z.string(), z.string().min(1)).optional(),
    catalog: z.string().min(1).optional(),
    input: jsonSchemaSchema.optional(),
  })
  .meta({ title: "Praxis flow" });

/** A file named under `include`. */
export const includeSchema = z.strictObject({
  version: z.literal(1).optional(),
  models: shareable.models.optional(),
  agents: shareable.agents.optional(),
  tools: toolsSchema.optional(),
  tool_config: toolsSchema.optional(),
});

/** A specialist catalog, as named under `catalog`; what only simulations use is let through. */
export const catalogSchema = z.strictObject({
  version: z.literal(1).optional(),
  sector: z.string().optional(),
  contradiction_pairs: z.array(z.array(z.string()).length(2)).optional(),
  defaults: z.record(z.string(), z.unknown()).optional(),
  specialists: z
    .array(
      z.strictObject({
        id: idSchema,
        role: textSchema,
        description: textSchema,
        complexity_affinity: z.array(z.string()).optional(),
        avg_latency_ms: z.number().min(0).optional(),
        cost_per_call: z.number().min(0).optional(),
        fallback_to: z.array(z.string()).optional(),
        flow_agent: z.string().optional(),
        profile: z.record(z.string(), z.unknown()).optional(),
      }),
    )
    .min(1),
});

/** JSON Schema of the flow file, for completion in editors; keys that begin with `x-` are free. */
export function flowJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(flowSchema, {
    io: "input",
    target: "draft-7",
    unrepresentable: "any",
    reused: "inline",
  }) as Record<string, unknown>;
  return freeKeys(schema) as Record<string, unknown>;
}

function freeKeys(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(freeKeys);
  if (typeof node !== "object" || node === null) return node;
  const result = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, freeKeys(value)]));
  return result.additionalProperties === false && result.type === "object"
    ? { ...result, patternProperties: { "^x-": {} } }
    : result;
}
