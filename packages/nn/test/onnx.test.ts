import { beforeAll, describe, expect, test } from "vitest";
import "./allclose.ts";
import {
  ACTIVATIONS,
  activate,
  Embedding,
  GraphEncoder,
  LayerNorm,
  Linear,
  Lstm,
  Mlp,
  OnnxGraph,
  onnxActivation,
  onnxEmbedding,
  onnxGraphEncoder,
  onnxLayerNorm,
  onnxLinear,
  onnxLstm,
  onnxMlp,
  onnxRmsNorm,
  onnxSetEncoder,
  RmsNorm,
  SetEncoder,
  Tape,
} from "../src/index.ts";
import { allSets } from "./kernel-sets.ts";
import { loadOnnxRuntime } from "./onnx-runtime.ts";
import { randomMask, randomValues, seeded } from "./random.ts";

const kernels = allSets[allSets.length - 1]!;
const CLOSE = { rtol: 1e-4, atol: 1e-5 };
const base = { kernels, rng: seeded(1), name: "layer" };

const runtime = await loadOnnxRuntime();
const ort = runtime!;

beforeAll(() => {
  if (runtime === null) return;
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = "error";
});

type Feeds = Record<
  string,
  { readonly shape: readonly number[]; readonly values: ArrayLike<number>; readonly int?: true }
>;

/** Runs a file in onnxruntime. */
async function runFile(file: Uint8Array, feeds: Feeds): Promise<Record<string, Float32Array>> {
  const session = await ort.InferenceSession.create(file, { graphOptimizationLevel: "disabled" });
  const inputs = Object.entries(feeds).map(([name, { shape, values, int }]) => {
    const tensor =
      int === true
        ? new ort.Tensor("int64", BigInt64Array.from(Array.from(values, (value) => BigInt(value))), shape)
        : new ort.Tensor("float32", Float32Array.from(values), shape);
    return [name, tensor] as const;
  });
  const results = await session.run(Object.fromEntries(inputs));
  return Object.fromEntries(Object.entries(results).map(([name, tensor]) => [name, tensor.data as Float32Array]));
}

