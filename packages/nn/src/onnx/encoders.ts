import type { GraphEncoder, SetEncoder } from "../layers/encoder.ts";
import { GraphConvolution } from "../layers/graph.ts";
import type { ItemMemory } from "../layers/item-memory.ts";
import type { OnnxGraph, OnnxValue } from "./graph.ts";
import { type OnnxLstmState, onnxGraphConvolution, onnxLinear, onnxLstm, onnxTransformerBlock } from "./layers.ts";

export interface OnnxEncoderInput {
  /** [batch, count, inputs] */
  readonly items: OnnxValue;
  /** Items, padding included; fixed in the file. */
  readonly count: number;
  /** [batch, count] of 0 and 1 */
  readonly mask: OnnxValue;
  /** Of a recurrent memory: [1, batch · count, hidden] each. */
  readonly state?: OnnxLstmState;
}

export interface OnnxEncoderResult {
  readonly items: OnnxValue;
  readonly pooled: OnnxValue;
  readonly state: OnnxLstmState | null;
}

/** One step of a set encoder. */
export function onnxSetEncoder(graph: OnnxGraph, encoder: SetEncoder, input: OnnxEncoderInput): OnnxEncoderResult {
  let x = onnxLinear(graph, encoder.base.embed, input.items);
  for (const block of encoder.blocks) {
    x = onnxTransformerBlock(graph, block, x, { mask: input.mask, perQuery: false });
  }
  return finish(graph, encoder.base.memory, x, input);
}

/** One step of a graph encoder; adjacency [batch, relations, count, count]. */
export function onnxGraphEncoder(
  graph: OnnxGraph,
  encoder: GraphEncoder,
  input: OnnxEncoderInput & { readonly adjacency: OnnxValue },
): OnnxEncoderResult {
  let x = onnxLinear(graph, encoder.base.embed, input.items);
  const mask = onnxNeighbours(graph, input);
  for (const layer of encoder.layers) {
    x =
      layer instanceof GraphConvolution
        ? onnxGraphConvolution(graph, layer, x, input.adjacency)
        : onnxTransformerBlock(graph, layer, x, { mask, perQuery: true });
  }
  return finish(graph, encoder.base.memory, x, input);
}

function axes(graph: OnnxGraph, values: readonly number[]): OnnxValue {
  return graph.constant(values, [values.length], "int64");
}

/** [batch, count, count]: 1 where an edge of any relation or the node itself is, and both exist. */
function onnxNeighbours(
  graph: OnnxGraph,
  { adjacency, mask, count }: OnnxEncoderInput & { readonly adjacency: OnnxValue },
): OnnxValue {
  const self = graph.constant(
    Float32Array.from({ length: count * count }, (_, i) => (i % (count + 1) === 0 ? 1 : 0)),
    [1, count, count],
  );
  const one = graph.constant([1], []);
  const zero = graph.constant([0], []);
  const edges = graph.node("ReduceMax", [adjacency], { attributes: { axes: { ints: [1] }, keepdims: { int: 0 } } });
  const joined = graph.node("Greater", [graph.node("Add", [edges, self]), zero]);
  const open = graph.node("Where", [joined, one, zero]);
  const both = graph.node("Mul", [
    graph.node("Unsqueeze", [mask, axes(graph, [2])]),
    graph.node("Unsqueeze", [mask, axes(graph, [1])]),
  ]);
  return graph.node("Mul", [open, both]);
}

function finish(
  graph: OnnxGraph,
  memory: ItemMemory | null,
  encoded: OnnxValue,
  { mask, count, state }: OnnxEncoderInput,
): OnnxEncoderResult {
  let items = encoded;
  let next: OnnxLstmState | null = null;
  if (memory !== null && state !== undefined) {
    const { inputs, hidden } = memory.lstm;
    const flat = graph.node("Reshape", [encoded, axes(graph, [1, -1, inputs])]);
    const result = onnxLstm(graph, memory.lstm, flat, state);
    items = graph.node("Reshape", [result.output, axes(graph, [-1, count, hidden])]);
    next = result.state;
  }
  const total = graph.node("ReduceSum", [mask, axes(graph, [1])]);
  const share = graph.node("Div", [mask, graph.node("Max", [total, graph.constant([1], [])])]);
  const mean = graph.node("MatMul", [graph.node("Unsqueeze", [share, axes(graph, [1])]), items]);
  return { items, pooled: graph.node("Squeeze", [mean, axes(graph, [1])]), state: next };
}
