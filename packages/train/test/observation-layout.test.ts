import { Rng } from "@praxis/env";
import { Adam, type FactoredGradient, makeReferenceKernels, Tape } from "@praxis/nn";
import { expect, test } from "vitest";
import { isDeferred, resolveLayout } from "../src/observation-layout.ts";
import { PolicyBranch } from "../src/policy-branch.ts";

const [INPUTS, HIDDEN, STEPS, BATCH] = [600, 16, 2, 2];

test("only wide ranges of columns with few rows leave their gradient to the optimiser", () => {
  expect(isDeferred(128, [0, 5490], 1024)).toBe(true);
  expect(isDeferred(2048, [0, 5490], 1024)).toBe(false);
  expect(isDeferred(128, [0, 90], 1024)).toBe(false);
  expect(isDeferred(STEPS * BATCH, [0, INPUTS], 4 * HIDDEN)).toBe(true);
});

test("an update moves the weights alike whether their gradient is deferred or written out", () => {
  const kernels = makeReferenceKernels();
  const rows = STEPS * BATCH;
  const rng = Rng.fromSeed(3);
  const observations = Float32Array.from({ length: rows * INPUTS }, () => rng.uniform());
  // The constant columns of the layout do keep their values within each sequence.
  for (let i = BATCH * INPUTS; i < observations.length; i++)
    if (i % INPUTS >= 300) observations[i] = observations[i - BATCH * INPUTS]!;
  const run = (options: { readonly isDeferring: boolean; readonly hasLayout: boolean }) => {
    const branch = new PolicyBranch({
      ...{ kernels, rng: Rng.fromSeed(5), name: "actor", inputs: INPUTS, outputs: 3, gain: 1, encoder: null },
      ...{ lstm: { hidden: HIDDEN, layers: 1 }, hidden: [8], activation: "tanh" },
      columns: options.hasLayout ? resolveLayout({ constant: [[300, INPUTS]] }, INPUTS) : null,
    });
    const adam = new Adam(kernels, branch.parameters(), { learningRate: 0.01, epsilon: 1e-3, maxGradNorm: 0.5 });
    const norms: number[] = [];
    for (let step = 0; step < 3; step++) {
      const tape = new Tape(kernels);
      const deferred: FactoredGradient[] = [];
      const shared = { steps: STEPS, batch: BATCH, observations, starts: [1, 1, 0, 0] };
      branch.zeroGradients(rows);
      if (!options.isDeferring) branch.lstm!.layers[0]!.inputWeight.gradient.fill(0);
      const input = options.isDeferring ? { ...shared, deferred } : shared;
      const { output } = branch.forward(tape, input, branch.initialState(BATCH));
      tape.seed(
        output,
        output.data.map((x, i) => x - i),
      );
      tape.backward();
      expect(deferred.length).toBe(options.isDeferring ? (options.hasLayout ? 2 : 1) : 0);
      norms.push(adam.step(deferred).gradientNorm);
    }
    return { norms, values: branch.parameters().flatMap(({ data }) => [...data]) };
  };
  const written = run({ isDeferring: false, hasLayout: false });
  for (const hasLayout of [false, true]) {
    const { norms, values } = run({ isDeferring: true, hasLayout });
    norms.forEach((norm, i) => {
      expect(norm).toBeCloseTo(written.norms[i]!, 4);
    });
    const worst = values.reduce((most, value, i) => Math.max(most, Math.abs(value - written.values[i]!)), 0);
    expect(worst).toBeLessThan(1e-5);
  }
});
