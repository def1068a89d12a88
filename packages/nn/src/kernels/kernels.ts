/** Elementwise nonlinearities; their place in the list is their number in native/pointwise.c. */
export const ACTIVATIONS = ["relu", "tanh", "sigmoid", "gelu", "geluTanh", "silu"] as const;

/** `gelu` is the exact one (by erf), `geluTanh` the approximation of GPT-2. */
export type Activation = (typeof ACTIVATIONS)[number];

/** C = alpha · op(A) op(B) + beta · C, row-major; op(A) is [m, k], op(B) [k, n]. C is not read when beta is 0. */
export interface Gemm {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly a: Float32Array;
  readonly b: Float32Array;
  readonly c: Float32Array;
  /** A is stored [k, m]. */
  readonly transposeA?: boolean;
  /** B is stored [n, k]. */
  readonly transposeB?: boolean;
  /** Default 1. */
  readonly alpha?: number;
  /** Default 0. */
  readonly beta?: number;
  /** Floats from one stored row to the next; default: rows stand close together. */
  readonly lda?: number;
  readonly ldb?: number;
  readonly ldc?: number;
  /** Floats before the first element; default 0. */
  readonly offsetA?: number;
  readonly offsetB?: number;
  readonly offsetC?: number;
  /** Products made in one call, default 1, each `stride` floats after the one before (a stride of 0 repeats). */
  readonly batch?: number;
  readonly strideA?: number;
  readonly strideB?: number;
  readonly strideC?: number;
}

/** Gates are i, f, g, o in a row of 4 · hidden (PyTorch's order). */
export interface LstmForward {
  readonly rows: number;
  readonly hidden: number;
  /** [rows, 4 · hidden], pre-activations on entry, activations on return. */
  readonly gates: Float32Array;
  readonly cPrev: Float32Array;
  /** Written: [rows, hidden]. */
  readonly c: Float32Array;
  /** Written: [rows, hidden]. */
  readonly h: Float32Array;
}

/** The gradient of {@link LstmForward}. */
export interface LstmBackward {
  readonly rows: number;
  readonly hidden: number;
  /** Activations, as forward left them. */
  readonly gates: Float32Array;
  readonly cPrev: Float32Array;
  readonly c: Float32Array;
  readonly dh: Float32Array;
  /** Gradient at c on entry, at cPrev on return. */
  readonly dc: Float32Array;
  /** Written: gradient at the pre-activations; may be `gates` itself. */
  readonly dGates: Float32Array;
}

/** Layer normalisation over the last axis, whose length is that of `gain`. */
export interface LayerNormForward {
  readonly x: Float32Array;
  readonly gain: Float32Array;
  readonly bias: Float32Array;
  readonly epsilon: number;
  readonly y: Float32Array;
  /** Written, one a row; backward wants them. */
  readonly mean: Float32Array;
  readonly scale: Float32Array;
}

/** Adds to `dx`, `dGain` and `dBias`. */
export interface LayerNormBackward {
  readonly x: Float32Array;
  readonly gain: Float32Array;
  readonly mean: Float32Array;
  readonly scale: Float32Array;
  readonly dy: Float32Array;
  readonly dx: Float32Array;
  readonly dGain: Float32Array;
  readonly dBias: Float32Array;
}

/** Root-mean-square normalisation over the last axis. */
export interface RmsNormForward {
  readonly x: Float32Array;
  readonly gain: Float32Array;
  readonly epsilon: number;
  readonly y: Float32Array;
  readonly scale: Float32Array;
}

/** Adds to `dx` and `dGain`. */
export interface RmsNormBackward {
  readonly x: Float32Array;
  readonly gain: Float32Array;
  readonly scale: Float32Array;
  readonly dy: Float32Array;
  readonly dx: Float32Array;
  readonly dGain: Float32Array;
}

/** One step of Adam on one tensor, clipping included; `parameter`, `m` and `v` change. */
export interface AdamStep {
  readonly parameter: Float32Array;
  readonly gradient: Float32Array;
  readonly m: Float32Array;
  readonly v: Float32Array;
  /** The gradient is multiplied by this first. */
  readonly gradientScale: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  /** learning rate / (1 − beta1^t) */
  readonly stepSize: number;
  /** 1 / √(1 − beta2^t) */
  readonly vScale: number;
  /** Weight decay added to the gradient (Adam with L2). */
  readonly l2: number;
  /** Share of the parameter taken off (AdamW: learning rate · weight decay). */
  readonly decay: number;
}

