import type { FailureClass } from "../errors.ts";
import type { Expression, Template } from "../expression/ast.ts";
import type { ProviderKind } from "./model-schema.ts";
import type { Position } from "./problem.ts";

/** A JSON Schema as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** USD per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cachedInput: number;
}

/** A model of the file, secrets filled in. */
export interface ModelPlan {
  readonly id: string;
  /** A built-in kind, or the package of an AI SDK provider. */
  readonly provider: ProviderKind | (string & {});
  readonly model: string;
  readonly maxTokens: number;
  readonly temperature: number;
  readonly topP: number | undefined;
  readonly seed: number | undefined;
  readonly stop: readonly string[];
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly contextWindow: number;
  readonly price: Price | undefined;
  readonly fallback: readonly string[];
  readonly nativeTools: boolean;
  readonly nativeSchema: boolean;
  readonly options: Readonly<Record<string, unknown>>;
  /** The flow file, for relative paths and packages. */
  readonly file: string;
}

/** How often and when a failure is tried again. */
export interface RetryPlan {
  readonly maxAttempts: number;
  readonly baseMs: number;
  readonly factor: number;
  readonly maxMs: number;
  readonly jitter: "full" | "none";
  readonly on: readonly FailureClass[];
}

/** Limits of spending. */
export interface BudgetPlan {
  readonly maxTokens: number | undefined;
  readonly maxCostUsd: number | undefined;
  readonly maxLlmCalls: number | undefined;
  readonly maxToolCalls: number | undefined;
  readonly maxWallMs: number | undefined;
  readonly warnAt: number;
  readonly onExceeded: "stop" | "finalize";
  readonly finalizeTokens: number;
}

/** Which earlier work is shown. */
export interface ContextPlan {
  readonly from: "all" | "none" | readonly string[];
  readonly maxItems: number;
  readonly maxTokens: number | undefined;
  readonly mode: "full" | "summary" | "auto";
  readonly summaryModel: string | undefined;
}

/** A check of text. */
export type GuardrailPlan =
  | { readonly kind: "max_length"; readonly limit: number }
  | { readonly kind: "regex_deny"; readonly pattern: string }
  | { readonly kind: "json_schema"; readonly schema: JsonSchema }
  | { readonly kind: "no_secrets" }
  | { readonly kind: "tool"; readonly name: string };

/** An agent or sub-agent. */
export interface AgentPlan {
  readonly id: string;
  readonly role: string;
  readonly goal: string;
  readonly instructions: string | undefined;
  readonly model: string;
  readonly temperature: number | undefined;
  readonly maxTokens: number | undefined;
  readonly tools: readonly string[];
  readonly toolConfig: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly maxToolCalls: number;
  readonly subAgents: readonly AgentPlan[];
  readonly strategy: "auto" | "sequential" | "parallel" | "learned";
  readonly maxDelegationDepth: number;
  readonly skipSynthesisIfSingle: boolean;
  readonly specialization: string | undefined;
  readonly triggers: readonly string[];
  readonly memory: {
    readonly read: boolean;
    readonly write: boolean;
    readonly topK: number;
    readonly minScore: number;
    readonly scope: "namespace" | "agent";
  };
  readonly context: ContextPlan;
  readonly output: { readonly schema: JsonSchema; readonly repair: number } | undefined;
  readonly retry: RetryPlan;
  readonly timeoutMs: number | undefined;
  readonly budget: BudgetPlan | undefined;
  readonly guardrails: { readonly input: readonly GuardrailPlan[]; readonly output: readonly GuardrailPlan[] };
  readonly fallbackAgent: string | undefined;
  readonly position: Position;
}

/** What happens when a step failed for good. */
export type OnError =
  | { readonly kind: "fail" }
  | { readonly kind: "continue" }
  | { readonly kind: "use"; readonly text: string }
  | { readonly kind: "agent"; readonly agent: string };

interface StepBase {
  readonly id: string;
  readonly position: Position;
  readonly when: Expression | undefined;
  readonly input: Template | undefined;
  /** Undefined where the file sets none. */
  readonly retry: RetryPlan | undefined;
  readonly timeoutMs: number | undefined;
  readonly budget: BudgetPlan | undefined;
  readonly onError: OnError;
  readonly saveAs: string | undefined;
}

/** A step that runs one agent. */
export interface AgentStep extends StepBase {
  readonly kind: "agent";
  readonly agent: string;
  readonly model: string | undefined;
  readonly temperature: number | undefined;
  readonly maxTokens: number | undefined;
  readonly context: ContextPlan | undefined;
}

/** Steps one after another. */
export interface SequentialStep extends StepBase {
  readonly kind: "sequential";
  readonly steps: readonly StepPlan[];
}

/** When a parallel step is done. */
export type Join =
  | { readonly kind: "all" }
  | { readonly kind: "need"; readonly word: "any" | "quorum" | "n"; readonly count: number };

