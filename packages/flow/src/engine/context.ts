import { CHARACTERS_PER_TOKEN, estimateTokens } from "../config/defaults.ts";
import type { ContextPlan } from "../config/plan.ts";
import { contentWords, cosine, shareOf, wordsOf } from "./relevance.ts";
import type { StepRecord } from "./store.ts";

/** A record as an agent will see it. */
export interface SelectedRecord {
  readonly record: StepRecord;
  /** Worked out when it is asked for. */
  readonly relevance: () => number;
  readonly tokens: number;
}

/** Records for an agent, in time order. */
export interface Selection {
  readonly kept: readonly SelectedRecord[];
  readonly dropped: number;
  readonly tokens: number;
  /** Records to be shown as summaries, least relevant first. */
  readonly toSummarize: readonly StepRecord[];
}

/** What selection needs to know of the agent. */
export interface SelectionInput {
  readonly plan: ContextPlan;
  /** Goal and task. */
  readonly query: string;
  readonly maxTokens: number;
  /** Vectors of query and records; without an embedder words alone decide. */
  readonly embed: ((text: string) => Float32Array) | undefined;
  /** What was found in records before; added to. */
  readonly features: Map<StepRecord, Features>;
}

/** Records that an agent may be shown: successes and failures of steps, not skips, not sub-agents, not composites. */
function candidates(records: readonly StepRecord[], plan: ContextPlan): readonly StepRecord[] {
  if (plan.from === "none") return [];
  const shown = records.filter(
    (record) => (record.status === "completed" || record.status === "failed") && isWork(record),
  );
  const newest = new Map<string, StepRecord>();
  for (const record of shown) newest.set(record.stepId, record);
  const latest = shown.filter((record) => newest.get(record.stepId) === record);
  const { from } = plan;
  return from === "all" ? latest : latest.filter((record) => from.includes(record.stepId));
}

function isWork(record: StepRecord): boolean {
  return (
    record.kind === "agent" ||
    record.kind === "human" ||
    record.kind === "subflow" ||
    record.kind === "delegate" ||
    record.kind === "foreach"
  );
}

/**
 * Chooses what an agent is shown: relevance = 0.4·recency + 0.4·match + 0.2·richness, recency = (i+1)/n in time order.
 * Records named in `from` are always kept. In mode `auto` everything stays full until the estimate passes `maxTokens`,
 * then the least relevant are summarised first.
 */
export function selectContext(records: readonly StepRecord[], input: SelectionInput): Selection {
  const { plan } = input;
  const all = candidates(records, plan);
  if (all.length === 0) return { kept: [], dropped: 0, tokens: 0, toSummarize: [] };
  let query: { readonly words: readonly string[]; readonly vector: Float32Array | undefined } | undefined;
  const relevanceOf = (record: StepRecord, i: number): number => {
    query ??= { words: contentWords(input.query), vector: input.embed?.(input.query) };
    const recency = (i + 1) / all.length;
    const semantic =
      query.vector === undefined || input.embed === undefined ? 0 : cosine(query.vector, input.embed(record.text));
    const features = featuresOf(record, input.features);
    const match = Math.max(shareOf(query.words, features.words), semantic);
    return 0.4 * recency + 0.4 * match + 0.2 * features.richness;
  };
  // Where everything is shown in full nobody asks for the order.
  const scored = all.map((record, i): SelectedRecord => {
    let relevance: number | undefined;
    return {
      record,
      relevance: () => {
        relevance ??= relevanceOf(record, i);
        return relevance;
      },
      tokens: estimateTokens(record.text),
    };
  });
  const isAll = Array.isArray(plan.from) || scored.length <= plan.maxItems;
  // The sort is stable: of equals the newer comes first.
  const chosen = new Set(
    isAll
      ? scored
      : [...scored]
          .reverse()
          .sort((a, b) => b.relevance() - a.relevance())
          .slice(0, plan.maxItems),
  );
  const kept = scored.filter((entry) => chosen.has(entry));
  const tokens = kept.reduce((sum, entry) => sum + entry.tokens, 0);
  return {
    kept,
    dropped: scored.length - kept.length,
    tokens,
    toSummarize: summarized(kept, plan.mode, input.maxTokens),
  };
}

function summarized(kept: readonly SelectedRecord[], mode: ContextPlan["mode"], maxTokens: number): StepRecord[] {
  let tokens = kept.reduce((sum, entry) => sum + entry.tokens, 0);
  if (mode === "full" || (mode === "auto" && tokens <= maxTokens)) return [];
  const successes = kept.filter((entry) => entry.record.status === "completed");
  const least = successes.sort((a, b) => a.relevance() - b.relevance());
  if (mode === "summary") return least.map((entry) => entry.record);
  const chosen: StepRecord[] = [];
  for (const entry of least) {
    if (tokens <= maxTokens) break;
    if (entry.tokens <= SUMMARY_TOKENS) continue;
    chosen.push(entry.record);
    tokens -= entry.tokens - SUMMARY_TOKENS;
  }
  return chosen;
}

/** assumption: 250 words of a summary at 1.3 tokens a word. */
const SUMMARY_TOKENS = 325;

const RICH_SIGNS: readonly (readonly [target: number, sign: RegExp])[] = [
  [5, /\b(?:found|shows?|because|therefore|means|insight|evidence|result)\b/gi],
  [3, /\b(?:decid(?:e|ed|es)|decision|chose|chosen|agreed|will use|recommend(?:s|ed)?)\b/gi],
  [3, /(?:```|https?:\/\/|\b[\w-]+\.(?:ts|js|py|md|json|ya?ml|csv|sql)\b)/gi],
  [3, /\b(?:next step|todo|to do|should|must|follow[- ]up|plan to)\b/gi],
];

/** What the text of a record holds; a record is looked at by every agent after it, and its text read once. */
export interface Features {
  readonly words: ReadonlySet<string>;
  readonly richness: number;
}

function featuresOf(record: StepRecord, known: Map<StepRecord, Features>): Features {
  let features = known.get(record);
  if (features === undefined) {
    features = { words: new Set(wordsOf(record.text)), richness: richness(record) };
    known.set(record, features);
  }
  return features;
}

/** A quarter each for insights (5), decisions (3), artifacts (3) and next steps (3), as far as their signs are found. */
function richness(record: StepRecord): number {
  let sum = 0;
  const sample = record.text.slice(0, 8_000);
  for (const [target, sign] of RICH_SIGNS) sum += Math.min((sample.match(sign)?.length ?? 0) / target, 1);
  return sum / 4;
}

/** A text cut in the middle to about `tokens`, with a mark of what is gone; head and tail say most. */
export function cutMiddle(text: string, tokens: number): string {
  const limit = Math.max(0, Math.floor(tokens * CHARACTERS_PER_TOKEN));
  if (text.length <= limit) return text;
  const mark = ` … [${text.length - limit} characters left out] … `;
  const room = Math.max(0, limit - mark.length);
  const head = Math.ceil(room * 0.6);
  return room === 0 ? text.slice(0, limit) : `${text.slice(0, head)}${mark}${text.slice(text.length - (room - head))}`;
}
