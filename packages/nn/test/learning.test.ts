import { describe, expect, test } from "vitest";
import {
  Adam,
  binaryCrossEntropy,
  crossEntropy,
  type Kernels,
  Linear,
  Lstm,
  Mlp,
  Tape,
  zeroGradients,
} from "../src/index.ts";
import { allSets } from "./kernel-sets.ts";
import { seeded } from "./random.ts";

/** Trains on exclusive or; the last loss and the weights. */
function learnXor(kernels: Kernels) {
  const mlp = new Mlp({ kernels, rng: seeded(1), name: "xor", inputs: 2, hidden: [8], outputs: 1, activation: "tanh" });
  const adam = new Adam(kernels, mlp.parameters(), { learningRate: 0.05, maxGradNorm: 1 });
  const tape = new Tape(kernels);
  let loss = Number.POSITIVE_INFINITY;
  for (let step = 0; step < 200; step++) {
    tape.reset();
    zeroGradients(mlp.parameters());
    const logits = mlp.forward(tape, tape.input([4, 2], [0, 0, 0, 1, 1, 0, 1, 1]));
    loss = binaryCrossEntropy(tape, logits, [0, 1, 1, 0]);
    tape.backward();
    adam.step();
  }
  return { loss, weights: mlp.parameters().flatMap((p) => [...p.data]) };
}

/** Trains to repeat at the third step which of two symbols the first one showed; the last loss. */
function learnRecall(kernels: Kernels): number {
  const lstm = new Lstm({ kernels, rng: seeded(2), name: "lstm", inputs: 2, hidden: 8 });
  const head = new Linear({ kernels, rng: seeded(3), name: "head", inputs: 8, outputs: 2 });
  const adam = new Adam(kernels, [...lstm.parameters(), ...head.parameters()], { learningRate: 0.05 });
  const tape = new Tape(kernels);
  let loss = Number.POSITIVE_INFINITY;
  // Two episodes of three steps in each of two columns; the second must not remember the first.
  const x = [1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  const starts = [1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0];
  const targets = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];
  const weights = [0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1];
  for (let step = 0; step < 100; step++) {
    tape.reset();
    zeroGradients([...lstm.parameters(), ...head.parameters()]);
    const { output } = lstm.forward(tape, tape.input([6, 2, 2], x), lstm.initialState(2), starts);
    loss = crossEntropy(tape, head.forward(tape, output), targets, { weights });
    tape.backward();
    adam.step();
  }
  return loss;
}

describe.each(allSets.map((kernels) => [kernels.description, kernels] as const))("with %s kernels", (_, kernels) => {
  test("an MLP learns exclusive or, and the same seed ends in the same bytes", () => {
    const first = learnXor(kernels);
    expect(first.loss).toBeLessThan(0.05);
    expect(learnXor(kernels).weights).toEqual(first.weights);
  });

  test("an LSTM learns to recall across steps", () => {
    expect(learnRecall(kernels)).toBeLessThan(0.05);
  });
});
