import { Worker } from "node:worker_threads";
import { PraxisError } from "../errors.ts";
import type { SpaceValue } from "../spaces.ts";
import { VectorCallGuard } from "../vector/call-guard.ts";
import type { VectorEnvOptions } from "../vector/local-vector-env.ts";
import type {
  AutoresetMode,
  SavedEnv,
  VectorEnv,
  VectorObservations,
  VectorReset,
  VectorResetRequest,
  VectorStep,
} from "../vector/vector-env.ts";
import { unpackError, type WorkerCall, type WorkerReady, type WorkerReply, type WorkerSetup } from "./protocol.ts";

// A worker runs compiled code, as Node 20 can't load TypeScript; the path holds from `src` and `dist` alike.
const WORKER_URL = new URL("../../dist/worker/vector-worker.js", import.meta.url);

/** Settings of {@link makeWorkerVectorEnv}. */
export interface WorkerVectorEnvOptions extends VectorEnvOptions {
  /** URL of the module that exports the definition; Node must be able to load it as it is. */
  readonly moduleUrl: string | URL;
  /** Name of the export: the definition, or a function that makes it. */
  readonly exportName: string;
  /** Threads, 1 … numEnvs. Results do not depend on it. */
  readonly numWorkers: number;
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: PraxisError): void;
}

/** One worker thread with the calls it has yet to answer. */
class WorkerHandle {
  readonly start: number;
  readonly count: number;
  readonly ready: Promise<WorkerReady>;
  readonly #worker: Worker;
  readonly #pending: Pending[] = [];
  #death: PraxisError | null = null;

