import {
  type EnvDefinition,
  encodeResult,
  type MaybePromise,
  type PraxisError,
  type StepResult,
  type WireStep,
} from "@praxis/env";
import { z } from "zod";
import { actionJsonSchema, isRecord, objectForms } from "../action.ts";
import type { ServerContext } from "../context.ts";
import { internalError } from "../error-body.ts";
import { parseLax } from "../lax-parse.ts";
import type { Session } from "../session.ts";
import { settle } from "./settle.ts";
import { answerOf, openEnvToolResult } from "./tool-result.ts";
import { parseToolArguments, toolsOf, unknownToolMessage } from "./tools.ts";

const listToolsSchema = z.strictObject({
  type: z.literal("list_tools"),
  metadata: z.record(z.string(), z.unknown()).optional(),
});
const callToolSchema = z.strictObject({
  type: z.literal("call_tool"),
  tool_name: z.string(),
  arguments: z.record(z.string(), z.unknown()).default({}),
  metadata: z.record(z.string(), z.unknown()).optional(),
});

/** The only kinds of failure that OpenEnv's clients can read; any other value makes them throw. */
type ToolErrorType = "execution_error" | "invalid_args" | "transport_error" | "tool_not_found" | "timeout";

type ToolStepType = "list_tools" | "call_tool";
const isToolStepType = (type: unknown): type is ToolStepType => type === "list_tools" || type === "call_tool";

const ownTypes = new WeakMap<EnvDefinition, Map<ToolStepType, boolean>>();

/** True if the environment's own action schema has actions of that type. */
function definesType(definition: EnvDefinition, type: ToolStepType): boolean {
  let known = ownTypes.get(definition);
  if (known === undefined) {
    known = new Map();
    ownTypes.set(definition, known);
  }
  let defines = known.get(type);
  if (defines === undefined) {
    defines = objectForms(actionJsonSchema(definition)).some((form) => {
      const declared = isRecord(form.properties) ? form.properties.type : undefined;
      if (!isRecord(declared)) return false;
      if ("const" in declared) return declared.const === type;
      return !Array.isArray(declared.enum) || declared.enum.includes(type);
    });
    known.set(type, defines);
  }
  return defines;
}

/**
 * True for an action that lists or calls tools through the step API, where the environment has tools and doesn't use the
 * action's `type` itself.
 */
export function isToolStep(action: unknown, context: ServerContext): boolean {
  if (!isRecord(action) || !isToolStepType(action.type)) return false;
  return toolsOf(context.definition, context.mode).isSupported && !definesType(context.definition, action.type);
}

/** The reply to a tool step: what the tool's own steps earned, or no reward if it took none. */
function reply(
  observation: Readonly<Record<string, unknown>>,
  session: Session,
  steps: readonly StepResult<unknown>[] = [],
): WireStep {
  const last = session.last;
  const wire = encodeResult({
    observation,
    reward: steps.reduce((sum, step) => sum + step.reward, 0),
    terminated: last !== null && "terminated" in last && last.terminated,
    truncated: last !== null && "truncated" in last && last.truncated,
    info: steps.at(-1)?.info ?? {},
  });
  return steps.length === 0 ? { ...wire, reward: null } : wire;
}

/** Null for faults of the session itself, which are no answer of a tool. */
function errorType(error: PraxisError): ToolErrorType | null {
  switch (error.code) {
    case "VALIDATION_ERROR":
    case "UNKNOWN_NAME":
      return "invalid_args";
    case "STEP_TIMEOUT":
      return "timeout";
    case "CONNECTION_LOST":
    case "CLIENT_TIMEOUT":
      return "transport_error";
    default:
      return error.row.wsCode === "SESSION_ERROR" ? null : "execution_error";
  }
}

/**
 * Runs a `list_tools` or `call_tool` action. A tool's failure is an observation; throws VALIDATION_ERROR for an action of
 * another shape and the session's own errors. Answers without a promise where the environment does.
 * @param timeoutMs deadline of the tool; default the session's
 */
export function toolStep(
  action: Readonly<Record<string, unknown>>,
  context: ServerContext,
  session: Session,
  timeoutMs?: number,
): MaybePromise<WireStep> {
  const tools = toolsOf(context.definition, context.mode);
  if (action.type === "list_tools") {
    parseLax(listToolsSchema, action);
    session.touch();
    return reply(
      {
        tools: tools.listings.map(({ name, description, inputSchema }) => ({
          name,
          description,
          input_schema: inputSchema,
        })),
      },
      session,
    );
  }
  const call = parseLax(callToolSchema, action);
  const fail = (error_type: ToolErrorType, message: string): WireStep =>
    reply({ tool_name: call.tool_name, result: null, error: { error_type, message } }, session);
  const tool = tools.find(call.tool_name);
  if (tool === undefined) return fail("tool_not_found", unknownToolMessage(call.tool_name, tools));
  return settle(
    () => session.callTool(tool, parseToolArguments(tool, call.arguments), context.mode, timeoutMs),
    (answer) => {
      const result = openEnvToolResult(answerOf(answer, context.mode));
      return reply({ tool_name: call.tool_name, result, error: null }, session, answer.steps);
    },
    (cause) => {
      const error = internalError(cause);
      const type = errorType(error);
      if (type === null) throw error;
      return fail(type, error.message);
    },
  );
}
