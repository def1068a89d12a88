import type {
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3FinishReason,
  LanguageModelV3FunctionTool,
  LanguageModelV3GenerateResult,
  LanguageModelV3Prompt,
} from "@ai-sdk/provider";
import { estimateTokens } from "../config/defaults.ts";
import type { FlowPlan, JsonSchema, ModelPlan, RetryPlan } from "../config/plan.ts";
import { type FailureClass, FlowError, fromErrorData } from "../errors.ts";
import { classifyProviderError } from "../providers/classify.ts";
import { type CallMeta, promptText } from "../providers/model.ts";
import type { ModelReply } from "./journal.ts";
import type { Ledger } from "./ledger.ts";
import type { ModelHandle, RunContext } from "./run-context.ts";
import type { Scope } from "./scope.ts";
import { promptTokens } from "./token-estimate.ts";
import { costOf } from "./usage.ts";

/** One call of a model, with its retries and fallbacks. */
export interface ModelRequest {
  readonly run: RunContext;
  readonly plan: FlowPlan;
  readonly path: string;
  readonly scope: Scope;
  readonly ledger: Ledger;
  readonly modelId: string;
  readonly temperature: number | undefined;
  readonly maxTokens: number | undefined;
  readonly retry: RetryPlan;
  readonly prompt: LanguageModelV3Prompt;
  readonly tools: readonly LanguageModelV3FunctionTool[];
  readonly schema: JsonSchema | undefined;
  readonly meta: CallMeta;
  /** Plans and summaries count as overhead. */
  readonly overhead: boolean;
}

/** Failures of the wire, tried again call by call; other classes are tried again agent by agent or not at all. */
const WIRE_CLASSES: readonly FailureClass[] = ["rate_limited", "overloaded", "server", "network"];
const NO_FALLBACK: readonly FailureClass[] = ["cancelled", "budget", "internal", "guardrail", "tool"];

/**
 * Calls a model: reserves the worst case, waits for the rate limit, tries again after failures of the wire, then falls
 * back to the next model. A reply that the log holds is returned without a call.
 *
 * @throws FlowError the last failure
 */
export async function callModel(request: ModelRequest): Promise<ModelReply> {
  const { run, path } = request;
  const known = run.journal.call(path);
  if (known !== undefined) return known.reply;
  const models = chainOf(request.plan, request.modelId);
  let last: FlowError | undefined;
  for (const [i, id] of models.entries()) {
    try {
      return await callOne(request, id);
    } catch (error) {
      if (!(error instanceof FlowError) || NO_FALLBACK.includes(error.class)) throw error;
      last = error;
      const next = models[i + 1];
      if (next !== undefined)
        run.warn(path, `The model '${id}' failed (${error.class}); '${next}' is tried.`, {
          from: id,
          to: next,
          class: error.class,
        });
    }
  }
  throw last!;
}

function chainOf(plan: FlowPlan, first: string): string[] {
  const chain: string[] = [];
  const add = (id: string): void => {
    if (chain.includes(id)) return;
    chain.push(id);
    for (const next of plan.models.get(id)?.fallback ?? []) add(next);
  };
  add(first);
  return chain;
}

async function callOne(request: ModelRequest, modelId: string): Promise<ModelReply> {
  const { run, retry, scope } = request;
  const plan = request.plan.models.get(modelId)!;
  const handle = run.readyModel(plan) ?? (await run.model(plan));
  const attemptPath = `${request.path}@${modelId}`;
  for (let attempt = 1; ; attempt++) {
    const earlier = run.journal.callFailure(attemptPath, attempt);
    try {
      if (earlier !== undefined) throw fromErrorData(earlier.error);
      if (run.env.replay)
        throw new FlowError(
          "E412",
          "internal",
          `The log holds no reply for '${request.path}'; a replay makes no calls.`,
        );
      return await attemptCall(request, handle);
    } catch (error) {
      scope.check();
      if (
        error instanceof FlowError &&
        (error.class === "budget" || error.class === "cancelled" || error.code === "E412")
      )
        throw error;
      const failure = classifyProviderError(error, {
        provider: handle.plan.provider,
        model: handle.plan.model,
        nowMs: run.env.wallNow(),
      }).at({ model: modelId, attempt });
      const data = run.redactor.data(failure.toData());
      if (earlier === undefined) {
        run.emit("llm.failed", request.path, {
          provider: handle.plan.provider,
          model: handle.plan.model,
          class: failure.class,
          message: failure.message,
          attempt,
        });
        run.log({ kind: "call_failed", path: attemptPath, attempt, error: data });
      }
      if (attempt >= retry.maxAttempts || !retry.on.includes(failure.class) || !WIRE_CLASSES.includes(failure.class))
        throw fromErrorData(data);
      const waitMs = failure.retryAfterMs ?? backoffMs(run, retry, attempt, attemptPath);
      run.emit("step.retrying", request.path, { attempt: attempt + 1, reason: failure.class, durationMs: waitMs });
      if (waitMs > 0 && !run.env.replay) await run.busy(() => run.clock.sleep(waitMs, scope));
    }
  }
}

