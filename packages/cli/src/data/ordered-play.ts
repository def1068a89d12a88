import { Worker } from "node:worker_threads";
import { PraxisError } from "@praxis/env";
import { compileLate } from "../evaluation/late-compilation.ts";

/** Plays one plan after another. */
export interface Player<Plan, Played> {
  /** Plans in hand. */
  readonly waiting: number;
  play(plan: Plan): Promise<Played>;
  close(): Promise<void>;
}

/** Units in hand for each worker, so that a slow one holds nobody up; what is left of them at the end is thrown away. */
const AHEAD = 3;

/**
 * Plays units from `first` on, forever, and yields them in order; stop by leaving the loop. The same units come out for any
 * number of workers; one plays in this thread. Throws WORKER_DIED.
 * @param workerUrl module of a thread that answers each plan it is sent with what was played
 */
export async function* playInOrder<Plan, Played>(options: {
  readonly first: number;
  readonly workers: number;
  readonly workerUrl: URL;
  planOf(unit: number): Plan;
  makeLocal(): Player<Plan, Played>;
}): AsyncGenerator<{ readonly unit: number; readonly played: Played }> {
  const { first, workers, workerUrl, planOf, makeLocal } = options;
  const players =
    workers > 1 ? Array.from({ length: workers }, () => new ThreadPlayer<Plan, Played>(workerUrl)) : [makeLocal()];
  const ahead = workers > 1 ? workers * AHEAD : 1;
  const pending: { unit: number; played: Promise<Played> }[] = [];
  try {
    for (let unit = first; ; unit++) {
      while (pending.length < ahead) {
        const next = unit + pending.length;
        const player = players.reduce((idle, each) => (each.waiting < idle.waiting ? each : idle));
        const played = player.play(planOf(next));
        // Awaited in order below; until then a failure must not count as unhandled.
        played.catch(() => {});
        pending.push({ unit: next, played });
      }
      yield { unit, played: await pending.shift()!.played };
    }
  } finally {
    await Promise.all(players.map((player) => player.close()));
  }
}

interface Waiting<Played> {
  resolve(played: Played): void;
  reject(error: PraxisError): void;
}

class ThreadPlayer<Plan, Played> implements Player<Plan, Played> {
  readonly #worker: Worker;
  readonly #waiting: Waiting<Played>[] = [];
  #death: PraxisError | null = null;

  constructor(url: URL) {
    compileLate();
    // Without flags of this process: a condition that resolves to source would hand Node what it can't load.
    this.#worker = new Worker(url, { execArgv: [] });
    this.#worker.on("message", (played: Played) => this.#waiting.shift()?.resolve(played));
    this.#worker.on("error", (cause) => this.#die(`A data worker failed: ${cause.message}`, cause));
    this.#worker.on("exit", (code) => this.#die(`A data worker ended with exit code ${code}.`));
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  play(plan: Plan): Promise<Played> {
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
