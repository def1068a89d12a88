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

/** Rows of a parameter made at a time: they stay in cache. */
export const FACTORED_CHUNK_ROWS = 64;

/** Writes rows `first` to `last` (not included) of the gradient to `out`. */
export function writeFactored(
  kernels: Kernels,
  { parameter, x, dy, rows }: FactoredGradient,
  { first, last, out }: { readonly first: number; readonly last: number; readonly out: Float32Array },
): void {
  const [inputs, outputs] = parameter.shape as readonly [number, number];
  const sizes = { m: last - first, n: outputs, k: rows, lda: inputs, offsetA: first };
  kernels.sgemm({ ...sizes, a: x, transposeA: true, b: dy, c: out });
}

/** Sum of squares of the gradient, from the two Gram matrices: ‖xᵀ dy‖² = Σ (x xᵀ) ∘ (dy dyᵀ). */
export function factoredSumOfSquares(
  kernels: Kernels,
  { parameter, from, to, x, dy, rows }: FactoredGradient,
  scratch: Float32Array,
): number {
  const [inputs, outputs] = parameter.shape as readonly [number, number];
  const [a, b] = [scratch.subarray(0, rows * rows), scratch.subarray(rows * rows, 2 * rows * rows)];
  const square = { m: rows, n: rows, transposeB: true };
  const columns = { lda: inputs, ldb: inputs, offsetA: from, offsetB: from };
  kernels.sgemm({ ...square, ...columns, k: to - from, a: x, b: x, c: a });
  kernels.sgemm({ ...square, k: outputs, a: dy, b: dy, c: b });
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