/** Wait before the next attempt: a uniform draw up to the limit, keyed by place and attempt. */
export function backoffMs(run: RunContext, retry: RetryPlan, attempt: number, name: string): number {
  const limit = Math.min(retry.maxMs, retry.baseMs * retry.factor ** (attempt - 1));
  return retry.jitter === "none" ? Math.round(limit) : Math.round(run.uniform("retry", `${name} ${attempt}`) * limit);
}

async function attemptCall(request: ModelRequest, handle: ModelHandle): Promise<ModelReply> {
  const { run, scope, ledger, path } = request;
  const { plan } = handle;
  const options = callOptions(request, handle);
  const estimate = promptTokens(handle, options.prompt, options);
  const maxTokens = options.maxOutputTokens!;
  const worst = {
    tokens: estimate + maxTokens,
    costUsd: costOf({ inputTokens: estimate, outputTokens: maxTokens, cachedTokens: 0 }, plan.price) ?? 0,
  };
  // Without a wait ahead nothing is awaited.
  const reservation = ledger.reserveNow(worst, scope) ?? (await run.busy(() => ledger.reserve(worst, scope)));
  const { limiter } = handle;
  let giveBack: (() => void) | undefined;
  try {
    if (limiter !== undefined)
      giveBack = await run.busy(() =>
        limiter.acquire(worst.tokens, scope, (ms) => run.emit("rate.waited", path, { provider: plan.provider, ms })),
      );
    const began = run.clock.now();
    run.emit("llm.requested", path, () => ({
      provider: plan.provider,
      model: plan.model,
      promptTokens: estimate,
      maxTokens,
      kind: request.meta.kind,
      ...run.content("prompt", promptText(options.prompt)),
    }));
    const raw = await run.busy(() => generate(request, handle, options));
    const reply = toReply(raw, plan.model, estimate, options.prompt);
    if (handle.model.countTokens === undefined && estimate > 0)
      handle.estimateRatio = Math.max(
        handle.estimateRatio,
        (handle.estimateRatio * reply.usage.inputTokens) / estimate,
      );
    const costUsd = costOf(reply.usage, plan.price);
    reservation.settle(reply.usage, costUsd, request.overhead);
    if (reply.usage.inputTokens + reply.usage.outputTokens > worst.tokens)
      run.warn(path, "The provider counted more tokens than the worst case that was reserved.", {
        counted: reply.usage.inputTokens + reply.usage.outputTokens,
        reserved: worst.tokens,
      });
    run.log({ kind: "call", path, reply, costUsd, overhead: request.overhead });
    run.emit("llm.completed", path, () => ({
      provider: plan.provider,
      model: plan.model,
      promptTokens: reply.usage.inputTokens,
      outputTokens: reply.usage.outputTokens,
      latencyMs: run.clock.now() - began,
      finish: reply.finish,
      costUsd,
      ...run.content("reply", reply.text),
    }));
    if (reply.finish === "content_filter")
      throw new FlowError("E401", "content_filter", `${plan.provider} (${plan.model}) refused the content.`);
    return reply;
  } finally {
    giveBack?.();
    reservation.release();
  }
}

function callOptions(request: ModelRequest, handle: ModelHandle): LanguageModelV3CallOptions {
  const { plan } = handle;
  const { scope } = request;
  const options: LanguageModelV3CallOptions = {
    prompt: [...request.prompt],
    maxOutputTokens: Math.min(request.maxTokens ?? plan.maxTokens, Math.max(1, Math.floor(plan.contextWindow / 2))),
    temperature: request.temperature ?? plan.temperature,
    providerOptions: providerOptions(request.meta, plan),
    // Made only when a provider reads it: most simulated calls never do.
    get abortSignal() {
      return scope.signal;
    },
  };
  if (plan.topP !== undefined) options.topP = plan.topP;
  if (plan.seed !== undefined) options.seed = plan.seed;
  if (plan.stop.length > 0) options.stopSequences = [...plan.stop];
  if (request.tools.length > 0) {
    options.tools = [...request.tools];
    options.toolChoice = { type: "auto" };
  } else if (request.schema !== undefined && plan.nativeSchema)
    options.responseFormat = { type: "json", schema: request.schema as never, name: "answer" };
  return options;
}

