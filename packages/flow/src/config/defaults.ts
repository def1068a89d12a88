import type { ProviderKind } from "./model-schema.ts";
import type { ContextPlan, RetryPlan } from "./plan.ts";

/** Environment variable of each provider's key; null where none is needed. */
export const KEY_VARIABLES: Readonly<Record<ProviderKind, string | null>> = {
  openai: "OPENAI_API_KEY",
  openai_compatible: null,
  gemini: "GEMINI_API_KEY",
  anthropic: "ANTHROPIC_API_KEY",
  gguf: null,
  simulated: null,
  scripted: null,
};

/** assumption: windows that all current models of a provider have at least; the file's context_window goes before them. */
export const CONTEXT_WINDOWS: Readonly<Record<ProviderKind, number>> = {
  openai: 128_000,
  openai_compatible: 8_192,
  gemini: 1_000_000,
  anthropic: 200_000,
  gguf: 8_192,
  simulated: 8_192,
  scripted: 8_192,
};

/** Window of a model whose provider is not in the table. */
export const DEFAULT_WINDOW = 8_192;

/** Retry policy where the file sets none. */
export const DEFAULT_RETRY: RetryPlan = {
  maxAttempts: 3,
  baseMs: 500,
  factor: 2,
  maxMs: 20_000,
  jitter: "full",
  on: ["rate_limited", "overloaded", "server", "network", "timeout", "bad_output"],
};

/** Context policy where the file sets none. */
export const DEFAULT_CONTEXT: ContextPlan = {
  from: "all",
  maxItems: 5,
  maxTokens: undefined,
  mode: "auto",
  summaryModel: undefined,
};

/** Characters a token, for estimates where a provider has no counter. assumption: English prose in byte-pair vocabularies has 3.5 to 4.5. */
export const CHARACTERS_PER_TOKEN = 3.6;

/** Estimated tokens of a text. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** Providers whose calls cost nothing. */
export const FREE_PROVIDERS: readonly string[] = ["gguf", "simulated", "scripted"];

/** Folder of local memory, beside the flow file. */
export const DEFAULT_MEMORY_DIR = ".flow-memory";

/** Namespace of memory where the file names none. */
export const DEFAULT_NAMESPACE = "default";
