import type {
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3GenerateResult,
  LanguageModelV3Prompt,
  LanguageModelV3StreamPart,
  LanguageModelV3StreamResult,
} from "@ai-sdk/provider";
import type { ModelPlan } from "../config/plan.ts";
import { contentWords, extractSentences } from "../engine/relevance.ts";
import { scopeOfSignal } from "../engine/scope.ts";
import { FlowError } from "../errors.ts";
import { type CallMeta, type LanguageModel, type ModelContext, type ModelExtras, metaOf, promptText } from "./model.ts";
import { sampleJson } from "./sample-json.ts";

/** What a specialist's simulation answers, where the host has one for it. */
export interface SpecialistReply {
  readonly status: "ok" | "error" | "timeout";
  readonly text: string;
  readonly latencyMs?: number;
}

/** Simulates a specialist with a profile; undefined where it knows none. `seed` and `meta.path` name the draw. */
export type SpecialistSampler = (meta: CallMeta, seed: string) => SpecialistReply | undefined;

/** Tokens of a text as the simulated provider counts them: 1.3 a word. */
export function simulatedTokens(text: string): number {
  return Math.ceil((text.match(/\S+/g)?.length ?? 0) * 1.3);
}

/**
 * A model without a model: the same prompt always gives the same text, so that flows run offline and tests repeat.
 * `options.latency_ms` sets the time of a call, `options.approve_at` the round in which reviews approve (2).
 */
export function makeSimulatedModel(
  plan: ModelPlan,
  context: ModelContext,
  sampler?: SpecialistSampler,
): LanguageModel & ModelExtras {
  const run = async (options: LanguageModelV3CallOptions): Promise<LanguageModelV3GenerateResult> => {
    const reply = answer(plan, options, context.seed, sampler);
    const inputTokens = countPrompt(options.prompt, options);
    let { text } = reply;
    const limit = Math.max(1, options.maxOutputTokens ?? Number.POSITIVE_INFINITY);
    const isCut = simulatedTokens(text) > limit;
    if (isCut) text = (text.match(/\S+/g) ?? []).slice(0, Math.floor(limit / 1.3)).join(" ");
    const outputTokens =
      simulatedTokens(text) + reply.calls.reduce((sum, call) => sum + simulatedTokens(call.input), 0);
    const latencyMs =
      reply.latencyMs ??
      (typeof plan.options.latency_ms === "number" ? plan.options.latency_ms : 40 + 2 * outputTokens);
    if (latencyMs > 0) await context.clock.sleep(latencyMs, scopeOfSignal(options.abortSignal));
    const content: LanguageModelV3Content[] = text === "" ? [] : [{ type: "text", text }];
    for (const [i, call] of reply.calls.entries())
      content.push({ type: "tool-call", toolCallId: `call-${i}`, toolName: call.name, input: call.input });
    return {
      content,
      finishReason: { unified: reply.calls.length > 0 ? "tool-calls" : isCut ? "length" : "stop", raw: undefined },
      usage: {
        inputTokens: { total: inputTokens, noCache: inputTokens, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: outputTokens, text: outputTokens, reasoning: 0 },
      },
      warnings: [],
    };
  };
  return {
    specificationVersion: "v3",
    provider: "simulated",
    modelId: plan.model,
    supportedUrls: {},
    doGenerate: run,
    doStream: async (options) => streamOf(await run(options)),
    countTokens: countPrompt,
  };
}

function countPrompt(
  prompt: LanguageModelV3Prompt,
  options: Pick<LanguageModelV3CallOptions, "tools" | "responseFormat">,
): number {
  const extra = `${options.tools === undefined ? "" : JSON.stringify(options.tools)} ${options.responseFormat?.type === "json" ? JSON.stringify(options.responseFormat.schema ?? "") : ""}`;
  return simulatedTokens(promptText(prompt)) + simulatedTokens(extra);
}

/** A whole result as a stream of words, for models that make their text at once. */
export function streamOf(result: LanguageModelV3GenerateResult): LanguageModelV3StreamResult {
  const parts: LanguageModelV3StreamPart[] = [{ type: "stream-start", warnings: result.warnings }];
  for (const [i, part] of result.content.entries()) {
    if (part.type === "text") {
      parts.push({ type: "text-start", id: `${i}` });
      for (const delta of part.text.match(/\S+\s*|\s+/g) ?? []) parts.push({ type: "text-delta", id: `${i}`, delta });
      parts.push({ type: "text-end", id: `${i}` });
    } else if (part.type === "tool-call") parts.push(part);
  }
  parts.push({ type: "finish", usage: result.usage, finishReason: result.finishReason });
  return {
    stream: new ReadableStream({
      start(controller) {
        for (const part of parts) controller.enqueue(part);
        controller.close();
      },
    }),
  };
}

interface Answer {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly input: string }[];
  readonly latencyMs?: number | undefined;
}

