import { NnError } from "../errors.ts";
import {
  ACTIVATIONS,
  type Activation,
  type AdamProductStep,
  type AdamStep,
  type Gemm,
  type KernelName,
  type Kernels,
  type LayerNormBackward,
  type LayerNormForward,
  type LstmBackward,
  type LstmForward,
  type RmsNormBackward,
  type RmsNormForward,
  type Rotary,
} from "./kernels.ts";
import type { RawKernels } from "./raw.ts";

/** Where the arrays of a kernel set live. */
export interface KernelMemory<R> {
  floats(length: number): Float32Array;
  ints(length: number): Int32Array;
  free(array: Float32Array | Int32Array): void;
  /** What the raw kernels take for this array; throws `FOREIGN_ARRAY`. */
  ref(array: Float32Array | Int32Array): R;
  /** What they take for an argument left out. */
  readonly none: R;
}

function fail(what: string): never {
  throw new NnError("BAD_SHAPE", what);
}

function checkLength(what: string, array: { readonly length: number }, length: number): void {
  if (array.length !== length) fail(`${what} has ${array.length} elements; ${length} are needed.`);
}

function checkCount(what: string, value: number, least: number): void {
  if (!Number.isInteger(value) || value < least)
    fail(`${what} is ${value}; it must be an integer of at least ${least}.`);
}

function countRows(what: string, array: Float32Array, cols: number): number {
  const rows = array.length / cols;
  if (!Number.isInteger(rows)) fail(`${what} has ${array.length} elements, which are not whole rows of ${cols}.`);
  return rows;
}

function checkIndices(indices: Int32Array, rows: number, what: string): void {
  for (let i = 0; i < indices.length; i++) {
    if (indices[i]! >= rows) {
      throw new NnError("BAD_INDEX", `${what}[${i}] is ${indices[i]}; the table has ${rows} rows.`);
    }
  }
}

/** Rejects a matrix (or a batch of them) that reaches outside its array. */
function checkExtent(
  what: string,
  array: Float32Array,
  rows: number,
  cols: number,
  ld: number,
  offset: number,
  batch: number,
  stride: number,
): void {
  checkCount(`${what}: row length`, ld, cols);
  checkCount(`${what}: offset`, offset, 0);
  checkCount(`${what}: stride`, stride, 0);
  if (rows === 0 || cols === 0 || batch === 0) return;
  const end = offset + (batch - 1) * stride + (rows - 1) * ld + cols;
  if (end > array.length) fail(`${what} has ${array.length} elements; sgemm would reach ${end}.`);
}

/** A kernel set's public face: checks sizes, fills in what was left out, and calls the raw kernels. */
export class CheckedKernels<R> implements Kernels {
  readonly name: KernelName;
  readonly description: string;
  readonly #raw: RawKernels<R>;
  readonly #memory: KernelMemory<R>;

  constructor(name: KernelName, description: string, raw: RawKernels<R>, memory: KernelMemory<R>) {
    this.name = name;
    this.description = description;
    this.#raw = raw;
    this.#memory = memory;
  }

  floats(length: number): Float32Array {
    checkCount("length", length, 0);
    return this.#memory.floats(length);
  }

  ints(length: number): Int32Array {
    checkCount("length", length, 0);
    return this.#memory.ints(length);
  }

  free(array: Float32Array | Int32Array): void {
    this.#memory.free(array);
  }

