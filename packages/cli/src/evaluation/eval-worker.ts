import { parentPort, workerData } from "node:worker_threads";
import { Evaluator } from "./evaluator.ts";
import type { EvaluationJob, WorkerStart } from "./jobs.ts";

// The body of a worker thread: plays the jobs that it is sent, one after another.

const evaluator = new Evaluator(workerData as WorkerStart);

parentPort?.on("message", async (job: EvaluationJob) => {
  parentPort?.postMessage(await evaluator.play(job));
});
