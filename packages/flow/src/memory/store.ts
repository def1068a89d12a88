/** One thing remembered; its text is data and is quoted when shown to a model. */
export interface MemoryRecord {
  readonly id: string;
  readonly agentId: string;
  readonly role: string;
  readonly insights: readonly string[];
  readonly decisions: readonly string[];
  readonly artifacts: readonly string[];
  /** At most 2,000 characters. */
  readonly excerpt: string;
  readonly taskHash: string;
  readonly runId: string;
  /** Ms since 1970. */
  readonly time: number;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Which records; absent keys fit all. */
export interface MemoryFilter {
  readonly ids?: readonly string[];
  readonly agentId?: string;
  /** Records made before this time, in ms since 1970. */
  readonly before?: number;
}

/** A record that was found. */
export interface StoredHit {
  readonly record: MemoryRecord;
  readonly vector: Float32Array;
  /** Cosine with the question. */
  readonly similarity: number;
}

/** Keeps records with vectors. Nothing is ever deleted but on demand. */
export interface MemoryStore {
  upsert(records: readonly { readonly record: MemoryRecord; readonly vector: Float32Array }[]): Promise<void>;
  /** Best first. */
  query(question: {
    readonly vector: Float32Array;
    readonly topK: number;
    readonly filter?: MemoryFilter;
    readonly minScore?: number;
  }): Promise<readonly StoredHit[]>;
  /** Marks records as read, so that they outlive those that nobody reads. */
  touch(ids: readonly string[], time: number): Promise<void>;
  delete(options: { readonly filter: MemoryFilter }): Promise<number>;
  stats(): Promise<{ readonly count: number; readonly dimension: number; readonly embedder: string }>;
  /** Records with times, for retention; empty where the store keeps them elsewhere. */
  list(): Promise<readonly { readonly id: string; readonly time: number; readonly lastRead: number }[]>;
  close(): Promise<void>;
}

/** Whether a record fits a filter. */
export function fitsFilter(record: MemoryRecord, filter: MemoryFilter | undefined): boolean {
  if (filter === undefined) return true;
  if (filter.ids !== undefined && !filter.ids.includes(record.id)) return false;
  if (filter.agentId !== undefined && filter.agentId !== record.agentId) return false;
  return filter.before === undefined || record.time < filter.before;
}
