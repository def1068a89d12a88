import { type Kernels, Mlp, type Module, type Parameter, type RandomSource, type Tape, type Tensor } from "@praxis/nn";
import type { ObservationRecord } from "../observation-record.ts";
import type { RecordedInput } from "../recorded-policy.ts";
import { EmbeddingProjection } from "./embedding-projection.ts";
import { GRAPH_NODES, SCALARS, type SlotLayout } from "./slot-layout.ts";
import { type SlotRecordLayout, slotRecordLayout } from "./slot-recorder.ts";

/** Numbers of a slot beside its embeddings: two cosines, called, edge. */
const SLOT_NUMBERS = 4;
/** The cosine to the task is scaled up like the embeddings. */
const COSINE_SCALE = 3;

/** What networks over slots read of rows of observations. */
export interface SlotFeatures {
  /** [rows, width] */
  readonly task: Tensor;
  /** [rows, slots, width]: what is known of each slot now. */
  readonly features: Tensor;
  /** [rows, slots], 1 where somebody holds the slot. */
  readonly exists: Float32Array;
  readonly called: Float32Array;
  readonly edge: Float32Array;
  /** [rows, 100] */
  readonly adjacency: Float32Array;
  /** [rows, 8] */
  readonly scalars: Float32Array;
}

/**
 * Describes each slot in the light of the task and of the scratchpad: an MLP, shared by all slots, over the projected
 * description R, R ⊙ T, R ⊙ C, their cosines, whether it was called and how that went.
 */
export class SlotFeatureEncoder implements Module {
  readonly layout: SlotLayout;
  readonly width: number;
  readonly #at: SlotRecordLayout;
  readonly #task: EmbeddingProjection;
  readonly #roster: EmbeddingProjection;
  readonly #mlp: Mlp;

  constructor(options: { kernels: Kernels; rng: RandomSource; name: string; layout: SlotLayout; width: number }) {
    const { kernels, rng, name, layout, width } = options;
    this.layout = layout;
    this.width = width;
    this.#at = slotRecordLayout(layout);
    const { embedding } = layout;
    this.#task = new EmbeddingProjection({ kernels, rng, name: `${name}.task`, embedding, width });
    this.#roster = new EmbeddingProjection({ kernels, rng, name: `${name}.roster`, embedding, width });
    // 196 → 96 → 64 at a width of 64.
    const hidden = [(3 * width) / 2, width];
    const sizes = { inputs: 3 * width + SLOT_NUMBERS, hidden, activation: "relu" as const };
    this.#mlp = new Mlp({ kernels, rng, name: `${name}.slot`, ...sizes });
  }

  parameters(): readonly Parameter[] {
    return [this.#task, this.#roster, this.#mlp].flatMap((part) => part.parameters());
  }

  forward(tape: Tape, { records, projections }: RecordedInput): SlotFeatures {
    const { slots, embedding } = this.layout;
    const rows = records.length;
    const column = (from: number, size: number) => columnsOf(tape, records, from, size);
    const at = this.#at;
    const exists = column(at.exists, slots);
    const task = this.#task.ofRows(
      tape,
      records.map((record) => record.rows[0]!),
      [rows],
      projections,
    );
    const held = records.flatMap((record) => record.rows.slice(1));
    const roster = this.#roster.ofRows(tape, held, [rows, slots], projections);
    const scratchpad = this.#roster.ofDense(tape, column(at.scratchpad, embedding));
    const [called, edge] = [column(at.called, slots), column(at.edge, slots)];
    const numbers = [column(at.taskCosine, slots), column(at.scratchpadCosine, slots), called, edge];
    const pairs = pairFeatures(tape, { roster, task, scratchpad, numbers });
    const features = this.#mlp.forward(tape, pairs);
    const adjacency = column(at.adjacency, GRAPH_NODES * GRAPH_NODES);
    return { task, features, exists, called, edge, adjacency, scalars: column(at.scalars, SCALARS) };
  }
}

/** Columns of every record, one row after another, in the tape's memory. */
export function columnsOf(tape: Tape, records: readonly ObservationRecord[], from: number, size: number): Float32Array {
  const into = tape.floats(records.length * size);
  for (let r = 0; r < records.length; r++) {
    const { numbers } = records[r]!;
    if (size > 32) into.set(numbers.subarray(from, from + size), r * size);
    else for (let j = 0; j < size; j++) into[r * size + j] = numbers[from + j]!;
  }
  return into;
}

/** [R, R ⊙ T, R ⊙ C, numbers] of every slot: [rows, slots, 3 · width + numbers]. */
function pairFeatures(
  tape: Tape,
  of: { roster: Tensor; task: Tensor; scratchpad: Tensor; numbers: readonly Float32Array[] },
): Tensor {
  const { roster, task, scratchpad, numbers } = of;
  const [rows, slots, width] = roster.shape as readonly [number, number, number];
  const size = 3 * width + numbers.length;
  const y = tape.output([rows, slots, size], [roster, task, scratchpad]);
  const [r, t, c, out] = [roster.data, task.data, scratchpad.data, y.data];
  for (let row = 0; row < rows; row++) {
    const own = row * width;
    for (let i = 0; i < slots; i++) {
      const from = (row * slots + i) * width;
      const to = (row * slots + i) * size;
      for (let j = 0; j < width; j++) {
        const x = r[from + j]!;
        out[to + j] = x;
        out[to + width + j] = x * t[own + j]!;
        out[to + 2 * width + j] = x * c[own + j]!;
      }
      for (let k = 0; k < numbers.length; k++)
        out[to + 3 * width + k] = (k === 0 ? COSINE_SCALE : 1) * numbers[k]![row * slots + i]!;
    }
  }
  tape.record(y, (dy) => {
    const dr = roster.needsGradient ? tape.gradientOf(roster) : null;
    const dt = task.needsGradient ? tape.gradientOf(task) : null;
    const dc = scratchpad.needsGradient ? tape.gradientOf(scratchpad) : null;
    for (let row = 0; row < rows; row++) {
      const own = row * width;
      for (let i = 0; i < slots; i++) {
        const from = (row * slots + i) * width;
        const to = (row * slots + i) * size;
        for (let j = 0; j < width; j++) {
          const x = r[from + j]!;
          const byTask = dy[to + width + j]!;
          const byScratchpad = dy[to + 2 * width + j]!;
          if (dr !== null) dr[from + j]! += dy[to + j]! + byTask * t[own + j]! + byScratchpad * c[own + j]!;
          if (dt !== null) dt[own + j]! += byTask * x;
          if (dc !== null) dc[own + j]! += byScratchpad * x;
        }
      }
    }
  });
  return y;
}
