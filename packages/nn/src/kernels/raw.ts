/**
 * The kernels as `native/*.c` declares them, arguments in the same order. `R` is what an array is to a set: a typed array,
 * or an address in WASM memory. Nothing is checked at this level.
 */
export interface RawKernels<R> {
  sgemm(
    transposeA: number,
    transposeB: number,
    m: number,
    n: number,
    k: number,
    alpha: number,
    a: R,
    lda: number,
    b: R,
    ldb: number,
    beta: number,
    c: R,
    ldc: number,
    batch: number,
    strideA: number,
    strideB: number,
    strideC: number,
    offsetA: number,
    offsetB: number,
    offsetC: number,
  ): void;
  axpy(n: number, alpha: number, x: R, y: R): void;
  multiply(n: number, x: R, y: R, out: R, accumulate: number): void;
  sumOfSquares(n: number, x: R): number;
  activation(kind: number, n: number, x: R, y: R): void;
  activationBackward(kind: number, n: number, x: R, dy: R, dx: R): void;
  addRow(rows: number, cols: number, row: R, y: R): void;
  sumRows(rows: number, cols: number, x: R, out: R): void;
  scaleRows(rows: number, cols: number, scale: R, x: R, y: R): void;
  softmax(rows: number, cols: number, x: R, mask: R, maskRows: number, y: R): void;
  softmaxBackward(rows: number, cols: number, y: R, dy: R, dx: R): void;
  logSoftmax(rows: number, cols: number, x: R, mask: R, maskRows: number, y: R): void;
  logSoftmaxBackward(rows: number, cols: number, y: R, dy: R, dx: R): void;
  layerNorm(rows: number, cols: number, epsilon: number, x: R, gain: R, bias: R, y: R, mean: R, scale: R): void;
  layerNormBackward(
    rows: number,
    cols: number,
    x: R,
    gain: R,
    mean: R,
    scale: R,
    dy: R,
    dx: R,
    dGain: R,
    dBias: R,
  ): void;
  rmsNorm(rows: number, cols: number, epsilon: number, x: R, gain: R, y: R, scale: R): void;
  rmsNormBackward(rows: number, cols: number, x: R, gain: R, scale: R, dy: R, dx: R, dGain: R): void;
  lstmForward(rows: number, hidden: number, gates: R, cPrev: R, c: R, h: R): void;
  lstmBackward(rows: number, hidden: number, gates: R, cPrev: R, c: R, dh: R, dc: R, dGates: R): void;
  gatherRows(count: number, cols: number, table: R, indices: R, out: R): void;
  scatterAddRows(count: number, cols: number, x: R, indices: R, table: R): void;
  rotary(rows: number, heads: number, dim: number, positions: R, cosines: R, sines: R, direction: number, x: R): void;
  adam(
    n: number,
    parameter: R,
    gradient: R,
    m: R,
    v: R,
    gradientScale: number,
    beta1: number,
    beta2: number,
    epsilon: number,
    stepSize: number,
    vScale: number,
    l2: number,
    decay: number,
  ): void;
  adamProduct(
    rows: number,
    cols: number,
    k: number,
    x: R,
    offsetX: number,
    ldx: number,
    dy: R,
    parameter: R,
    m: R,
    v: R,
    gradientScale: number,
    beta1: number,
    beta2: number,
    epsilon: number,
    stepSize: number,
    vScale: number,
    l2: number,
    decay: number,
  ): void;
}

/** `sum_of_squares` → `sumOfSquares`: C's names in TypeScript's case. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
