import { NnError } from "../errors.ts";
import type { RandomSource } from "../initialise.ts";
import type { Kernels } from "../kernels/kernels.ts";
import { maskedMean } from "../operations.ts";
import type { Tape } from "../tape.ts";
import { checkShape, type Module, type Parameter, type Tensor } from "../tensor.ts";
import { GraphConvolution } from "./graph.ts";
import { ItemMemory } from "./item-memory.ts";
import { Linear } from "./linear.ts";
import type { LstmState } from "./lstm.ts";
import { TransformerBlock } from "./transformer.ts";

interface EncoderOptions {
  readonly kernels: Kernels;
  readonly rng: RandomSource;
  readonly name: string;
  /** Features of an item. */
  readonly inputs: number;
  readonly width: number;
  readonly layers: number;
  /** Width of a recurrent memory per item; default: none. */
  readonly memory?: number;
}

export interface SetEncoderOptions extends EncoderOptions {
  /** Attention heads, default 4. */
  readonly heads?: number;
}

export interface GraphEncoderOptions extends EncoderOptions {
  /** How a node looks at its neighbours. */
  readonly kind: "convolution" | "attention";
  /** Kinds of edge. */
  readonly relations: number;
  /** For attention, default 4. */
  readonly heads?: number;
}

export interface EncoderInput {
  /** [rows, items, inputs]; rows are steps · batch, in time order */
  readonly items: Tensor;
  /** [rows, items], 0 where there is only padding. */
  readonly mask: Float32Array;
  /** Of a recurrent memory: steps in `rows` (default 1), state before the first (default zeros), episode starts. */
  readonly steps?: number;
  readonly state?: LstmState;
  readonly starts?: ArrayLike<number>;
}

export interface GraphInput extends EncoderInput {
  /** [rows, relations, items, items]: weight of the edge to row's item from column's item; 0: none. */
  readonly adjacency: Float32Array;
}

export interface EncoderResult {
  /** [rows, items, outputs]; what stands at padding is undefined in meaning. */
  readonly items: Tensor;
  /** [rows, outputs]: mean over the items that exist. */
  readonly pooled: Tensor;
  /** After the last step; null without memory. */
  readonly state: LstmState | null;
}

/** What set and graph encoder share: the way in, the memory and the pooling. */
class ItemEncoder implements Module {
  readonly embed: Linear;
  readonly memory: ItemMemory | null;
  readonly outputs: number;

  constructor({ kernels, rng, name, inputs, width, memory }: EncoderOptions) {
    this.embed = new Linear({ kernels, rng, name: `${name}.embed`, inputs, outputs: width });
    this.memory =
      memory === undefined
        ? null
        : new ItemMemory({ kernels, rng, name: `${name}.memory`, inputs: width, hidden: memory });
    this.outputs = memory ?? width;
  }

  parameters(): readonly Parameter[] {
    return [...this.embed.parameters(), ...(this.memory?.parameters() ?? [])];
  }

  /** Checks the input and embeds the items. */
  begin(tape: Tape, { items, mask, steps = 1 }: EncoderInput): Tensor {
    checkShape("encoder: items", items.shape, [-1, -1, this.embed.inputs]);
    const [rows, count] = items.shape as readonly [number, number, number];
    checkShape("encoder: mask", [mask.length], [rows * count]);
    if (!(Number.isInteger(steps) && steps >= 1 && rows % steps === 0)) {
      throw new NnError("BAD_SHAPE", `encoder: ${rows} rows are not ${steps} steps of a batch.`);
    }
    return this.embed.forward(tape, items);
  }

  /** Passes the items through the memory, if there is one, and pools them. */
  finish(tape: Tape, encoded: Tensor, { mask, steps = 1, state, starts }: EncoderInput): EncoderResult {
    if (this.memory === null) return { items: encoded, pooled: maskedMean(tape, encoded, mask), state: null };
    const [rows, count] = encoded.shape as readonly [number, number, number];
    const before = state ?? this.memory.initialState(rows / steps, count);
    const { output, state: next } = this.memory.forward(tape, encoded, steps, before, starts ?? null);
    return { items: output, pooled: maskedMean(tape, output, mask), state: next };
  }
}

