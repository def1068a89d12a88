import type { Scope } from "./scope.ts";

/** Time of a run; handed in. */
export interface Clock {
  /** Milliseconds; of a virtual clock since the run began. */
  now(): number;
  /** Resolves after `ms`, or rejects with the scope's reason when that is cancelled first. */
  sleep(ms: number, scope: Scope): Promise<void>;
  /** Marks work that takes real time (files, network), so that a virtual clock waits for it. */
  hold<T>(work: Promise<T>): Promise<T>;
}

/** Real time: `now` is handed in, waits are timers of the platform. */
export function makeRealClock(now: () => number): Clock {
  return {
    now,
    hold: (work) => work,
    sleep: (ms, scope) =>
      new Promise((resolve, reject) => {
        if (scope.reason !== undefined) {
          reject(scope.reason);
          return;
        }
        const timer = setTimeout(() => {
          dispose();
          resolve();
        }, ms);
        const dispose = scope.onCancel((reason) => {
          clearTimeout(timer);
          reject(reason);
        });
      }),
  };
}

interface Sleeper {
  readonly at: number;
  readonly order: number;
  done: boolean;
  wake(): void;
}

/**
 * Virtual time: it stands still while anything can run, then jumps to the next sleeper, one sleeper a jump, those of
 * equal time in the order in which they lay down. Runs are exactly repeatable and take no real time.
 */
export class VirtualClock implements Clock {
  #now: number;
  #order = 0;
  #held = 0;
  #scheduled = false;
  readonly #heap: Sleeper[] = [];

  constructor(startMs = 0) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  sleep(ms: number, scope: Scope): Promise<void> {
    return new Promise((resolve, reject) => {
      if (scope.reason !== undefined) {
        reject(scope.reason);
        return;
      }
      const sleeper: Sleeper = {
        at: this.#now + Math.max(0, ms),
        order: this.#order++,
        done: false,
        wake: () => {
          dispose();
          resolve();
        },
      };
      const dispose = scope.onCancel((reason) => {
        sleeper.done = true;
        reject(reason);
      });
      this.#push(sleeper);
      this.#schedule();
    });
  }

  async hold<T>(work: Promise<T>): Promise<T> {
    this.#held++;
    try {
      return await work;
    } finally {
      this.#held--;
      this.#schedule();
    }
  }

  /** Asks for a look once everything that can run has run. */
  #schedule(): void {
    if (this.#scheduled || this.#held > 0 || this.#heap.length === 0) return;
    this.#scheduled = true;
    afterMicrotasks(() => {
      this.#scheduled = false;
      if (this.#held > 0) return;
      let next = this.#pop();
      while (next?.done === true) next = this.#pop();
      if (next === undefined) return;
      this.#now = Math.max(this.#now, next.at);
      next.wake();
      this.#schedule();
    });
  }

  #push(sleeper: Sleeper): void {
    const heap = this.#heap;
    heap.push(sleeper);
    let i = heap.length - 1;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!isBefore(heap[i]!, heap[parent]!)) break;
      [heap[i], heap[parent]] = [heap[parent]!, heap[i]!];
      i = parent;
    }
  }

  #pop(): Sleeper | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (top === undefined || last === undefined || heap.length === 0) return top;
    heap[0] = last;
    let i = 0;
    for (;;) {
      let least = i;
      for (const child of [2 * i + 1, 2 * i + 2])
        if (child < heap.length && isBefore(heap[child]!, heap[least]!)) least = child;
      if (least === i) return top;
      [heap[i], heap[least]] = [heap[least]!, heap[i]!];
      i = least;
    }
  }
}

function isBefore(a: Sleeper, b: Sleeper): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** Runs after all pending microtasks; the quickest macrotask the platform has. */
export function afterMicrotasks(task: () => void): void {
  if (typeof setImmediate === "function") setImmediate(task);
  else setTimeout(task, 0);
}
