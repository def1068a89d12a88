import { describe, expect, test } from "vitest";
import {
  ACTIVATIONS,
  activate,
  add,
  concat,
  Embedding,
  GraphConvolution,
  GraphEncoder,
  type Kernels,
  LayerNorm,
  Linear,
  Lstm,
  logSoftmax,
  Mlp,
  type Module,
  MultiHeadAttention,
  maskedMean,
  multiply,
  RmsNorm,
  reshape,
  SetEncoder,
  sliceColumns,
  softmax,
  Tape,
  type Tensor,
  TransformerBlock,
} from "../src/index.ts";
import { expectGradients } from "./gradients.ts";
import { allSets } from "./kernel-sets.ts";
import { randomMask, randomValues, seeded } from "./random.ts";

const base = (kernels: Kernels) => ({ kernels, rng: seeded(3), name: "layer" });

/** A case for a layer whose forward takes one tensor. */
function layerCase<M extends Module>(
  shape: readonly number[],
  make: (kernels: Kernels) => M,
  forward: (layer: M, tape: Tape, x: Tensor) => Tensor,
) {
  return {
    inputs: [shape],
    make: (kernels: Kernels) => {
      const module = make(kernels);
      return { module, forward: (tape: Tape, inputs: readonly Tensor[]) => forward(module, tape, inputs[0]!) };
    },
  };
}

/** A case for an operation without parameters. */
function operationCase(
  inputs: readonly (readonly number[])[],
  forward: (tape: Tape, inputs: readonly Tensor[]) => Tensor,
) {
  return { inputs, make: () => ({ module: null, forward }) };
}

const starts = [0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0];
const itemMask = Float32Array.from([1, 1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 0]);
const edges = randomMask(11, 3 * 2 * 4 * 4, 0.4);

