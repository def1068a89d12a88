import type { Clock } from "../src/clock.ts";

interface Timer {
  due: number;
  readonly every: number | null;
  readonly run: () => void;
}

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #now = 0;
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  timestamp(): string {
    return new Date(this.#now).toISOString();
  }

  after(ms: number, run: () => void): () => void {
    return this.#add({ due: this.#now + ms, every: null, run });
  }

  every(ms: number, run: () => void): () => void {
    return this.#add({ due: this.#now + ms, every: ms, run });
  }

  /** Moves time on and runs what falls due, in order of time; promises settle in between. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await settle();
      const next = [...this.#timers].filter((timer) => timer.due <= end).sort((a, b) => a.due - b.due)[0];
      if (next === undefined) break;
      this.#now = next.due;
      if (next.every === null) this.#timers.delete(next);
      else next.due += next.every;
      next.run();
    }
    this.#now = end;
    await settle();
  }

  /** Timers that wait. */
  get pending(): number {
    return this.#timers.size;
  }

  #add(timer: Timer): () => void {
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }
}

/** Lets promise callbacks that are ready run. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}
