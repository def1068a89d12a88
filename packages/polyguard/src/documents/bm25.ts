/** Saturation of the term frequency and strength of the length correction. Source: Robertson and Zaragoza 2009, 3.4.3. */
const K1 = 1.2;
const B = 0.75;

/** Lower-case words of letters and digits; `_` parts words, so that a drug_id is found by its parts. */
export function wordsOf(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 0);
}

/** Term statistics of a fixed list of texts. */
export interface Bm25Index {
  /** Frequency of each word, by text. */
  readonly frequencies: readonly ReadonlyMap<string, number>[];
  readonly lengths: readonly number[];
  readonly meanLength: number;
  /** Number of texts that hold a word. */
  readonly documentFrequency: ReadonlyMap<string, number>;
}

/** Counts the words of each text. */
export function buildBm25Index(texts: readonly string[]): Bm25Index {
  const frequencies: Map<string, number>[] = [];
  const lengths: number[] = [];
  const documentFrequency = new Map<string, number>();
  let total = 0;
  for (const text of texts) {
    const words = wordsOf(text);
    const counts = new Map<string, number>();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    for (const word of counts.keys()) documentFrequency.set(word, (documentFrequency.get(word) ?? 0) + 1);
    frequencies.push(counts);
    lengths.push(words.length);
    total += words.length;
  }
  return { frequencies, lengths, meanLength: texts.length === 0 ? 0 : total / texts.length, documentFrequency };
}

/**
 * BM25 scores of a query against every text, in their order; each query word counts once. Source: Robertson and Zaragoza
 * 2009, with the idf `ln(1 + (N - n + .5)/(n + .5))`, which is never negative.
 */
export function bm25Scores(index: Bm25Index, query: string): readonly number[] {
  const count = index.lengths.length;
  const scores = new Array<number>(count).fill(0);
  for (const word of new Set(wordsOf(query))) {
    const n = index.documentFrequency.get(word) ?? 0;
    if (n === 0) continue;
    const idf = Math.log(1 + (count - n + 0.5) / (n + 0.5));
    for (let i = 0; i < count; i++) {
      const frequency = index.frequencies[i]!.get(word) ?? 0;
      if (frequency === 0) continue;
      const norm = K1 * (1 - B + (B * index.lengths[i]!) / index.meanLength);
      scores[i]! += (idf * frequency * (K1 + 1)) / (frequency + norm);
    }
  }
  return scores;
}
