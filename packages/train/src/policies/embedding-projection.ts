import {
  activate,
  type Kernels,
  Linear,
  type Module,
  type Parameter,
  type RandomSource,
  type Tape,
  type Tensor,
  takeRows,
} from "@praxis/nn";
import type { EmbeddingRow } from "../observation-record.ts";
import type { ProjectionCache } from "../recorded-policy.ts";

/** Rows of norm 1 over hundreds of numbers have small entries; this brings projections into the range where tanh bends. */
const INPUT_SCALE = 3;

/**
 * tanh(3 W x + b) of embeddings. Distinct ones are few, so an update multiplies each once and an actor keeps the results while
 * the weights stay.
 */
export class EmbeddingProjection implements Module {
  readonly linear: Linear;
  readonly #name: string;

  constructor(options: { kernels: Kernels; rng: RandomSource; name: string; embedding: number; width: number }) {
    const { kernels, rng, name, embedding, width } = options;
    this.#name = name;
    this.linear = new Linear({ kernels, rng, name, inputs: embedding, outputs: width });
  }

  parameters(): readonly Parameter[] {
    return this.linear.parameters();
  }

  /** [...shape, width]; zeros where there is no row. */
  ofRows(
    tape: Tape,
    rows: readonly (EmbeddingRow | null)[],
    shape: readonly number[],
    cache: ProjectionCache | undefined,
  ): Tensor {
    const known = cache === undefined ? null : (cache.get(this.#name) ?? new Map<EmbeddingRow, Float32Array>());
    const indices = new Int32Array(rows.length);
    const fresh = new Map<EmbeddingRow, number>();
    rows.forEach((row, i) => {
      indices[i] = -1;
      if (row === null || known?.has(row)) return;
      const index = fresh.get(row) ?? fresh.size;
      fresh.set(row, index);
      indices[i] = index;
    });
    const distinct = [...fresh.keys()];
    const projected = distinct.length === 0 ? null : this.#project(tape, distinct);
    if (known === null || cache === undefined)
      return projected === null ? this.#zeros(tape, shape) : takeRows(tape, projected, indices, shape);
    cache.set(this.#name, known);
    const { outputs } = this.linear;
    distinct.forEach((row, i) => {
      known.set(row, projected!.data.slice(i * outputs, (i + 1) * outputs));
    });
    const y = this.#zeros(tape, shape);
    rows.forEach((row, i) => {
      if (row !== null) y.data.set(known.get(row)!, i * outputs);
    });
    return y;
  }

  /** [rows, width] of rows [rows, embedding] that are all different. */
  ofDense(tape: Tape, x: Float32Array): Tensor {
    const { inputs } = this.linear;
    for (let i = 0; i < x.length; i++) x[i]! *= INPUT_SCALE;
    return activate(tape, "tanh", this.linear.forward(tape, tape.wrap([x.length / inputs, inputs], x, [])));
  }

  #project(tape: Tape, rows: readonly EmbeddingRow[]): Tensor {
    const { inputs } = this.linear;
    const x = tape.floats(rows.length * inputs);
    rows.forEach(({ data }, i) => {
      x.set(data, i * inputs);
    });
    return this.ofDense(tape, x);
  }

  #zeros(tape: Tape, shape: readonly number[]): Tensor {
    const size = shape.reduce((product, axis) => product * axis, this.linear.outputs);
    return tape.wrap([...shape, this.linear.outputs], tape.zeros(size), []);
  }
}
