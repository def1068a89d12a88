import { z } from "zod";
import {
  budgetSchema,
  contextSchema,
  idSchema,
  jsonSchemaSchema,
  retrySchema,
  textSchema,
  timeoutSchema,
} from "./limits-schema.ts";

/** A check of text: a built-in one or the name of a tool that answers `{ ok, reason }`. */
const guardrailSchema = z.union([
  z.string().min(1),
  z.strictObject({ max_length: z.int().min(1) }),
  z.strictObject({ regex_deny: z.string().min(1) }),
  z.strictObject({ json_schema: jsonSchemaSchema }),
]);

const agentShape = {
  id: idSchema,
  role: textSchema,
  goal: textSchema,
  instructions: z.string().max(32_000).optional().describe("Appended to the system prompt."),
  model: z.string().min(1).optional(),
  temperature: z.number().min(0).max(2).optional(),
  max_tokens: z.int().min(1).optional(),
  tools: z.array(z.string().min(1)).optional().describe("Tool names, or server/tool, or server/*."),
  mcpTools: z.array(z.string().min(1)).optional().describe("Same as tools."),
  tool_config: z
    .record(z.string(), z.record(z.string(), z.unknown()))
    .optional()
    .describe("Settings of tools for this agent; they may only narrow."),
  max_tool_calls: z.int().min(0).max(200).optional().describe("Per run of the agent; default 10."),
  delegation_strategy: z.enum(["auto", "sequential", "parallel", "learned"]).optional(),
  max_delegation_depth: z.int().min(1).max(4).optional().describe("Default 2."),
  skip_synthesis_if_single: z.boolean().optional(),
  enable_persistent_memory: z.boolean().optional().describe("Same as memory: { read: true, write: true }."),
  memory: z
    .strictObject({
      read: z.boolean().optional(),
      write: z.boolean().optional(),
      top_k: z.int().min(1).max(100).optional(),
      min_score: z.number().min(-1).max(1).optional(),
      scope: z.enum(["namespace", "agent"]).optional(),
    })
    .optional(),
  context: contextSchema.optional(),
  output: z.strictObject({ schema: jsonSchemaSchema, repair: z.int().min(0).max(3).optional() }).optional(),
  retry: retrySchema.optional(),
  timeout_ms: timeoutSchema.optional(),
  budget: budgetSchema.optional(),
  guardrails: z
    .strictObject({ input: z.array(guardrailSchema).optional(), output: z.array(guardrailSchema).optional() })
    .optional(),
  fallback_agent: z.string().min(1).optional(),
};

/** A sub-agent: an agent with a speciality and phrases that call for it. */
const subAgentSchema = z
  .strictObject({
    ...agentShape,
    specialization: z.string().min(1).max(8_000).optional(),
    trigger_conditions: z
      .array(z.string().min(1))
      .optional()
      .describe("Phrases, whole words, upper and lower case alike."),
    get sub_agents() {
      return z.array(subAgentEntrySchema).optional();
    },
  })
  .meta({ id: "sub_agent" });

/** A sub-agent, or the id of an agent of the file. */
const subAgentEntrySchema: z.ZodType = z.union([z.string().min(1), z.lazy(() => subAgentSchema)]);

/** An agent. */
export const agentSchema = z
  .strictObject({
    ...agentShape,
    specialization: z.string().min(1).max(8_000).optional(),
    sub_agents: z.array(subAgentEntrySchema).optional(),
  })
  .meta({ id: "agent" });
