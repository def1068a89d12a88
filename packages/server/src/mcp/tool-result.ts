import type { ServerMode } from "@praxis/env";
import type { ToolReply } from "../env-runner.ts";

/** A tool's answer in its parts, before a dialect names them. */
export interface ToolAnswer {
  /** Text of the answer for a model; null when the tool returned nothing. */
  readonly text: string | null;
  /** The plain return value. */
  readonly data: unknown;
  /** The return value if it is an object, any other one as `{ result }`, null for nothing. */
  readonly structured: Readonly<Record<string, unknown>> | null;
  /** True when `structured` wraps a value that is no object. */
  readonly isWrapped: boolean;
  /** Rewards and ends of the steps that the tool took: for harnesses, so only where trainers drive the server. */
  readonly steps: readonly { readonly reward: number; readonly terminated: boolean; readonly truncated: boolean }[];
}

/** Takes a session's reply apart. */
export function answerOf(reply: ToolReply, mode: ServerMode): ToolAnswer {
  const data: unknown = JSON.parse(reply.json);
  const steps =
    mode === "simulation"
      ? reply.steps.map(({ reward, terminated, truncated }) => ({ reward, terminated, truncated }))
      : [];
  if (data === null) return { text: null, data, structured: null, isWrapped: false, steps };
  const isWrapped = typeof data !== "object" || Array.isArray(data);
  return {
    text: typeof data === "string" ? data : reply.json,
    data,
    structured: isWrapped ? { result: data } : (data as Record<string, unknown>),
    isWrapped,
    steps,
  };
}

/** Name under which the steps of a call travel in its metadata. */
export const STEPS_META_KEY = "praxis/steps";

/** The result object of OpenEnv's `tools/call`, in both spellings. */
export function openEnvToolResult(answer: ToolAnswer): Record<string, unknown> {
  const meta = {
    ...(answer.isWrapped ? { fastmcp: { wrap_result: true } } : {}),
    ...(answer.steps.length === 0 ? {} : { [STEPS_META_KEY]: answer.steps }),
  };
  return {
    content: answer.text === null ? [] : [{ type: "text", text: answer.text, annotations: null, meta: null }],
    structured_content: answer.structured,
    structuredContent: answer.structured,
    meta: Object.keys(meta).length === 0 ? null : meta,
    data: answer.data,
    is_error: false,
    isError: false,
  };
}
