import type { Fetch } from "../providers/http-models.ts";
import type { MemoryFilter, MemoryRecord, MemoryStore } from "./store.ts";

/**
 * A Pinecone index over its data-plane HTTP API (version 2025-01: `/vectors/upsert`, `/query`, `/vectors/delete`,
 * `/describe_index_stats`). The index has to exist with the embedder's dimension; it is never made, changed or emptied.
 */
export function makePineconeStore(options: {
  readonly host: string;
  readonly apiKey: string;
  readonly namespace: string;
  readonly embedder: string;
  readonly dimension: number;
  readonly fetch: Fetch;
}): MemoryStore {
  const base = (options.host.includes("://") ? options.host : `https://${options.host}`).replace(/\/+$/, "");
  const call = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
    const response = await options.fetch(`${base}${path}`, {
      method: "POST",
      headers: { "api-key": options.apiKey, "content-type": "application/json", "x-pinecone-api-version": "2025-01" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`the index answered ${response.status}`);
    return (await response.json()) as Record<string, unknown>;
  };
  const stats = async () => {
    const body = await call("/describe_index_stats", {});
    const namespaces = (body.namespaces ?? {}) as Readonly<Record<string, { readonly vectorCount?: number }>>;
    return {
      count: namespaces[options.namespace]?.vectorCount ?? 0,
      dimension: Number(body.dimension ?? options.dimension),
      embedder: options.embedder,
    };
  };
  return {
    stats,
    async upsert(records) {
      const vectors = records.map(({ record, vector }) => ({
        id: record.id,
        values: [...vector],
        metadata: { agentId: record.agentId, time: record.time, record: JSON.stringify(record) },
      }));
      await call("/vectors/upsert", { vectors, namespace: options.namespace });
    },
    async query(question) {
      const filter = toFilter(question.filter);
      const body = await call("/query", {
        vector: [...question.vector],
        topK: question.topK,
        includeMetadata: true,
        includeValues: true,
        namespace: options.namespace,
        ...(filter === undefined ? {} : { filter }),
      });
      const matches = (body.matches ?? []) as readonly {
        readonly score: number;
        readonly values: readonly number[];
        readonly metadata: { readonly record: string };
      }[];
      return matches
        .filter((match) => match.score >= (question.minScore ?? -1))
        .map((match) => ({
          record: JSON.parse(match.metadata.record) as MemoryRecord,
          vector: Float32Array.from(match.values),
          similarity: match.score,
        }));
    },
    // Pinecone keeps no time of reading; retention by number is left to its owner.
    touch: async () => undefined,
    list: async () => [],
    async delete({ filter }) {
      await call("/vectors/delete", {
        namespace: options.namespace,
        ...(filter.ids === undefined ? { filter: toFilter(filter) } : { ids: filter.ids }),
      });
      return filter.ids?.length ?? 0;
    },
    close: async () => undefined,
  };
}

function toFilter(filter: MemoryFilter | undefined): Record<string, unknown> | undefined {
  if (filter === undefined) return undefined;
  return {
    ...(filter.agentId === undefined ? {} : { agentId: { $eq: filter.agentId } }),
    ...(filter.before === undefined ? {} : { time: { $lt: filter.before } }),
  };
}
