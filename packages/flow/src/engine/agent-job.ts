import type { AgentPlan, ContextPlan, FlowPlan, JsonSchema, RetryPlan } from "../config/plan.ts";
import type { CallMeta } from "../providers/model.ts";
import type { Ledger } from "./ledger.ts";
import type { ModelRequest } from "./model-call.ts";
import type { PromptParts } from "./prompts.ts";
import type { RunContext } from "./run-context.ts";
import type { Scope } from "./scope.ts";
import type { Store } from "./store.ts";

/** One run of an agent. */
export interface AgentJob {
  readonly run: RunContext;
  readonly plan: FlowPlan;
  readonly agent: AgentPlan;
  readonly stepId: string;
  readonly path: string;
  readonly scope: Scope;
  readonly ledger: Ledger;
  readonly store: Store;
  readonly task: string;
  readonly kind: CallMeta["kind"];
  readonly ask: string;
  readonly iteration: number;
  readonly overrides: {
    readonly model?: string | undefined;
    readonly temperature?: number | undefined;
    readonly maxTokens?: number | undefined;
    readonly context?: ContextPlan | undefined;
  };
  readonly retry: RetryPlan;
  /** Parts of the prompt beside task and ask. */
  readonly parts?: Partial<PromptParts> | undefined;
  /** Schema that replaces the agent's own, such as a verdict's; its answer is not repaired. */
  readonly softSchema?: JsonSchema | undefined;
  readonly names?: CallMeta["names"] | undefined;
  /** Agents that wait for this one, outermost first. */
  readonly lineage: readonly string[];
  readonly tools: boolean;
  readonly subAgents: boolean;
}

/** What an agent answered. */
export interface AgentAnswer {
  readonly text: string;
  /** Structured answer; null where there is none. */
  readonly json: unknown;
}

/** What a model call of an agent has of its own; the rest is the agent's. */
type OwnRequest = Pick<ModelRequest, "path" | "prompt" | "tools" | "schema" | "meta" | "overhead"> &
  Partial<Pick<ModelRequest, "modelId" | "maxTokens">>;

/** A model call of an agent. */
export function modelRequest(job: AgentJob, own: OwnRequest): ModelRequest {
  const { agent, overrides } = job;
  return {
    run: job.run,
    plan: job.plan,
    path: own.path,
    scope: job.scope,
    ledger: job.ledger,
    modelId: own.modelId ?? overrides.model ?? agent.model,
    temperature: overrides.temperature ?? agent.temperature,
    maxTokens: own.maxTokens ?? overrides.maxTokens ?? agent.maxTokens,
    retry: job.retry,
    prompt: own.prompt,
    tools: own.tools,
    schema: own.schema,
    meta: own.meta,
    overhead: own.overhead,
  };
}

/** Meta data of a call, for simulated and scripted models. */
export function metaFor(job: AgentJob, kind: CallMeta["kind"], path: string): CallMeta {
  const { agent } = job;
  return {
    kind,
    agentId: agent.id,
    role: agent.role,
    path,
    task: job.task,
    round: job.iteration,
    ...(agent.specialization === undefined ? {} : { specialist: agent.specialization }),
    ...(job.names === undefined ? {} : { names: job.names }),
  };
}
