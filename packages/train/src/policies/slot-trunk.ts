import {
  activate,
  add,
  attend,
  concat,
  type Kernels,
  LayerNorm,
  Linear,
  type Module,
  maskedMax,
  maskedMean,
  type Parameter,
  type RandomSource,
  reshape,
  sliceColumns,
  type Tape,
  type Tensor,
  takeRows,
  weighNeighbours,
} from "@praxis/nn";
import type { SlotFeatures } from "./slot-features.ts";
import { GRAPH_NODES, NODE_ROLES, SCALARS, type SlotLayout } from "./slot-layout.ts";

/** What a trunk makes of slots and their memories. */
export interface TrunkOutput {
  /** [rows, slots, slotOutputs] */
  readonly slots: Tensor;
  /** [rows, outputs] */
  readonly pooled: Tensor;
}

/** Turns slots, their memories and the graph into one row of features, and features of each slot. */
export interface SlotTrunk extends Module {
  readonly outputs: number;
  readonly slotOutputs: number;
  /** Whether it sees the graph in order of its nodes, so that slots must be put into an order of their own first. */
  readonly readsOrder: boolean;
  /** @param memory [rows, slots, memory width]; null: without */
  forward(tape: Tape, features: SlotFeatures, memory: Tensor | null): TrunkOutput;
}

interface TrunkOptions {
  readonly kernels: Kernels;
  readonly rng: RandomSource;
  readonly name: string;
  readonly layout: SlotLayout;
  readonly width: number;
  /** Width of a slot's memory, 0 without. */
  readonly memory: number;
}

/** [T, mean, max over slots of [f, m], ReLU(W adjacency), scalars]; the adjacency's slots must be sorted. */
export class SetTrunk implements SlotTrunk {
  readonly outputs: number;
  readonly slotOutputs: number;
  readonly readsOrder = true;
  readonly #graph: Linear;

  constructor({ kernels, rng, name, width, memory }: TrunkOptions) {
    const graphWidth = width / 2;
    const inputs = GRAPH_NODES * GRAPH_NODES;
    this.#graph = new Linear({ kernels, rng, name: `${name}.adjacency`, inputs, outputs: graphWidth });
    this.slotOutputs = width + memory;
    this.outputs = width + 2 * this.slotOutputs + graphWidth + SCALARS;
  }

  parameters(): readonly Parameter[] {
    return this.#graph.parameters();
  }

  forward(tape: Tape, features: SlotFeatures, memory: Tensor | null): TrunkOutput {
    const { task, exists, adjacency, scalars } = features;
    const rows = task.shape[0]!;
    const slots = memory === null ? features.features : concat(tape, [features.features, memory]);
    const graph = this.#graph.forward(tape, tape.wrap([rows, GRAPH_NODES * GRAPH_NODES], adjacency, []));
    const pooled = concat(tape, [
      task,
      maskedMean(tape, slots, exists),
      maskedMax(tape, slots, exists),
      activate(tape, "relu", graph),
      tape.wrap([rows, SCALARS], scalars, []),
    ]);
    return { slots, pooled };
  }
}

/** Numbers of a node beside its features: roles, called, degrees in and out. */
const NODE_NUMBERS = NODE_ROLES + 3;
const ROUNDS = 2;

interface GraphRound {
  readonly self: Linear;
  readonly calls: Linear;
  readonly calledBy: Linear;
  readonly query: Linear;
  readonly key: Linear;
  readonly teammate: Linear;
  readonly norm: LayerNorm;
}

/**
 * Message passing over the ten nodes of the delegation graph: two rounds of h ← h + ReLU(LayerNorm(W h + Σ over relations)), the
 * relations being calls and called-by (mean over neighbours of edge value times their projection) and teammates (attention
 * between slots). Read out: the orchestrator's node, mean and max over slots, task, scalars.
 */
export class GraphTrunk implements SlotTrunk {
  readonly outputs: number;
  readonly slotOutputs: number;
  readonly readsOrder = false;
  readonly #layout: SlotLayout;
  readonly #width: number;
  readonly #embed: Linear;
  readonly #rounds: readonly GraphRound[];

