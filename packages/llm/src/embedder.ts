/** Makes a vector of a text; the id is kept beside vectors, as those of different embedders can't be compared. */
export interface Embedder {
  readonly id: string;
  readonly dim: number;
  /** Vector of length 1; the zero vector for a text without features. */
  embed(text: string): Float32Array;
  /** The vectors of many texts, in their order; a text's vector hardly depends on its neighbours (cosine > 0.9999). */
  embedAll(texts: readonly string[]): Float32Array[];
}
