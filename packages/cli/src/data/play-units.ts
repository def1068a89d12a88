import { makeSyncEnv } from "@praxis/eval";
import { loadPolyGuard } from "@praxis/polyguard";
import { type DecisionRecord, planUnit, playUnit } from "@praxis/polyguard/data";
import { playInOrder } from "./ordered-play.ts";

/** The decisions of one unit. */
export interface PlayedUnit {
  readonly unit: number;
  readonly records: readonly DecisionRecord[];
}

// A worker runs compiled code, as Node 20 can't load TypeScript; the path holds from `src` and `dist` alike.
const WORKER_URL = new URL("../../dist/data/unit-worker.js", import.meta.url);

/** Plays units from `first` on, forever, and yields them in order, as {@link playInOrder} does. */
export async function* playUnits(options: {
  readonly first: number;
  readonly dataSeed: number;
  readonly workers: number;
}): AsyncGenerator<PlayedUnit> {
  const { first, dataSeed, workers } = options;
  const units = playInOrder({
    ...{ first, workers, workerUrl: WORKER_URL },
    planOf: (unit) => planUnit(unit, dataSeed),
    makeLocal: () => {
      const env = makeSyncEnv(loadPolyGuard());
      return { waiting: 0, play: (plan) => playUnit(env, plan), close: async () => env.close() };
    },
  });
  for await (const { unit, played } of units) yield { unit, records: played };
}
