import { availableParallelism } from "node:os";
import { performance } from "node:perf_hooks";
import { LocalVectorEnv, Rng, type SyncEnvDefinition, type VectorEnv } from "@praxis/env";
import { makeWorkerVectorEnv } from "@praxis/env/worker";
import { bootstrap } from "@praxis/eval";
import { loadSpindleFlow } from "@praxis/spindleflow";
import type { Measurement } from "./figures.ts";

/** Rounds of the measurement, steps of each, and steps before the first. */
const ROUNDS = 7;
const STEPS = 20_000;
const WARM_UP = 20_000;
/** Environments in lock-step, and lock-steps of a round. */
const ENVS = 64;
const LOCK_STEPS = 300;
const SPINDLEFLOW = new URL("../../packages/spindleflow/dist/index.js", import.meta.url).href;

/** Random vectors, drawn before the clock starts: they touch every meta-action, mode and many illegal choices. */
function drawActions(count: number): readonly { readonly vector: Float32Array }[] {
  const rng = Rng.fromSeed(1, "bench-actions");
  return Array.from({ length: count }, () => ({
    vector: Float32Array.from({ length: 12 }, (_, k) => {
      if (k === 0) return rng.integer(0, 7);
      if (k === 7) return rng.integer(0, 6);
      return k < 7 ? 2 * rng.uniform() - 1 : rng.uniform();
    }),
  }));
}

/** Steps a second of SpindleFlow-v0 from the bank: one environment on one core, and 64 of them in lock-step. */
export async function measureSpindleEnv(report: (measurement: Measurement) => void): Promise<void> {
  const definition = loadSpindleFlow();
  const env = definition.makeEnv({ seed: 1 });
  const actions = drawActions(997);
  let seed = 0;
  let taken = 0;
  const play = (steps: number): number => {
    const begun = performance.now();
    for (let i = 0; i < steps; i++) {
      if (env.step(actions[taken++ % actions.length]!).terminated) env.reset({ seed: seed++ });
    }
    return (1000 * steps) / (performance.now() - begun);
  };
  env.reset({ seed: seed++ });
  play(WARM_UP);
  const alone = bootstrap(Array.from({ length: ROUNDS }, () => play(STEPS)));
  report({
    id: "spindle.env_steps",
    value: alone.mean,
    unit: "steps/s",
    goal: ">= 20000",
    peer: null,
    n: ROUNDS,
    interval: [alone.low, alone.high],
    note: `one environment on one core, observation made and checked every step, resets counted in (${seed} shifts)`,
  });
  const cores = availableParallelism();
  for (const workers of [0, 1, 2]) {
    const vector =
      workers === 0
        ? new LocalVectorEnv(definition as unknown as SyncEnvDefinition, { numEnvs: ENVS, seed: 1 })
        : await makeWorkerVectorEnv({
            ...{ moduleUrl: SPINDLEFLOW, exportName: "loadSpindleFlow", numEnvs: ENVS, numWorkers: workers, seed: 1 },
          });
    const together = bootstrap(await lockStepRates(vector, actions));
    report({
      id: workers === 0 ? "spindle.env_steps_64" : `spindle.env_steps_64_workers${workers}`,
      value: together.mean,
      unit: "steps/s",
      goal: null,
      peer: null,
      n: ROUNDS,
      interval: [together.low, together.high],
      note: `64 environments in lock-step, observations copied into one array, ${workers === 0 ? "in one thread" : `on ${workers} worker ${workers === 1 ? "thread" : "threads"}`}; this machine has ${cores} cores`,
    });
  }
}

async function lockStepRates(
  vector: VectorEnv,
  actions: readonly { readonly vector: Float32Array }[],
): Promise<number[]> {
  const rates: number[] = [];
  try {
    await vector.reset({ seed: 1 });
    for (let round = 0, taken = 0; round < ROUNDS; round++) {
      const begun = performance.now();
      for (let i = 0; i < LOCK_STEPS; i++)
        await vector.step(Array.from({ length: ENVS }, () => actions[taken++ % actions.length]!.vector));
      rates.push((1000 * ENVS * LOCK_STEPS) / (performance.now() - begun));
    }
    return rates;
  } finally {
    await vector.close();
  }
}