function answer(
  plan: ModelPlan,
  options: LanguageModelV3CallOptions,
  seed: string,
  sampler: SpecialistSampler | undefined,
): Answer {
  const meta = metaOf(options);
  const prompt = promptText(options.prompt);
  const words = contentWords((meta?.task ?? prompt).replace(/<\/?data-[^>]*>/g, " "));
  const call = toolCall(options);
  if (call !== undefined) return { text: "", calls: [call] };
  const sampled = meta === undefined || meta.kind !== "work" ? undefined : sampler?.(meta, seed);
  if (sampled !== undefined) {
    if (sampled.status !== "ok")
      throw new FlowError(
        "E401",
        sampled.status === "timeout" ? "timeout" : "server",
        `The simulated specialist '${meta?.agentId}' failed: ${sampled.status}.`,
      );
    return { text: sampled.text, calls: [], latencyMs: sampled.latencyMs };
  }
  if (meta?.kind === "review") return { text: JSON.stringify(review(plan, meta, words)), calls: [] };
  if (meta?.kind === "plan") return { text: JSON.stringify(delegation(meta)), calls: [] };
  if (meta?.kind === "summary") return { text: JSON.stringify(summary(prompt, meta)), calls: [] };
  if (options.responseFormat?.type === "json")
    return {
      text: JSON.stringify(
        sampleJson((options.responseFormat.schema ?? { type: "object" }) as Record<string, unknown>, words),
      ),
      calls: [],
    };
  return { text: prose(meta, words, prompt), calls: [] };
}

function prose(meta: CallMeta | undefined, words: readonly string[], prompt: string): string {
  const subject = words.slice(0, 12).join(" ");
  const role = meta?.role ?? "The assistant";
  const authors = [...new Set([...prompt.matchAll(/<data-[0-9a-z]+ author="([^"]+)"/g)].map((match) => match[1]!))];
  const lines = [`${role}: ${subject === "" ? "nothing was asked" : subject}.`];
  if (authors.length > 0) lines.push(`This builds on ${authors.join(", ")}.`);
  const failed = [...prompt.matchAll(/author="([^"]+)" step="[^"]* failed"/g)].map((match) => match[1]!);
  if (failed.length > 0) lines.push(`Missing: ${failed.join(", ")} failed.`);
  if (meta?.kind === "revise") lines.push(`Revised in round ${meta.round ?? 1}.`);
  if (meta !== undefined && ["aggregate", "synthesize", "finalize"].includes(meta.kind))
    lines.push("All of it stands together here.");
  return lines.join("\n");
}

function review(plan: ModelPlan, meta: CallMeta, words: readonly string[]) {
  const approveAt = typeof plan.options.approve_at === "number" ? plan.options.approve_at : 2;
  const approved = (meta.round ?? 1) >= approveAt;
  const feedback = approved
    ? {}
    : Object.fromEntries(
        (meta.names ?? []).map((producer) => [
          producer.id,
          `Say more about ${words[0] ?? "the task"} and give one example.`,
        ]),
      );
  return { approved, feedback, summary: approved ? "The drafts are good." : "The drafts need one more round." };
}

function delegation(meta: CallMeta) {
  const ranked = [...(meta.names ?? [])].sort((a, b) => b.score - a.score);
  const best = ranked[0]?.score ?? 0;
  const chosen = ranked.filter(
    (candidate, i) => i === 0 || (i < 2 && candidate.score >= best / 2 && candidate.score > 0),
  );
  return {
    calls: chosen.map((candidate) => ({
      id: candidate.id,
      task: `Do your part of: ${meta.task.slice(0, 200)}`,
      needs: [],
    })),
    reason: "These fit the task best.",
  };
}

function summary(prompt: string, meta: CallMeta) {
  const quoted = [...prompt.matchAll(/<data-[0-9a-z]+[^>]*>("(?:[^"\\]|\\.)*")<\/data-/g)]
    .map((match) => String(JSON.parse(match[1]!)))
    .join("\n\n");
  return {
    insights: extractSentences(quoted === "" ? prompt : quoted),
    decisions: [],
    artifacts: [],
    nextSteps: [],
    reference: `Work of ${meta.agentId}.`,
  };
}

/** The first offered tool that the prompt names and that has not been called yet; input as written after its name, else a sample. */
function toolCall(options: LanguageModelV3CallOptions): { readonly name: string; readonly input: string } | undefined {
  if (options.tools === undefined || options.toolChoice?.type === "none") return undefined;
  const used = new Set(
    options.prompt.flatMap((message) =>
      message.role === "assistant"
        ? message.content.flatMap((part) => (part.type === "tool-call" ? [part.toolName] : []))
        : [],
    ),
  );
  const asked = options.prompt.filter((message) => message.role !== "tool" && message.role !== "assistant");
  const text = promptText(asked);
  for (const tool of options.tools) {
    if (tool.type !== "function" || used.has(tool.name)) continue;
    const places = [tool.name.replace("__", "/"), tool.name].flatMap((name) =>
      placesOf(text, name).map((at) => at + name.length),
    );
    if (places.length === 0) continue;
    const written = places
      .map((end) => writtenInput(text.slice(end, end + 4_000)))
      .find((found) => found !== undefined);
    return {
      name: tool.name,
      input: written ?? JSON.stringify(sampleJson(tool.inputSchema as Record<string, unknown>, contentWords(text))),
    };
  }
  return undefined;
}

/** Offsets of a name as a whole word. */
function placesOf(text: string, name: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1))
    if (!/[\w/]/.test(text[at - 1] ?? " ") && !/\w/.test(text[at + name.length] ?? " ")) found.push(at);
  return found;
}

/** A JSON object that follows a tool's name directly, such as `calculator {"expression": "6*7"}`. */
function writtenInput(after: string): string | undefined {
  const match = /^[\s`:(]*(?:with\s+)?`?(\{[^\n]*?\})/.exec(after);
  if (match === null) return undefined;
  for (let end = after.indexOf("}"); end !== -1 && end < 2_000; end = after.indexOf("}", end + 1)) {
    const candidate = after.slice(after.indexOf("{"), end + 1);
    try {
      JSON.parse(candidate);
      return candidate;
    } catch {
      // The object goes on after this brace.
    }
  }
  return undefined;
}
