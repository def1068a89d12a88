import {
  OnnxGraph,
  type OnnxLstmState,
  type OnnxValue,
  onnxGraphEncoder,
  onnxLstm,
  onnxMlp,
  onnxSetEncoder,
  SetEncoder,
} from "@praxis/nn";
import type { ActionHead } from "./action-head.ts";
import type { BlockEncoder, BlockPart } from "./block-encoder.ts";
import type { ObservationNormalizer } from "./normalizers.ts";
import { blockSize, itemCount } from "./observation-blocks.ts";
import type { PolicyBranch } from "./policy-branch.ts";

/** Numbers that normalising clips to, as {@link ObservationNormalizer} does. */
const LIMIT = 10;

/** What acts: a policy of PPO, or one with masked decisions of SFT and GRPO. */
export interface ActingPolicy {
  readonly actor: PolicyBranch;
  readonly head: ActionHead;
}

/**
 * The acting half of a policy as an ONNX file: `observation` [1, batch, inputs] to `logits` [1, batch, outputs], means of
 * Gaussians included; a recurrent one also takes `hiddenState` and `cellState` [layers, batch, hidden] and gives
 * `nextHiddenState` and `nextCellState`. Items of a block with memories have their own, [1, batch · items, hidden], under the
 * block's name: `drugsHiddenState`, `nextDrugsHiddenState`. Zeros begin an episode. The normaliser, frozen, is part of the
 * file. Masks are the caller's: set logits of illegal choices to −∞.
 */
export function exportPolicyOnnx({ actor, head }: ActingPolicy, normalizer: ObservationNormalizer | null): Uint8Array {
  const graph = new OnnxGraph();
  const { encoder, lstm, mlp } = actor;
  const rows = (width: number) => [1, "batch", width] as const;
  let x = graph.input("observation", rows(actor.inputs));
  if (normalizer !== null) x = normalize(graph, normalizer, x);
  if (encoder !== null) x = encode(graph, encoder, x);
  if (lstm !== null) {
    const shape = [lstm.layers.length, "batch", lstm.hidden] as const;
    const before = { hidden: graph.input("hiddenState", shape), cell: graph.input("cellState", shape) };
    const memory = onnxLstm(graph, lstm, x, before);
    x = memory.output;
    graph.output("nextHiddenState", memory.state.hidden, shape);
    graph.output("nextCellState", memory.state.cell, shape);
  }
  graph.output("logits", onnxMlp(graph, mlp, x), rows(head.inputSize));
  return graph.finish("praxis-policy");
}

function normalize(graph: OnnxGraph, { moments }: ObservationNormalizer, x: OnnxValue): OnnxValue {
  const columns = (of: (j: number) => number) =>
    graph.constant(
      Array.from({ length: moments.size }, (_, j) => of(j)),
      [moments.size],
    );
  const centred = graph.node("Sub", [x, columns((j) => moments.mean(j))]);
  const scaled = graph.node("Mul", [centred, columns((j) => 1 / (moments.deviation(j) + 1e-8))]);
  return graph.node("Clip", [scaled, graph.constant([-LIMIT], []), graph.constant([LIMIT], [])]);
}

/** [1, batch, inputs] → [1, batch, outputs] */
function encode(graph: OnnxGraph, encoder: BlockEncoder, observation: OnnxValue): OnnxValue {
  const flat = reshape(graph, observation, [-1, encoder.inputs]);
  const features = encoder.parts.map((part) => encodePart(graph, part, flat));
  const joined = graph.node("Concat", features, { attributes: { axis: { int: 1 } } });
  return reshape(graph, joined, [1, -1, encoder.outputs]);
}

function encodePart(graph: OnnxGraph, { block, from, encoder }: BlockPart, x: OnnxValue): OnnxValue {
  const columns = (at: number, size: number): OnnxValue =>
    graph.node("Slice", [x, integers(graph, [from + at]), integers(graph, [from + at + size]), integers(graph, [1])]);
  if (encoder === null || block.kind === "flat") return columns(0, blockSize(block));
  const count = itemCount(block);
  const { memory } = encoder.base;
  const shape = [1, "batch_items", memory?.lstm.hidden ?? 0] as const;
  const state: OnnxLstmState | null =
    memory === null
      ? null
      : { hidden: graph.input(`${block.name}HiddenState`, shape), cell: graph.input(`${block.name}CellState`, shape) };
  const input = {
    ...{ items: reshape(graph, columns(count, count * block.features), [-1, count, block.features]), count },
    ...{ mask: columns(0, count), ...(state === null ? {} : { state }) },
  };
  const result =
    encoder instanceof SetEncoder || block.kind === "set"
      ? onnxSetEncoder(graph, encoder as SetEncoder, input)
      : onnxGraphEncoder(graph, encoder, {
          ...input,
          adjacency: reshape(graph, columns(count * (1 + block.features), block.relations * count * count), [
            ...[-1, block.relations, count, count],
          ]),
        });
  if (result.state !== null) {
    const title = `${block.name[0]!.toUpperCase()}${block.name.slice(1)}`;
    graph.output(`next${title}HiddenState`, result.state.hidden, shape);
    graph.output(`next${title}CellState`, result.state.cell, shape);
  }
  return result.pooled;
}

function integers(graph: OnnxGraph, values: readonly number[]): OnnxValue {
  return graph.constant(values, [values.length], "int64");
}

function reshape(graph: OnnxGraph, x: OnnxValue, shape: readonly number[]): OnnxValue {
  return graph.node("Reshape", [x, integers(graph, shape)]);
}
