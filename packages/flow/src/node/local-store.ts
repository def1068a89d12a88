import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { FlowError } from "../errors.ts";
import { searchExact } from "../memory/in-memory-store.ts";
import { fitsFilter, type MemoryRecord, type MemoryStore } from "../memory/store.ts";
import { dropLock, takeLock } from "./pid-lock.ts";

type Line =
  | {
      readonly kind: "meta";
      readonly v: 1;
      readonly embedder: string;
      readonly dimension: number;
      readonly vectors: string;
    }
  | { readonly kind: "upsert"; readonly index: number; readonly record: MemoryRecord }
  | { readonly kind: "delete"; readonly ids: readonly string[] }
  | { readonly kind: "read"; readonly ids: readonly string[]; readonly time: number };

interface Entry {
  readonly record: MemoryRecord;
  readonly vector: Float32Array;
  lastRead: number;
}

const LOCK_WAIT_MS = 3_000;
const COMPACT_FROM = 200;

/**
 * A namespace as one file of JSON lines beside one of float32 vectors; exact search. Both are only added to, until more
 * than half is dead; then they are written anew and take the old ones' place at once. Several processes may share a
 * namespace: each write holds a lock and first reads what others have added.
 *
 * @throws FlowError E242 when another embedder or dimension filled it; nothing is deleted
 */
export async function openLocalStore(options: {
  readonly dir: string;
  readonly namespace: string;
  readonly embedder: string;
  readonly dimension: number;
  readonly now: () => number;
}): Promise<MemoryStore> {
  mkdirSync(options.dir, { recursive: true });
  const store = new LocalStore(options);
  await store.open();
  return store;
}

class LocalStore implements MemoryStore {
  readonly #options: Parameters<typeof openLocalStore>[0];
  readonly #path: string;
  readonly #entries = new Map<string, Entry>();
  #vectors = "";
  #read = 0;
  #inode = 0;
  #lines = 0;

  constructor(options: Parameters<typeof openLocalStore>[0]) {
    this.#options = options;
    this.#path = join(options.dir, `${options.namespace}.jsonl`);
  }

  async open(): Promise<void> {
    await this.#locked(() => {
      if (existsSync(this.#path)) return;
      const meta: Line = {
        kind: "meta",
        v: 1,
        embedder: this.#options.embedder,
        dimension: this.#options.dimension,
        vectors: `${this.#options.namespace}.0.f32`,
      };
      writeFileSync(join(this.#options.dir, meta.vectors), "");
      writeFileSync(this.#path, `${JSON.stringify(meta)}\n`);
    });
    this.#refresh();
  }

  async upsert(records: readonly { readonly record: MemoryRecord; readonly vector: Float32Array }[]): Promise<void> {
    await this.#locked(() => {
      this.#refresh();
      for (const { record, vector } of records) {
        // The vector first: a line never names one that is not there.
        const index = this.#appendVector(vector);
        this.#appendLine({ kind: "upsert", index, record });
      }
      this.#refresh();
      this.#compactIfWorthIt();
    });
  }

  async query(question: Parameters<MemoryStore["query"]>[0]) {
    this.#refresh();
    return searchExact(this.#entries.values(), question);
  }

  async touch(ids: readonly string[], time: number): Promise<void> {
    await this.#locked(() => {
      this.#appendLine({ kind: "read", ids, time });
      this.#refresh();
    });
  }

