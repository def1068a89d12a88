import { NnError } from "../errors.ts";
import { glorotUniform, type Initialiser, type RandomSource } from "../initialise.ts";
import type { Kernels } from "../kernels/kernels.ts";
import type { Tape } from "../tape.ts";
import { checkShape, type Module, type Parameter, type Tensor } from "../tensor.ts";
import { Linear } from "./linear.ts";

export interface AttentionOptions {
  readonly kernels: Kernels;
  readonly rng: RandomSource;
  readonly name: string;
  readonly width: number;
  /** Must divide `width`. */
  readonly heads: number;
  /** Default: Glorot's uniform. */
  readonly initialise?: Initialiser;
}

export interface AttentionMask {
  /** [batch, keys] or [batch, queries, keys]; 0 forbids. */
  readonly allowed?: Float32Array;
  /** Query i sees keys up to i only. */
  readonly causal?: boolean;
}

/**
 * Multi-head scaled dot-product attention (Vaswani et al. 2017). A query that may look at nothing gets zeros from the
 * heads, hence the output layer's bias.
 */
export class MultiHeadAttention implements Module {
  readonly width: number;
  readonly heads: number;
  readonly query: Linear;
  readonly key: Linear;
  readonly value: Linear;
  readonly out: Linear;

  constructor({ kernels, rng, name, width, heads, initialise = glorotUniform }: AttentionOptions) {
    if (!(Number.isInteger(heads) && heads >= 1 && width % heads === 0)) {
      throw new NnError("BAD_OPTION", `${name}: ${heads} heads do not divide a width of ${width}.`);
    }
    this.width = width;
    this.heads = heads;
    const make = (part: string) =>
      new Linear({ kernels, rng, name: `${name}.${part}`, inputs: width, outputs: width, initialise });
    this.query = make("query");
    this.key = make("key");
    this.value = make("value");
    this.out = make("out");
  }

  parameters(): readonly Parameter[] {
    return [this.query, this.key, this.value, this.out].flatMap((layer) => layer.parameters());
  }

  /**
   * @param x [batch, queries, width]
   * @param memory [batch, keys, width], where keys and values come from; default x
   */
  forward(tape: Tape, x: Tensor, mask: AttentionMask = {}, memory: Tensor = x): Tensor {
    checkShape("attention: input", x.shape, [-1, -1, this.width]);
    checkShape("attention: memory", memory.shape, [x.shape[0]!, -1, this.width]);
    const heads = attend(tape, {
      query: this.query.forward(tape, x),
      key: this.key.forward(tape, memory),
      value: this.value.forward(tape, memory),
      heads: this.heads,
      mask,
    });
    return this.out.forward(tape, heads);
  }
}

export interface Attend {
  /** [batch, queries, width] */
  readonly query: Tensor;
  /** [batch, keys, width] */
  readonly key: Tensor;
  readonly value: Tensor;
  readonly heads: number;
  readonly mask: AttentionMask;
}

/** softmax(q kᵀ / √(width / heads)) v for each head, without the linear layers around it. */
export function attend(tape: Tape, input: Attend): Tensor {
  if (input.heads === 1) return attendOnce(tape, input);
  const { query, key, value, heads, mask } = input;
  const { kernels } = tape;
  const [batch, queries, width] = query.shape as readonly [number, number, number];
  const keys = key.shape[1]!;
  const dim = width / heads;
  const scale = 1 / Math.sqrt(dim);
  const allowed = expandMask(tape, mask, batch, queries, keys);
  const maskSize = allowed === null ? 0 : allowed.length / batch;

  // Scores are [batch, heads, queries, keys]; a head is a slice of `dim` columns, so that nothing is transposed.
  const area = queries * keys;
  const scores = tape.floats(batch * heads * area);
  const y = tape.output(query.shape, [query, key, value]);
  const perQuery = { lda: width, strideA: dim };
  for (let b = 0; b < batch; b++) {
    const [q0, k0, s0] = [b * queries * width, b * keys * width, b * heads * area];
    kernels.sgemm({
      ...{ m: queries, n: keys, k: dim, alpha: scale, batch: heads, ...perQuery },
      ...{ a: query.data, offsetA: q0, b: key.data, offsetB: k0, ldb: width, strideB: dim, transposeB: true },
      ...{ c: scores, offsetC: s0, strideC: area },
    });
    const part = scores.subarray(s0, s0 + heads * area);
    const partMask = allowed === null ? null : allowed.subarray(b * maskSize, (b + 1) * maskSize);
    kernels.softmax(part, keys, partMask, part);
    kernels.sgemm({
      ...{ m: queries, n: dim, k: keys, batch: heads, a: scores, offsetA: s0, strideA: area },
      ...{ b: value.data, offsetB: k0, ldb: width, strideB: dim, c: y.data, offsetC: q0, ldc: width, strideC: dim },
    });
  }

  tape.record(y, (dy) => {
    const dQuery = query.needsGradient ? tape.gradientOf(query) : null;
    const dKey = key.needsGradient ? tape.gradientOf(key) : null;
    const dValue = value.needsGradient ? tape.gradientOf(value) : null;
    const dWeights = tape.floats(heads * area);
    const dScores = tape.floats(heads * area);
    for (let b = 0; b < batch; b++) {
      const [q0, k0, s0] = [b * queries * width, b * keys * width, b * heads * area];
      if (dValue !== null) {
        kernels.sgemm({
          ...{ m: keys, n: dim, k: queries, batch: heads, beta: 1 },
          ...{ a: scores, offsetA: s0, strideA: area, transposeA: true },
          ...{ b: dy, offsetB: q0, ldb: width, strideB: dim, c: dValue, offsetC: k0, ldc: width, strideC: dim },
        });
      }
      kernels.sgemm({
        ...{ m: queries, n: keys, k: dim, batch: heads, a: dy, offsetA: q0, ...perQuery },
        ...{ b: value.data, offsetB: k0, ldb: width, strideB: dim, transposeB: true, c: dWeights, strideC: area },
      });
      dScores.fill(0);
      kernels.softmaxBackward(scores.subarray(s0, s0 + heads * area), dWeights, dScores, keys);
      if (dQuery !== null) {
        kernels.sgemm({
          ...{ m: queries, n: dim, k: keys, alpha: scale, beta: 1, batch: heads, a: dScores, strideA: area },
          ...{ b: key.data, offsetB: k0, ldb: width, strideB: dim, c: dQuery, offsetC: q0, ldc: width, strideC: dim },
        });
      }
      if (dKey !== null) {
        kernels.sgemm({
          ...{ m: keys, n: dim, k: queries, alpha: scale, beta: 1, batch: heads },
          ...{ a: dScores, strideA: area, transposeA: true },
          ...{ b: query.data, offsetB: q0, ldb: width, strideB: dim, c: dKey, offsetC: k0, ldc: width, strideC: dim },
        });
      }
    }
  });
  return y;
}

