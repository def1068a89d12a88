import type { Price } from "../config/plan.ts";

/** Tokens of one model call. */
export interface CallUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
}

/** What a step or run used. */
export interface Usage extends CallUsage {
  readonly llmCalls: number;
  readonly toolCalls: number;
  /** Tokens of plans and summaries, already within the sums above. */
  readonly overheadTokens: number;
}

/** Nothing used. */
export const NO_USAGE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  llmCalls: 0,
  toolCalls: 0,
  overheadTokens: 0,
};

/** USD of a call; null where the model has no price. */
export function costOf(usage: CallUsage, price: Price | undefined): number | null {
  if (price === undefined) return null;
  const fresh = Math.max(0, usage.inputTokens - usage.cachedTokens);
  return (fresh * price.input + usage.cachedTokens * price.cachedInput + usage.outputTokens * price.output) / 1_000_000;
}