  async delete({ filter }: { readonly filter: Parameters<MemoryStore["delete"]>[0]["filter"] }): Promise<number> {
    return this.#locked(() => {
      this.#refresh();
      const ids = [...this.#entries.values()]
        .filter((entry) => fitsFilter(entry.record, filter))
        .map((entry) => entry.record.id);
      if (ids.length > 0) this.#appendLine({ kind: "delete", ids });
      this.#refresh();
      this.#compactIfWorthIt();
      return ids.length;
    });
  }

  async stats() {
    this.#refresh();
    return { count: this.#entries.size, dimension: this.#options.dimension, embedder: this.#options.embedder };
  }

  async list() {
    this.#refresh();
    return [...this.#entries.values()].map((entry) => ({
      id: entry.record.id,
      time: entry.record.time,
      lastRead: entry.lastRead,
    }));
  }

  async close(): Promise<void> {
    this.#entries.clear();
    this.#read = 0;
  }

  /** Reads what was added since the last look; all of it when the file was replaced. */
  #refresh(): void {
    const handle = openSync(this.#path, "r");
    try {
      const { ino, size } = fstatSync(handle);
      if (ino !== this.#inode || size < this.#read) {
        this.#entries.clear();
        this.#read = 0;
        this.#lines = 0;
        this.#inode = ino;
      }
      if (size === this.#read) return;
      const bytes = Buffer.alloc(size - this.#read);
      readSync(handle, bytes, 0, bytes.length, this.#read);
      // A line without its end is still being written, or was torn by a kill.
      const end = bytes.lastIndexOf(10) + 1;
      for (const text of bytes.subarray(0, end).toString("utf8").split("\n")) if (text !== "") this.#apply(text);
      this.#read += end;
    } finally {
      closeSync(handle);
    }
  }

  #apply(text: string): void {
    let line: Line;
    try {
      line = JSON.parse(text) as Line;
    } catch {
      // A torn line that later lines were added behind: its record is lost, the rest is not.
      return;
    }
    this.#lines++;
    switch (line.kind) {
      case "meta":
        if (line.embedder !== this.#options.embedder || line.dimension !== this.#options.dimension)
          throw new FlowError(
            "E242",
            "internal",
            `The memory '${this.#options.namespace}' was filled by the embedder '${line.embedder}' (${line.dimension} numbers), not '${this.#options.embedder}' (${this.#options.dimension}). Nothing was deleted: use that embedder or another namespace.`,
          );
        this.#vectors = join(this.#options.dir, line.vectors);
        return;
      case "upsert":
        this.#entries.set(line.record.id, { record: line.record, vector: this.#readVector(line.index), lastRead: 0 });
        return;
      case "delete":
        for (const id of line.ids) this.#entries.delete(id);
        return;
      case "read":
        for (const id of line.ids) {
          const entry = this.#entries.get(id);
          if (entry !== undefined) entry.lastRead = line.time;
        }
        return;
    }
  }

  #appendLine(line: Line): void {
    const handle = openSync(this.#path, "a+");
    try {
      const { size } = fstatSync(handle);
      const last = Buffer.alloc(1);
      if (size > 0) readSync(handle, last, 0, 1, size - 1);
      // After a torn line a new one begins on its own.
      writeSync(handle, `${size > 0 && last[0] !== 10 ? "\n" : ""}${JSON.stringify(line)}\n`);
    } finally {
      closeSync(handle);
    }
  }

  #appendVector(vector: Float32Array): number {
    const width = this.#options.dimension * 4;
    const handle = openSync(this.#vectors, "r+");
    try {
      // A torn vector at the end is written over.
      const index = Math.floor(fstatSync(handle).size / width);
      writeSync(handle, Buffer.from(vector.buffer, vector.byteOffset, width), 0, width, index * width);
      return index;
    } finally {
      closeSync(handle);
    }
  }

  #readVector(index: number): Float32Array {
    const width = this.#options.dimension * 4;
    const handle = openSync(this.#vectors, "r");
    try {
      const bytes = Buffer.alloc(width);
      readSync(handle, bytes, 0, width, index * width);
      return new Float32Array(bytes.buffer, bytes.byteOffset, this.#options.dimension).slice();
    } finally {
      closeSync(handle);
    }
  }

  #compactIfWorthIt(): void {
    if (this.#lines < COMPACT_FROM || this.#entries.size * 2 > this.#lines) return;
    const generation = Number(/\.(\d+)\.f32$/.exec(this.#vectors)?.[1] ?? 0) + 1;
    const vectors = `${this.#options.namespace}.${generation}.f32`;
    const entries = [...this.#entries.values()];
    const width = this.#options.dimension * 4;
    const bytes = Buffer.alloc(entries.length * width);
    for (const [i, entry] of entries.entries())
      Buffer.from(entry.vector.buffer, entry.vector.byteOffset, width).copy(bytes, i * width);
    const lines: Line[] = [
      { kind: "meta", v: 1, embedder: this.#options.embedder, dimension: this.#options.dimension, vectors },
    ];
    for (const [index, entry] of entries.entries()) lines.push({ kind: "upsert", index, record: entry.record });
    for (const entry of entries)
      if (entry.lastRead > 0) lines.push({ kind: "read", ids: [entry.record.id], time: entry.lastRead });
    const old = this.#vectors;
    writeFileSync(join(this.#options.dir, vectors), bytes);
    writeFileSync(`${this.#path}.new`, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
    renameSync(`${this.#path}.new`, this.#path);
    rmSync(old, { force: true });
    this.#refresh();
  }

  /** Runs work while no other process writes; a lock whose owner is gone is taken over. */
  async #locked<T>(work: () => T): Promise<T> {
    const lock = `${this.#path}.lock`;
    const deadline = this.#options.now() + LOCK_WAIT_MS;
    while (!takeLock(lock)) {
      if (this.#options.now() > deadline)
        throw new FlowError(
          "E409",
          "internal",
          `The memory '${this.#options.namespace}' is locked by another process ('${lock}').`,
        );
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    try {
      return work();
    } finally {
      dropLock(lock);
    }
  }
}
