import type { Rng } from "@praxis/env";
import {
  concat,
  GraphEncoder,
  type Kernels,
  type LstmState,
  type Module,
  type Parameter,
  SetEncoder,
  type Tape,
  type Tensor,
} from "@praxis/nn";
import { blockSize, checkBlocks, type ItemBlock, itemCount, type ObservationBlock } from "./observation-blocks.ts";

/** How blocks of items are encoded. */
export interface EncoderSettings {
  readonly blocks: readonly ObservationBlock[];
  /** Features of an item inside the encoders. */
  readonly width: number;
  readonly layers: number;
  /** Attention heads; divide `width`. */
  readonly heads: number;
  /** How a node looks at its neighbours. */
  readonly graph: "convolution" | "attention";
  /** Width of a recurrent memory of each item; null: none. */
  readonly itemMemory: number | null;
}

/** Where one block stands in an observation, and who reads it; flat blocks are taken as they are. */
export interface BlockPart {
  readonly block: ObservationBlock;
  readonly from: number;
  readonly encoder: SetEncoder | GraphEncoder | null;
}

/** Observations [steps · batch, inputs] in time order. */
export interface BlockInput {
  readonly steps: number;
  readonly batch: number;
  readonly observations: Float32Array;
  readonly starts: ArrayLike<number>;
}

/**
 * Turns observations that are declared as blocks into one row of features each: flat blocks as they are, sets and graphs by the
 * mean over the items that exist, so that moving items about (with mask, features and edges) changes nothing.
 */
export class BlockEncoder implements Module {
  readonly inputs: number;
  /** Features of a row. */
  readonly outputs: number;
  readonly parts: readonly BlockPart[];

  /** Throws INVALID_CONFIG when the blocks do not fill `inputs`. */
  constructor(options: EncoderSettings & { kernels: Kernels; rng: Rng; name: string; inputs: number }) {
    const { kernels, rng, name, inputs, blocks, width, layers, heads, graph, itemMemory } = options;
    checkBlocks(blocks, inputs);
    this.inputs = inputs;
    let from = 0;
    this.parts = blocks.map((block) => {
      const part = { block, from };
      from += blockSize(block);
      if (block.kind === "flat") return { ...part, encoder: null };
      const full = `${name}.${block.name}`;
      const common = {
        ...{ kernels, rng: rng.split(full), name: full, inputs: block.features, width, layers, heads },
        ...(itemMemory === null ? {} : { memory: itemMemory }),
      };
      const encoder =
        block.kind === "set"
          ? new SetEncoder(common)
          : new GraphEncoder({ ...common, kind: graph, relations: block.relations });
      return { ...part, encoder };
    });
    this.outputs = this.parts.reduce((sum, { block, encoder }) => sum + (encoder?.outputs ?? blockSize(block)), 0);
  }

  parameters(): readonly Parameter[] {
    return this.parts.flatMap(({ encoder }) => encoder?.parameters() ?? []);
  }

  /** Empty memories of the items of `batch` episodes, block by block; none without a memory per item. */
  initialStates(batch: number): readonly LstmState[] {
    return this.parts.flatMap(({ block, encoder }) => {
      const memory = encoder?.base.memory ?? null;
      return memory === null || block.kind === "flat" ? [] : [memory.initialState(batch, itemCount(block))];
    });
  }

  /** @param states as {@link BlockEncoder.initialStates} makes them */
  forward(tape: Tape, input: BlockInput, states: readonly LstmState[]) {
    const rows = input.steps * input.batch;
    const next: LstmState[] = [];
    const features = this.parts.map((part): Tensor => {
      if (part.encoder === null || part.block.kind === "flat") {
        const size = blockSize(part.block);
        return tape.wrap([rows, size], this.#columns(tape, input, part.from, size), []);
      }
      const state = states[next.length];
      const result = this.#encode(tape, input, { ...part, block: part.block, encoder: part.encoder }, state);
      if (result.state !== null) next.push(result.state);
      return result.pooled;
    });
    return { output: concat(tape, features), states: next };
  }

  #encode(
    tape: Tape,
    input: BlockInput,
    part: { block: ItemBlock; from: number; encoder: SetEncoder | GraphEncoder },
    state: LstmState | undefined,
  ) {
    const { block, from, encoder } = part;
    const rows = input.steps * input.batch;
    const count = itemCount(block);
    const mask = this.#columns(tape, input, from, count);
    const items = this.#columns(tape, input, from + count, count * block.features);
    const common = {
      ...{ items: tape.wrap([rows, count, block.features], items, []), mask },
      ...(state === undefined ? {} : { steps: input.steps, state, starts: input.starts }),
    };
    if (encoder instanceof SetEncoder || block.kind === "set") return (encoder as SetEncoder).forward(tape, common);
    const edges = block.relations * count * count;
    const adjacency = this.#columns(tape, input, from + count * (1 + block.features), edges);
    return encoder.forward(tape, { ...common, adjacency });
  }

  /** Columns of every row, one row after another, in the tape's memory. */
  #columns(tape: Tape, { observations }: BlockInput, from: number, size: number): Float32Array {
    const rows = observations.length / this.inputs;
    const into = tape.floats(rows * size);
    for (let r = 0; r < rows; r++) {
      const at = r * this.inputs + from;
      into.set(observations.subarray(at, at + size), r * size);
    }
    return into;
  }
}