  constructor(setup: WorkerSetup, label: string) {
    this.start = setup.start;
    this.count = setup.count;
    this.#worker = new Worker(WORKER_URL, { workerData: setup });
    this.#worker.on("message", (reply: WorkerReply) => {
      const pending = this.#pending.shift();
      if (reply.ok) pending?.resolve(reply.result);
      else pending?.reject(unpackError(reply.error));
    });
    const name = `Worker ${label}, environments ${setup.start} to ${setup.start + setup.count - 1},`;
    this.#worker.on("error", (cause) => this.#die(`${name} failed: ${cause.message}`, cause));
    this.#worker.on("messageerror", (cause) => this.#die(`${name} sent what can't be read: ${cause.message}`, cause));
    this.#worker.on("exit", (exitCode) => this.#die(`${name} ended with exit code ${exitCode}.`));
    this.ready = this.#answer() as Promise<WorkerReady>;
  }

  async call(call: WorkerCall): Promise<unknown> {
    if (this.#death !== null) throw this.#death;
    this.#worker.postMessage(call);
    return this.#answer();
  }

  /** Closes the environments of a living worker. */
  async close(): Promise<void> {
    try {
      await this.call({ kind: "close" });
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
async function allInOrder<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(promises);
  return settled.map((outcome) => {
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  });
}

interface Numbers {
  readonly length: number;
  set(part: ArrayLike<number>, offset: number): void;
}

/** The parts one after another, in what `make` allocates. */
function concat<T extends Numbers>(parts: readonly ArrayLike<number>[], make: (length: number) => T): T {
  const all = make(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    all.set(part, offset);
    offset += part.length;
  }
  return all;
}

const makeBytes = (length: number): Uint8Array => new Uint8Array(length);

/** A {@link VectorEnv} over worker threads, made by {@link makeWorkerVectorEnv}; equal to a local one byte for byte. */
export class WorkerVectorEnv<Action = unknown, Observation = unknown> implements VectorEnv<Action, Observation> {
  readonly numEnvs: number;
  readonly autoreset: AutoresetMode;
  readonly observationSize: number | null;
  readonly #guard: VectorCallGuard;
  readonly #workers: readonly WorkerHandle[];

  constructor(
    guard: VectorCallGuard,
    workers: readonly WorkerHandle[],
    settings: { readonly autoreset: AutoresetMode; readonly observationSize: number | null },
  ) {
    this.#guard = guard;
    this.#workers = workers;
    this.numEnvs = guard.numEnvs;
    this.autoreset = settings.autoreset;
    this.observationSize = settings.observationSize;
  }

  async reset(request: VectorResetRequest = {}): Promise<VectorReset<Observation>> {
    this.#guard.beginReset(request);
    const { mask } = request;
    const parts = await this.#callAll<VectorReset<Observation>>(({ start, count }) => ({
      kind: "reset",
      request: mask === undefined ? request : { ...request, mask: Array.from(mask).slice(start, start + count) },
    }));
    return { observations: this.#observations(parts), infos: parts.flatMap((part) => part.infos) };
  }

  async step(actions: ArrayLike<Action | SpaceValue>): Promise<VectorStep<Observation>> {
    this.#guard.beginStep(actions);
    const list = Array.from(actions);
    const parts = await this.#callAll<VectorStep<Observation>>(({ start, count }) => ({
      kind: "step",
      actions: list.slice(start, start + count),
    }));
    const rewards = parts.map((part) => part.rewards);
    return {
      observations: this.#observations(parts),
      infos: parts.flatMap((part) => part.infos),
      rewards: concat(rewards, (length) => new Float64Array(length)),
      terminated: concat(
        parts.map((part) => part.terminated),
        makeBytes,
      ),
      truncated: concat(
        parts.map((part) => part.truncated),
        makeBytes,
      ),
      episodeStarts: concat(
        parts.map((part) => part.episodeStarts),
        makeBytes,
      ),
      finalObservations: parts.flatMap((part) => part.finalObservations),
      finalInfos: parts.flatMap((part) => part.finalInfos),
    };
  }

  async save(): Promise<readonly SavedEnv<Observation>[]> {
    this.#guard.beginSave();
    try {
      const parts = await allInOrder(this.#workers.map((worker) => worker.call({ kind: "save" })));
      return (parts as readonly SavedEnv<Observation>[][]).flat();
    } finally {
      this.#guard.end(true);
    }
  }

  async restore(saved: readonly SavedEnv<Observation>[]): Promise<VectorReset<Observation>> {
    this.#guard.beginRestore(saved);
    const parts = await this.#callAll<VectorReset<Observation>>(({ start, count }) => ({
      kind: "restore",
      saved: saved.slice(start, start + count),
    }));
    return { observations: this.#observations(parts), infos: parts.flatMap((part) => part.infos) };
  }

  /** Closes the environments and ends the threads, also those that fail to close; a thread that has died is no error here. */
  async close(): Promise<void> {
    if (!this.#guard.close()) return;
    try {
      await allInOrder(this.#workers.map((worker) => worker.close()));
    } finally {
      await Promise.all(this.#workers.map((worker) => worker.terminate()));
    }
  }

  #observations(parts: readonly VectorReset<Observation>[]): VectorObservations<Observation> {
    if (this.observationSize === null) return parts.flatMap((part) => part.observations as readonly Observation[]);
    return concat(
      parts.map((part) => part.observations as Float32Array),
      (length) => new Float32Array(length),
    );
  }

  async #callAll<Result>(makeCall: (worker: WorkerHandle) => WorkerCall): Promise<readonly Result[]> {
    let succeeded = false;
    try {
      const results = await allInOrder(this.#workers.map((worker) => worker.call(makeCall(worker))));
      succeeded = true;
      return results as readonly Result[];
    } finally {
      this.#guard.end(succeeded);
    }
  }
}

/**
 * Starts `numWorkers` threads, each with a run of consecutive environments. Throws INVALID_CONFIG for numbers that don't fit or a
 * module without the definition; calls reject with WORKER_DIED once a thread has ended.
 */
export async function makeWorkerVectorEnv<Action = unknown, Observation = unknown>({
  moduleUrl,
  exportName,
  numEnvs,
  numWorkers,
  seed = 0,
  autoreset = "sameStep",
}: WorkerVectorEnvOptions): Promise<WorkerVectorEnv<Action, Observation>> {
  const guard = new VectorCallGuard(numEnvs);
  if (!(Number.isSafeInteger(numWorkers) && numWorkers >= 1 && numWorkers <= numEnvs))
    throw new PraxisError("INVALID_CONFIG", `numWorkers must be an integer from 1 to ${numEnvs}, not ${numWorkers}.`);
  const workers = Array.from({ length: numWorkers }, (_, i) => {
    const start = Math.floor((i * numEnvs) / numWorkers);
    const count = Math.floor(((i + 1) * numEnvs) / numWorkers) - start;
    return new WorkerHandle(
      { moduleUrl: String(moduleUrl), exportName, start, count, seed, autoreset },
      `${i + 1} of ${numWorkers}`,
    );
  });
  try {
    const [ready] = await allInOrder(workers.map((worker) => worker.ready));
    return new WorkerVectorEnv(guard, workers, { autoreset, observationSize: ready!.observationSize });
  } catch (error) {
    await Promise.all(workers.map((worker) => worker.terminate()));
    throw error;
  }
}
