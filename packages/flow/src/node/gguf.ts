import { existsSync } from "node:fs";
import { cpus } from "node:os";
import { dirname, resolve } from "node:path";
import type {
  LanguageModelV3CallOptions,
  LanguageModelV3GenerateResult,
  LanguageModelV3Prompt,
} from "@ai-sdk/provider";
import type { ModelPlan } from "../config/plan.ts";
import { FlowError } from "../errors.ts";
import type { LanguageModel, ModelExtras } from "../providers/model.ts";
import { streamOf } from "../providers/simulated.ts";
import { importPackage } from "./import-package.ts";

// The part of node-llama-cpp 3 that is used here; the package itself is optional.
interface LlamaModule {
  getLlama(options: {
    readonly gpu: false;
    readonly build: "never";
    readonly logLevel: "error";
    readonly maxThreads: number;
  }): Promise<Llama>;
  readonly LlamaChatSession: new (options: {
    readonly contextSequence: Sequence;
    readonly autoDisposeSequence: false;
  }) => ChatSession;
}
interface Llama {
  loadModel(options: { readonly modelPath: string }): Promise<LlamaModel>;
  createGrammarForJsonSchema(schema: unknown): Promise<unknown>;
  dispose(): Promise<void>;
}
interface LlamaModel {
  readonly trainContextSize: number;
  createContext(options: {
    readonly contextSize: number;
    readonly sequences: number;
  }): Promise<{ getSequence(): Sequence }>;
}
interface Sequence {
  readonly tokenMeter: { getState(): { readonly usedInputTokens: number; readonly usedOutputTokens: number } };
  clearHistory(): Promise<void>;
}
type HistoryItem =
  | { readonly type: "system" | "user"; readonly text: string }
  | { readonly type: "model"; readonly response: readonly string[] };
interface ChatSession {
  setChatHistory(history: readonly HistoryItem[]): void;
  promptWithMeta(
    text: string,
    options: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly responseText: string; readonly stopReason: string }>;
  dispose(): void;
}

/**
 * A local GGUF model on the CPU by node-llama-cpp, which is loaded at first use. One model a file; calls at the same time
 * wait for a free sequence (`options.parallel`, 1). A JSON Schema becomes a grammar, so that answers fit it.
 *
 * @throws FlowError E401 when file or package is missing
 */
export async function loadGguf(plan: ModelPlan): Promise<LanguageModel & ModelExtras> {
  const path = resolve(dirname(plan.file), plan.model);
  if (!existsSync(path))
    throw new FlowError(
      "E401",
      "invalid_request",
      `The model file '${path}' does not exist; give the path of a GGUF file as 'model'.`,
    );
  const { getLlama, LlamaChatSession } = (await importPackage(
    "node-llama-cpp",
    plan.file,
    path,
  )) as unknown as LlamaModule;
  const threads =
    typeof plan.options.threads === "number" ? plan.options.threads : Math.max(1, Math.floor(cpus().length / 2));
  const llama = await getLlama({ gpu: false, build: "never", logLevel: "error", maxThreads: threads });
  const model = await llama.loadModel({ modelPath: path });
  const sequences = typeof plan.options.parallel === "number" ? plan.options.parallel : 1;
  const context = await model.createContext({
    contextSize: Math.min(plan.contextWindow, model.trainContextSize),
    sequences,
  });
  const pool = new Pool(Array.from({ length: sequences }, () => context.getSequence()));

  const run = async (options: LanguageModelV3CallOptions): Promise<LanguageModelV3GenerateResult> => {
    const sequence = await pool.take(options.abortSignal);
    const session = new LlamaChatSession({ contextSequence: sequence, autoDisposeSequence: false });
    try {
      await sequence.clearHistory();
      const before = sequence.tokenMeter.getState();
      const { history, last } = toHistory(options.prompt);
      session.setChatHistory(history);
      const grammar = await grammarOf(llama, options);
      const reply = await session.promptWithMeta(last, {
        temperature: options.temperature ?? plan.temperature,
        ...(options.maxOutputTokens === undefined ? {} : { maxTokens: options.maxOutputTokens }),
        ...(options.topP === undefined ? {} : { topP: options.topP }),
        ...(options.seed === undefined ? {} : { seed: options.seed }),
        ...(options.stopSequences === undefined ? {} : { customStopTriggers: options.stopSequences }),
        ...(options.abortSignal === undefined ? {} : { signal: options.abortSignal }),
        ...(grammar === undefined ? {} : { grammar }),
      });
      const after = sequence.tokenMeter.getState();
      const input = after.usedInputTokens - before.usedInputTokens;
      const output = after.usedOutputTokens - before.usedOutputTokens;
      return {
        content: reply.responseText === "" ? [] : [{ type: "text", text: reply.responseText }],
        finishReason: { unified: reply.stopReason === "maxTokens" ? "length" : "stop", raw: reply.stopReason },
        usage: {
          inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: output, text: output, reasoning: 0 },
        },
        warnings: [],
      };
    } finally {
      session.dispose();
      pool.giveBack(sequence);
    }
  };
  return {
    specificationVersion: "v3",
    provider: "gguf",
    modelId: plan.model,
    supportedUrls: {},
    doGenerate: run,
    doStream: async (options) => streamOf(await run(options)),
    close: () => llama.dispose(),
  };
}

/** A grammar for the schema; undefined where it uses what grammars can't express: the prompt and the repair still ask for it. */
async function grammarOf(llama: Llama, options: LanguageModelV3CallOptions): Promise<unknown> {
  if (options.responseFormat?.type !== "json" || options.responseFormat.schema === undefined) return undefined;
  try {
    return await llama.createGrammarForJsonSchema(options.responseFormat.schema);
  } catch {
    return undefined;
  }
}

function toHistory(prompt: LanguageModelV3Prompt): { readonly history: readonly HistoryItem[]; readonly last: string } {
  const items: HistoryItem[] = [];
  for (const message of prompt) {
    if (message.role === "system") items.push({ type: "system", text: message.content });
    else {
      const text = message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
      items.push(message.role === "assistant" ? { type: "model", response: [text] } : { type: "user", text });
    }
  }
  const last = items.pop();
  return { history: items, last: last === undefined || last.type === "model" ? "" : last.text };
}

/** Sequences that are free, first come first served. */
class Pool {
  readonly #free: Sequence[];
  readonly #waiting: ((sequence: Sequence) => void)[] = [];

  constructor(free: Sequence[]) {
    this.#free = free;
  }

  async take(signal: AbortSignal | undefined): Promise<Sequence> {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    return new Promise((resolve, reject) => {
      const accept = (sequence: Sequence): void => {
        signal?.removeEventListener("abort", onAbort);
        resolve(sequence);
      };
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(accept), 1);
        reject(signal?.reason as Error);
      };
      this.#waiting.push(accept);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  giveBack(sequence: Sequence): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(sequence);
    else next(sequence);
  }
}
