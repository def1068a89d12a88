import { Worker } from "node:worker_threads";
import { PraxisError } from "@praxis/env";
import type { EvaluationJob, WorkerAnswer, WorkerStart } from "./jobs.ts";
import { compileLate } from "./late-compilation.ts";

// Workers run compiled code, as Node 20 can't load TypeScript; the path holds from `src` and `dist` alike.
const WORKER_URL = new URL("../../dist/evaluation/eval-worker.js", import.meta.url);

/**
 * Plays jobs on worker threads, the next job to whichever is free. Answers come in any order. Rejects with WORKER_DIED when a
 * worker dies; the others are stopped.
 */
export async function playJobs(
  jobs: readonly EvaluationJob[],
  {
    workers,
    start,
    onAnswer,
  }: { readonly workers: number; readonly start: WorkerStart; onAnswer(answer: WorkerAnswer): void },
): Promise<void> {
  compileLate();
  const queue = jobs.values();
  const threads = Array.from(
    { length: Math.min(workers, jobs.length) },
    // No flags of this process: conditions that resolve imports to sources would not suit compiled code.
    () => new Worker(WORKER_URL, { workerData: start, execArgv: [] }),
  );
  try {
    await Promise.all(threads.map((thread) => drain(thread, queue, onAnswer)));
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
}

function drain(
  thread: Worker,
  queue: IterableIterator<EvaluationJob>,
  onAnswer: (answer: WorkerAnswer) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const next = (): void => {
      const { value, done } = queue.next();
      if (done === true) resolve();
      else thread.postMessage(value);
    };
    thread.on("message", (answer: WorkerAnswer) => {
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
