import type { Activation } from "../kernels/kernels.ts";
import type { MultiHeadAttention } from "../layers/attention.ts";
import type { Embedding } from "../layers/embedding.ts";
import type { GraphConvolution } from "../layers/graph.ts";
import type { Linear } from "../layers/linear.ts";
import type { Lstm } from "../layers/lstm.ts";
import type { Mlp } from "../layers/mlp.ts";
import type { LayerNorm, RmsNorm } from "../layers/norm.ts";
import type { TransformerBlock } from "../layers/transformer.ts";
import type { Parameter } from "../tensor.ts";
import type { OnnxGraph, OnnxValue } from "./graph.ts";

function weights(graph: OnnxGraph, { data, shape }: Parameter): OnnxValue {
  return graph.constant(data, shape);
}

function scalar(graph: OnnxGraph, value: number): OnnxValue {
  return graph.constant([value], []);
}

function shapeOf(graph: OnnxGraph, shape: readonly number[]): OnnxValue {
  return graph.constant(shape, [shape.length], "int64");
}

/** [..., inputs] → [..., outputs] */
export function onnxLinear(graph: OnnxGraph, layer: Linear, x: OnnxValue): OnnxValue {
  const product = graph.node("MatMul", [x, weights(graph, layer.weight)]);
  return layer.bias === null ? product : graph.node("Add", [product, weights(graph, layer.bias)]);
}

export function onnxActivation(graph: OnnxGraph, kind: Activation, x: OnnxValue): OnnxValue {
  const product = (a: OnnxValue, b: OnnxValue) => graph.node("Mul", [a, b]);
  const halfOf = (a: OnnxValue) => product(product(scalar(graph, 0.5), x), graph.node("Add", [scalar(graph, 1), a]));
  switch (kind) {
    case "relu":
      return graph.node("Relu", [x]);
    case "tanh":
      return graph.node("Tanh", [x]);
    case "sigmoid":
      return graph.node("Sigmoid", [x]);
    case "silu":
      return product(x, graph.node("Sigmoid", [x]));
    case "gelu":
      return halfOf(graph.node("Erf", [product(x, scalar(graph, Math.SQRT1_2))]));
    case "geluTanh": {
      const cube = product(product(product(x, x), x), scalar(graph, 0.044715));
      const inner = product(graph.node("Add", [x, cube]), scalar(graph, Math.sqrt(2 / Math.PI)));
      return halfOf(graph.node("Tanh", [inner]));
    }
  }
}

export function onnxMlp(graph: OnnxGraph, mlp: Mlp, x: OnnxValue): OnnxValue {
  let y = x;
  for (const layer of mlp.hidden) y = onnxActivation(graph, mlp.activation, onnxLinear(graph, layer, y));
  return mlp.last === null ? y : onnxLinear(graph, mlp.last, y);
}

/** @param indices an int64 tensor */
export function onnxEmbedding(graph: OnnxGraph, layer: Embedding, indices: OnnxValue): OnnxValue {
  return graph.node("Gather", [weights(graph, layer.weight), indices]);
}

export function onnxLayerNorm(graph: OnnxGraph, layer: LayerNorm, x: OnnxValue): OnnxValue {
  const inputs = [x, weights(graph, layer.weight), weights(graph, layer.bias)];
  return graph.node("LayerNormalization", inputs, {
    attributes: { axis: { int: -1 }, epsilon: { float: layer.epsilon } },
  });
}

export function onnxRmsNorm(graph: OnnxGraph, layer: RmsNorm, x: OnnxValue): OnnxValue {
  const squares = graph.node("ReduceMean", [graph.node("Mul", [x, x])], { attributes: { axes: { ints: [-1] } } });
  const root = graph.node("Sqrt", [graph.node("Add", [squares, scalar(graph, layer.epsilon)])]);
  return graph.node("Mul", [graph.node("Div", [x, root]), weights(graph, layer.weight)]);
}

export interface OnnxLstmState {
  /** [layers, batch, hidden] */
  readonly hidden: OnnxValue;
  readonly cell: OnnxValue;
}

/** Our gates i, f, g, o in ONNX's order i, o, f, c. */
const GATE_ORDER = [0, 3, 1, 2];

/** [rows, 4 · hidden] → [1, 4 · hidden, rows], gates reordered. */
function gateRows(
  { data, shape }: Parameter,
  hidden: number,
): { readonly values: Float32Array; readonly rows: number } {
  const rows = shape.length === 1 ? 1 : shape[0]!;
  const values = new Float32Array(data.length);
  GATE_ORDER.forEach((gate, to) => {
    for (let j = 0; j < hidden; j++) {
      for (let r = 0; r < rows; r++) values[(to * hidden + j) * rows + r] = data[r * 4 * hidden + gate * hidden + j]!;
    }
  });
  return { values, rows };
}

/**
 * An LSTM over [steps, batch, inputs]. An episode's start is the caller's to handle, by passing a state of zeros.
 */
