import { NnError } from "../errors.ts";
import { orthogonal, type RandomSource } from "../initialise.ts";
import { weighNeighbours } from "../item-operations.ts";
import type { Activation, Kernels } from "../kernels/kernels.ts";
import { activate, add } from "../operations.ts";
import type { Tape } from "../tape.ts";
import { checkShape, type Module, type Parameter, type Tensor } from "../tensor.ts";
import { Linear } from "./linear.ts";

export interface GraphConvolutionOptions {
  readonly kernels: Kernels;
  readonly rng: RandomSource;
  readonly name: string;
  readonly inputs: number;
  readonly outputs: number;
  /** Kinds of edge, each with a weight matrix of its own. */
  readonly relations: number;
  /** Default `relu`. */
  readonly activation?: Activation;
}

/**
 * Relational graph convolution (Schlichtkrull et al. 2018): a node becomes f(W₀ x + Σᵣ Wᵣ · mean of its neighbours by
 * relation r + b).
 */
export class GraphConvolution implements Module {
  readonly activation: Activation;
  readonly self: Linear;
  readonly neighbours: readonly Linear[];

  constructor(options: GraphConvolutionOptions) {
    const { kernels, rng, name, inputs, outputs, relations, activation = "relu" } = options;
    this.activation = activation;
    const make = (part: string, bias: boolean) =>
      new Linear({ kernels, rng, name: `${name}.${part}`, inputs, outputs, bias, initialise: orthogonal(1) });
    this.self = make("self", true);
    this.neighbours = Array.from({ length: relations }, (_, r) => make(`relation.${r}`, false));
  }

  parameters(): readonly Parameter[] {
    return [this.self, ...this.neighbours].flatMap((layer) => layer.parameters());
  }

  /**
   * @param nodes [batch, nodes, inputs]
   * @param adjacency [batch, relations, nodes, nodes]: weight of the edge to row's node from column's node, at least 0;
   * padded nodes have none. A node without neighbours gets zeros from them.
   */
  forward(tape: Tape, nodes: Tensor, adjacency: Float32Array): Tensor {
    checkShape("graph: nodes", nodes.shape, [-1, -1, this.self.inputs]);
    const [batch, count] = nodes.shape as readonly [number, number, number];
    const relations = this.neighbours.length;
    if (adjacency.length !== batch * relations * count * count) {
      throw new NnError(
        "BAD_SHAPE",
        `The adjacency has ${adjacency.length} elements; ${batch} · ${relations} · ${count} · ${count} are needed.`,
      );
    }
    let sum = this.self.forward(tape, nodes);
    this.neighbours.forEach((layer, relation) => {
      const means = meanOfNeighbours(tape, nodes, adjacency, relation, relations);
      sum = add(tape, sum, layer.forward(tape, means));
    });
    return activate(tape, this.activation, sum);
  }
}

/** Weighted mean of each node's neighbours by one relation; no gradient reaches the adjacency. */
function meanOfNeighbours(
  tape: Tape,
  nodes: Tensor,
  adjacency: Float32Array,
  relation: number,
  relations: number,
): Tensor {
  const [batch, count] = nodes.shape as readonly [number, number, number];
  const weights = tape.floats(batch * count * count);
  for (let b = 0; b < batch; b++) {
    for (let i = 0; i < count; i++) {
      const from = ((b * relations + relation) * count + i) * count;
      const to = (b * count + i) * count;
      let degree = 0;
      for (let j = 0; j < count; j++) degree += adjacency[from + j]!;
      for (let j = 0; j < count; j++) weights[to + j] = degree > 0 ? adjacency[from + j]! / degree : 0;
    }
  }
  return weighNeighbours(tape, nodes, weights);
}
