import { CheckedKernels } from "./checked.ts";
import type { Kernels } from "./kernels.ts";
import { sgemm } from "./reference/gemm.ts";
import type { Numbers } from "./reference/numbers.ts";
import {
  activation,
  activationBackward,
  adam,
  adamProduct,
  axpy,
  lstmBackward,
  lstmForward,
  multiply,
  sumOfSquares,
} from "./reference/pointwise.ts";
import {
  addRow,
  gatherRows,
  layerNorm,
  layerNormBackward,
  logSoftmax,
  logSoftmaxBackward,
  rmsNorm,
  rmsNormBackward,
  rotary,
  scaleRows,
  scatterAddRows,
  softmax,
  softmaxBackward,
  sumRows,
} from "./reference/rows.ts";

/** The kernels in plain TypeScript, float64 inside: the measure for the other sets, and slow. */
export function makeReferenceKernels(): Kernels {
  const raw = {
    sgemm,
    axpy,
    multiply,
    sumOfSquares,
    activation,
    activationBackward,
    addRow,
    sumRows,
    scaleRows,
    softmax,
    softmaxBackward,
    logSoftmax,
    logSoftmaxBackward,
    layerNorm,
    layerNormBackward,
    rmsNorm,
    rmsNormBackward,
    lstmForward,
    lstmBackward,
    gatherRows,
    scatterAddRows,
    rotary,
    adam,
    adamProduct,
  };
  return new CheckedKernels<Numbers>("reference", "reference (TypeScript)", raw, {
    floats: (length) => new Float32Array(length),
    ints: (length) => new Int32Array(length),
    free: () => undefined,
    ref: (array) => array,
    none: new Float32Array(0),
  });
}
