import { Worker } from "node:worker_threads";
import { PraxisError } from "@praxis/env";
import { compileLate } from "./late-compilation.ts";

/** Who works on jobs, and who hears of it. */
interface JobPlace<Start, Answer> {
  /** Compiled body of a worker thread, as Node 20 can't load TypeScript. */
  readonly url: URL;
  readonly workers: number;
  /** What every thread is started with. */
  readonly start: Start;
  onAnswer(answer: Answer): void;
}

/**
 * Plays jobs on worker threads, the next job to whichever is free. Answers come in any order. Rejects with WORKER_DIED when a
 * worker dies; the others are stopped.
 */
export async function playJobs<Job, Start, Answer>(
  jobs: readonly Job[],
  { url, workers, start, onAnswer }: JobPlace<Start, Answer>,
): Promise<void> {
  compileLate();
  const queue = jobs.values();
  const threads = Array.from(
    { length: Math.min(workers, jobs.length) },
    // No flags of this process: conditions that resolve imports to sources would not suit compiled code.
    () => new Worker(url, { workerData: start, execArgv: [] }),
  );
  try {
    await Promise.all(threads.map((thread) => drain(thread, queue, onAnswer)));
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
}

function drain<Job, Answer>(
  thread: Worker,
  queue: IterableIterator<Job>,
  onAnswer: (answer: Answer) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const next = (): void => {
      const { value, done } = queue.next();
      if (done === true) resolve();
      else thread.postMessage(value);
    };
    thread.on("message", (answer: Answer) => {
      try {
        onAnswer(answer);
        next();
      } catch (error) {
        reject(error);
      }
    });
    thread.on("error", (error) => {
      reject(new PraxisError("WORKER_DIED", `An evaluation worker failed: ${error.message}`, { cause: error }));
    });
    next();
  });
}
