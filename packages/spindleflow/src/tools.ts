import { type EnvTool, PraxisError, type StepResult, type ToolContext } from "@praxis/env";
import { z } from "zod";
import type { SpindleFlowAction } from "./action.ts";
import type { SpindleFlowEnv } from "./env.ts";
import { META_ACTIONS, MODES } from "./names.ts";
import type { SpindleFlowObservation } from "./observation.ts";

type Context = ToolContext<SpindleFlowAction, SpindleFlowObservation>;

/** Adds the types of one tool; its arguments are those of its own schema. */
function tool<Arguments>(
  definition: Omit<EnvTool<SpindleFlowEnv, Arguments>, "call"> & {
    call(args: Arguments, context: Context): unknown;
  },
): EnvTool<SpindleFlowEnv> {
  const { name, description, readOnly } = definition;
  return {
    name,
    description,
    readOnly,
    input: definition.input as z.ZodType<Record<string, unknown>>,
    examples: (definition.examples ?? []) as readonly Record<string, unknown>[],
    call: (_env, args, context) => definition.call(args as Arguments, context as Context),
  };
}

/** What a language model needs to know after an action: no vectors, no truth. */
function told({ observation, reward, terminated, truncated, info }: StepResult<SpindleFlowObservation>) {
  return {
    reward,
    done: terminated || truncated,
    violations: observation.violations,
    task_ended: info.taskEnded ?? null,
    calls: info.calls,
    ...situation(observation),
  };
}

function situation({ summary, action_mask }: SpindleFlowObservation) {
  return {
    ...summary,
    legal: META_ACTIONS.filter((_, i) => action_mask.meta[i]),
    callable_slots: action_mask.slots.flatMap((is, slot) => (is ? [slot] : [])),
    possible_leads: action_mask.leads.flatMap((is, slot) => (is ? [slot] : [])),
  };
}

async function act(context: Context, action: SpindleFlowAction) {
  if ("terminated" in context.last && (context.last.terminated || context.last.truncated))
    throw new PraxisError("RESET_NEEDED", "The shift has ended. Begin another episode.");
  return told(await context.step(action));
}

const slotList = z.array(z.int().min(0).max(7)).min(1).max(8).describe("slots in order of execution");

/** Tools by which a language model plays the same environment as a policy on vectors. */
export const SPINDLEFLOW_TOOLS: readonly EnvTool<SpindleFlowEnv>[] = [
  tool({
    name: "list_specialists",
    description:
      "The task in hand, the roster with each specialist's own words and status, and what is legal now. Costs nothing.",
    input: z.strictObject({}),
    readOnly: true,
    examples: [{}],
    call: (_args, context) => situation(context.last.observation),
  }),
  tool({
    name: "delegate",
    description:
      "Call the named slots in a mode. style 'call': whole task; 'split': each gets a part, in parallel; 'consult': the first slot leads and consults the others.",
    input: z.strictObject({
      slots: slotList,
      mode: z.enum(MODES).optional().describe("for style 'call'; default sequential"),
      style: z.enum(["call", "split", "consult"]).optional(),
    }),
    readOnly: false,
    examples: [{ slots: [0], mode: "iterative" }],
    call: ({ slots, mode = "sequential", style = "call" }, context) => {
      const meta = { call: "callSpecialist", split: "parallelSpawn", consult: "delegateSubtask" }[style];
      return act(context, { meta, slots, mode });
    },
  }),
  tool({
    name: "mediate",
    description: "Settle unresolved conflicts between outputs; takes time.",
    input: z.strictObject({}),
    readOnly: false,
    call: (_args, context) => act(context, { meta: "callMediator" }),
  }),
  tool({
    name: "clarify",
    description: "Ask the requester what the task leaves unsaid; disturbs them a little and takes time.",
    input: z.strictObject({}),
    readOnly: false,
    call: (_args, context) => act(context, { meta: "clarifyTask" }),
  }),
  tool({
    name: "retry",
    description: "Hand the oldest failed call to a substitute.",
    input: z.strictObject({}),
    readOnly: false,
    call: (_args, context) => act(context, { meta: "retryFailed" }),
  }),
  tool({
    name: "stop",
    description: "Hand in the team's output as it stands; the next task of the shift begins.",
    input: z.strictObject({}),
    readOnly: false,
    call: (_args, context) => act(context, { meta: "stop" }),
  }),
];
