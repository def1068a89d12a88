import { NnError } from "../errors.ts";
import { constant, type Initialiser, orthogonal, type RandomSource } from "../initialise.ts";
import type { Kernels } from "../kernels/kernels.ts";
import { reshape } from "../operations.ts";
import type { Tape } from "../tape.ts";
import { checkShape, type Module, makeParameter, type Parameter, type Tensor } from "../tensor.ts";
import { affine } from "./linear.ts";
import { findSegments, type Segments } from "./segments.ts";

export interface LstmOptions {
  readonly kernels: Kernels;
  readonly rng: RandomSource;
  readonly name: string;
  readonly inputs: number;
  readonly hidden: number;
  /** Stacked layers, default 1. */
  readonly layers?: number;
  /** For both matrices, one gate at a time; default: orthogonal with gain 1. */
  readonly initialise?: Initialiser;
  /** Default: zeros. */
  readonly initialiseBias?: Initialiser;
}

/** What a recurrent layer remembers: [layers, batch, hidden] each. Plain arrays, to be stored beside a rollout. */
export interface LstmState {
  readonly hidden: Float32Array;
  readonly cell: Float32Array;
}

export interface LstmResult {
  /** [steps, batch, hidden] of the last layer. */
  readonly output: Tensor;
  readonly state: LstmState;
}

interface LstmLayer {
  readonly inputWeight: Parameter;
  readonly hiddenWeight: Parameter;
  readonly bias: Parameter;
}

/**
 * Long short-term memory over sequences, gates i, f, g, o. Where an episode starts, the state is zero *before* that step.
 * No gradient flows into the state that was passed in.
 */
export class Lstm implements Module {
  readonly inputs: number;
  readonly hidden: number;
  readonly layers: readonly LstmLayer[];

  constructor(options: LstmOptions) {
    const { kernels, rng, name, inputs, hidden, layers = 1 } = options;
    const { initialise = orthogonal(1), initialiseBias = constant(0) } = options;
    if (!(Number.isInteger(layers) && layers >= 1)) {
      throw new NnError("BAD_OPTION", `${name}: layers is ${layers}; it must be an integer of at least 1.`);
    }
    this.inputs = inputs;
    this.hidden = hidden;
    this.layers = Array.from({ length: layers }, (_, i) => {
      const width = i === 0 ? inputs : hidden;
      const layer = {
        inputWeight: makeParameter(kernels, `${name}.${i}.inputWeight`, [width, 4 * hidden]),
        hiddenWeight: makeParameter(kernels, `${name}.${i}.hiddenWeight`, [hidden, 4 * hidden]),
        bias: makeParameter(kernels, `${name}.${i}.bias`, [4 * hidden]),
      };
      fillGates(layer.inputWeight.data, width, hidden, initialise, rng);
      fillGates(layer.hiddenWeight.data, hidden, hidden, initialise, rng);
      initialiseBias(layer.bias.data, hidden, 4 * hidden, rng);
      return layer;
    });
  }

  parameters(): readonly Parameter[] {
    return this.layers.flatMap((layer) => [layer.inputWeight, layer.hiddenWeight, layer.bias]);
  }

  /** A state of zeros for `batch` sequences. */
  initialState(batch: number): LstmState {
    const size = this.layers.length * batch * this.hidden;
    return { hidden: new Float32Array(size), cell: new Float32Array(size) };
  }

  /**
   * @param x [steps, batch, inputs]
   * @param state before the first step
   * @param starts [steps, batch], nonzero where an episode begins; null: nowhere
   */
  forward(tape: Tape, x: Tensor, state: LstmState, starts: ArrayLike<number> | null = null): LstmResult {
    checkShape(`${this.layers[0]!.inputWeight.name}: input`, x.shape, [-1, -1, this.inputs]);
    return this.forwardProjected(tape, this.project(tape, x), state, starts);
  }

  /** The first layer's share of the gates that comes from the input, bias included: [..., inputs] → [..., 4 · hidden]. */
  project(tape: Tape, x: Tensor): Tensor {
    const { inputWeight, bias } = this.layers[0]!;
    return affine(tape, x, inputWeight, bias, x.shape.slice(0, -1));
  }

  /** {@link Lstm.forward} from what {@link Lstm.project} gives, for callers that compose it from parts. */
  forwardProjected(
    tape: Tape,
    projected: Tensor,
    state: LstmState,
    starts: ArrayLike<number> | null = null,
  ): LstmResult {
    const { hidden } = this;
    checkShape("lstm: projected input", projected.shape, [-1, -1, 4 * hidden]);
    const [steps, batch] = projected.shape as readonly [number, number, number];
    if (steps === 0 || batch === 0) throw new NnError("BAD_SHAPE", "lstm: the input has no rows.");
    const size = batch * hidden;
    for (const [what, array] of Object.entries(state)) {
      checkShape(`lstm: ${what} state`, [array.length], [this.layers.length * size]);
    }
    const segments = findSegments(steps, batch, starts);
    const next = this.initialState(batch);
    let gates = projected;
    let output = projected;
    this.layers.forEach((layer, i) => {
      if (i > 0) gates = affine(tape, output, layer.inputWeight, layer.bias, [steps, batch]);
      const from = { hidden: slice(state.hidden, i, size), cell: slice(state.cell, i, size) };
      const into = { hidden: slice(next.hidden, i, size), cell: slice(next.cell, i, size) };
      output = recur(tape, gates, layer.hiddenWeight, segments, from, into);
    });
    return { output: reshape(tape, output, [steps, batch, hidden]), state: next };
  }
}

