import type { Embedder } from "../../src/memory/embedder.ts";

/** Bag of words hashed into `dim` places: enough to tell subjects apart in tests. */
export function wordEmbedder(dim = 64): Embedder {
  const embedSync = (text: string): Float32Array => {
    const vector = new Float32Array(dim);
    for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
      let hash = 7;
      for (const char of word) hash = (hash * 31 + char.codePointAt(0)!) % 1_000_003;
      vector[hash % dim]! += 1;
    }
    const length = Math.hypot(...vector);
    return length === 0 ? vector : vector.map((value) => value / length);
  };
  return { id: `words${dim}`, dim, embedSync, embed: async (texts) => texts.map(embedSync) };
}
