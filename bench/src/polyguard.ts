import { performance } from "node:perf_hooks";
import { Rng } from "@praxis/env";
import { bootstrap } from "@praxis/eval";
import { loadPolyGuard } from "@praxis/polyguard";
import type { Measurement } from "./figures.ts";

const BLOCKS = 10;
const EPISODES_PER_BLOCK = 40;

/** Speed of PolyGuard in process on one core: random candidates, medium difficulty, every step with its reward. */
export async function measurePolyguard(report: (measurement: Measurement) => void): Promise<void> {
  const polyguard = loadPolyGuard();
  const env = polyguard.makeEnv();
  const stepsOnly: number[] = [];
  const withResets: number[] = [];
  const run = (firstSeed: number): { steps: number; stepMs: number; allMs: number } => {
    let steps = 0;
    let stepMs = 0;
    const begun = performance.now();
    for (let seed = firstSeed; seed < firstSeed + EPISODES_PER_BLOCK; seed++) {
      const rng = Rng.fromSeed(seed, "bench");
      let last: Parameters<typeof polyguard.sampleAction>[1] = env.reset({ seed, options: { difficulty: "medium" } });
      for (;;) {
        const action = polyguard.sampleAction(rng, last);
        const before = performance.now();
        const result = env.step(action);
        stepMs += performance.now() - before;
        steps++;
        if (result.terminated || result.truncated) break;
        last = result;
      }
    }
    return { steps, stepMs, allMs: performance.now() - begun };
  };
  run(0); // the compiler warms up
  for (let block = 0; block < BLOCKS; block++) {
    const { steps, stepMs, allMs } = run(1000 + block * EPISODES_PER_BLOCK);
    stepsOnly.push((1000 * steps) / stepMs);
    withResets.push((1000 * steps) / allMs);
  }
  env.close();
  const steps = bootstrap(stepsOnly);
  report({
    id: "polyguard.steps",
    value: steps.mean,
    unit: "steps/s",
    goal: ">= 5000",
    peer: null,
    n: BLOCKS,
    interval: [steps.low, steps.high],
    note: `one core, medium, DDI, reward and observation included; ${BLOCKS} blocks of ${EPISODES_PER_BLOCK} episodes of random candidates`,
  });
  const all = bootstrap(withResets);
  report({
    id: "polyguard.steps_with_resets",
    value: all.mean,
    unit: "steps/s",
    goal: null,
    peer: null,
    n: BLOCKS,
    interval: [all.low, all.high],
    note: "the same run, with scenario generation and the choice of actions in the time",
  });
}
