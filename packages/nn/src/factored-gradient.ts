import { NnError } from "./errors.ts";
import type { Kernels } from "./kernels/kernels.ts";
import type { Parameter } from "./tensor.ts";

/**
 * The gradient of some rows of a weight matrix [inputs, outputs] as the product it comes from, xᵀ dy. Where there are few
 * rows of x, making it piece by piece in cache during the optimiser's step saves the passes over memory that writing,
 * zeroing and reading the whole would take.
 */
export interface FactoredGradient {
  readonly parameter: Parameter;
  /** Rows `from` to `to` (not included) of the parameter; what its `gradient` holds there is not read. */
  readonly from: number;
  readonly to: number;
  /** [rows, inputs]; columns `from` to `to` count. */
  readonly x: Float32Array;
  /** [rows, outputs] */
  readonly dy: Float32Array;
  readonly rows: number;
}

/** Products of rows with each other, y yᵀ, each made once between two calls of {@link GramMatrices.clear}. */
export class GramMatrices {
  readonly #kernels: Kernels;
  #made: { readonly of: Float32Array; readonly from: number; readonly to: number; readonly product: Float32Array }[] =
    [];

  constructor(kernels: Kernels) {
    this.#kernels = kernels;
  }

  clear(): void {
    for (const { product } of this.#made) this.#kernels.free(product);
    this.#made = [];
  }

  /** [rows, rows], over the columns `from` to `to` (not included) of y, whose rows are `width` long. */
  of(y: Float32Array, rows: number, { width, from, to }: { width: number; from: number; to: number }): Float32Array {
    const known = this.#made.find((gram) => gram.of === y && gram.from === from && gram.to === to);
    if (known !== undefined) return known.product;
    const product = this.#kernels.floats(rows * rows);
    const columns = { k: to - from, lda: width, ldb: width, offsetA: from, offsetB: from, transposeB: true };
    this.#kernels.sgemm({ m: rows, n: rows, ...columns, a: y, b: y, c: product });
    this.#made.push({ of: y, from, to, product });
    return product;
  }
}

/** Sum of squares of the gradient, from two Gram matrices: ‖xᵀ dy‖² = Σ (x xᵀ) ∘ (dy dyᵀ). */
export function factoredSumOfSquares(
  grams: GramMatrices,
  { parameter, from, to, x, dy, rows }: FactoredGradient,
): number {
  const [inputs, outputs] = parameter.shape as readonly [number, number];
  const a = grams.of(x, rows, { width: inputs, from, to });
  const b = grams.of(dy, rows, { width: outputs, from: 0, to: outputs });
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  // Rounding can leave a tiny negative number where the gradient is zero.
  return Math.max(0, sum);
}

/** The row ranges of a parameter that no factored gradient covers. Throws BAD_INDEX where they overlap or do not fit. */
export function uncoveredRows(
  parameter: Parameter,
  factored: readonly FactoredGradient[],
): (readonly [number, number])[] {
  const rows = parameter.shape[0] ?? 1;
  const free: (readonly [number, number])[] = [];
  let at = 0;
  for (const { from, to } of [...factored].sort((a, b) => a.from - b.from)) {
    if (!(at <= from && from < to && to <= rows))
      throw new NnError(
        "BAD_INDEX",
        `Rows ${from} to ${to} of '${parameter.name}' overlap others or are not among ${rows}.`,
      );
    if (at < from) free.push([at, from]);
    at = to;
  }
  if (at < rows) free.push([at, rows]);
  return free;
}