export function onnxLstm(
  graph: OnnxGraph,
  lstm: Lstm,
  x: OnnxValue,
  state: OnnxLstmState,
): { readonly output: OnnxValue; readonly state: OnnxLstmState } {
  const { hidden } = lstm;
  const count = lstm.layers.length;
  const split = (value: OnnxValue) =>
    count === 1 ? [value] : graph.nodes("Split", [value], { attributes: { axis: { int: 0 } }, outputs: count });
  const before = { hidden: split(state.hidden), cell: split(state.cell) };
  const after: { hidden: OnnxValue[]; cell: OnnxValue[] } = { hidden: [], cell: [] };
  let output = x;
  lstm.layers.forEach((layer, i) => {
    const [input, recurrent, bias] = [layer.inputWeight, layer.hiddenWeight, layer.bias].map((p) =>
      gateRows(p, hidden),
    );
    const biases = new Float32Array(8 * hidden);
    biases.set(bias!.values);
    const inputs = [
      output,
      graph.constant(input!.values, [1, 4 * hidden, input!.rows]),
      graph.constant(recurrent!.values, [1, 4 * hidden, hidden]),
      graph.constant(biases, [1, 8 * hidden]),
      "",
      before.hidden[i]!,
      before.cell[i]!,
    ];
    const [y, h, c] = graph.nodes("LSTM", inputs, { attributes: { hidden_size: { int: hidden } }, outputs: 3 });
    output = graph.node("Squeeze", [y!, shapeOf(graph, [1])]);
    after.hidden.push(h!);
    after.cell.push(c!);
  });
  const join = (values: readonly OnnxValue[]) =>
    values.length === 1 ? values[0]! : graph.node("Concat", values, { attributes: { axis: { int: 0 } } });
  return { output, state: { hidden: join(after.hidden), cell: join(after.cell) } };
}

/**
 * Self-attention over [batch, items, width].
 * @param allowed float tensor of 0 and 1, [batch, keys] or, with `perQuery`, [batch, queries, keys]
 */
export function onnxAttention(
  graph: OnnxGraph,
  layer: MultiHeadAttention,
  x: OnnxValue,
  allowed?: { readonly mask: OnnxValue; readonly perQuery: boolean },
): OnnxValue {
  const dim = layer.width / layer.heads;
  const headed = (part: Linear, axes: readonly number[]) => {
    const split = graph.node("Reshape", [onnxLinear(graph, part, x), shapeOf(graph, [0, 0, layer.heads, dim])]);
    return graph.node("Transpose", [split], { attributes: { perm: { ints: axes } } });
  };
  const query = headed(layer.query, [0, 2, 1, 3]);
  const key = headed(layer.key, [0, 2, 3, 1]);
  const value = headed(layer.value, [0, 2, 1, 3]);
  const scores = graph.node("Mul", [graph.node("MatMul", [query, key]), scalar(graph, 1 / Math.sqrt(dim))]);
  const softmax = (values: OnnxValue) => graph.node("Softmax", [values], { attributes: { axis: { int: -1 } } });
  let shares: OnnxValue;
  if (allowed === undefined) {
    shares = softmax(scores);
  } else {
    const axes = shapeOf(graph, allowed.perQuery ? [1] : [1, 2]);
    const mask = graph.node("Unsqueeze", [allowed.mask, axes]);
    const forbidden = graph.node("Equal", [mask, scalar(graph, 0)]);
    // A row without an allowed key comes out of softmax even; the product makes it zero, as in our kernel.
    const open = graph.node("Where", [forbidden, scalar(graph, -3e38), scores]);
    shares = graph.node("Mul", [softmax(open), mask]);
  }
  const heads = graph.node("Transpose", [graph.node("MatMul", [shares, value])], {
    attributes: { perm: { ints: [0, 2, 1, 3] } },
  });
  return onnxLinear(graph, layer.out, graph.node("Reshape", [heads, shapeOf(graph, [0, 0, layer.width])]));
}

/** As {@link onnxAttention}, a whole block. */
export function onnxTransformerBlock(
  graph: OnnxGraph,
  block: TransformerBlock,
  x: OnnxValue,
  allowed?: { readonly mask: OnnxValue; readonly perQuery: boolean },
): OnnxValue {
  const attended = onnxAttention(graph, block.attention, onnxLayerNorm(graph, block.attentionNorm, x), allowed);
  const seen = graph.node("Add", [x, attended]);
  return graph.node("Add", [seen, onnxMlp(graph, block.mlp, onnxLayerNorm(graph, block.mlpNorm, seen))]);
}

/** @param adjacency [batch, relations, nodes, nodes] */
export function onnxGraphConvolution(
  graph: OnnxGraph,
  layer: GraphConvolution,
  nodes: OnnxValue,
  adjacency: OnnxValue,
): OnnxValue {
  const degrees = graph.node("ReduceSum", [adjacency, shapeOf(graph, [-1])]);
  // A node without neighbours has degree 0, and zeros over anything stay zeros.
  const share = graph.node("Div", [adjacency, graph.node("Max", [degrees, scalar(graph, 1e-30)])]);
  let sum = onnxLinear(graph, layer.self, nodes);
  layer.neighbours.forEach((part, relation) => {
    const own = graph.node("Gather", [share, graph.constant([relation], [], "int64")], {
      attributes: { axis: { int: 1 } },
    });
    sum = graph.node("Add", [sum, onnxLinear(graph, part, graph.node("MatMul", [own, nodes]))]);
  });
  return onnxActivation(graph, layer.activation, sum);
}
