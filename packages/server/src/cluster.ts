import cluster, { type Worker } from "node:cluster";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PraxisError } from "@praxis/env";
import type { ServerOptions } from "./options.ts";
import { createServer, createWorkerServer } from "./server.ts";
import { checkWorkers, formatPlace, parsePlace } from "./worker-place.ts";

/** Variable by which a worker process learns its place. */
const PLACE_VARIABLE = "PRAXIS_WORKER";
/** A worker that ends sooner than this after its start is started again only after the same time. */
const RESTART_PAUSE_MS = 1_000;

/** A server that runs in this process, in worker processes, or is one of the workers. */
export interface Served {
  /** `worker`: the process that started it speaks for all; say nothing. */
  readonly role: "single" | "primary" | "worker";
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves, with more than one worker in as many processes. These run the program that calls this again from its beginning, up to
 * this call. Sessions belong to the worker that opened them, and every worker passes on what concerns another's;
 * a worker that dies is replaced, its sessions are then unknown. `maxSessions` holds for each worker.
 */
export async function serve(options: ServerOptions, workers = 1): Promise<Served> {
  checkWorkers(workers);
  const place = process.env[PLACE_VARIABLE];
  if (cluster.isWorker && place !== undefined) return serveAsWorker(options, place);
  if (workers > 1) return new WorkerPool(options, workers).start();
  const server = createServer(options);
  return { role: "single", ...(await server.listen()), close: () => server.close() };
}

async function serveAsWorker(options: ServerOptions, place: string): Promise<Served> {
  const server = createWorkerServer(options, parsePlace(place));
  const listening = await server.listen().catch((error: unknown) => {
    // The channel to the primary would keep this process alive, and the primary waits for its end.
    process.disconnect();
    throw error;
  });
  process.on("message", (message) => {
    if (message === "close")
      void server.close().then(() => {
        process.disconnect();
      });
  });
  process.send?.(listening);
  return { role: "worker", ...listening, close: () => server.close() };
}

class WorkerPool {
  readonly #options: ServerOptions;
  readonly #count: number;
  readonly #workers = new Map<number, Worker>();
  /** Workers that listen, and so hear what the primary tells them. */
  readonly #up = new Set<Worker>();
  #directory = "";
  #isClosing = false;

  constructor(options: ServerOptions, count: number) {
    this.#options = options;
    this.#count = count;
  }

  async start(): Promise<Served> {
    // A wrong option is told once, here, and not by every worker.
    createServer(this.#options).sessions.stopOpening();
    this.#directory = await mkdtemp(join(tmpdir(), "praxis-"));
    try {
      const first = await Promise.all(Array.from({ length: this.#count }, (_, index) => this.#fork(index)));
      return { role: "primary", ...first[0]!, close: () => this.#close() };
    } catch (error) {
      await this.#close();
      throw error;
    }
  }

  #fork(index: number): Promise<{ readonly url: string; readonly port: number }> {
    const startedAt = performance.now();
    const worker = cluster.fork({
      [PLACE_VARIABLE]: formatPlace({ index, workers: this.#count, directory: this.#directory }),
    });
    this.#workers.set(index, worker);
    return new Promise((resolve, reject) => {
      worker.once("message", (listening: { readonly url: string; readonly port: number }) => {
        this.#up.add(worker);
        resolve(listening);
      });
      worker.once("exit", (code, signal) => {
        this.#workers.delete(index);
        const wasUp = this.#up.delete(worker);
        if (this.#isClosing) return;
        if (!wasUp) {
          reject(new PraxisError("INVALID_CONFIG", `Worker ${index} ended at its start (${signal ?? code}).`));
          return;
        }
        this.#options.logger?.error({ worker: index, code, signal }, "a worker died and is replaced");
        const soon = performance.now() - startedAt < RESTART_PAUSE_MS;
        setTimeout(() => this.#replace(index), soon ? RESTART_PAUSE_MS : 0);
      });
    });
  }

  #replace(index: number): void {
    if (this.#isClosing) return;
    this.#fork(index).catch((error: unknown) => {
      this.#options.logger?.error({ worker: index, err: error }, "a worker could not be replaced");
      setTimeout(() => this.#replace(index), RESTART_PAUSE_MS);
    });
  }

  async #close(): Promise<void> {
    this.#isClosing = true;
    await Promise.all(
      [...this.#workers.values()].map(
        (worker) =>
          new Promise<void>((resolve) => {
            worker.once("exit", () => resolve());
            if (this.#up.has(worker) && worker.isConnected()) worker.send("close");
            else worker.process.kill("SIGKILL");
          }),
      ),
    );
    await rm(this.#directory, { recursive: true, force: true });
  }
}
