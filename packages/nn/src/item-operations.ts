import { NnError } from "./errors.ts";
import type { Tape } from "./tape.ts";
import { checkShape, lastAxis, type Tensor } from "./tensor.ts";

/**
 * Rows of a matrix [any, width] by index, as `shape` with one more axis; a negative index gives zeros. Rows that are taken more
 * than once get the sum of the gradients. Throws `BAD_SHAPE` when the indices do not fill `shape`, `BAD_INDEX` for one past the end.
 */
export function takeRows(tape: Tape, table: Tensor, indices: ArrayLike<number>, shape: readonly number[]): Tensor {
  const width = lastAxis(table);
  checkShape("takeRows: table", table.shape, [-1, width]);
  checkShape("takeRows: indices", [indices.length], [shape.reduce((size, axis) => size * axis, 1)]);
  const rows = tape.ints(indices);
  const y = tape.output([...shape, width], [table]);
  tape.kernels.gatherRows(table.data, width, rows, y.data);
  tape.record(y, (dy) => tape.kernels.scatterAddRows(dy, width, rows, tape.gradientOf(table)));
  return y;
}

/**
 * Largest value of each feature over the items that `mask` [batch, items] allows: [batch, items, width] → [batch, width]; the
 * gradient goes to the first item that has it. A batch entry without items gives zeros.
 */
export function maskedMax(tape: Tape, x: Tensor, mask: Float32Array): Tensor {
  checkShape("maskedMax: x", x.shape, [-1, -1, -1]);
  const [batch, items, width] = x.shape as readonly [number, number, number];
  checkShape("maskedMax: mask", [mask.length], [batch * items]);
  const y = tape.output([batch, width], [x]);
  const best = tape.ints({ length: batch * width });
  best.fill(-1);
  for (let b = 0; b < batch; b++) {
    const to = b * width;
    y.data.fill(0, to, to + width);
    let isFirst = true;
    for (let i = 0; i < items; i++) {
      if (mask[b * items + i] === 0) continue;
      const from = (b * items + i) * width;
      for (let j = 0; j < width; j++) {
        const value = x.data[from + j]!;
        if (!isFirst && !(value > y.data[to + j]!)) continue;
        y.data[to + j] = value;
        best[to + j] = from + j;
      }
      isFirst = false;
    }
  }
  tape.record(y, (dy) => {
    const dx = tape.gradientOf(x);
    for (let j = 0; j < dy.length; j++) if (best[j]! >= 0) dx[best[j]!]! += dy[j]!;
  });
  return y;
}

/** Adds a row to every item of its batch entry: [batch, items, width] + [batch, width]. */
export function addToItems(tape: Tape, items: Tensor, row: Tensor): Tensor {
  checkShape("addToItems: items", items.shape, [-1, -1, -1]);
  const [batch, count, width] = items.shape as readonly [number, number, number];
  checkShape("addToItems: row", row.shape, [batch, width]);
  const y = tape.output(items.shape, [items, row]);
  for (let b = 0; b < batch; b++) {
    for (let i = 0; i < count; i++) {
      const at = (b * count + i) * width;
      for (let j = 0; j < width; j++) y.data[at + j] = items.data[at + j]! + row.data[b * width + j]!;
    }
  }
  tape.record(y, (dy) => {
    if (items.needsGradient) tape.kernels.axpy(1, dy, tape.gradientOf(items));
    if (!row.needsGradient) return;
    const dRow = tape.gradientOf(row);
    for (let b = 0; b < batch; b++) {
      for (let i = 0; i < count; i++) {
        const at = (b * count + i) * width;
        for (let j = 0; j < width; j++) dRow[b * width + j]! += dy[at + j]!;
      }
    }
  });
  return y;
}

/**
 * Sum of each item's neighbours by weight: y_i = Σ_j w_ij x_j over [batch, items, width]; no gradient reaches the weights
 * [batch, items, items].
 */
export function weighNeighbours(tape: Tape, x: Tensor, weights: Float32Array): Tensor {
  checkShape("weighNeighbours: x", x.shape, [-1, -1, -1]);
  const [batch, count, width] = x.shape as readonly [number, number, number];
  if (weights.length !== batch * count * count) {
    throw new NnError("BAD_SHAPE", `weighNeighbours: ${weights.length} weights; ${batch} · ${count}² are needed.`);
  }
  const y = tape.output(x.shape, [x]);
  const sizes = { m: count, n: width, k: count, batch, strideA: count * count };
  const strides = { strideB: count * width, strideC: count * width };
  tape.kernels.sgemm({ ...sizes, ...strides, a: weights, b: x.data, c: y.data });
  tape.record(y, (dy) => {
    tape.kernels.sgemm({ ...sizes, ...strides, a: weights, transposeA: true, b: dy, ...tape.gradientTarget(x) });
  });
  return y;
}
