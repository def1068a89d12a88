import type {
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3GenerateResult,
} from "@ai-sdk/provider";
import type { Clock } from "../engine/clock.ts";
import { scopeOfSignal } from "../engine/scope.ts";
import { type FailureClass, FlowError } from "../errors.ts";
import { type CallMeta, type LanguageModel, type ModelExtras, metaOf, promptText } from "./model.ts";
import { simulatedTokens, streamOf } from "./simulated.ts";

/** One expected call and its reply. Absent matchers fit every call. */
export interface ScriptedCall {
  readonly agent?: string;
  readonly kind?: CallMeta["kind"];
  /** Text that the prompt must contain. */
  readonly includes?: string;
  /** How many calls it answers; default 1, Infinity for any number (none included). */
  readonly times?: number;
  readonly text?: string;
  readonly json?: unknown;
  readonly toolCalls?: readonly { readonly name: string; readonly input: unknown }[];
  readonly finish?: "stop" | "length" | "content-filter";
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
  readonly fail?: { readonly class: FailureClass; readonly message?: string; readonly retryAfterMs?: number };
  readonly latencyMs?: number;
}

/** A scripted model; `calls` holds every call that was made. */
export interface ScriptedModel extends LanguageModel, ModelExtras {
  readonly calls: readonly LanguageModelV3CallOptions[];
  /** @throws FlowError E401 naming the calls of the script that never came */
  verifyFinished(): void;
}

/**
 * A model that plays a script, for tests: each call takes the first entry that fits and is not used up. A call that fits
 * none fails, and so does {@link ScriptedModel.verifyFinished} when an entry was never used.
 */
export function makeScriptedModel(
  script: readonly ScriptedCall[],
  options: { readonly clock?: Clock; readonly modelId?: string } = {},
): ScriptedModel {
  const left = script.map((entry) => entry.times ?? 1);
  const calls: LanguageModelV3CallOptions[] = [];
  const run = async (request: LanguageModelV3CallOptions): Promise<LanguageModelV3GenerateResult> => {
    calls.push(request);
    const meta = metaOf(request);
    const prompt = promptText(request.prompt);
    const index = script.findIndex((entry, i) => left[i]! > 0 && fits(entry, meta, prompt));
    if (index === -1)
      throw new FlowError(
        "E401",
        "invalid_request",
        `The script expects no call of '${meta?.agentId ?? "?"}' (${meta?.kind ?? "?"}) with: ${prompt.slice(-200)}`,
      );
    left[index] = left[index]! - 1;
    const entry = script[index]!;
    if (entry.latencyMs !== undefined && options.clock !== undefined)
      await options.clock.sleep(entry.latencyMs, scopeOfSignal(request.abortSignal));
    if (entry.fail !== undefined)
      throw new FlowError("E401", entry.fail.class, entry.fail.message ?? `The script says: ${entry.fail.class}.`, {
        retryAfterMs: entry.fail.retryAfterMs,
      });
    return reply(entry, prompt);
  };
  return {
    specificationVersion: "v3",
    provider: "scripted",
    modelId: options.modelId ?? "script",
    supportedUrls: {},
    doGenerate: run,
    doStream: async (request) => streamOf(await run(request)),
    calls,
    verifyFinished() {
      const unused = script.filter((_, i) => left[i]! > 0 && Number.isFinite(left[i]!));
      if (unused.length > 0)
        throw new FlowError(
          "E401",
          "internal",
          `The script was not played to its end; unused: ${JSON.stringify(unused).slice(0, 400)}`,
        );
    },
  };
}

function fits(entry: ScriptedCall, meta: CallMeta | undefined, prompt: string): boolean {
  if (entry.agent !== undefined && entry.agent !== meta?.agentId) return false;
  if (entry.kind !== undefined && entry.kind !== meta?.kind) return false;
  return entry.includes === undefined || prompt.includes(entry.includes);
}

function reply(entry: ScriptedCall, prompt: string): LanguageModelV3GenerateResult {
  const text = entry.text ?? (entry.json === undefined ? "" : JSON.stringify(entry.json));
  const content: LanguageModelV3Content[] = text === "" ? [] : [{ type: "text", text }];
  for (const [i, call] of (entry.toolCalls ?? []).entries())
    content.push({
      type: "tool-call",
      toolCallId: `call-${i}`,
      toolName: call.name,
      input: typeof call.input === "string" ? call.input : JSON.stringify(call.input),
    });
  const input = entry.usage?.inputTokens ?? simulatedTokens(prompt);
  const output = entry.usage?.outputTokens ?? simulatedTokens(text);
  return {
    content,
    finishReason: {
      unified: (entry.toolCalls?.length ?? 0) > 0 ? "tool-calls" : (entry.finish ?? "stop"),
      raw: undefined,
    },
    usage: {
      inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: output, text: output, reasoning: 0 },
    },
    warnings: [],
  };
}
