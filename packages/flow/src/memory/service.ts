import { cosine, extractSentences } from "../engine/relevance.ts";
import { FlowError } from "../errors.ts";
import { hash64 } from "../hash.ts";
import type { Embedder } from "./embedder.ts";
import type { Memory, MemoryHit } from "./memory.ts";
import type { MemoryRecord, MemoryStore, StoredHit } from "./store.ts";

const DAY_MS = 86_400_000;
const HALF_LIFE_DAYS = 30;
const EXCERPT = 2_000;
const SAME = 0.97;

/** Limits of what is kept. */
export interface Retention {
  readonly maxRecords: number;
  readonly ttlDays: number | undefined;
}

/**
 * Memory over a store and an embedder. A hit scores 0.8·cosine + 0.2·2^(−age/30 d); near-duplicates (cosine above 0.97)
 * count once. What can't be embedded is not stored, and a zero vector never is.
 *
 * @param now ms since 1970
 */
export function makeMemory(store: MemoryStore, embedder: Embedder, retention: Retention, now: () => number): Memory {
  const embed = async (text: string, signal: AbortSignal): Promise<Float32Array> => {
    try {
      const [vector] = await embedder.embed([text], signal);
      if (vector === undefined || vector.length !== embedder.dim)
        throw new Error(`a vector of length ${vector?.length ?? 0} came instead of ${embedder.dim}`);
      return vector;
    } catch (error) {
      throw new FlowError("E409", "internal", `The embedder '${embedder.id}' failed: ${(error as Error).message}`, {
        cause: error,
      });
    }
  };
  const guarded = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof FlowError) throw error;
      throw new FlowError("E409", "internal", `The memory store could not ${what}: ${(error as Error).message}`, {
        cause: error,
      });
    }
  };
  return {
    async recall(question, scope) {
      const vector = await embed(question.text, scope.signal);
      if (isZero(vector)) return [];
      const time = now();
      const oldest = retention.ttlDays === undefined ? Number.NEGATIVE_INFINITY : time - retention.ttlDays * DAY_MS;
      const found = await guarded("be searched", () =>
        store.query({
          vector,
          // Duplicates and expired ones fall away afterwards.
          topK: question.topK * 4 + 8,
          // Age adds at most 0.2: below this cosine no score reaches the limit.
          minScore: (question.minScore - 0.2) / 0.8,
          ...(question.scope === "agent" ? { filter: { agentId: question.agentId } } : {}),
        }),
      );
      const scored = found
        .filter((hit) => hit.record.time >= oldest)
        .map((hit) => ({
          hit,
          score: 0.8 * hit.similarity + 0.2 * 2 ** (-Math.max(0, time - hit.record.time) / (HALF_LIFE_DAYS * DAY_MS)),
        }));
      scored.sort((a, b) => b.score - a.score);
      const kept: { readonly hit: StoredHit; readonly score: number }[] = [];
      for (const entry of scored) {
        if (kept.length >= question.topK || entry.score < question.minScore) break;
        if (!kept.some((other) => cosine(other.hit.vector, entry.hit.vector) > SAME)) kept.push(entry);
      }
      if (kept.length > 0)
        await guarded("be marked as read", () =>
          store.touch(
            kept.map((entry) => entry.hit.record.id),
            time,
          ),
        );
      return kept.map(
        ({ hit, score }): MemoryHit => ({
          id: hit.record.id,
          agentId: hit.record.agentId,
          excerpt: hit.record.excerpt,
          score,
        }),
      );
    },
    async remember(note, scope) {
      const record: MemoryRecord = {
        id: `m_${hash64(`${note.runId} ${note.path}`)}`,
        agentId: note.agentId,
        role: note.role,
        insights: extractSentences(note.text, 5),
        decisions:
          note.text
            .match(/[^.\n]*\b(?:decid(?:e|ed)|decision|we will|agreed|chose|recommend)\b[^.\n]*/gi)
            ?.slice(0, 3) ?? [],
        artifacts: [
          ...new Set(note.text.match(/\b[\w./-]+\.(?:ts|js|py|md|json|ya?ml|csv|sql|html|txt)\b/g) ?? []),
        ].slice(0, 10),
        excerpt: note.text.slice(0, EXCERPT),
        taskHash: hash64(note.task),
        runId: note.runId,
        time: note.timeMs,
        metadata: {},
      };
      const vector = await embed(`${note.role}\n${note.task}\n${record.excerpt}`, scope.signal);
      if (isZero(vector)) return null;
      await guarded("be written", () => store.upsert([{ record, vector }]));
      await guarded("be tidied", () => tidy(store, retention, now()));
      return record.id;
    },
  };
}

function isZero(vector: Float32Array): boolean {
  return vector.every((value) => value === 0);
}

/** Drops what is past its time, then beyond the limit what was never read, oldest first, then what was read longest ago. */
async function tidy(store: MemoryStore, retention: Retention, time: number): Promise<void> {
  if (retention.ttlDays !== undefined) await store.delete({ filter: { before: time - retention.ttlDays * DAY_MS } });
  const { count } = await store.stats();
  if (count <= retention.maxRecords) return;
  const all = await store.list();
  const order = [...all].sort(
    (a, b) =>
      Math.sign(a.lastRead) - Math.sign(b.lastRead) || (a.lastRead === 0 ? a.time - b.time : a.lastRead - b.lastRead),
  );
  const surplus = order.slice(0, all.length - retention.maxRecords).map((entry) => entry.id);
  if (surplus.length > 0) await store.delete({ filter: { ids: surplus } });
}