/** Branches at the same time, then perhaps an aggregator. */
export interface ParallelStep extends StepBase {
  readonly kind: "parallel";
  readonly branches: readonly StepPlan[];
  readonly aggregator: AgentStep | undefined;
  readonly join: Join;
  readonly onBranchError: "fail_fast" | "continue" | "wait_all";
  readonly maxConcurrency: number;
}

/** Producers, a reviewer, and rounds of revision. */
export interface FeedbackStep extends StepBase {
  readonly kind: "feedback";
  readonly produce: readonly StepPlan[];
  readonly review: AgentStep;
  readonly enabled: boolean;
  readonly maxIterations: number;
  readonly approvalKeyword: string;
  /** Agent or step ids; undefined means all producers. */
  readonly targets: readonly string[] | undefined;
  readonly finalSynthesis: boolean;
  readonly maxConcurrency: number;
}

/** A node and the names of the nodes it needs. */
export interface DagNode {
  readonly name: string;
  readonly step: StepPlan;
  readonly needs: readonly string[];
}

/** Nodes that start when their needs are done. */
export interface DagStep extends StepBase {
  readonly kind: "dag";
  readonly nodes: readonly DagNode[];
  readonly maxConcurrency: number;
}

/** The first case that holds. */
export interface BranchStep extends StepBase {
  readonly kind: "branch";
  readonly cases: readonly { readonly when: Expression; readonly step: StepPlan }[];
  readonly otherwise: StepPlan | undefined;
}

/** Again until a condition holds. */
export interface LoopStep extends StepBase {
  readonly kind: "loop";
  readonly body: StepPlan;
  readonly until: Expression;
  readonly maxIterations: number;
}

/** Once for every item of a list. */
export interface ForeachStep extends StepBase {
  readonly kind: "foreach";
  readonly items: Expression;
  readonly as: string;
  readonly body: StepPlan;
  readonly maxConcurrency: number;
  readonly collect: string | undefined;
}

/** Another flow file. */
export interface SubflowStep extends StepBase {
  readonly kind: "subflow";
  readonly flow: FlowPlan;
}

/** A question to a person. */
export interface HumanStep extends StepBase {
  readonly kind: "human";
  readonly prompt: Template;
  readonly schema: JsonSchema | undefined;
  readonly fallback: { readonly value: unknown } | undefined;
}

/** An orchestrator that chooses whom to call until it stops. */
export interface DelegateStep extends StepBase {
  readonly kind: "delegate";
  readonly roster: readonly string[];
  readonly policy: string;
  readonly maxSteps: number;
  readonly slaMs: number | undefined;
}

/** A step of any kind. */
export type StepPlan =
  | AgentStep
  | SequentialStep
  | ParallelStep
  | FeedbackStep
  | DagStep
  | BranchStep
  | LoopStep
  | ForeachStep
  | SubflowStep
  | HumanStep
  | DelegateStep;

/** A tool server. */
export interface ServerPlan {
  readonly name: string;
  readonly transport:
    | {
        readonly kind: "stdio";
        readonly command: string;
        readonly args: readonly string[];
        readonly env: Readonly<Record<string, string>>;
        readonly cwd: string | undefined;
      }
    | { readonly kind: "http"; readonly url: string; readonly headers: Readonly<Record<string, string>> };
  readonly timeoutMs: number;
  readonly approval: "always" | "first" | "never";
  readonly idempotent: boolean;
}

/** Where agents remember. */
export interface MemoryPlan {
  readonly kind: "local" | "memory" | "pinecone";
  /** Folder of the local store, as written in the file or the default. */
  readonly dir: string;
  readonly namespace: string;
  readonly embedder: "hash384" | "minilm" | "openai_compatible";
  readonly embedderModel: string | undefined;
  readonly dimension: number | undefined;
  readonly maxRecords: number;
  readonly ttlDays: number | undefined;
  readonly host: string | undefined;
  readonly apiKey: string | undefined;
}

/** Limits of a provider or model. */
export interface RateLimitPlan {
  readonly requestsPerMinute: number | undefined;
  readonly tokensPerMinute: number | undefined;
  readonly maxConcurrency: number | undefined;
}

/** A checked flow, ready to run. */
export interface FlowPlan {
  readonly file: string;
  readonly name: string;
  readonly hash: string;
  readonly models: ReadonlyMap<string, ModelPlan>;
  readonly defaultModel: string;
  readonly agents: ReadonlyMap<string, AgentPlan>;
  readonly workflow: StepPlan;
  readonly toolSettings: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly servers: ReadonlyMap<string, ServerPlan>;
  readonly memory: MemoryPlan | undefined;
  readonly budget: BudgetPlan | undefined;
  readonly rateLimits: ReadonlyMap<string, RateLimitPlan>;
  readonly outputs: readonly (readonly [name: string, expression: Expression])[];
  readonly inputSchema: JsonSchema;
  /** Values that must not be shown. */
  readonly secrets: readonly string[];
}