/** One step of Adam on a matrix [rows, cols] whose gradient is xᵀ dy. */
export interface AdamProductStep extends Omit<AdamStep, "gradient"> {
  readonly rows: number;
  /** [k, ldx], of which `rows` columns from `offsetX` on count. */
  readonly x: Float32Array;
  readonly ldx: number;
  readonly offsetX: number;
  /** [k, cols] */
  readonly dy: Float32Array;
  readonly k: number;
}

/** Rotary position embedding in place, pairs (i, i + dim / 2) as in GPT-NeoX and Llama. */
export interface Rotary {
  /** [rows, heads, dim] */
  readonly x: Float32Array;
  readonly heads: number;
  readonly dim: number;
  /** One a row. */
  readonly positions: Int32Array;
  /** [positions, dim / 2] */
  readonly cosines: Float32Array;
  readonly sines: Float32Array;
  /** 1 turns, −1 turns back (the gradient). */
  readonly direction: 1 | -1;
}

export type KernelName = "reference" | "wasm" | "native";

/**
 * The arithmetic under every layer, in three interchangeable sets. Matrices are row-major float32. Arrays must come from
 * {@link Kernels.floats} and {@link Kernels.ints} of the same set (or be views of such); others are refused with
 * `FOREIGN_ARRAY` where that matters. Sizes are checked; a wrong one throws `BAD_SHAPE` before anything is written.
 */
export interface Kernels {
  readonly name: KernelName;
  /** The set in one line, for people: `native (avx2, 2 threads)`. */
  readonly description: string;

  /** New zeros. */
  floats(length: number): Float32Array;
  ints(length: number): Int32Array;
  /** Gives memory back; the array must not be used afterwards. Only WASM needs it. */
  free(array: Float32Array | Int32Array): void;

  /**
   * Matrix product. Every element is summed in the order of k, whatever m, n, the blocking or the threads, so a row's
   * result does not depend on the rows beside it.
   */
  sgemm(gemm: Gemm): void;
  /** y += alpha · x */
  axpy(alpha: number, x: Float32Array, y: Float32Array): void;
  /** out = x · y, elementwise; added to `out` instead when `accumulate`. */
  multiply(x: Float32Array, y: Float32Array, out: Float32Array, accumulate?: boolean): void;
  sumOfSquares(x: Float32Array): number;
  activation(kind: Activation, x: Float32Array, y: Float32Array): void;
  /** dx += dy · f′(x) */
  activationBackward(kind: Activation, x: Float32Array, dy: Float32Array, dx: Float32Array): void;
  /** Adds `row` to every row of y. */
  addRow(row: Float32Array, y: Float32Array): void;
  /** Adds the sum of all rows of x to `out`. */
  sumRows(x: Float32Array, out: Float32Array): void;
  /** y[r] = scale[r] · x[r] */
  scaleRows(scale: Float32Array, x: Float32Array, y: Float32Array): void;
  /**
   * Softmax of rows of `cols`. Row r has mask row r modulo the number of mask rows; columns whose mask is 0 get 0, and
   * so does a row in which nothing is allowed.
   */
  softmax(x: Float32Array, cols: number, mask: Float32Array | null, y: Float32Array): void;
  /** dx += y · (dy − Σ y · dy) */
  softmaxBackward(y: Float32Array, dy: Float32Array, dx: Float32Array, cols: number): void;
  /** As {@link Kernels.softmax}, logarithm; masked columns get −Infinity. */
  logSoftmax(x: Float32Array, cols: number, mask: Float32Array | null, y: Float32Array): void;
  /** dx += dy − e^y · Σ dy over allowed columns; dy of a masked column is ignored. */
  logSoftmaxBackward(y: Float32Array, dy: Float32Array, dx: Float32Array, cols: number): void;
  layerNorm(args: LayerNormForward): void;
  layerNormBackward(args: LayerNormBackward): void;
  rmsNorm(args: RmsNormForward): void;
  rmsNormBackward(args: RmsNormBackward): void;
  lstmForward(args: LstmForward): void;
  lstmBackward(args: LstmBackward): void;
  /** out[i] = table[indices[i]]; a negative index gives zeros. An index past the table throws `BAD_INDEX`. */
  gatherRows(table: Float32Array, cols: number, indices: Int32Array, out: Float32Array): void;
  /** table[indices[i]] += x[i]; a negative index is passed over. */
  scatterAddRows(x: Float32Array, cols: number, indices: Int32Array, table: Float32Array): void;
  rotary(args: Rotary): void;
  adam(args: AdamStep): void;
  /** {@link Kernels.adam} with the gradient xᵀ dy, which is made piece by piece in cache and never written out. */
  adamProduct(args: AdamProductStep): void;
}
