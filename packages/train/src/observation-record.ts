import type { Info } from "@praxis/env";
import type { NamedArray } from "@praxis/nn";

/** A vector that many observations share, such as the embedding of a text; equal ones of one rollout are one object. */
export interface EmbeddingRow {
  readonly data: Float32Array;
}

/** What a policy keeps of an observation until it has learnt from it. */
export interface ObservationRecord {
  readonly numbers: Float32Array;
  /** Null where there is none. */
  readonly rows: readonly (EmbeddingRow | null)[];
}

/** Makes records of observations; equal embeddings met between two calls of `clear` become one row. */
export interface ObservationRecorder {
  /** Throws VALIDATION_ERROR for an observation that does not fit. */
  record(observation: Float32Array, info: Info): ObservationRecord;
  clear(): void;
}

/** Finds the one row for equal vectors: by an id where the caller has one, else by content. */
export class RowInterner {
  readonly #byId = new Map<number, EmbeddingRow>();
  readonly #byHash = new Map<number, EmbeddingRow[]>();

  clear(): void {
    this.#byId.clear();
    this.#byHash.clear();
  }

  /**
   * The row of `vector`, null for zeros.
   * @param id numbers the content: the same id always stands for an equal vector
   */
  intern(vector: Float32Array, id: number | null): EmbeddingRow | null {
    if (id !== null) {
      const known = this.#byId.get(id);
      if (known !== undefined) return known;
    }
    const row = this.#byContent(vector);
    if (id !== null && row !== null) this.#byId.set(id, row);
    return row;
  }

  #byContent(vector: Float32Array): EmbeddingRow | null {
    const hash = hashOf(vector);
    if (hash === null) return null;
    const same = this.#byHash.get(hash) ?? [];
    const known = same.find(({ data }) => data.every((x, j) => x === vector[j]));
    if (known !== undefined) return known;
    const row = { data: vector.slice() };
    this.#byHash.set(hash, [...same, row]);
    return row;
  }
}

/** FNV-1a over the numbers' bits; null when all are zero. */
function hashOf(vector: Float32Array): number | null {
  const words = new Uint32Array(vector.buffer, vector.byteOffset, vector.length);
  let hash = 2166136261;
  let any = 0;
  for (let j = 0; j < words.length; j++) {
    // The sign of zero is no content.
    const word = words[j] === 0x80000000 ? 0 : words[j]!;
    any |= word;
    hash = Math.imul(hash ^ word, 16777619);
  }
  return any === 0 ? null : hash >>> 0;
}

/** Records as tensors: all numbers, each distinct row once, and which record has which. */
export function packRecords(records: readonly ObservationRecord[]): [string, NamedArray][] {
  const distinct = new Map<EmbeddingRow, number>();
  for (const { rows } of records)
    for (const row of rows) if (row !== null && !distinct.has(row)) distinct.set(row, distinct.size);
  const indices = records.flatMap(({ rows }) => rows.map((row) => (row === null ? -1 : distinct.get(row)!)));
  const join = (parts: readonly Float32Array[]): NamedArray => {
    const width = parts[0]?.length ?? 0;
    const data = new Float32Array(parts.length * width);
    parts.forEach((part, i) => {
      data.set(part, i * width);
    });
    return { shape: [parts.length, width], data };
  };
  return [
    ["numbers", join(records.map(({ numbers }) => numbers))],
    ["rows", join([...distinct.keys()].map(({ data }) => data))],
    ["rowOf", { shape: [records.length, records[0]?.rows.length ?? 0], data: Float32Array.from(indices) }],
  ];
}

/** The records that {@link packRecords} packed; rows that were one object are one again. */
export function unpackRecords(tensors: ReadonlyMap<string, NamedArray>): ObservationRecord[] {
  const rowsOf = ({ shape, data }: NamedArray): Float32Array[] => {
    const [count, width] = shape as readonly [number, number];
    return Array.from({ length: count }, (_, i) => data.slice(i * width, (i + 1) * width));
  };
  const distinct = rowsOf(tensors.get("rows")!).map((data): EmbeddingRow => ({ data }));
  const indices = rowsOf(tensors.get("rowOf")!);
  return rowsOf(tensors.get("numbers")!).map((numbers, i) => ({
    numbers,
    rows: Array.from(indices[i]!, (index) => (index < 0 ? null : distinct[index]!)),
  }));
}
