import { cosine } from "../engine/relevance.ts";
import { fitsFilter, type MemoryRecord, type MemoryStore, type StoredHit } from "./store.ts";

interface Entry {
  readonly record: MemoryRecord;
  readonly vector: Float32Array;
  lastRead: number;
}

/** The best of entries by exact cosine; of equal ones the newer first. */
export function searchExact(
  entries: Iterable<{ readonly record: MemoryRecord; readonly vector: Float32Array }>,
  question: Parameters<MemoryStore["query"]>[0],
): StoredHit[] {
  const hits: StoredHit[] = [];
  for (const { record, vector } of entries) {
    if (!fitsFilter(record, question.filter)) continue;
    const similarity = cosine(question.vector, vector);
    if (similarity >= (question.minScore ?? -1)) hits.push({ record, vector, similarity });
  }
  return hits
    .sort(
      (a, b) => b.similarity - a.similarity || b.record.time - a.record.time || (a.record.id < b.record.id ? -1 : 1),
    )
    .slice(0, question.topK);
}

/** A store that lives as long as its process. */
export function makeInMemoryStore(options: { readonly embedder: string; readonly dimension: number }): MemoryStore {
  const entries = new Map<string, Entry>();
  return {
    upsert: async (records) => {
      for (const { record, vector } of records) entries.set(record.id, { record, vector, lastRead: 0 });
    },
    query: async (question) => searchExact(entries.values(), question),
    touch: async (ids, time) => {
      for (const id of ids) {
        const entry = entries.get(id);
        if (entry !== undefined) entry.lastRead = time;
      }
    },
    delete: async ({ filter }) => {
      const gone = [...entries.values()].filter((entry) => fitsFilter(entry.record, filter));
      for (const entry of gone) entries.delete(entry.record.id);
      return gone.length;
    },
    stats: async () => ({ count: entries.size, dimension: options.dimension, embedder: options.embedder }),
    list: async () =>
      [...entries.values()].map((entry) => ({
        id: entry.record.id,
        time: entry.record.time,
        lastRead: entry.lastRead,
      })),
    close: async () => undefined,
  };
}