  sgemm(gemm: Gemm): void {
    const { m, n, k, a, b, c, transposeA = false, transposeB = false, alpha = 1, beta = 0, batch = 1 } = gemm;
    const { lda = transposeA ? m : k, ldb = transposeB ? k : n, ldc = n } = gemm;
    const { offsetA = 0, offsetB = 0, offsetC = 0, strideA = 0, strideB = 0, strideC = 0 } = gemm;
    checkCount("sgemm: m", m, 0);
    checkCount("sgemm: n", n, 0);
    checkCount("sgemm: k", k, 0);
    checkCount("sgemm: batch", batch, 0);
    checkExtent("sgemm: A", a, transposeA ? k : m, transposeA ? m : k, lda, offsetA, batch, strideA);
    checkExtent("sgemm: B", b, transposeB ? n : k, transposeB ? k : n, ldb, offsetB, batch, strideB);
    checkExtent("sgemm: C", c, m, n, ldc, offsetC, batch, strideC);
    const { ref } = this.#memory;
    this.#raw.sgemm(
      transposeA ? 1 : 0,
      transposeB ? 1 : 0,
      m,
      n,
      k,
      alpha,
      ref(a),
      lda,
      ref(b),
      ldb,
      beta,
      ref(c),
      ldc,
      batch,
      strideA,
      strideB,
      strideC,
      offsetA,
      offsetB,
      offsetC,
    );
  }

  axpy(alpha: number, x: Float32Array, y: Float32Array): void {
    checkLength("axpy: y", y, x.length);
    const { ref } = this.#memory;
    this.#raw.axpy(x.length, alpha, ref(x), ref(y));
  }

  multiply(x: Float32Array, y: Float32Array, out: Float32Array, accumulate = false): void {
    checkLength("multiply: y", y, x.length);
    checkLength("multiply: out", out, x.length);
    const { ref } = this.#memory;
    this.#raw.multiply(x.length, ref(x), ref(y), ref(out), accumulate ? 1 : 0);
  }

  sumOfSquares(x: Float32Array): number {
    return this.#raw.sumOfSquares(x.length, this.#memory.ref(x));
  }

  activation(kind: Activation, x: Float32Array, y: Float32Array): void {
    checkLength("activation: y", y, x.length);
    const { ref } = this.#memory;
    this.#raw.activation(activationNumber(kind), x.length, ref(x), ref(y));
  }

  activationBackward(kind: Activation, x: Float32Array, dy: Float32Array, dx: Float32Array): void {
    checkLength("activationBackward: dy", dy, x.length);
    checkLength("activationBackward: dx", dx, x.length);
    const { ref } = this.#memory;
    this.#raw.activationBackward(activationNumber(kind), x.length, ref(x), ref(dy), ref(dx));
  }

  addRow(row: Float32Array, y: Float32Array): void {
    const { ref } = this.#memory;
    this.#raw.addRow(countRows("addRow: y", y, row.length), row.length, ref(row), ref(y));
  }

  sumRows(x: Float32Array, out: Float32Array): void {
    const { ref } = this.#memory;
    this.#raw.sumRows(countRows("sumRows: x", x, out.length), out.length, ref(x), ref(out));
  }

  scaleRows(scale: Float32Array, x: Float32Array, y: Float32Array): void {
    const cols = scale.length === 0 ? 0 : x.length / scale.length;
    if (!Number.isInteger(cols)) fail(`scaleRows: x has ${x.length} elements, which are not ${scale.length} rows.`);
    checkLength("scaleRows: y", y, x.length);
    const { ref } = this.#memory;
    this.#raw.scaleRows(scale.length, cols, ref(scale), ref(x), ref(y));
  }

  softmax(x: Float32Array, cols: number, mask: Float32Array | null, y: Float32Array): void {
    const rows = this.#checkMasked("softmax", x, cols, mask, y);
    const { ref, none } = this.#memory;
    this.#raw.softmax(
      rows,
      cols,
      ref(x),
      mask === null ? none : ref(mask),
      mask === null ? 1 : mask.length / cols,
      ref(y),
    );
  }

  softmaxBackward(y: Float32Array, dy: Float32Array, dx: Float32Array, cols: number): void {
    const rows = checkBackwardRows("softmaxBackward", y, dy, dx, cols);
    const { ref } = this.#memory;
    this.#raw.softmaxBackward(rows, cols, ref(y), ref(dy), ref(dx));
  }

  logSoftmax(x: Float32Array, cols: number, mask: Float32Array | null, y: Float32Array): void {
    const rows = this.#checkMasked("logSoftmax", x, cols, mask, y);
    const { ref, none } = this.#memory;
    this.#raw.logSoftmax(
      rows,
      cols,
      ref(x),
      mask === null ? none : ref(mask),
      mask === null ? 1 : mask.length / cols,
      ref(y),
    );
  }

  logSoftmaxBackward(y: Float32Array, dy: Float32Array, dx: Float32Array, cols: number): void {
    const rows = checkBackwardRows("logSoftmaxBackward", y, dy, dx, cols);
    const { ref } = this.#memory;
    this.#raw.logSoftmaxBackward(rows, cols, ref(y), ref(dy), ref(dx));
  }

  layerNorm({ x, gain, bias, epsilon, y, mean, scale }: LayerNormForward): void {
    const cols = gain.length;
    const rows = countRows("layerNorm: x", x, cols);
    checkLength("layerNorm: bias", bias, cols);
    checkLength("layerNorm: y", y, x.length);
    checkLength("layerNorm: mean", mean, rows);
    checkLength("layerNorm: scale", scale, rows);
    const { ref } = this.#memory;
    this.#raw.layerNorm(rows, cols, epsilon, ref(x), ref(gain), ref(bias), ref(y), ref(mean), ref(scale));
  }

  layerNormBackward({ x, gain, mean, scale, dy, dx, dGain, dBias }: LayerNormBackward): void {
    const cols = gain.length;
    const rows = checkBackwardRows("layerNormBackward", x, dy, dx, cols);
    checkLength("layerNormBackward: mean", mean, rows);
    checkLength("layerNormBackward: scale", scale, rows);
    checkLength("layerNormBackward: dGain", dGain, cols);
    checkLength("layerNormBackward: dBias", dBias, cols);
    const { ref } = this.#memory;
    this.#raw.layerNormBackward(
      rows,
      cols,
      ref(x),
      ref(gain),
      ref(mean),
      ref(scale),
      ref(dy),
      ref(dx),
      ref(dGain),
      ref(dBias),
    );
  }

  rmsNorm({ x, gain, epsilon, y, scale }: RmsNormForward): void {
    const cols = gain.length;
    const rows = countRows("rmsNorm: x", x, cols);
    checkLength("rmsNorm: y", y, x.length);
    checkLength("rmsNorm: scale", scale, rows);
    const { ref } = this.#memory;
    this.#raw.rmsNorm(rows, cols, epsilon, ref(x), ref(gain), ref(y), ref(scale));
  }

  rmsNormBackward({ x, gain, scale, dy, dx, dGain }: RmsNormBackward): void {
    const cols = gain.length;
    const rows = checkBackwardRows("rmsNormBackward", x, dy, dx, cols);
    checkLength("rmsNormBackward: scale", scale, rows);
    checkLength("rmsNormBackward: dGain", dGain, cols);
    const { ref } = this.#memory;
    this.#raw.rmsNormBackward(rows, cols, ref(x), ref(gain), ref(scale), ref(dy), ref(dx), ref(dGain));
  }

  lstmForward({ rows, hidden, gates, cPrev, c, h }: LstmForward): void {
    checkLength("lstmForward: gates", gates, rows * 4 * hidden);
    checkLength("lstmForward: cPrev", cPrev, rows * hidden);
    checkLength("lstmForward: c", c, rows * hidden);
    checkLength("lstmForward: h", h, rows * hidden);
    const { ref } = this.#memory;
    this.#raw.lstmForward(rows, hidden, ref(gates), ref(cPrev), ref(c), ref(h));
  }

  lstmBackward({ rows, hidden, gates, cPrev, c, dh, dc, dGates }: LstmBackward): void {
    checkLength("lstmBackward: gates", gates, rows * 4 * hidden);
    checkLength("lstmBackward: dGates", dGates, rows * 4 * hidden);
    for (const [what, array] of [
      ["cPrev", cPrev],
      ["c", c],
      ["dh", dh],
      ["dc", dc],
    ] as const) {
      checkLength(`lstmBackward: ${what}`, array, rows * hidden);
    }
    const { ref } = this.#memory;
    this.#raw.lstmBackward(rows, hidden, ref(gates), ref(cPrev), ref(c), ref(dh), ref(dc), ref(dGates));
  }

  gatherRows(table: Float32Array, cols: number, indices: Int32Array, out: Float32Array): void {
    checkLength("gatherRows: out", out, indices.length * cols);
    checkIndices(indices, countRows("gatherRows: table", table, cols), "gatherRows: indices");
    const { ref } = this.#memory;
    this.#raw.gatherRows(indices.length, cols, ref(table), ref(indices), ref(out));
  }

  scatterAddRows(x: Float32Array, cols: number, indices: Int32Array, table: Float32Array): void {
    checkLength("scatterAddRows: x", x, indices.length * cols);
    checkIndices(indices, countRows("scatterAddRows: table", table, cols), "scatterAddRows: indices");
    const { ref } = this.#memory;
    this.#raw.scatterAddRows(indices.length, cols, ref(x), ref(indices), ref(table));
  }

  rotary({ x, heads, dim, positions, cosines, sines, direction }: Rotary): void {
    checkCount("rotary: half of dim", dim / 2, 1);
    checkLength("rotary: x", x, positions.length * heads * dim);
    checkLength("rotary: sines", sines, cosines.length);
    const known = countRows("rotary: cosines", cosines, dim / 2);
    checkIndices(positions, known, "rotary: positions");
    const negative = positions.findIndex((p) => p < 0);
    if (negative >= 0) throw new NnError("BAD_INDEX", `rotary: positions[${negative}] is negative.`);
    const { ref } = this.#memory;
    this.#raw.rotary(positions.length, heads, dim, ref(positions), ref(cosines), ref(sines), direction, ref(x));
  }

  adam(step: AdamStep): void {
    const n = step.parameter.length;
    checkLength("adam: gradient", step.gradient, n);
    checkLength("adam: m", step.m, n);
    checkLength("adam: v", step.v, n);
    const { ref } = this.#memory;
    this.#raw.adam(
      n,
      ref(step.parameter),
      ref(step.gradient),
      ref(step.m),
      ref(step.v),
      step.gradientScale,
      step.beta1,
      step.beta2,
      step.epsilon,
      step.stepSize,
      step.vScale,
      step.l2,
      step.decay,
    );
  }

  adamProduct(step: AdamProductStep): void {
    const { rows, x, ldx, offsetX, dy, k } = step;
    checkCount("adamProduct: rows", rows, 1);
    checkCount("adamProduct: k", k, 1);
    const n = step.parameter.length;
    const cols = countRows("adamProduct: parameter", step.parameter, rows);
    checkLength("adamProduct: m", step.m, n);
    checkLength("adamProduct: v", step.v, n);
    checkLength("adamProduct: dy", dy, k * cols);
    checkExtent("adamProduct: x", x, k, rows, ldx, offsetX, 1, 0);
    const { ref } = this.#memory;
    this.#raw.adamProduct(
      rows,
      cols,
      k,
      ref(x),
      offsetX,
      ldx,
      ref(dy),
      ref(step.parameter),
      ref(step.m),
      ref(step.v),
      step.gradientScale,
      step.beta1,
      step.beta2,
      step.epsilon,
      step.stepSize,
      step.vScale,
      step.l2,
      step.decay,
    );
  }

  #checkMasked(what: string, x: Float32Array, cols: number, mask: Float32Array | null, y: Float32Array): number {
    checkCount(`${what}: cols`, cols, 1);
    checkLength(`${what}: y`, y, x.length);
    const rows = countRows(`${what}: x`, x, cols);
    if (mask !== null) {
      const maskRows = countRows(`${what}: mask`, mask, cols);
      if (rows > 0 && (maskRows === 0 || rows % maskRows !== 0)) {
        fail(`${what}: ${rows} rows cannot share a mask of ${maskRows} rows.`);
      }
    }
    return rows;
  }
}

function checkBackwardRows(what: string, y: Float32Array, dy: Float32Array, dx: Float32Array, cols: number): number {
  checkLength(`${what}: dy`, dy, y.length);
  checkLength(`${what}: dx`, dx, y.length);
  return countRows(`${what}: input`, y, cols);
}

function activationNumber(kind: Activation): number {
  const index = ACTIVATIONS.indexOf(kind);
  if (index < 0) {
    throw new NnError("BAD_OPTION", `Unknown activation '${kind}'. Known are ${ACTIVATIONS.join(", ")}.`);
  }
  return index;
}