describe("the gradient is right by central differences, and the same in every kernel set, for", () => {
  test("linear layers, with and without bias", () => {
    for (const bias of [true, false]) {
      expectGradients(
        layerCase(
          [3, 5],
          (kernels) => new Linear({ ...base(kernels), inputs: 5, outputs: 7, bias }),
          (layer, tape, x) => layer.forward(tape, x),
        ),
      );
    }
  });

  test.each(ACTIVATIONS.filter((kind) => kind !== "relu"))("%s", (kind) => {
    expectGradients(operationCase([[3, 7]], (tape, [x]) => activate(tape, kind, x!)));
  });

  test("an MLP", () => {
    expectGradients(
      layerCase(
        [4, 5],
        (kernels) => new Mlp({ ...base(kernels), inputs: 5, hidden: [6, 9], outputs: 3, activation: "tanh" }),
        (layer, tape, x) => layer.forward(tape, x),
      ),
    );
  });

  test("an embedding with repeated and absent indices", () => {
    expectGradients({
      inputs: [],
      make: (kernels) => {
        const module = new Embedding({ ...base(kernels), count: 5, width: 3 });
        return { module, forward: (tape) => module.forward(tape, [4, 0, 4, -1, 2, 4], [2, 3]) };
      },
    });
  });

  test("layer norm and root-mean-square norm", () => {
    for (const Norm of [LayerNorm, RmsNorm]) {
      expectGradients(
        layerCase(
          [2, 3, 9],
          (kernels) => new Norm({ kernels, name: "norm", width: 9 }),
          (layer, tape, x) => layer.forward(tape, x),
        ),
      );
    }
  });

  test("an LSTM of one and of two layers, with episode starts inside and a stored state", () => {
    for (const layers of [1, 2]) {
      expectGradients(
        layerCase(
          [5, 3, 4],
          (kernels) => new Lstm({ ...base(kernels), inputs: 4, hidden: 6, layers }),
          (lstm, tape, x) => {
            const size = layers * 3 * 6;
            const state = { hidden: randomValues(1, size, 0.5), cell: randomValues(2, size, 0.5) };
            return lstm.forward(tape, x, state, starts).output;
          },
        ),
      );
    }
  });

  test("an LSTM without episode starts", () => {
    expectGradients(
      layerCase(
        [4, 2, 3],
        (kernels) => new Lstm({ ...base(kernels), inputs: 3, hidden: 5 }),
        (lstm, tape, x) => lstm.forward(tape, x, lstm.initialState(2)).output,
      ),
    );
  });

  test("multi-head attention: open, masked by key, masked by query, causal, and to another memory", () => {
    const perKey = Float32Array.from([1, 1, 0, 1, 0, 0, 0, 0]);
    const perQuery = randomMask(4, 2 * 4 * 4, 0.6);
    const masks = [{}, { allowed: perKey }, { allowed: perQuery }, { causal: true }, { allowed: perKey, causal: true }];
    for (const mask of masks) {
      for (const heads of [1, 2])
        expectGradients(
          layerCase(
            [2, 4, 6],
            (kernels) => new MultiHeadAttention({ ...base(kernels), width: 6, heads }),
            (layer, tape, x) => layer.forward(tape, x, mask),
          ),
        );
    }
    expectGradients({
      inputs: [
        [2, 3, 6],
        [2, 4, 6],
      ],
      make: (kernels) => {
        const module = new MultiHeadAttention({ ...base(kernels), width: 6, heads: 3 });
        return { module, forward: (tape, [x, memory]) => module.forward(tape, x!, { allowed: perKey }, memory) };
      },
    });
  });

  test("a transformer block", () => {
    expectGradients(
      layerCase(
        [2, 3, 8],
        (kernels) => new TransformerBlock({ ...base(kernels), width: 8, heads: 2 }),
        (layer, tape, x) => layer.forward(tape, x),
      ),
    );
  });

  test("graph convolution with two relations", () => {
    expectGradients(
      layerCase(
        [3, 4, 5],
        (kernels) =>
          new GraphConvolution({ ...base(kernels), inputs: 5, outputs: 6, relations: 2, activation: "tanh" }),
        (layer, tape, x) => layer.forward(tape, x, edges),
      ),
    );
  });

  test("set and graph encoders, with and without a memory per item", () => {
    for (const memory of [{}, { memory: 5 }]) {
      const input = { mask: itemMask, steps: 3, starts: [0, 0, 1] };
      expectGradients(
        layerCase(
          [3, 4, 3],
          (kernels) => new SetEncoder({ ...base(kernels), inputs: 3, width: 8, layers: 1, heads: 2, ...memory }),
          (encoder, tape, items) => encoder.forward(tape, { items, ...input }).pooled,
        ),
      );
      expectGradients(
        layerCase(
          [3, 4, 3],
          (kernels) => {
            const shape = { inputs: 3, width: 8, layers: 1, heads: 2, relations: 2 } as const;
            return new GraphEncoder({ ...base(kernels), ...shape, kind: "attention", ...memory });
          },
          (encoder, tape, items) => encoder.forward(tape, { items, adjacency: edges, ...input }).pooled,
        ),
      );
    }
  });

  test("softmax and log-softmax with a mask", () => {
    const mask = Float32Array.from([1, 0, 1, 1, 1]);
    expectGradients(operationCase([[4, 5]], (tape, [x]) => softmax(tape, x!, mask)));
    expectGradients(
      operationCase([[4, 5]], (tape, [x]) => {
        const y = logSoftmax(tape, x!, mask);
        return concat(tape, [sliceColumns(tape, y, 0, 1), sliceColumns(tape, y, 2, 5)]);
      }),
    );
  });

  test("sums, products, side by side, slices, other shapes and masked means", () => {
    const two = [
      [2, 3, 4],
      [2, 3, 4],
    ];
    expectGradients(operationCase(two, (tape, [a, b]) => add(tape, a!, multiply(tape, a!, b!))));
    expectGradients(
      operationCase(two, (tape, [a, b]) => multiply(tape, concat(tape, [a!, b!]), concat(tape, [b!, a!]))),
    );
    expectGradients(
      operationCase([[3, 6]], (tape, [x]) =>
        multiply(tape, sliceColumns(tape, x!, 1, 3), sliceColumns(tape, x!, 2, 4)),
      ),
    );
    expectGradients(operationCase([[3, 6]], (tape, [x]) => activate(tape, "tanh", reshape(tape, x!, [2, 9]))));
    expectGradients(operationCase([[3, 4, 5]], (tape, [x]) => maskedMean(tape, x!, itemMask)));
  });
});

describe.each(allSets.map((kernels) => [kernels.description, kernels] as const))("with %s kernels", (_, kernels) => {
  test("the same seed gives the same bytes, forward and backward", () => {
    const run = () => {
      const shape = { inputs: 6, width: 8, layers: 2, heads: 2, relations: 2, memory: 8 } as const;
      const encoder = new GraphEncoder({ ...base(kernels), ...shape, kind: "attention" });
      const tape = new Tape(kernels);
      const items = tape.input([3, 4, 6], randomValues(1, 72));
      const { pooled } = encoder.forward(tape, { items, adjacency: edges, mask: itemMask, steps: 3 });
      tape.seed(pooled, randomValues(2, pooled.data.length));
      tape.backward();
      return [pooled.data.slice(), ...encoder.parameters().map((p) => p.gradient.slice())];
    };
    expect(run()).toEqual(run());
  });
});

test("a wrong shape is named with the layer and both shapes", () => {
  for (const kernels of allSets) {
    const layer = new Linear({ ...base(kernels), name: "actor.0", inputs: 5, outputs: 2 });
    const tape = new Tape(kernels);
    expect(() => layer.forward(tape, tape.input([2, 4], new Float32Array(8)))).toThrow(
      "actor.0.weight: input has shape [2, 4]; [2, 5] is needed.",
    );
  }
});
