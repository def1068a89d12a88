import { defaultDevice, grad, init, nn, numpy as np } from "@jax-js/jax";
import { beforeAll, describe, expect, test } from "vitest";
import "./allclose.ts";
import {
  crossEntropy,
  LayerNorm,
  Lstm,
  Mlp,
  type Module,
  MultiHeadAttention,
  meanSquaredError,
  Tape,
} from "../src/index.ts";
import { allSets } from "./kernel-sets.ts";
import { randomValues, seeded } from "./random.ts";

// jax-js is an independent implementation, in a style of its own: arrays are consumed by use, `.ref` keeps one for later.
type Arrays = np.Array[];

const CLOSE = { rtol: 1e-3, atol: 1e-5 };

beforeAll(async () => {
  await init("wasm");
  defaultDevice("wasm");
});

const toArray = (values: ArrayLike<number>, shape: readonly number[]) =>
  np.array(Float32Array.from(values)).reshape([...shape]);

/** Compares the gradients of a module's parameters after `ours` with those that jax-js finds for `theirs`. */
async function expectSameGradients(
  module: Module,
  ours: () => void,
  theirs: (parameters: Arrays) => np.Array,
): Promise<void> {
  ours();
  const parameters = module.parameters();
  const loss = theirs as (parameters: Arrays) => np.Array;
  const gradients = grad(loss)(parameters.map((p) => toArray(p.data, p.shape)));
  expect(gradients.length).toBe(parameters.length);
  for (const [i, parameter] of parameters.entries()) {
    expect(parameter.gradient, parameter.name).toBeAllclose(await gradients[i]!.data(), CLOSE);
  }
}

describe.each(allSets.map((kernels) => [kernels.description, kernels] as const))(
  "jax-js finds the gradients of %s for",
  (_, kernels) => {
    const base = { kernels, rng: seeded(1), name: "layer" };

    test("an MLP with tanh under cross-entropy", async () => {
      const mlp = new Mlp({ ...base, inputs: 5, hidden: [7], outputs: 4, activation: "tanh" });
      const x = randomValues(2, 3 * 5);
      const targets = [1, 3, 0];
      await expectSameGradients(
        mlp,
        () => {
          const tape = new Tape(kernels);
          crossEntropy(tape, mlp.forward(tape, tape.input([3, 5], x)), targets);
          tape.backward();
        },
        ([w1, b1, w2, b2]) => {
          const h = np.tanh(np.matmul(toArray(x, [3, 5]), w1!).add(b1!));
          const logits = np.matmul(h, w2!).add(b2!);
          const hot = toArray(
            targets.flatMap((t) => [0, 1, 2, 3].map((j) => (j === t ? 1 : 0))),
            [3, 4],
          );
          return nn
            .logSoftmax(logits)
            .mul(hot)
            .sum()
            .mul(-1 / 3);
        },
      );
    });

    test("an LSTM over three steps, one of them an episode's start", async () => {
      const [steps, batch, inputs, hidden] = [3, 2, 3, 4];
      const lstm = new Lstm({ ...base, inputs, hidden });
      const x = randomValues(3, steps * batch * inputs);
      const target = randomValues(4, steps * batch * hidden);
      const starts = [0, 0, 0, 1, 0, 0];
      const state = { hidden: randomValues(5, batch * hidden), cell: randomValues(6, batch * hidden) };
      await expectSameGradients(
        lstm,
        () => {
          const tape = new Tape(kernels);
          const { output } = lstm.forward(tape, tape.input([steps, batch, inputs], x), state, starts);
          meanSquaredError(tape, output, target);
          tape.backward();
        },
        ([wx, wh, b]) => {
          let h = toArray(state.hidden, [batch, hidden]);
          let c = toArray(state.cell, [batch, hidden]);
          let loss = np.array(0);
          for (let t = 0; t < steps; t++) {
            const keep = () =>
              toArray(
                starts.slice(t * batch, (t + 1) * batch).map((s) => 1 - s),
                [batch, 1],
              );
            const xt = toArray(x.subarray(t * batch * inputs, (t + 1) * batch * inputs), [batch, inputs]);
            const gates = np
              .matmul(xt, wx!.ref)
              .add(np.matmul(h.mul(keep()), wh!.ref))
              .add(b!.ref);
            const [i, f, g, o] = np.split(gates, 4, 1) as [np.Array, np.Array, np.Array, np.Array];
            c = nn
              .sigmoid(f)
              .mul(c.mul(keep()))
              .add(nn.sigmoid(i).mul(np.tanh(g)));
            h = nn.sigmoid(o).mul(np.tanh(c.ref));
            const yt = toArray(target.subarray(t * batch * hidden, (t + 1) * batch * hidden), [batch, hidden]);
            loss = loss.add(np.square(h.ref.sub(yt)).sum());
          }
          return loss.mul(1 / target.length);
        },
      );
    });

    test("layer norm", async () => {
      const layer = new LayerNorm({ kernels, name: "norm", width: 6 });
      layer.weight.data.set(randomValues(7, 6));
      const x = randomValues(8, 4 * 6);
      const target = randomValues(9, 4 * 6);
      await expectSameGradients(
        layer,
        () => {
          const tape = new Tape(kernels);
          meanSquaredError(tape, layer.forward(tape, tape.input([4, 6], x)), target);
          tape.backward();
        },
        ([gain, bias]) => {
          const input = toArray(x, [4, 6]);
          const centred = input.ref.sub(np.mean(input, 1, { keepdims: true }));
          const variance = np.mean(np.square(centred.ref), 1, { keepdims: true });
          const y = centred
            .div(np.sqrt(variance.add(1e-5)))
            .mul(gain!)
            .add(bias!);
          return np
            .square(y.sub(toArray(target, [4, 6])))
            .sum()
            .mul(1 / target.length);
        },
      );
    });

    test("causal attention with two heads", async () => {
      const [items, width, heads] = [4, 6, 2];
      const dim = width / heads;
      const layer = new MultiHeadAttention({ ...base, width, heads });
      const x = randomValues(10, items * width);
      const target = randomValues(11, items * width);
      await expectSameGradients(
        layer,
        () => {
          const tape = new Tape(kernels);
          meanSquaredError(tape, layer.forward(tape, tape.input([1, items, width], x), { causal: true }), target);
          tape.backward();
        },
        ([wq, bq, wk, bk, wv, bv, wo, bo]) => {
          const headed = (w: np.Array, b: np.Array) =>
            np.transpose(
              np
                .matmul(toArray(x, [items, width]), w)
                .add(b)
                .reshape([items, heads, dim]),
              [1, 0, 2],
            );
          const q = headed(wq!, bq!);
          const k = np.transpose(headed(wk!, bk!), [0, 2, 1]);
          const later = Array.from({ length: items * items }, (_, i) => (i % items > Math.floor(i / items) ? -1e9 : 0));
          const scores = np
            .matmul(q, k)
            .mul(1 / Math.sqrt(dim))
            .add(toArray(later, [1, items, items]));
          const mixed = np.matmul(nn.softmax(scores), headed(wv!, bv!));
          const y = np.matmul(np.transpose(mixed, [1, 0, 2]).reshape([items, width]), wo!).add(bo!);
          return np
            .square(y.sub(toArray(target, [items, width])))
            .sum()
            .mul(1 / target.length);
        },
      );
    });
  },
);
