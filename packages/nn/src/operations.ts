import { NnError } from "./errors.ts";
import type { Activation } from "./kernels/kernels.ts";
import type { Tape } from "./tape.ts";
import { checkShape, lastAxis, sizeOf, type Tensor } from "./tensor.ts";

/** a + b, equal shapes. */
export function add(tape: Tape, a: Tensor, b: Tensor): Tensor {
  checkShape("add: b", b.shape, a.shape);
  const y = tape.output(a.shape, [a, b]);
  y.data.set(a.data);
  tape.kernels.axpy(1, b.data, y.data);
  tape.record(y, (dy) => {
    for (const x of [a, b]) if (x.needsGradient) tape.kernels.axpy(1, dy, tape.gradientOf(x));
  });
  return y;
}

/** a · b elementwise, equal shapes. */
export function multiply(tape: Tape, a: Tensor, b: Tensor): Tensor {
  checkShape("multiply: b", b.shape, a.shape);
  const y = tape.output(a.shape, [a, b]);
  tape.kernels.multiply(a.data, b.data, y.data);
  tape.record(y, (dy) => {
    if (a.needsGradient) tape.kernels.multiply(dy, b.data, tape.gradientOf(a), true);
    if (b.needsGradient) tape.kernels.multiply(dy, a.data, tape.gradientOf(b), true);
  });
  return y;
}

/** A nonlinearity, elementwise. */
export function activate(tape: Tape, kind: Activation, x: Tensor): Tensor {
  const y = tape.output(x.shape, [x]);
  tape.kernels.activation(kind, x.data, y.data);
  tape.record(y, (dy) => tape.kernels.activationBackward(kind, x.data, dy, tape.gradientOf(x)));
  return y;
}

/** The same elements in another shape; shares memory with x. */
export function reshape(tape: Tape, x: Tensor, shape: readonly number[]): Tensor {
  if (sizeOf(shape) !== x.data.length) {
    throw new NnError("BAD_SHAPE", `[${x.shape.join(", ")}] cannot become [${shape.join(", ")}].`);
  }
  const y = tape.wrap(shape, x.data, [x]);
  tape.record(y, (dy) => tape.kernels.axpy(1, dy, tape.gradientOf(x)));
  return y;
}

/** Tensors side by side along the last axis; the other axes must be equal. */
export function concat(tape: Tape, tensors: readonly Tensor[]): Tensor {
  const first = tensors[0];
  if (first === undefined) throw new NnError("BAD_SHAPE", "concat needs at least one tensor.");
  const leading = first.shape.slice(0, -1);
  for (const t of tensors) checkShape("concat", t.shape, [...leading, -1]);
  const widths = tensors.map(lastAxis);
  const width = widths.reduce((sum, w) => sum + w, 0);
  const rows = sizeOf(leading);
  const y = tape.output([...leading, width], tensors);
  let at = 0;
  const starts = widths.map((w) => {
    const start = at;
    at += w;
    return start;
  });
  tensors.forEach((t, i) => {
    const w = widths[i]!;
    for (let r = 0; r < rows; r++) y.data.set(t.data.subarray(r * w, (r + 1) * w), r * width + starts[i]!);
  });
  tape.record(y, (dy) => {
    tensors.forEach((t, i) => {
      if (!t.needsGradient) return;
      const w = widths[i]!;
      const { c: dx, beta } = tape.gradientTarget(t);
      for (let r = 0; r < rows; r++) {
        const from = r * width + starts[i]!;
        if (beta === 0) dx.set(dy.subarray(from, from + w), r * w);
        else for (let j = 0; j < w; j++) dx[r * w + j]! += dy[from + j]!;
      }
    });
  });
  return y;
}

/** Columns `from` to `to` (not included) of the last axis. */
export function sliceColumns(tape: Tape, x: Tensor, from: number, to: number): Tensor {
  const width = lastAxis(x);
  if (!(Number.isInteger(from) && Number.isInteger(to) && 0 <= from && from < to && to <= width)) {
    throw new NnError("BAD_INDEX", `Columns ${from} to ${to} are not among ${width}.`);
  }
  const w = to - from;
  const rows = x.data.length / width;
  const y = tape.output([...x.shape.slice(0, -1), w], [x]);
  for (let r = 0; r < rows; r++) y.data.set(x.data.subarray(r * width + from, r * width + to), r * w);
  tape.record(y, (dy) => {
    const dx = tape.gradientOf(x);
    for (let r = 0; r < rows; r++) for (let j = 0; j < w; j++) dx[r * width + from + j]! += dy[r * w + j]!;
  });
  return y;
}

/** Softmax over the last axis; `mask` (0 forbids) has whole rows, repeated over the rows of x. */
export function softmax(tape: Tape, x: Tensor, mask: Float32Array | null = null): Tensor {
  const cols = lastAxis(x);
  const y = tape.output(x.shape, [x]);
  tape.kernels.softmax(x.data, cols, mask === null ? null : tape.copy(mask), y.data);
  tape.record(y, (dy) => tape.kernels.softmaxBackward(y.data, dy, tape.gradientOf(x), cols));
  return y;
}

/** Logarithm of {@link softmax}; masked columns are −Infinity and pass no gradient. */
export function logSoftmax(tape: Tape, x: Tensor, mask: Float32Array | null = null): Tensor {
  const cols = lastAxis(x);
  const y = tape.output(x.shape, [x]);
  tape.kernels.logSoftmax(x.data, cols, mask === null ? null : tape.copy(mask), y.data);
  tape.record(y, (dy) => tape.kernels.logSoftmaxBackward(y.data, dy, tape.gradientOf(x), cols));
  return y;
}

/**
 * Mean over the items that `mask` [batch, items] allows: [batch, items, width] → [batch, width]. A batch entry without
 * items gives zeros.
 */
export function maskedMean(tape: Tape, x: Tensor, mask: Float32Array): Tensor {
  checkShape("maskedMean: x", x.shape, [-1, -1, -1]);
  const [batch, items, width] = x.shape as readonly [number, number, number];
  if (mask.length !== batch * items) {
    throw new NnError("BAD_SHAPE", `maskedMean: the mask has ${mask.length} elements; ${batch * items} are needed.`);
  }
  const weights = tape.floats(batch * items);
  for (let b = 0; b < batch; b++) {
    let count = 0;
    for (let i = 0; i < items; i++) if (mask[b * items + i] !== 0) count++;
    for (let i = 0; i < items; i++) weights[b * items + i] = mask[b * items + i] !== 0 ? 1 / count : 0;
  }
  const y = tape.output([batch, width], [x]);
  const strides = { strideA: items, strideB: items * width, strideC: width };
  tape.kernels.sgemm({ m: 1, n: width, k: items, a: weights, b: x.data, c: y.data, batch, ...strides });
  tape.record(y, (dy) => {
    tape.kernels.sgemm({
      m: items,
      n: width,
      k: 1,
      a: weights,
      b: dy,
      c: tape.gradientOf(x),
      beta: 1,
      batch,
      strideA: items,
      strideB: width,
      strideC: items * width,
    });
  });
  return y;
}
