import type { Tape, Tensor } from "@praxis/nn";

/** Rows of a matrix [rows, width] by index: [indices, width]; -1 gives zeros. */
export function gatherTensorRows(tape: Tape, x: Tensor, indices: ArrayLike<number>): Tensor {
  const width = x.shape[1]!;
  const rows = tape.ints(indices);
  const y = tape.output([indices.length, width], [x]);
  tape.kernels.gatherRows(x.data, width, rows, y.data);
  tape.record(y, (dy) => {
    if (x.needsGradient) tape.kernels.scatterAddRows(dy, width, rows, tape.gradientOf(x));
  });
  return y;
}

/** Each row of [rows, width] `times` times in a row: [rows · times, width]. */
export function repeatRows(tape: Tape, x: Tensor, times: number): Tensor {
  const rows = x.shape[0]!;
  const indices = new Int32Array(rows * times);
  for (let i = 0; i < indices.length; i++) indices[i] = Math.floor(i / times);
  return gatherTensorRows(tape, x, indices);
}
