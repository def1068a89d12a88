import { expect, test } from "vitest";
import type { Checkpoint } from "../src/checkpoint.ts";
import { runTrainer, type Trainer } from "../src/train-loop.ts";

/** A trainer that only counts, and evaluations as they are told. */
function counting(from: number): Trainer {
  let iteration = from;
  return {
    get iteration() {
      return iteration;
    },
    get position() {
      return iteration;
    },
    get isDone() {
      return iteration >= 100;
    },
    iterate: () => ({ iteration: ++iteration }),
    save: () => ({}) as Checkpoint,
  };
}

const MEANS = [1, 3, 2, 2.5, 2.9, 9];

async function run(from: number, earlier: readonly number[]) {
  const trainer = counting(from);
  const evaluation = { every: 1, episodes: 1, seed: 0, patience: 3, earlier };
  return runTrainer(trainer, { evaluation }, () => ({ returns: [MEANS[trainer.iteration - 1]!], excluded: 0 }));
}

test("training ends after so many evaluations without a new best, whether or not it was resumed in between", async () => {
  const whole = await run(0, []);
  expect(whole).toMatchObject({ ended: "stalled", iterations: 5 });
  expect(await run(3, MEANS.slice(0, 3))).toMatchObject({ ended: "stalled", iterations: 5 });
});
