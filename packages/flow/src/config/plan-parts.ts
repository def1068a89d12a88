import { FlowError } from "../errors.ts";
import type { Expression, Template } from "../expression/ast.ts";
import { parseExpression, parseTemplate } from "../expression/parse.ts";
import { FREE_PROVIDERS } from "./defaults.ts";
import type { ConfigDocument, ConfigPath } from "./document.ts";
import { asList, asMap, asString, type Raw } from "./draft.ts";
import type {
  BudgetPlan,
  ContextPlan,
  GuardrailPlan,
  Join,
  JsonSchema,
  OnError,
  Price,
  RateLimitPlan,
  RetryPlan,
} from "./plan.ts";
import type { Position } from "./problem.ts";

/** Place of a value. */
export function position(document: ConfigDocument, path: ConfigPath): Position {
  const { file, line, column } = document.valueRange(path);
  return { file, line, column };
}

/** Name of a file without folder and ending. */
export function fileStem(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1).replace(/\.ya?ml$/i, "");
}

/** The value as number, else undefined. */
export function number(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** The texts of a list. */
export function strings(value: unknown): string[] {
  return asList(value).filter((item) => typeof item === "string");
}

/** An expression that was checked before. */
export function mustExpression(text: string): Expression {
  const parsed = parseExpression(text);
  if ("fault" in parsed) throw new FlowError("E499", "internal", parsed.fault.message);
  return parsed.expression;
}

/** A template that was checked before. */
export function mustTemplate(text: string): Template {
  const parsed = parseTemplate(text);
  if ("fault" in parsed) throw new FlowError("E499", "internal", parsed.fault.message);
  return parsed.template;
}

/** Retry policy of raw data over a base. */
export function retryPlan(raw: Raw | undefined, base: RetryPlan): RetryPlan {
  if (raw === undefined) return base;
  return {
    maxAttempts: number(raw.max_attempts) ?? base.maxAttempts,
    baseMs: number(raw.base_ms) ?? base.baseMs,
    factor: number(raw.factor) ?? base.factor,
    maxMs: number(raw.max_ms) ?? base.maxMs,
    jitter: raw.jitter === undefined ? base.jitter : raw.jitter === "none" ? "none" : "full",
    on: raw.on === undefined ? base.on : (strings(raw.on) as unknown as RetryPlan["on"]),
  };
}

/** Context policy of raw data over a base. */
export function contextPlan(raw: Raw | undefined, base: ContextPlan): ContextPlan {
  if (raw === undefined) return base;
  return {
    from:
      raw.from === undefined
        ? base.from
        : Array.isArray(raw.from)
          ? strings(raw.from)
          : raw.from === "none"
            ? "none"
            : "all",
    maxItems: number(raw.max_items) ?? base.maxItems,
    maxTokens: number(raw.max_tokens) ?? base.maxTokens,
    mode: (asString(raw.mode) ?? base.mode) as ContextPlan["mode"],
    summaryModel: asString(raw.summary_model) ?? base.summaryModel,
  };
}

/** Budget of raw data. */
export function budgetPlan(raw: Raw | undefined): BudgetPlan | undefined {
  if (raw === undefined) return undefined;
  return {
    maxTokens: number(raw.max_tokens),
    maxCostUsd: number(raw.max_cost_usd),
    maxLlmCalls: number(raw.max_llm_calls),
    maxToolCalls: number(raw.max_tool_calls),
    maxWallMs: number(raw.max_wall_ms),
    warnAt: number(raw.warn_at) ?? 0.8,
    onExceeded: raw.on_exceeded === "stop" ? "stop" : "finalize",
    finalizeTokens: number(raw.finalize_tokens) ?? 2_000,
  };
}

/** Rate limit of raw data. */
export function rateLimit(raw: Raw): RateLimitPlan {
  return {
    requestsPerMinute: number(raw.requests_per_minute),
    tokensPerMinute: number(raw.tokens_per_minute),
    maxConcurrency: number(raw.max_concurrency),
  };
}

/** A check of raw data. */
export function guardrail(entry: unknown): GuardrailPlan {
  if (typeof entry === "string") return entry === "no_secrets" ? { kind: "no_secrets" } : { kind: "tool", name: entry };
  const raw = asMap(entry) ?? {};
  if (typeof raw.max_length === "number") return { kind: "max_length", limit: raw.max_length };
  if (typeof raw.regex_deny === "string") return { kind: "regex_deny", pattern: raw.regex_deny };
  return { kind: "json_schema", schema: raw.json_schema as JsonSchema };
}

/** What happens on failure. */
export function onError(value: unknown): OnError {
  if (value === "continue") return { kind: "continue" };
  const raw = asMap(value);
  if (typeof raw?.use === "string") return { kind: "use", text: raw.use };
  if (typeof raw?.agent === "string") return { kind: "agent", agent: raw.agent };
  return { kind: "fail" };
}

/** When a parallel step is done. */
export function joinPlan(value: unknown, branches: number): Join {
  if (value === "any") return { kind: "need", word: "any", count: 1 };
  if (value === "quorum") return { kind: "need", word: "quorum", count: Math.floor(branches / 2) + 1 };
  const n = number(asMap(value)?.n);
  return n === undefined ? { kind: "all" } : { kind: "need", word: "n", count: Math.min(n, branches) };
}

/** Keys of a feedback loop with their defaults. */
export function feedbackKeys(raw: Raw) {
  return {
    enabled: raw.enabled !== false,
    maxIterations: number(raw.max_iterations) ?? 5,
    approvalKeyword: asString(raw.approval_keyword) ?? "APPROVED",
    targets: raw.feedback_targets === undefined ? undefined : strings(raw.feedback_targets),
    finalSynthesis: raw.final_synthesis !== false,
  };
}

/** Price of raw data; free providers cost 0 where none is given, others are unknown then. */
export function pricePlan(raw: Raw | undefined, provider: string): Price | undefined {
  if (raw === undefined) return FREE_PROVIDERS.includes(provider) ? { input: 0, output: 0, cachedInput: 0 } : undefined;
  return { input: Number(raw.input), output: Number(raw.output), cachedInput: Number(raw.cached_input ?? raw.input) };
}