/** {@link attend} with one head: every batch entry in the same products, which saves their calls where entries are small. */
function attendOnce(tape: Tape, { query, key, value, mask }: Attend): Tensor {
  const { kernels } = tape;
  const [batch, queries, width] = query.shape as readonly [number, number, number];
  const keys = key.shape[1]!;
  const scale = 1 / Math.sqrt(width);
  const expanded = expandMask(tape, mask, batch, queries, keys);
  const scores = tape.floats(batch * queries * keys);
  const y = tape.output(query.shape, [query, key, value]);
  const [ofQuery, ofKey, ofScore] = [queries * width, keys * width, queries * keys];
  kernels.sgemm({
    ...{ m: queries, n: keys, k: width, alpha: scale, batch, a: query.data, strideA: ofQuery },
    ...{ b: key.data, strideB: ofKey, transposeB: true, c: scores, strideC: ofScore },
  });
  const allowed = expanded === null ? null : repeatForQueries(tape, expanded, queries, keys, scores.length);
  kernels.softmax(scores, keys, allowed, scores);
  kernels.sgemm({
    ...{ m: queries, n: width, k: keys, batch, a: scores, strideA: ofScore },
    ...{ b: value.data, strideB: ofKey, c: y.data, strideC: ofQuery },
  });
  tape.record(y, (dy) => {
    if (value.needsGradient)
      kernels.sgemm({
        ...{ m: keys, n: width, k: queries, batch, a: scores, strideA: ofScore, transposeA: true },
        ...{ b: dy, strideB: ofQuery, ...tape.gradientTarget(value), strideC: ofKey },
      });
    const dWeights = tape.floats(scores.length);
    const dScores = tape.zeros(scores.length);
    kernels.sgemm({
      ...{ m: queries, n: keys, k: width, batch, a: dy, strideA: ofQuery },
      ...{ b: value.data, strideB: ofKey, transposeB: true, c: dWeights, strideC: ofScore },
    });
    kernels.softmaxBackward(scores, dWeights, dScores, keys);
    const product = { alpha: scale, batch, a: dScores, strideA: ofScore };
    if (query.needsGradient)
      kernels.sgemm({
        ...{ m: queries, n: width, k: keys, ...product },
        ...{ b: key.data, strideB: ofKey, ...tape.gradientTarget(query), strideC: ofQuery },
      });
    if (key.needsGradient)
      kernels.sgemm({
        ...{ m: keys, n: width, k: queries, ...product, transposeA: true },
        ...{ b: query.data, strideB: ofQuery, ...tape.gradientTarget(key), strideC: ofKey },
      });
  });
  return y;
}

/** A mask [batch, keys] once for each query; one with a row a query is left as it is. */
function repeatForQueries(tape: Tape, mask: Float32Array, queries: number, keys: number, size: number): Float32Array {
  if (mask.length === size) return mask;
  const repeated = tape.floats(size);
  for (let k = 0; k < size; k++) repeated[k] = mask[Math.floor(k / (queries * keys)) * keys + (k % keys)]!;
  return repeated;
}

/** For each batch entry one mask row ([keys]) or one a query ([queries, keys]); null when nothing is forbidden. */
function expandMask(
  tape: Tape,
  { allowed, causal = false }: AttentionMask,
  batch: number,
  queries: number,
  keys: number,
): Float32Array | null {
  const perQuery = allowed !== undefined && allowed.length === batch * queries * keys && queries !== 1;
  if (allowed !== undefined && !perQuery && allowed.length !== batch * keys) {
    throw new NnError(
      "BAD_SHAPE",
      `The attention mask has ${allowed.length} elements; ${batch * keys} or ${batch * queries * keys} are needed.`,
    );
  }
  if (!causal) return allowed === undefined ? null : tape.copy(allowed);
  const mask = tape.floats(batch * queries * keys);
  for (let b = 0; b < batch; b++) {
    for (let i = 0; i < queries; i++) {
      const row = (b * queries + i) * keys;
      for (let j = 0; j < keys; j++) {
        const open = allowed === undefined || allowed[perQuery ? row + j : b * keys + j] !== 0;
        mask[row + j] = j <= i && open ? 1 : 0;
      }
    }
  }
  return mask;
}
