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
import type { WorkerCall, WorkerReady, WorkerSetup } from "./protocol.ts";
import { allInOrder, shareOf, WorkerThread } from "./worker-thread.ts";

// A worker runs compiled code, as Node 20 can't load TypeScript; the path holds from `src` and `dist` alike.
const WORKER_URL = new URL("../../dist/worker/vector-worker.js", import.meta.url);

/** Settings of {@link makeWorkerVectorEnv}. */
export interface WorkerVectorEnvOptions extends VectorEnvOptions {
  /** URL of the module that exports the definition; Node must be able to load it as it is. */
  readonly moduleUrl: string | URL;
  /** Name of the export: the definition, or a function that makes it. */
  readonly exportName: string;
  /** Plain data that a function is called with; absent: nothing. */
  readonly argument?: unknown;
  /** Threads, 1 … numEnvs. Results do not depend on it. */
  readonly numWorkers: number;
}

/** A thread with its run of environments. */
interface ChunkWorker {
  readonly start: number;
  readonly count: number;
  readonly thread: WorkerThread<WorkerSetup, WorkerReady, WorkerCall>;
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
  readonly #workers: readonly ChunkWorker[];

  constructor(
    guard: VectorCallGuard,
    workers: readonly ChunkWorker[],
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

  async setResetOptions(options: Readonly<Record<string, unknown>>): Promise<void> {
    this.#guard.beginOptions();
    await this.#callAll(() => ({ kind: "setResetOptions", options }));
  }

  async save(): Promise<readonly SavedEnv<Observation>[]> {
    this.#guard.beginSave();
    try {
      const parts = await allInOrder(this.#workers.map(({ thread }) => thread.call({ kind: "save" })));
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
      await allInOrder(this.#workers.map(({ thread }) => thread.close({ kind: "close" })));
    } finally {
      await Promise.all(this.#workers.map(({ thread }) => thread.terminate()));
    }
  }

  #observations(parts: readonly VectorReset<Observation>[]): VectorObservations<Observation> {
    if (this.observationSize === null) return parts.flatMap((part) => part.observations as readonly Observation[]);
    return concat(
      parts.map((part) => part.observations as Float32Array),
      (length) => new Float32Array(length),
    );
  }

  async #callAll<Result>(makeCall: (worker: ChunkWorker) => WorkerCall): Promise<readonly Result[]> {
    let succeeded = false;
    try {
      const results = await allInOrder(this.#workers.map((worker) => worker.thread.call(makeCall(worker))));
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
  argument,
  numEnvs,
  numWorkers,
  seed = 0,
  autoreset = "sameStep",
}: WorkerVectorEnvOptions): Promise<WorkerVectorEnv<Action, Observation>> {
  const guard = new VectorCallGuard(numEnvs);
  if (!(Number.isSafeInteger(numWorkers) && numWorkers >= 1 && numWorkers <= numEnvs))
    throw new PraxisError("INVALID_CONFIG", `numWorkers must be an integer from 1 to ${numEnvs}, not ${numWorkers}.`);
  const workers = Array.from({ length: numWorkers }, (_, i): ChunkWorker => {
    const share = shareOf(numEnvs, numWorkers, i);
    const name = `Worker ${i + 1} of ${numWorkers}, environments ${share.start} to ${share.start + share.count - 1},`;
    const setup = { moduleUrl: String(moduleUrl), exportName, argument, ...share, seed, autoreset };
    return { ...share, thread: new WorkerThread(WORKER_URL, setup, name) };
  });
  try {
    const [ready] = await allInOrder(workers.map(({ thread }) => thread.ready));
    return new WorkerVectorEnv(guard, workers, { autoreset, observationSize: ready!.observationSize });
  } catch (error) {
    await Promise.all(workers.map(({ thread }) => thread.terminate()));
    throw error;
  }
}
