/** Time as the server sees it; tests hand in one they move by hand. */
export interface Clock {
  /** Milliseconds of a clock that never goes back. */
  now(): number;
  /** Wall time, ISO 8601, for logs that people read. */
  timestamp(): string;
  /** Runs `run` once after `ms`; the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
  /** Runs `run` every `ms`, without keeping the process alive; the returned function ends it. */
  every(ms: number, run: () => void): () => void;
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => performance.now(),
  timestamp: () => new Date().toISOString(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  every(ms, run) {
    const timer = setInterval(run, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};
