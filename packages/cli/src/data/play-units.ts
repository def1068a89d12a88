import { Worker } from "node:worker_threads";
import { PraxisError } from "@praxis/env";
import { makeSyncEnv } from "@praxis/eval";
import { loadPolyGuard } from "@praxis/polyguard";
import { type DecisionRecord, planUnit, playUnit, type UnitPlan } from "@praxis/polyguard/data";

/** The decisions of one unit. */
export interface PlayedUnit {
  readonly unit: number;
  readonly records: readonly DecisionRecord[];
}

// A worker runs compiled code, as Node 20 can't load TypeScript; the path holds from `src` and `dist` alike.
const WORKER_URL = new URL("../../dist/data/unit-worker.js", import.meta.url);
/** Units in hand for each worker, so that a slow one holds nobody up; what is left of them at the end is thrown away. */
const AHEAD = 3;

/**
 * Plays units from `first` on, forever, and yields them in order; stop by leaving the loop. The same units come out for any
 * number of workers; one plays in this thread. Throws WORKER_DIED.
 */
export async function* playUnits(options: {
  readonly first: number;
  readonly dataSeed: number;
  readonly workers: number;
}): AsyncGenerator<PlayedUnit> {
  const { first, dataSeed, workers } = options;
  const players = workers > 1 ? Array.from({ length: workers }, () => new ThreadPlayer()) : [new LocalPlayer()];
  const ahead = workers > 1 ? workers * AHEAD : 1;
  const pending: { unit: number; records: Promise<readonly DecisionRecord[]> }[] = [];
  try {
    for (let unit = first; ; unit++) {
      while (pending.length < ahead) {
        const next = unit + pending.length;
        const player = players.reduce((idle, each) => (each.waiting < idle.waiting ? each : idle));
        const records = player.play(planUnit(next, dataSeed));
        // Awaited in order below; until then a failure must not count as unhandled.
        records.catch(() => {});
        pending.push({ unit: next, records });
      }
      yield { unit, records: await pending.shift()!.records };
    }
  } finally {
    await Promise.all(players.map((player) => player.close()));
  }
}

class LocalPlayer {
  readonly waiting = 0;
  readonly #env = makeSyncEnv(loadPolyGuard());

  play(plan: UnitPlan): Promise<readonly DecisionRecord[]> {
    return playUnit(this.#env, plan);
  }

  async close(): Promise<void> {
    this.#env.close();
  }
}

interface Waiting {
  resolve(records: readonly DecisionRecord[]): void;
  reject(error: PraxisError): void;
}

class ThreadPlayer {
  // Without flags of this process: a condition that resolves to source would hand Node what it can't load.
  readonly #worker = new Worker(WORKER_URL, { execArgv: [] });
  readonly #waiting: Waiting[] = [];
  #death: PraxisError | null = null;

  constructor() {
    this.#worker.on("message", (records: readonly DecisionRecord[]) => this.#waiting.shift()?.resolve(records));
    this.#worker.on("error", (cause) => this.#die(`A data worker failed: ${cause.message}`, cause));
    this.#worker.on("exit", (code) => this.#die(`A data worker ended with exit code ${code}.`));
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  play(plan: UnitPlan): Promise<readonly DecisionRecord[]> {
    return new Promise((resolve, reject) => {
      if (this.#death !== null) return reject(this.#death);
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage(plan);
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #die(message: string, cause?: unknown): void {
    this.#death ??= new PraxisError("WORKER_DIED", message, { cause });
    for (const waiting of this.#waiting.splice(0)) waiting.reject(this.#death);
  }
}
