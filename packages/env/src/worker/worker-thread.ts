import { Worker } from "node:worker_threads";
import { PraxisError } from "../errors.ts";
import { unpackError, type WorkerReply } from "./protocol.ts";

interface Pending {
  resolve(result: unknown): void;
  reject(error: PraxisError): void;
}

/** A worker thread that answers calls in order (see {@link serveCalls}), with those that it has yet to answer. */
export class WorkerThread<Setup, Ready, Call> {
  /** What it said once it was ready. */
  readonly ready: Promise<Ready>;
  readonly #worker: Worker;
  readonly #pending: Pending[] = [];
  #death: PraxisError | null = null;

  /** @param url of compiled code, as Node 20 can't load TypeScript @param name for messages, "Worker 1 of 2, …," */
  constructor(url: URL, setup: Setup, name: string) {
    // Compiled code imports compiled code: flags that lead to sources (`--conditions`) must not reach it.
    this.#worker = new Worker(url, { workerData: setup, execArgv: [] });
    this.#worker.on("message", (reply: WorkerReply) => {
      const pending = this.#pending.shift();
      if (reply.ok) pending?.resolve(reply.result);
      else pending?.reject(unpackError(reply.error));
    });
    this.#worker.on("error", (cause) => this.#die(`${name} failed: ${cause.message}`, cause));
    this.#worker.on("messageerror", (cause) => this.#die(`${name} sent what can't be read: ${cause.message}`, cause));
    this.#worker.on("exit", (exitCode) => this.#die(`${name} ended with exit code ${exitCode}.`));
    this.ready = this.#answer() as Promise<Ready>;
  }

  /** Rejects with what the thread threw, or with WORKER_DIED once it has ended. */
  async call(call: Call): Promise<unknown> {
    if (this.#death !== null) throw this.#death;
    this.#worker.postMessage(call);
    return this.#answer();
  }

  /** A last call; that the thread has died is no error here. */
  async close(call: Call): Promise<void> {
    try {
      await this.call(call);
    } catch (error) {
      if (error !== this.#death) throw error;
    }
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #answer(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ resolve, reject });
    });
  }

  #die(message: string, cause?: unknown): void {
    this.#death ??= new PraxisError("WORKER_DIED", message, { cause });
    for (const pending of this.#pending.splice(0)) pending.reject(this.#death);
  }
}

/** Results of all, or the error of the first in order that failed, once every one has settled. */
export async function allInOrder<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(promises);
  return settled.map((outcome) => {
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  });
}

/** Share `i` of `count` things in `parts` runs of neighbours, as even as can be. */
export function shareOf(count: number, parts: number, i: number): { readonly start: number; readonly count: number } {
  const start = Math.floor((i * count) / parts);
  return { start, count: Math.floor(((i + 1) * count) / parts) - start };
}
