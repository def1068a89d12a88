import type { Embedder } from "./embedder.ts";

/** English words that carry no subject: they count inside pairs of words only. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a about above after again all also am an and any are as at be because been before being below between both but by can could did do does doing down during each " +
    "few for from further had has have having he her here hers him his how i if in into is it its just me more most must my no nor not of off on once only or other our " +
    "out over own same she should so some such than that the their them then there these they this those through to too under until up very was we were what when where " +
    "which while who will with would you your myself himself herself itself themselves ours yours"
  ).split(" "),
);

const DIM = 384;
const MAX_TOKENS = 400;
const UNIGRAM = 1;
const BIGRAM = 0.7;
const TRIGRAM = 0.3;
const encoder = new TextEncoder();

/** FNV-1a, 32 bits, over UTF-8 bytes (offset 2166136261, prime 16777619). */
function fnv1a32(text: string): number {
  let hash = 2_166_136_261;
  for (const byte of encoder.encode(text)) hash = Math.imul(hash ^ byte, 16_777_619);
  return hash >>> 0;
}

/** Where a feature adds to: four signed places, 0 … 383; the sign is that of bit 31. */
export function featurePlaces(feature: string): readonly { readonly index: number; readonly sign: 1 | -1 }[] {
  return [0, 1, 2, 3].map((j) => {
    const hash = fnv1a32(`${j}|${feature}`);
    return { index: hash % DIM, sign: hash >>> 31 === 1 ? -1 : 1 };
  });
}

/** Lower-case words of a text after NFKC, at most 400. */
function tokensOf(text: string): string[] {
  return (
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).slice(0, MAX_TOKENS);
}

/**
 * Hashed features in 384 dimensions, the same everywhere and without any file: words (each occurrence weighs one over the
 * root of its count), pairs of neighbours (0.7) and letter trigrams of each word with its ends marked (0.3). Words of no
 * subject count in pairs only. Each feature adds half its weight to four places.
 */
export const hash384: Embedder = {
  id: "hash384",
  dim: DIM,
  embed(text) {
    const tokens = tokensOf(text);
    const weights = new Map<string, number>();
    const add = (feature: string, weight: number): void =>
      void weights.set(feature, (weights.get(feature) ?? 0) + weight);
    const counts = new Map<string, number>();
    for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
    for (const [i, token] of tokens.entries()) {
      const next = tokens[i + 1];
      if (next !== undefined) add(`b:${token} ${next}`, BIGRAM);
      if (STOP_WORDS.has(token)) continue;
      add(`u:${token}`, UNIGRAM / Math.sqrt(counts.get(token)!));
      const marked = [..."^", ...token, "$"];
      for (let k = 0; k + 3 <= marked.length; k++) add(`t:${marked.slice(k, k + 3).join("")}`, TRIGRAM);
    }
    // Sums in 64 bits, rounded once at the end: the order of features then hardly matters, and it is fixed by the text.
    const sums = new Float64Array(DIM);
    for (const [feature, weight] of weights)
      for (const { index, sign } of featurePlaces(feature)) sums[index]! += (sign * weight) / 2;
    let square = 0;
    for (const value of sums) square += value * value;
    const vector = new Float32Array(DIM);
    if (square === 0) return vector;
    const length = Math.sqrt(square);
    for (let i = 0; i < DIM; i++) vector[i] = sums[i]! / length;
    return vector;
  },
  embedAll: (texts) => texts.map((text) => hash384.embed(text)),
};