/** Names under which each provider package looks for its own options. */
const OPTION_KEYS: Readonly<Record<string, string>> = {
  openai: "openai",
  openai_compatible: "compatible",
  anthropic: "anthropic",
  gemini: "google",
};

function providerOptions(
  meta: CallMeta,
  { provider, options }: ModelPlan,
): NonNullable<LanguageModelV3CallOptions["providerOptions"]> {
  const flow = { meta: meta as never };
  if (Object.keys(options).length === 0) return { flow };
  const key = OPTION_KEYS[provider] ?? provider.replace(/^npm:/, "").replace(/^.*\//, "");
  return { flow, [key]: options as never };
}

type Raw = Pick<LanguageModelV3GenerateResult, "content" | "finishReason" | "usage">;

function generate(request: ModelRequest, handle: ModelHandle, options: LanguageModelV3CallOptions): Promise<Raw> {
  const { run, scope } = request;
  const isReal = !["simulated", "scripted"].includes(handle.plan.provider);
  const work: PromiseLike<Raw> = run.env.stream
    ? readStream(request, handle, options)
    : handle.model.doGenerate(options);
  // A model that never answers must not hold the run: the scope ends the wait.
  return scope.race(isReal ? run.clock.hold(Promise.resolve(work)) : work);
}

async function readStream(
  request: ModelRequest,
  handle: ModelHandle,
  options: LanguageModelV3CallOptions,
): Promise<Raw> {
  const { run, path, scope } = request;
  const { stream } = await handle.model.doStream(options);
  const reader = stream.getReader();
  const dispose = scope.onCancel((reason) => void reader.cancel(reason).catch(() => undefined));
  const texts = new Map<string, string>();
  const calls: LanguageModelV3Content[] = [];
  let finish: Pick<Raw, "finishReason" | "usage"> | undefined;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (value.type === "text-delta") {
        texts.set(value.id, (texts.get(value.id) ?? "") + value.delta);
        run.emit(
          "llm.delta",
          path,
          run.env.recordContent ? { chars: value.delta.length, text: value.delta } : { chars: value.delta.length },
        );
      } else if (value.type === "tool-call") calls.push(value);
      else if (value.type === "error") throw value.error;
      else if (value.type === "finish") finish = { finishReason: value.finishReason, usage: value.usage };
    }
  } finally {
    dispose();
    // Of a stream that is left half-read the connection would stay open.
    void reader.cancel().catch(() => undefined);
  }
  // Without its last part the text may lack its end, however well it reads.
  if (finish === undefined || (finish.finishReason.unified === "other" && finish.finishReason.raw === undefined))
    throw new FlowError("E401", "network", `${handle.plan.provider} (${handle.plan.model}) cut its stream off.`);
  return { content: [...[...texts.values()].map((text) => ({ type: "text" as const, text })), ...calls], ...finish };
}

const FINISH: Readonly<Record<LanguageModelV3FinishReason["unified"], ModelReply["finish"]>> = {
  stop: "stop",
  length: "length",
  "content-filter": "content_filter",
  "tool-calls": "tool_calls",
  error: "other",
  other: "other",
};

function toReply(raw: Raw, model: string, estimate: number, prompt: LanguageModelV3Prompt): ModelReply {
  if (raw.finishReason.unified === "error")
    throw new FlowError("E401", "server", `The model '${model}' ended with an error.`);
  let text = "";
  const toolCalls: ModelReply["toolCalls"][number][] = [];
  for (const part of raw.content)
    if (part.type === "text") text += part.text;
    else if (part.type === "tool-call") toolCalls.push({ id: part.toolCallId, name: part.toolName, input: part.input });
  // Without the provider's count an estimate stands in: usage must not read as nothing.
  const inputTokens = raw.usage.inputTokens.total ?? Math.min(estimate, estimateTokens(promptText(prompt)));
  const outputTokens = raw.usage.outputTokens.total ?? estimateTokens(text);
  return {
    text,
    toolCalls,
    finish: FINISH[raw.finishReason.unified],
    usage: { inputTokens, outputTokens, cachedTokens: raw.usage.inputTokens.cacheRead ?? 0 },
    model,
  };
}
