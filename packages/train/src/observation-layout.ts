import { PraxisError } from "@praxis/env";
import type { FactoredGradient, Kernels, Parameter, Tape, Tensor } from "@praxis/nn";

/** Columns `from` to `to` (not included) of an observation. */
export type ColumnRange = readonly [from: number, to: number];

/** What is known of an observation's columns: those in `constant` keep their values within an episode. */
export interface ObservationLayout {
  readonly constant: readonly ColumnRange[];
}

/** A layout as ranges in order that cover every column. */
export interface ColumnBlocks {
  readonly inputs: number;
  readonly constant: readonly ColumnRange[];
  readonly variable: readonly ColumnRange[];
}

/** Throws INVALID_CONFIG for ranges that are empty, overlap, are out of order or reach past `inputs`. */
export function resolveLayout({ constant }: ObservationLayout, inputs: number): ColumnBlocks {
  const variable: ColumnRange[] = [];
  let at = 0;
  for (const [from, to] of constant) {
    if (!(Number.isInteger(from) && Number.isInteger(to) && at <= from && from < to && to <= inputs))
      throw new PraxisError(
        "INVALID_CONFIG",
        `The constant columns ${from} to ${to} must be in order, apart and within the ${inputs} of the observation.`,
      );
    if (at < from) variable.push([at, from]);
    at = to;
  }
  if (at < inputs) variable.push([at, inputs]);
  return { inputs, constant, variable };
}

/** Columns of which nothing is known. */
export function anyColumns(inputs: number): ColumnBlocks {
  return { inputs, constant: [], variable: [[0, inputs]] };
}

/**
 * Whether an optimiser that makes the gradient of these columns' weights itself, from `rows` rows, saves work: its norm
 * then costs products of the rows with each other, which must stay small beside the gradient.
 */
export function isDeferred(rows: number, [from, to]: ColumnRange, outputs: number): boolean {
  const columns = to - from;
  return 4 * rows * (columns + outputs) <= columns * outputs;
}

/** Throws VALIDATION_ERROR naming the first constant column that differs between an episode's rows. */
export function checkConstant(blocks: ColumnBlocks, first: Float32Array, now: Float32Array, env: number): void {
  for (const [from, to] of blocks.constant)
    for (let j = from; j < to; j++)
      if (first[j] !== now[j])
        throw new PraxisError(
          "VALIDATION_ERROR",
          `Column ${j} of environment ${env} is declared constant but went from ${first[j]} to ${now[j]} within an episode.`,
        );
}

/** Runs of rows that share their constant columns. */
export interface ConstantRuns {
  /** First row of each run. */
  readonly firstRows: Int32Array;
  /** Run of each row. */
  readonly runOf: Int32Array;
}

/** Runs of [steps, batch] rows: each column of the batch begins one, and so does each episode start. */
export function findRuns(steps: number, batch: number, starts: ArrayLike<number>): ConstantRuns {
  const firstRows: number[] = [];
  const runOf = new Int32Array(steps * batch);
  for (let t = 0; t < steps; t++)
    for (let b = 0; b < batch; b++) {
      const row = t * batch + b;
      if (t > 0 && starts[row] === 0) {
        runOf[row] = runOf[row - batch]!;
        continue;
      }
      runOf[row] = firstRows.length;
      firstRows.push(row);
    }
  return { firstRows: Int32Array.from(firstRows), runOf };
}

/** Weights [inputs, outputs] and bias of a projection. */
export interface Projection {
  readonly weight: Parameter;
  readonly bias: Parameter;
}

/** into += x[:, columns] W[columns] for every range; x is [rows, inputs]. */
function addProduct(
  kernels: Kernels,
  ranges: readonly ColumnRange[],
  { x, weight, into, rows }: { x: Float32Array; weight: Parameter; into: Float32Array; rows: number },
): void {
  const [inputs, outputs] = weight.shape as readonly [number, number];
  for (const [from, to] of ranges) {
    const offsets = { offsetA: from, offsetB: from * outputs };
    const sizes = { m: rows, n: outputs, k: to - from, lda: inputs };
    kernels.sgemm({ ...sizes, ...offsets, a: x, b: weight.data, c: into, beta: 1 });
  }
}

