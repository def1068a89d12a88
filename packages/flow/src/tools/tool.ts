import type { AgentPlan, FlowPlan, JsonSchema } from "../config/plan.ts";
import type { ToolReply } from "../engine/journal.ts";

/** What a tool learns of its call. */
export interface ToolContext {
  readonly signal: AbortSignal;
  readonly runId: string;
  readonly agentId: string;
  readonly stepId: string;
}

/** Something that an agent can call. */
export interface Tool {
  /** As agents name it: `calculator`, or `server/tool`. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly approval: "always" | "first" | "never";
  /** Whether a call that failed half-way may be made again. */
  readonly idempotent: boolean;
  /** Answers `ok: false` for what the caller can mend; throws for what it can't. Never invents a result. */
  execute(input: unknown, context: ToolContext): Promise<ToolReply>;
}

/** Finds the tools of an agent. */
export interface ToolSource {
  /** @throws FlowError E403 when a named tool can't be had */
  resolve(plan: FlowPlan, agent: AgentPlan): Promise<readonly Tool[]>;
  close(): Promise<void>;
}

/** Name for providers, which allow no slash. */
export function wireName(name: string): string {
  return name.replaceAll("/", "__");
}

/** The text that a model is shown for a reply. */
export function replyText(reply: ToolReply): string {
  return reply.ok ? reply.content : `Error: ${reply.content}`;
}
