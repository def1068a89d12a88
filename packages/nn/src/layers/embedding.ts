import { NnError } from "../errors.ts";
import { type Initialiser, normal, type RandomSource } from "../initialise.ts";
import type { Kernels } from "../kernels/kernels.ts";
import type { Tape } from "../tape.ts";
import { type Module, makeParameter, type Parameter, sizeOf, type Tensor } from "../tensor.ts";

export interface EmbeddingOptions {
  readonly kernels: Kernels;
  readonly rng: RandomSource;
  readonly name: string;
  /** Rows of the table. */
  readonly count: number;
  readonly width: number;
  /** Default: normal with deviation 1. */
  readonly initialise?: Initialiser;
}

/** A table of vectors. */
export class Embedding implements Module {
  readonly width: number;
  readonly weight: Parameter;

  constructor({ kernels, rng, name, count, width, initialise = normal(1) }: EmbeddingOptions) {
    this.width = width;
    this.weight = makeParameter(kernels, `${name}.weight`, [count, width]);
    initialise(this.weight.data, count, width, rng);
  }

  parameters(): readonly Parameter[] {
    return [this.weight];
  }

  /** Rows of the table: `shape` is that of `indices`, the result has `width` more. A negative index gives zeros. */
  forward(tape: Tape, indices: ArrayLike<number>, shape: readonly number[]): Tensor {
    if (sizeOf(shape) !== indices.length) {
      throw new NnError("BAD_SHAPE", `${indices.length} indices do not fill the shape [${shape.join(", ")}].`);
    }
    const rows = tape.ints(indices);
    const y = tape.output([...shape, this.width], [this.weight]);
    tape.kernels.gatherRows(this.weight.data, this.width, rows, y.data);
    tape.record(y, (dy) => tape.kernels.scatterAddRows(dy, this.width, rows, this.weight.gradient));
    return y;
  }
}