/** The gradient of {@link addProduct} at the weights. */
function addWeightGradient(
  kernels: Kernels,
  ranges: readonly ColumnRange[],
  { x, weight, dy, rows }: { x: Float32Array; weight: Parameter; dy: Float32Array; rows: number },
): void {
  const [inputs, outputs] = weight.shape as readonly [number, number];
  for (const [from, to] of ranges) {
    const sizes = { m: to - from, n: outputs, k: rows, lda: inputs, offsetA: from, offsetC: from * outputs };
    kernels.sgemm({ ...sizes, a: x, transposeA: true, b: dy, c: weight.gradient, beta: 1 });
  }
}

/** The part of x W + b that comes from the constant columns and the bias, one row a run. */
export function projectConstant(
  tape: Tape,
  blocks: ColumnBlocks,
  { weight, bias }: Projection,
  { firsts, runs }: { readonly firsts: Float32Array; readonly runs: number },
): Float32Array {
  const outputs = bias.data.length;
  const part = tape.floats(runs * outputs);
  for (let r = 0; r < runs; r++) part.set(bias.data, r * outputs);
  addProduct(tape.kernels, blocks.constant, { x: firsts, weight, into: part, rows: runs });
  return part;
}

/** x W + b from the constant part of each row, [rows, outputs], which it overwrites; without gradient. */
export function addVariable(
  tape: Tape,
  blocks: ColumnBlocks,
  { weight }: Projection,
  { x, into }: { readonly x: Float32Array; readonly into: Float32Array },
): void {
  addProduct(tape.kernels, blocks.variable, { x, weight, into, rows: x.length / blocks.inputs });
}

/**
 * x W + b where the constant columns are multiplied once a run instead of once a row: exact, only the order of the sums
 * differs from a dense product. No gradient flows to x.
 * @param x [rows, inputs], in memory of the kernels
 * @param deferred gets the gradient of the weights as factors, for the optimiser's step: of constant columns, and where
 * {@link isDeferred} says so of the others
 */
export function projectBlocks(
  tape: Tape,
  blocks: ColumnBlocks,
  projection: Projection,
  input: { readonly x: Float32Array; readonly runs: ConstantRuns; readonly deferred: FactoredGradient[] },
): Tensor {
  const { x, runs } = input;
  const { kernels } = tape;
  const { weight, bias } = projection;
  const rows = runs.runOf.length;
  const outputs = bias.data.length;
  const runOf = tape.ints(runs.runOf);
  const firsts = tape.floats(blocks.constant.length === 0 ? 0 : runs.firstRows.length * blocks.inputs);
  if (firsts.length > 0) kernels.gatherRows(x, blocks.inputs, tape.ints(runs.firstRows), firsts);
  const part = projectConstant(tape, blocks, projection, { firsts, runs: runs.firstRows.length });
  const y = tape.output([rows, outputs], [weight, bias]);
  kernels.gatherRows(part, outputs, runOf, y.data);
  addVariable(tape, blocks, projection, { x, into: y.data });
  tape.record(y, (dy) => {
    const dPart = tape.zeros(part.length);
    kernels.scatterAddRows(dy, outputs, runOf, dPart);
    for (const [from, to] of blocks.constant)
      input.deferred.push({ parameter: weight, from, to, x: firsts, dy: dPart, rows: runs.firstRows.length });
    const isOwn = (range: ColumnRange): boolean => isDeferred(rows, range, outputs);
    for (const [from, to] of blocks.variable.filter(isOwn))
      input.deferred.push({ parameter: weight, from, to, x, dy, rows });
    const written = blocks.variable.filter((range) => !isOwn(range));
    addWeightGradient(kernels, written, { x, weight, dy, rows });
    kernels.sumRows(dPart, bias.gradient);
  });
  return y;
}
