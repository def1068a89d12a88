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

const agentId = z.string().min(1);
const expression = z.string().min(1).max(4_000);

const common = {
  id: idSchema.optional(),
  when: expression.optional().describe("Expression; false skips the step."),
  input: z.string().optional().describe("Template; default: the input of the run."),
  retry: retrySchema.optional(),
  timeout_ms: timeoutSchema.optional(),
  budget: budgetSchema.optional(),
  on_error: z
    .union([z.enum(["fail", "continue"]), z.strictObject({ use: z.string() }), z.strictObject({ agent: agentId })])
    .optional()
    .describe("What happens when the step failed for good."),
  save_as: idSchema.optional().describe("Keeps the output as vars.NAME."),
};

/** A step: an agent id, an agent step or a workflow of any type. */
const stepSchema: z.ZodType = z.lazy(() => z.union([z.string().min(1), agentStepSchema, workflowSchema]));

/** A step that runs one agent. */
const agentStepSchema = z
  .strictObject({
    agent: agentId,
    ...common,
    model: z.string().min(1).optional(),
    temperature: z.number().min(0).max(2).optional(),
    max_tokens: z.int().min(1).optional(),
    context: contextSchema.optional(),
  })
  .meta({ id: "agent_step" });

const feedbackKeys = {
  max_iterations: z.int().min(1).max(10).optional(),
  approval_keyword: z.string().min(1).max(100).optional(),
  feedback_targets: z.array(agentId).min(1).optional(),
  final_synthesis: z.boolean().optional(),
};

const concurrency = z.int().min(1).max(1_000).optional();
const steps = z.array(stepSchema).min(1);

const sequentialSchema = z.strictObject({ type: z.literal("sequential"), ...common, steps });

/** Named apart because an object literal with this key would look like a promise to linters. */
const AGGREGATOR_KEY = "then";

const parallelSchema = z.strictObject({
  type: z.literal("parallel"),
  ...common,
  branches: steps,
  [AGGREGATOR_KEY]: z
    .strictObject({
      agent: agentId,
      id: idSchema.optional(),
      input: z.string().optional(),
      feedback_loop: z.strictObject({ enabled: z.boolean().optional(), ...feedbackKeys }).optional(),
    })
    .optional(),
  join: z.union([z.enum(["all", "any", "quorum"]), z.strictObject({ n: z.int().min(1) })]).optional(),
  on_branch_error: z.enum(["fail_fast", "continue", "wait_all"]).optional(),
  max_concurrency: concurrency,
});

const feedbackSchema = z.strictObject({
  type: z.literal("feedback"),
  ...common,
  produce: steps,
  review: agentId,
  enabled: z.boolean().optional(),
  ...feedbackKeys,
  max_concurrency: concurrency,
});

const nodeSchema: z.ZodType = z.lazy(() =>
  z.union([
    z.string().min(1),
    withNeeds(agentStepSchema),
    z.discriminatedUnion("type", workflowVariants().map(withNeeds) as WorkflowVariants),
  ]),
);

const dagSchema = z.strictObject({
  type: z.literal("dag"),
  ...common,
  nodes: z.record(z.string(), nodeSchema).refine((nodes) => Object.keys(nodes).length > 0, { error: "empty-map" }),
  max_concurrency: concurrency,
});

const branchSchema = z.strictObject({
  type: z.literal("branch"),
  ...common,
  cases: z.array(z.strictObject({ when: expression, do: stepSchema })).min(1),
  else: stepSchema.optional(),
});

const loopSchema = z.strictObject({
  type: z.literal("loop"),
  ...common,
  do: stepSchema,
  until: expression,
  max_iterations: z.int().min(1).max(50).optional(),
});

const foreachSchema = z.strictObject({
  type: z.literal("foreach"),
  ...common,
  items: expression,
  as: idSchema.optional(),
  do: stepSchema,
  max_concurrency: concurrency,
  collect: idSchema.optional().describe("Keeps the list of outputs as vars.NAME."),
});

const subflowSchema = z.strictObject({ type: z.literal("subflow"), ...common, file: z.string().min(1) });

const humanSchema = z.strictObject({
  type: z.literal("human"),
  ...common,
  prompt: textSchema,
  schema: jsonSchemaSchema.optional(),
  default: z.unknown().optional(),
});

const delegateSchema = z.strictObject({
  type: z.literal("delegate"),
  ...common,
  roster: z.union([z.literal("catalog"), z.array(agentId).min(1)]),
  policy: z.string().min(1).optional().describe("greedy (default), all, random, or the path of a checkpoint."),
  max_steps: z.int().min(1).max(50).optional(),
  sla_ms: z.int().min(1).optional(),
});

type WorkflowVariants = [
  typeof sequentialSchema,
  typeof parallelSchema,
  typeof feedbackSchema,
  typeof dagSchema,
  typeof branchSchema,
  typeof loopSchema,
  typeof foreachSchema,
  typeof subflowSchema,
  typeof humanSchema,
  typeof delegateSchema,
];

function workflowVariants(): WorkflowVariants {
  return [
    sequentialSchema,
    parallelSchema,
    feedbackSchema,
    dagSchema,
    branchSchema,
    loopSchema,
    foreachSchema,
    subflowSchema,
    humanSchema,
    delegateSchema,
  ];
}

function withNeeds(schema: z.ZodObject): z.ZodObject {
  return schema.extend({ needs: z.array(z.string().min(1)).optional() });
}

/** A workflow of any type. */
export const workflowSchema = z.lazy(() => z.discriminatedUnion("type", workflowVariants())).meta({ id: "workflow" });

/** Types of workflow, in the order of the documentation. */
export const WORKFLOW_TYPES = [
  "sequential",
  "parallel",
  "feedback",
  "dag",
  "branch",
  "loop",
  "foreach",
  "subflow",
  "human",
  "delegate",
] as const;

/** A type of workflow. */
export type WorkflowType = (typeof WORKFLOW_TYPES)[number];