  constructor({ kernels, rng, name, layout, width, memory }: TrunkOptions) {
    this.#layout = layout;
    this.#width = width;
    const make = (part: string, inputs: number, bias: boolean) =>
      new Linear({ kernels, rng, name: `${name}.${part}`, inputs, outputs: width, bias });
    this.#embed = make("node", width + NODE_NUMBERS, true);
    this.#rounds = Array.from({ length: ROUNDS }, (_, round) => ({
      self: make(`${round}.self`, width, true),
      calls: make(`${round}.calls`, width, false),
      calledBy: make(`${round}.calledBy`, width, false),
      query: make(`${round}.query`, width, false),
      key: make(`${round}.key`, width, false),
      teammate: make(`${round}.teammate`, width, false),
      norm: new LayerNorm({ kernels, name: `${name}.${round}.norm`, width }),
    }));
    this.slotOutputs = width + memory;
    this.outputs = width + 2 * this.slotOutputs + width + SCALARS;
  }

  parameters(): readonly Parameter[] {
    const rounds = this.#rounds.flatMap((round) => Object.values(round).flatMap((layer) => layer.parameters()));
    return [...this.#embed.parameters(), ...rounds];
  }

  forward(tape: Tape, features: SlotFeatures, memory: Tensor | null): TrunkOutput {
    const { task, exists, scalars } = features;
    const { slots } = this.#layout;
    const width = this.#width;
    const rows = task.shape[0]!;
    let nodes = activate(tape, "relu", this.#embed.forward(tape, this.#nodes(tape, features)));
    const calls = meanWeights(tape, features.adjacency, false);
    const calledBy = meanWeights(tape, features.adjacency, true);
    const slotsOfNodes = Int32Array.from({ length: rows * slots }, (_, k) => slotNode(k, slots));
    const nodesOfSlots = Int32Array.from({ length: rows * GRAPH_NODES }, (_, k) => nodeSlot(k, slots));
    const slotsOf = (x: Tensor): Tensor =>
      takeRows(tape, reshape(tape, x, [rows * GRAPH_NODES, width]), slotsOfNodes, [rows, slots]);
    const teammates = teammateMask(tape, exists, slots);
    for (const round of this.#rounds) {
      const own = slotsOf(nodes);
      const [query, key, value] = [round.query, round.key, round.teammate].map((layer) => layer.forward(tape, own)) as [
        Tensor,
        Tensor,
        Tensor,
      ];
      const seen = attend(tape, { query, key, value, heads: 1, mask: { allowed: teammates } });
      const spread = takeRows(tape, reshape(tape, seen, [rows * slots, width]), nodesOfSlots, [rows, GRAPH_NODES]);
      const sum = [
        round.calls.forward(tape, weighNeighbours(tape, nodes, calls)),
        round.calledBy.forward(tape, weighNeighbours(tape, nodes, calledBy)),
        spread,
      ].reduce((total, part) => add(tape, total, part), round.self.forward(tape, nodes));
      nodes = add(tape, nodes, activate(tape, "relu", round.norm.forward(tape, sum)));
    }
    const held = memory === null ? slotsOf(nodes) : concat(tape, [slotsOf(nodes), memory]);
    const flat = reshape(tape, nodes, [rows, GRAPH_NODES * width]);
    const pooled = concat(tape, [
      sliceColumns(tape, flat, 0, width),
      maskedMean(tape, held, exists),
      maskedMax(tape, held, exists),
      task,
      tape.wrap([rows, SCALARS], scalars, []),
    ]);
    return { slots: held, pooled };
  }

  /** [rows, 10, width + numbers]: features where a slot's node is, roles, called, degrees. */
  #nodes(tape: Tape, { features, exists, called, adjacency }: SlotFeatures): Tensor {
    const { slots, roles } = this.#layout;
    const width = this.#width;
    const rows = features.shape[0]!;
    const indices = Int32Array.from({ length: rows * GRAPH_NODES }, (_, k) => {
      const slot = nodeSlot(k, slots);
      return slot >= 0 && exists[slot] === 0 ? -1 : slot;
    });
    const own = takeRows(tape, reshape(tape, features, [rows * slots, width]), indices, [rows, GRAPH_NODES]);
    const numbers = tape.zeros(rows * GRAPH_NODES * NODE_NUMBERS);
    for (let k = 0; k < rows * GRAPH_NODES; k++) {
      const [row, node] = [Math.floor(k / GRAPH_NODES), k % GRAPH_NODES];
      const to = k * NODE_NUMBERS;
      roles[node]!.forEach((holds, role) => {
        if (holds) numbers[to + role] = 1;
      });
      const slot = indices[k]!;
      if (slot >= 0) numbers[to + NODE_ROLES] = called[slot]!;
      const from = row * GRAPH_NODES * GRAPH_NODES;
      for (let other = 0; other < GRAPH_NODES; other++) {
        if (adjacency[from + other * GRAPH_NODES + node]! > 0) numbers[to + NODE_ROLES + 1]! += 1 / GRAPH_NODES;
        if (adjacency[from + node * GRAPH_NODES + other]! > 0) numbers[to + NODE_ROLES + 2]! += 1 / GRAPH_NODES;
      }
    }
    return concat(tape, [own, tape.wrap([rows, GRAPH_NODES, NODE_NUMBERS], numbers, [])]);
  }
}

/** Node, among those of all rows, of slot `k` among those of all rows. */
function slotNode(k: number, slots: number): number {
  return Math.floor(k / slots) * GRAPH_NODES + 1 + (k % slots);
}

/** Slot, among those of all rows, of node `k` among those of all rows; −1 for a node without. */
function nodeSlot(k: number, slots: number): number {
  const node = k % GRAPH_NODES;
  return node >= 1 && node <= slots ? Math.floor(k / GRAPH_NODES) * slots + node - 1 : -1;
}

/** Weights [rows, 10, 10] of a mean over each node's neighbours, edge values included: value / number of neighbours. */
function meanWeights(tape: Tape, adjacency: Float32Array, isTransposed: boolean): Float32Array {
  const weights = tape.floats(adjacency.length);
  const [toRow, toColumn] = isTransposed ? [1, GRAPH_NODES] : [GRAPH_NODES, 1];
  for (let from = 0; from < adjacency.length; from += GRAPH_NODES * GRAPH_NODES) {
    for (let node = 0; node < GRAPH_NODES; node++) {
      let count = 0;
      for (let u = 0; u < GRAPH_NODES; u++) if (adjacency[from + node * toRow + u * toColumn]! > 0) count++;
      for (let u = 0; u < GRAPH_NODES; u++)
        weights[from + node * GRAPH_NODES + u] =
          count === 0 ? 0 : adjacency[from + node * toRow + u * toColumn]! / count;
    }
  }
  return weights;
}

/** [rows, slots, slots]: a slot looks at the others that exist. */
function teammateMask(tape: Tape, exists: Float32Array, slots: number): Float32Array {
  const mask = tape.floats(exists.length * slots);
  for (let k = 0; k < exists.length; k++) {
    const row = k - (k % slots);
    for (let u = 0; u < slots; u++)
      mask[k * slots + u] = exists[k] !== 0 && exists[row + u] !== 0 && row + u !== k ? 1 : 0;
  }
  return mask;
}
