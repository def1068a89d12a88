/** Upper bounds in seconds of the step time buckets; the last bucket is open. */
export const STEP_SECONDS_BOUNDS = [0.0001, 0.001, 0.005, 0.025, 0.1, 0.5, 2.5] as const;

/**
 * Plain numbers that the hot path adds to and `/metrics` reads on a scrape.
 * Mutable on purpose: one addition a step is all the server pays for its metrics.
 */
export class Counters {
  resets = 0;
  steps = 0;
  stateReads = 0;
  toolCalls = 0;
  /** Operations that ended in an error of the environment or its deadline. */
  failures = 0;
  timeouts = 0;
  /** Synchronous steps that took longer than their deadline; they are answered, but block every session meanwhile. */
  overruns = 0;
  sessionsOpened = 0;
  sessionsRefused = 0;
  sessionsExpired = 0;
  sessionsResumed = 0;
  messages = 0;
  messageErrors = 0;
  stepSecondsSum = 0;
  /** Steps per bucket of {@link STEP_SECONDS_BOUNDS}, not cumulative; one more for the open end. */
  readonly stepSeconds: number[] = new Array<number>(STEP_SECONDS_BOUNDS.length + 1).fill(0);

  /** Counts one step of that many milliseconds. */
  addStep(elapsedMs: number): void {
    const seconds = elapsedMs / 1000;
    this.steps++;
    this.stepSecondsSum += seconds;
    let i = 0;
    while (i < STEP_SECONDS_BOUNDS.length && seconds > STEP_SECONDS_BOUNDS[i]!) i++;
    this.stepSeconds[i]!++;
  }
}