/**
 * Items of a set that look at each other (transformer blocks without positions): moving items about moves the results
 * along and leaves `pooled` as it was.
 */
export class SetEncoder implements Module {
  readonly base: ItemEncoder;
  readonly blocks: readonly TransformerBlock[];

  constructor(options: SetEncoderOptions) {
    const { kernels, rng, name, width, layers, heads = 4 } = options;
    this.base = new ItemEncoder(options);
    this.blocks = Array.from(
      { length: layers },
      (_, i) => new TransformerBlock({ kernels, rng, name: `${name}.blocks.${i}`, width, heads }),
    );
  }

  /** Features of a result. */
  get outputs(): number {
    return this.base.outputs;
  }

  parameters(): readonly Parameter[] {
    return [...this.base.parameters(), ...this.blocks.flatMap((block) => block.parameters())];
  }

  forward(tape: Tape, input: EncoderInput): EncoderResult {
    let x = this.base.begin(tape, input);
    for (const block of this.blocks) x = block.forward(tape, x, { allowed: input.mask });
    return this.base.finish(tape, x, input);
  }
}

/**
 * Nodes of a padded graph that look at their neighbours: by relational convolution, or by attention restricted to edges of
 * any relation and the node itself.
 */
export class GraphEncoder implements Module {
  readonly base: ItemEncoder;
  readonly layers: readonly (GraphConvolution | TransformerBlock)[];
  readonly relations: number;

  constructor(options: GraphEncoderOptions) {
    const { kernels, rng, name, width, layers, kind, relations, heads = 4 } = options;
    this.base = new ItemEncoder(options);
    this.relations = relations;
    this.layers = Array.from({ length: layers }, (_, i) => {
      const shared = { kernels, rng, name: `${name}.layers.${i}` };
      return kind === "convolution"
        ? new GraphConvolution({ ...shared, inputs: width, outputs: width, relations })
        : new TransformerBlock({ ...shared, width, heads });
    });
  }

  /** Features of a result. */
  get outputs(): number {
    return this.base.outputs;
  }

  parameters(): readonly Parameter[] {
    return [...this.base.parameters(), ...this.layers.flatMap((layer) => layer.parameters())];
  }

  forward(tape: Tape, input: GraphInput): EncoderResult {
    const [rows, count] = input.items.shape as readonly [number, number, number];
    checkShape("encoder: adjacency", [input.adjacency.length], [rows * this.relations * count * count]);
    const allowed = neighbourMask(input, rows, count, this.relations);
    let x = this.base.begin(tape, input);
    for (const layer of this.layers) {
      x =
        layer instanceof GraphConvolution
          ? layer.forward(tape, x, input.adjacency)
          : layer.forward(tape, x, { allowed });
    }
    return this.base.finish(tape, x, input);
  }
}

/** [rows, items, items]: itself, and whoever an edge of any relation comes from, as far as both exist. */
function neighbourMask({ adjacency, mask }: GraphInput, rows: number, count: number, relations: number): Float32Array {
  const allowed = new Float32Array(rows * count * count);
  for (let b = 0; b < rows; b++) {
    for (let i = 0; i < count; i++) {
      if (mask[b * count + i] === 0) continue;
      for (let j = 0; j < count; j++) {
        if (mask[b * count + j] === 0) continue;
        let joined = i === j;
        for (let r = 0; r < relations && !joined; r++) {
          joined = adjacency[((b * relations + r) * count + i) * count + j] !== 0;
        }
        if (joined) allowed[(b * count + i) * count + j] = 1;
      }
    }
  }
  return allowed;
}
