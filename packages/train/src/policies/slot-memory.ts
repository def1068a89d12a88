import {
  concat,
  type Kernels,
  type LstmState,
  type Module,
  type Parameter,
  type RandomSource,
  reshape,
  type Tape,
  type Tensor,
} from "@praxis/nn";
import type { LayeredState } from "../memory-rows.ts";
import type { RecordedInput } from "../recorded-policy.ts";
import { makeRecurrentCore } from "./recurrent-core.ts";
import type { SlotFeatures } from "./slot-features.ts";
import { SCALAR_AT, SCALARS } from "./slot-layout.ts";

/** Beside a slot's features: its edge, the change of measured quality, the scalars. */
const NUMBERS = 2 + SCALARS;

/**
 * A memory for each slot, weights shared: without it a core that does not see slots apart could not tell which of them
 * disappointed. It also remembers the last measured quality, so that a step shows what changed.
 */
export class SlotMemory implements Module {
  readonly hidden: number;
  readonly #slots: number;
  readonly #width: number;
  readonly #lstm: ReturnType<typeof makeRecurrentCore>;

  constructor(options: {
    readonly kernels: Kernels;
    readonly rng: RandomSource;
    readonly name: string;
    readonly slots: number;
    readonly width: number;
    readonly hidden: number;
  }) {
    const { kernels, rng, name, slots, width, hidden } = options;
    this.hidden = hidden;
    this.#slots = slots;
    this.#width = width;
    this.#lstm = makeRecurrentCore({ kernels, rng, name, inputs: width + NUMBERS, hidden });
  }

  parameters(): readonly Parameter[] {
    return this.#lstm.parameters();
  }

  /** Empty memories of `batch` episodes: of the slots, then of the quality. */
  initialMemories(batch: number): LayeredState[] {
    const quality: LstmState = { hidden: new Float32Array(batch), cell: new Float32Array(0) };
    return [
      { layers: 1, state: this.#lstm.initialState(batch * this.#slots) },
      { layers: 1, state: quality },
    ];
  }

  /** [rows, slots, hidden] @param memories as {@link SlotMemory.initialMemories} makes them */
  forward(
    tape: Tape,
    { features, edge, scalars }: SlotFeatures,
    { steps, batch, starts }: Pick<RecordedInput, "steps" | "batch" | "starts">,
    memories: readonly LayeredState[],
  ): { readonly output: Tensor; readonly memories: LayeredState[] } {
    const slots = this.#slots;
    const rows = steps * batch;
    const quality = memories[1]!.state.hidden;
    const qualityAt = (row: number): number => scalars[row * SCALARS + SCALAR_AT.quality]!;
    const numbers = tape.floats(rows * slots * NUMBERS);
    for (let row = 0; row < rows; row++) {
      const before = row < batch ? quality[row]! : qualityAt(row - batch);
      const change = starts[row] ? 0 : qualityAt(row) - before;
      for (let i = 0; i < slots; i++) {
        const to = (row * slots + i) * NUMBERS;
        numbers[to] = edge[row * slots + i]!;
        numbers[to + 1] = change;
        for (let k = 0; k < SCALARS; k++) numbers[to + 2 + k] = scalars[row * SCALARS + k]!;
      }
    }
    const x = concat(tape, [features, tape.wrap([rows, slots, NUMBERS], numbers, [])]);
    const itemStarts = Uint8Array.from({ length: rows * slots }, (_, k) => starts[Math.floor(k / slots)]!);
    const shaped = reshape(tape, x, [steps, batch * slots, this.#width + NUMBERS]);
    const { output, state } = this.#lstm.forward(tape, shaped, memories[0]!.state, itemStarts);
    const last = Float32Array.from({ length: batch }, (_, b) => qualityAt(rows - batch + b));
    return {
      output: reshape(tape, output, [rows, slots, this.hidden]),
      memories: [
        { layers: 1, state },
        { layers: 1, state: { hidden: last, cell: new Float32Array(0) } },
      ],
    };
  }
}
