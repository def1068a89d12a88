import { OnnxGraph, type OnnxLstmState, onnxLstm, onnxMlp } from "@praxis/nn";
import type { ActorCritic } from "./actor-critic.ts";
import type { ObservationNormalizer } from "./normalizers.ts";

/** Numbers that normalising clips to, as {@link ObservationNormalizer} does. */
const LIMIT = 10;

/**
 * The acting half of a policy as an ONNX file: `observation` [1, batch, inputs] to `logits` [1, batch, outputs], means of
 * Gaussians included; a recurrent one also takes `hiddenState` and `cellState` [layers, batch, hidden] and gives
 * `nextHiddenState` and `nextCellState`. Zeros begin an episode. The normaliser, frozen, is part of the file. Masks are the
 * caller's: set logits of illegal choices to −∞.
 */
export function exportPolicyOnnx(policy: ActorCritic, normalizer: ObservationNormalizer | null): Uint8Array {
  const graph = new OnnxGraph();
  const { lstm, mlp } = policy.actor;
  const rows = (width: number) => [1, "batch", width] as const;
  let x = graph.input("observation", rows(policy.inputs));
  if (normalizer !== null) x = normalize(graph, normalizer, x);
  let state: OnnxLstmState | null = null;
  if (lstm !== null) {
    const shape = [lstm.layers.length, "batch", lstm.hidden] as const;
    const before = { hidden: graph.input("hiddenState", shape), cell: graph.input("cellState", shape) };
    const memory = onnxLstm(graph, lstm, x, before);
    x = memory.output;
    state = memory.state;
    graph.output("nextHiddenState", state.hidden, shape);
    graph.output("nextCellState", state.cell, shape);
  }
  graph.output("logits", onnxMlp(graph, mlp, x), rows(policy.head.inputSize));
  return graph.finish("praxis-policy");
}

function normalize(graph: OnnxGraph, { moments }: ObservationNormalizer, x: string): string {
  const columns = (of: (j: number) => number) =>
    graph.constant(
      Array.from({ length: moments.size }, (_, j) => of(j)),
      [moments.size],
    );
  const centred = graph.node("Sub", [x, columns((j) => moments.mean(j))]);
  const scaled = graph.node("Mul", [centred, columns((j) => 1 / (moments.deviation(j) + 1e-8))]);
  return graph.node("Clip", [scaled, graph.constant([-LIMIT], []), graph.constant([LIMIT], [])]);
}
