/** Makes vectors of texts; handed in by the host. */
export interface Embedder {
  /** Kept with stored vectors; another embedder's vectors are never compared with them. */
  readonly id: string;
  readonly dim: number;
  /** Vectors of length 1, in order; the zero vector for a text without features. */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]>;
  /** The same without waiting, where the embedder can. */
  embedSync?(text: string): Float32Array;
}
