import { performance } from "node:perf_hooks";
import { Rng } from "@praxis/env";
import { bootstrap } from "@praxis/eval";
import { loadPolyGuard } from "@praxis/polyguard";
import type { Measurement } from "./figures.ts";

/** Episodes before the clock starts: until then the just-in-time compiler is still at work, and steps cost up to five times as much. */
const WARM_UP_EPISODES = 1_500;
const BLOCKS = 10;
const EPISODES_PER_BLOCK = 40;

/** Speed of PolyGuard in process on one core: random candidates, medium difficulty, every step with its reward. */
export async function measurePolyguard(report: (measurement: Measurement) => void): Promise<void> {
  const polyguard = loadPolyGuard();
  const env = polyguard.makeEnv();
  const stepsOnly: number[] = [];
  const withResets: number[] = [];
  const run = (firstSeed: number, episodes = EPISODES_PER_BLOCK): { steps: number; stepMs: number; allMs: number } => {
    let steps = 0;
    let stepMs = 0;
    const begun = performance.now();
    for (let seed = firstSeed; seed < firstSeed + episodes; seed++) {
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
  const cold = run(0);
  run(EPISODES_PER_BLOCK, WARM_UP_EPISODES);
  for (let block = 0; block < BLOCKS; block++) {
    const { steps, stepMs, allMs } = run(10_000 + block * EPISODES_PER_BLOCK);
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
    note: `one core, medium, DDI, reward and observation included; ${BLOCKS} blocks of ${EPISODES_PER_BLOCK} new scenarios with random candidates, after ${WARM_UP_EPISODES} episodes of warm-up`,
  });
  report({
    id: "polyguard.steps_cold",
    value: (1000 * cold.steps) / cold.stepMs,
    unit: "steps/s",
    goal: null,
    peer: null,
    n: 1,
    interval: null,
    note: `the first ${EPISODES_PER_BLOCK} episodes of a new process`,
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