describe.skipIf(runtime === null)("onnxruntime (.ci/run installs it) gives what we give, for", () => {
  test("a recurrent policy with its state passed in and out, over several steps and any batch", async () => {
    const encoder = new Mlp({ ...base, name: "encoder", inputs: 6, hidden: [8], activation: "tanh" });
    const lstm = new Lstm({ ...base, name: "lstm", inputs: 8, hidden: 5, layers: 2 });
    const head = new Linear({ ...base, name: "head", inputs: 5, outputs: 3 });
    const graph = new OnnxGraph();
    const observation = graph.input("observation", [1, "batch", 6]);
    const state = {
      hidden: graph.input("hiddenState", [2, "batch", 5]),
      cell: graph.input("cellState", [2, "batch", 5]),
    };
    const recurrent = onnxLstm(graph, lstm, onnxMlp(graph, encoder, observation), state);
    graph.output("logits", onnxLinear(graph, head, recurrent.output), [1, "batch", 3]);
    graph.output("nextHiddenState", recurrent.state.hidden, [2, "batch", 5]);
    graph.output("nextCellState", recurrent.state.cell, [2, "batch", 5]);
    const file = graph.finish("policy");

    for (const batch of [1, 4]) {
      let ours = lstm.initialState(batch);
      let theirs = { hidden: ours.hidden, cell: ours.cell };
      for (let step = 0; step < 3; step++) {
        const x = randomValues(step, batch * 6);
        const tape = new Tape(kernels, { recording: false });
        const features = encoder.forward(tape, tape.input([1, batch, 6], x));
        const { output, state: next } = lstm.forward(tape, features, ours);
        const logits = head.forward(tape, output).data;
        const results = await runFile(file, {
          observation: { shape: [1, batch, 6], values: x },
          hiddenState: { shape: [2, batch, 5], values: theirs.hidden },
          cellState: { shape: [2, batch, 5], values: theirs.cell },
        });
        expect(results.logits).toBeAllclose(logits, CLOSE);
        expect(results.nextHiddenState).toBeAllclose(next.hidden, CLOSE);
        expect(results.nextCellState).toBeAllclose(next.cell, CLOSE);
        ours = next;
        theirs = { hidden: results.nextHiddenState!, cell: results.nextCellState! };
      }
    }
  });

  test.each(ACTIVATIONS)("%s", async (kind) => {
    const graph = new OnnxGraph();
    graph.output("y", onnxActivation(graph, kind, graph.input("x", ["n"])), ["n"]);
    const values = randomValues(1, 50, 3);
    const { y } = await runFile(graph.finish("activation"), { x: { shape: [50], values } });
    const tape = new Tape(kernels, { recording: false });
    expect(y).toBeAllclose(activate(tape, kind, tape.input([50], values)).data, CLOSE);
  });

  test("embedding and both norms", async () => {
    const embedding = new Embedding({ ...base, count: 7, width: 6 });
    const layerNorm = new LayerNorm({ kernels, name: "n", width: 6 });
    const rmsNorm = new RmsNorm({ kernels, name: "r", width: 6 });
    layerNorm.bias.data.set(randomValues(1, 6));
    rmsNorm.weight.data.set(randomValues(2, 6));
    const graph = new OnnxGraph();
    const x = onnxEmbedding(graph, embedding, graph.input("ids", ["n"], "int64"));
    graph.output("y", onnxRmsNorm(graph, rmsNorm, onnxLayerNorm(graph, layerNorm, x)), ["n", 6]);
    const ids = [3, 0, 6, 3];
    const { y } = await runFile(graph.finish("norms"), { ids: { shape: [4], values: ids, int: true } });
    const tape = new Tape(kernels, { recording: false });
    expect(y).toBeAllclose(
      rmsNorm.forward(tape, layerNorm.forward(tape, embedding.forward(tape, ids, [4]))).data,
      CLOSE,
    );
  });

  const [batch, count, width] = [2, 4, 8];
  const items = randomValues(3, batch * count * 5);
  const mask = Float32Array.from([1, 1, 1, 0, 1, 1, 0, 0]);
  const memory = 6;
  const stateShape = [1, batch * count, memory] as const;
  const state = { hidden: randomValues(4, batch * count * memory), cell: randomValues(5, batch * count * memory) };
  const feeds: Feeds = {
    items: { shape: [batch, count, 5], values: items },
    mask: { shape: [batch, count], values: mask },
    hiddenState: { shape: stateShape, values: state.hidden },
    cellState: { shape: stateShape, values: state.cell },
  };
  const declare = (graph: OnnxGraph) => ({
    items: graph.input("items", ["batch", count, 5]),
    mask: graph.input("mask", ["batch", count]),
    count,
    state: {
      hidden: graph.input("hiddenState", [1, "rows", memory]),
      cell: graph.input("cellState", [1, "rows", memory]),
    },
  });

  test("a set encoder with a memory per item", async () => {
    const encoder = new SetEncoder({ ...base, inputs: 5, width, layers: 2, heads: 2, memory });
    const graph = new OnnxGraph();
    const result = onnxSetEncoder(graph, encoder, declare(graph));
    graph.output("pooled", result.pooled, ["batch", memory]);
    graph.output("nextHiddenState", result.state!.hidden, [...stateShape]);
    const actual = await runFile(graph.finish("set"), feeds);
    const tape = new Tape(kernels, { recording: false });
    const expected = encoder.forward(tape, { items: tape.input([batch, count, 5], items), mask, state });
    expect(actual.pooled).toBeAllclose(expected.pooled.data, CLOSE);
    expect(actual.nextHiddenState).toBeAllclose(expected.state!.hidden, CLOSE);
  });

  test.each(["convolution", "attention"] as const)("a graph encoder by %s", async (kind) => {
    const encoder = new GraphEncoder({ ...base, inputs: 5, width, layers: 2, heads: 2, memory, kind, relations: 2 });
    const adjacency = randomMask(6, batch * 2 * count * count, 0.4);
    const graph = new OnnxGraph();
    const edges = graph.input("adjacency", ["batch", 2, count, count]);
    const result = onnxGraphEncoder(graph, encoder, { ...declare(graph), adjacency: edges });
    graph.output("pooled", result.pooled, ["batch", memory]);
    const shape = [batch, 2, count, count];
    const { pooled } = await runFile(graph.finish("graph"), { ...feeds, adjacency: { shape, values: adjacency } });
    const tape = new Tape(kernels, { recording: false });
    const expected = encoder.forward(tape, { items: tape.input([batch, count, 5], items), mask, state, adjacency });
    expect(pooled).toBeAllclose(expected.pooled.data, CLOSE);
  });
});

test("equal models are equal files, and a name is used once", () => {
  const file = () => {
    const graph = new OnnxGraph();
    const layer = new Linear({ kernels, rng: seeded(2), name: "l", inputs: 2, outputs: 2 });
    graph.output("y", onnxLinear(graph, layer, graph.input("x", [1, 2])), [1, 2]);
    return graph.finish("m");
  };
  expect(file()).toEqual(file());
  const graph = new OnnxGraph();
  graph.input("x", [1]);
  expect(() => graph.input("x", [1])).toThrow("The ONNX name 'x' is empty or taken.");
});