function slice(array: Float32Array, layer: number, size: number): Float32Array {
  return array.subarray(layer * size, (layer + 1) * size);
}

/** Fills [rows, 4 · hidden] gate by gate, as four matrices. */
function fillGates(out: Float32Array, rows: number, hidden: number, fill: Initialiser, rng: RandomSource): void {
  const gate = new Float32Array(rows * hidden);
  for (let g = 0; g < 4; g++) {
    fill(gate, rows, hidden, rng);
    for (let r = 0; r < rows; r++) out.set(gate.subarray(r * hidden, (r + 1) * hidden), (r * 4 + g) * hidden);
  }
}

/** One layer's recurrence over gates [steps, batch, 4 · hidden] that lack the hidden state's share. */
function recur(
  tape: Tape,
  gates: Tensor,
  weight: Parameter,
  segments: Segments,
  from: LstmState,
  into: LstmState,
): Tensor {
  const { kernels } = tape;
  const { counts, offsets, carriedFrom, inOrder } = segments;
  const [steps, batch, width] = gates.shape as readonly [number, number, number];
  const hidden = width / 4;
  const rows = steps * batch;
  const order = tape.ints(segments.order);
  const position = tape.ints(segments.position);

  const packed = tape.floats(rows * width);
  if (inOrder) packed.set(gates.data);
  else kernels.gatherRows(gates.data, width, order, packed);
  const hBefore = tape.floats(rows * hidden);
  const cFirst = tape.floats(carriedFrom.length * hidden);
  carriedFrom.forEach((column, run) => {
    const to = run * hidden;
    for (const [array, stored] of [
      [hBefore, from.hidden],
      [cFirst, from.cell],
    ] as const) {
      if (column < 0) array.fill(0, to, to + hidden);
      else array.set(stored.subarray(column * hidden, (column + 1) * hidden), to);
    }
  });
  const cell = tape.floats(rows * hidden);
  const h = tape.floats(rows * hidden);
  const block = (array: Float32Array, s: number, size: number, count = counts[s]!) =>
    array.subarray(offsets[s]! * size, (offsets[s]! + count) * size);
  const cellBefore = (s: number) => (s === 0 ? cFirst : block(cell, s - 1, hidden, counts[s]!));

  for (let s = 0; s < counts.length; s++) {
    const count = counts[s]!;
    if (s > 0) block(hBefore, s, hidden).set(block(h, s - 1, hidden, count));
    const a = block(hBefore, s, hidden);
    const c = block(packed, s, width);
    kernels.sgemm({ m: count, n: width, k: hidden, a, b: weight.data, c, beta: 1 });
    const [cNow, hNow] = [block(cell, s, hidden), block(h, s, hidden)];
    kernels.lstmForward({ rows: count, hidden, gates: c, cPrev: cellBefore(s), c: cNow, h: hNow });
  }

  const y = tape.output([steps, batch, hidden], [gates, weight]);
  if (inOrder) y.data.set(h);
  else kernels.gatherRows(h, hidden, position, y.data);
  const last = (steps - 1) * batch;
  into.hidden.set(y.data.subarray(last * hidden, rows * hidden));
  for (let b = 0; b < batch; b++) {
    const row = position[last + b]! * hidden;
    into.cell.set(cell.subarray(row, row + hidden), b * hidden);
  }

  tape.record(y, (dy) => {
    const dh = tape.floats(rows * hidden);
    if (inOrder) dh.set(dy);
    else kernels.gatherRows(dy, hidden, order, dh);
    const dc = tape.zeros(carriedFrom.length * hidden);
    for (let s = counts.length - 1; s >= 0; s--) {
      const count = counts[s]!;
      const dGates = block(packed, s, width);
      const [dhNow, dcNow] = [block(dh, s, hidden), dc.subarray(0, count * hidden)];
      const c = block(cell, s, hidden);
      kernels.lstmBackward({
        rows: count,
        hidden,
        gates: dGates,
        cPrev: cellBefore(s),
        c,
        dh: dhNow,
        dc: dcNow,
        dGates,
      });
      if (s === 0) continue;
      const before = block(dh, s - 1, hidden, count);
      const b = weight.data;
      kernels.sgemm({ m: count, n: hidden, k: width, a: dGates, b, transposeB: true, c: before, beta: 1 });
    }
    const target = tape.gradientTarget(weight);
    kernels.sgemm({ m: hidden, n: width, k: rows, a: hBefore, transposeA: true, b: packed, ...target });
    if (!gates.needsGradient) return;
    if (inOrder) {
      tape.giveGradient(gates, packed);
    } else {
      const dGates = tape.floats(rows * width);
      kernels.gatherRows(packed, width, position, dGates);
      tape.giveGradient(gates, dGates);
    }
  });
  return y;
}
