import type { RandomSource } from "../initialise.ts";
import type { Kernels } from "../kernels/kernels.ts";
import { reshape } from "../operations.ts";
import type { Tape } from "../tape.ts";
import { lastAxis, type Module, type Parameter, type Tensor } from "../tensor.ts";
import { Lstm, type LstmState } from "./lstm.ts";

export interface ItemMemoryOptions {
  readonly kernels: Kernels;
  readonly rng: RandomSource;
  readonly name: string;
  readonly inputs: number;
  readonly hidden: number;
}

/** An LSTM that gives every item (of a set or graph) a memory of its own; all items share its weights. */
export class ItemMemory implements Module {
  readonly lstm: Lstm;

  constructor(options: ItemMemoryOptions) {
    this.lstm = new Lstm(options);
  }

  parameters(): readonly Parameter[] {
    return this.lstm.parameters();
  }

  /** A state of zeros: [batch, items, hidden]. */
  initialState(batch: number, items: number): LstmState {
    return this.lstm.initialState(batch * items);
  }

  /**
   * @param items [steps · batch, items, inputs]; an item keeps its place from step to step
   * @param starts [steps, batch], nonzero where an episode begins: all items forget
   */
  forward(
    tape: Tape,
    items: Tensor,
    steps: number,
    state: LstmState,
    starts: ArrayLike<number> | null,
  ): { readonly output: Tensor; readonly state: LstmState } {
    const [rows, count] = items.shape as readonly [number, number, number];
    const x = reshape(tape, items, [steps, (rows / steps) * count, lastAxis(items)]);
    const itemStarts =
      starts === null ? null : Uint8Array.from({ length: rows * count }, (_, i) => starts[Math.floor(i / count)]!);
    const { output, state: next } = this.lstm.forward(tape, x, state, itemStarts);
    return { output: reshape(tape, output, [rows, count, this.lstm.hidden]), state: next };
  }
}
