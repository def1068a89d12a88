import type { ErrorData } from "../errors.ts";
import type { StepRecord } from "./store.ts";
import type { CallUsage } from "./usage.ts";

/** Reply of a model as it is kept. */
export interface ModelReply {
  readonly text: string;
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly input: string }[];
  readonly finish: "stop" | "length" | "tool_calls" | "content_filter" | "other";
  readonly usage: CallUsage;
  readonly model: string;
}

/** Result of a tool as it is kept. */
export interface ToolReply {
  readonly ok: boolean;
  readonly content: string;
}

/** One line of the run's log; the log is the checkpoint. Paths name the place in the run, the same in every run. */
export type LogEntry =
  | {
      readonly kind: "run";
      readonly v: 1;
      readonly runId: string;
      readonly flow: string;
      readonly configHash: string;
      readonly seed: string;
      readonly input: unknown;
      readonly startedAt: number;
    }
  | {
      readonly kind: "call";
      readonly path: string;
      readonly reply: ModelReply;
      readonly costUsd: number | null;
      readonly overhead: boolean;
    }
  | { readonly kind: "call_failed"; readonly path: string; readonly attempt: number; readonly error: ErrorData }
  | { readonly kind: "tool"; readonly path: string; readonly reply: ToolReply }
  | { readonly kind: "effect"; readonly path: string; readonly value: unknown }
  | { readonly kind: "step"; readonly path: string; readonly record: StepRecord }
  | { readonly kind: "branch"; readonly path: string; readonly status: string }
  | {
      readonly kind: "human";
      readonly path: string;
      readonly token: string;
      readonly prompt: string;
      readonly schema: unknown;
      readonly at: number;
    }
  | { readonly kind: "answer"; readonly token: string; readonly value: unknown; readonly at: number }
  | { readonly kind: "end"; readonly status: string; readonly at: number };

/** Where entries are kept. */
export interface LogSink {
  append(entry: LogEntry): void;
}

/** A question that waits for a person. */
export interface PendingHuman {
  readonly token: string;
  readonly path: string;
  readonly prompt: string;
  readonly schema: unknown;
  readonly at: number;
}

/** The folded log: what is known of earlier parts of the run. New entries are folded and handed to the sink. */
export class Journal {
  readonly #sink: LogSink | undefined;
  readonly #calls = new Map<string, LogEntry & { readonly kind: "call" }>();
  readonly #failures = new Map<string, LogEntry & { readonly kind: "call_failed" }>();
  readonly #tools = new Map<string, ToolReply>();
  readonly #effects = new Map<string, unknown>();
  readonly #steps = new Map<string, StepRecord>();
  readonly #branches = new Map<string, string>();
  readonly #humans = new Map<string, PendingHuman>();
  readonly #answers = new Map<string, unknown>();
  // What an earlier part of the run did, by path: every step of a resumed run looks up what lies below it.
  #earlierCalls: readonly (LogEntry & { readonly kind: "call" })[] = [];
  #earlierTools: readonly { readonly path: string }[] = [];
  /** Entry that opened the log; undefined for a new run. */
  head: (LogEntry & { readonly kind: "run" }) | undefined;
  /** Status of the last ended part; undefined when it was cut off. */
  lastStatus: string | undefined;

  constructor(entries: readonly LogEntry[] = [], sink?: LogSink) {
    this.#sink = sink;
    for (const entry of entries) this.#fold(entry);
    this.beginPart();
  }

  /** From now on all that is known counts as done by an earlier part of the run. */
  beginPart(): void {
    this.#earlierCalls = [...this.#calls.values()].sort(byPath);
    this.#earlierTools = [...this.#tools.keys()].sort().map((path) => ({ path }));
  }

  append(entry: LogEntry): void {
    this.#fold(entry);
    this.#sink?.append(entry);
  }

  call(path: string) {
    return this.#calls.get(path);
  }

  callFailure(path: string, attempt: number) {
    return this.#failures.get(`${path} ${attempt}`);
  }

  tool(path: string): ToolReply | undefined {
    return this.#tools.get(path);
  }

  /** A kept value in a box, so that a kept null is not taken for none. */
  effect(path: string): { readonly value: unknown } | undefined {
    return this.#effects.has(path) ? { value: this.#effects.get(path) } : undefined;
  }

  step(path: string): StepRecord | undefined {
    return this.#steps.get(path);
  }

  branchStatus(path: string): string | undefined {
    return this.#branches.get(path);
  }

  /** Calls of earlier parts of the run below a path ("" for all), for the ledgers of a resumed run. */
  earlierCalls(path: string): readonly (LogEntry & { readonly kind: "call" })[] {
    return below(this.#earlierCalls, path);
  }

  /** Number of tool calls of earlier parts of the run below a path. */
  earlierToolCalls(path: string): number {
    return below(this.#earlierTools, path).length;
  }

  get isEmpty(): boolean {
    return this.head === undefined;
  }

  human(token: string): PendingHuman | undefined {
    return this.#humans.get(token);
  }

  answer(token: string): { readonly value: unknown } | undefined {
    return this.#answers.has(token) ? { value: this.#answers.get(token) } : undefined;
  }

  /** Questions without an answer, in the order in which they were asked. */
  pending(): readonly PendingHuman[] {
    return [...this.#humans.values()].filter((human) => !this.#answers.has(human.token));
  }

  #fold(entry: LogEntry): void {
    switch (entry.kind) {
      case "run":
        this.head = entry;
        return;
      case "call":
        this.#calls.set(entry.path, entry);
        return;
      case "call_failed":
        this.#failures.set(`${entry.path} ${entry.attempt}`, entry);
        return;
      case "tool":
        this.#tools.set(entry.path, entry.reply);
        return;
      case "effect":
        this.#effects.set(entry.path, entry.value);
        return;
      case "step":
        this.#steps.set(entry.path, entry.record);
        this.lastStatus = undefined;
        return;
      case "branch":
        this.#branches.set(entry.path, entry.status);
        return;
      case "human":
        this.#humans.set(entry.token, {
          token: entry.token,
          path: entry.path,
          prompt: entry.prompt,
          schema: entry.schema,
          at: entry.at,
        });
        return;
      case "answer":
        this.#answers.set(entry.token, entry.value);
        return;
      case "end":
        this.lastStatus = entry.status;
        return;
    }
  }

  /**
   * Makes failures open again: a person who resumes a failed run wants it tried anew. A run that was cut off keeps them,
   * as it would have gone on from them.
   */
  reopenFailures(): void {
    for (const [path, record] of this.#steps)
      if (record.status !== "completed" && record.status !== "skipped") this.#steps.delete(path);
    for (const [path, status] of this.#branches)
      if (status !== "completed" && status !== "skipped") this.#branches.delete(path);
    this.#failures.clear();
  }
}

function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

/** The stretch of a sorted list whose paths lie below one path. */
function below<T extends { readonly path: string }>(sorted: readonly T[], path: string): readonly T[] {
  if (path === "" || sorted.length === 0) return sorted;
  const start = lowerBound(sorted, `${path}/`);
  // "0" is the character after "/".
  return sorted.slice(start, lowerBound(sorted, `${path}0`));
}

function lowerBound(sorted: readonly { readonly path: string }[], key: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]!.path < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
