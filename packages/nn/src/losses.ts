import { NnError } from "./errors.ts";
import type { Tape } from "./tape.ts";
import { lastAxis, type Tensor } from "./tensor.ts";

export interface LossOptions {
  /** One a row, at least 0; a row of weight 0 (padding) counts for nothing. Default: all 1. */
  readonly weights?: ArrayLike<number>;
}

function checkLength(what: string, array: ArrayLike<number>, length: number): void {
  if (array.length !== length) throw new NnError("BAD_SHAPE", `${what}: ${array.length} values; ${length} are needed.`);
}

/** Calls `row` for each row that counts, with its share of the mean (weight / sum of weights), and sums what it returns. */
function weightedMean(rows: number, weights: ArrayLike<number> | undefined, row: (r: number, share: number) => number) {
  if (weights !== undefined) checkLength("loss weights", weights, rows);
  let total = 0;
  for (let r = 0; r < rows; r++) total += weights?.[r] ?? 1;
  if (!(total > 0)) throw new NnError("EMPTY_MASK", `The loss has no rows that count: its weights sum to ${total}.`);
  let loss = 0;
  for (let r = 0; r < rows; r++) {
    const weight = weights?.[r] ?? 1;
    if (weight !== 0) loss += row(r, weight / total);
  }
  return loss;
}

/**
 * Weighted mean of −log softmax(logits)[target], and its gradient seeded at `logits`.
 * @param logits [..., classes]
 * @param targets one class a row
 * @param options `mask` [rows, classes]: 0 forbids a class; a row of weight not 0 whose target is forbidden throws
 * `EMPTY_MASK`
 */
export function crossEntropy(
  tape: Tape,
  logits: Tensor,
  targets: ArrayLike<number>,
  options: LossOptions & { readonly mask?: Float32Array } = {},
): number {
  const classes = lastAxis(logits);
  const rows = logits.data.length / classes;
  checkLength("crossEntropy: targets", targets, rows);
  const logProbs = tape.floats(logits.data.length);
  tape.kernels.logSoftmax(logits.data, classes, options.mask === undefined ? null : tape.copy(options.mask), logProbs);
  const gradient = tape.zeros(logits.data.length);
  const loss = weightedMean(rows, options.weights, (r, share) => {
    const target = targets[r]!;
    if (!(Number.isInteger(target) && target >= 0 && target < classes)) {
      throw new NnError("BAD_INDEX", `crossEntropy: target ${r} is ${target}; there are ${classes} classes.`);
    }
    const logProb = logProbs[r * classes + target]!;
    if (logProb === Number.NEGATIVE_INFINITY) {
      throw new NnError("EMPTY_MASK", `crossEntropy: the mask of row ${r} forbids its target ${target}.`);
    }
    for (let j = 0; j < classes; j++) gradient[r * classes + j] = share * Math.exp(logProbs[r * classes + j]!);
    gradient[r * classes + target]! -= share;
    return -share * logProb;
  });
  if (logits.needsGradient) tape.giveGradient(logits, gradient);
  return loss;
}

/** Weighted mean over rows of the mean of `f` over a row's elements; `slope` is its derivative. */
function pointLoss(
  tape: Tape,
  prediction: Tensor,
  target: ArrayLike<number>,
  { weights }: LossOptions,
  f: (x: number, y: number) => number,
  slope: (x: number, y: number) => number,
): number {
  checkLength("target", target, prediction.data.length);
  const width = lastAxis(prediction);
  const gradient = tape.zeros(prediction.data.length);
  const loss = weightedMean(prediction.data.length / width, weights, (r, share) => {
    let sum = 0;
    for (let i = r * width; i < (r + 1) * width; i++) {
      sum += f(prediction.data[i]!, target[i]!);
      gradient[i] = (share / width) * slope(prediction.data[i]!, target[i]!);
    }
    return (share / width) * sum;
  });
  if (prediction.needsGradient) tape.giveGradient(prediction, gradient);
  return loss;
}

/** Mean of (x − y)², gradient seeded at `prediction`. */
export function meanSquaredError(tape: Tape, x: Tensor, y: ArrayLike<number>, options: LossOptions = {}): number {
  return pointLoss(
    tape,
    x,
    y,
    options,
    (a, b) => (a - b) ** 2,
    (a, b) => 2 * (a - b),
  );
}

/** Mean of Huber's loss: quadratic up to `delta`, linear beyond; gradient seeded at `prediction`. */
export function huberLoss(
  tape: Tape,
  x: Tensor,
  y: ArrayLike<number>,
  options: LossOptions & { readonly delta?: number } = {},
): number {
  const { delta = 1 } = options;
  return pointLoss(
    tape,
    x,
    y,
    options,
    (a, b) => (Math.abs(a - b) <= delta ? 0.5 * (a - b) ** 2 : delta * (Math.abs(a - b) - 0.5 * delta)),
    (a, b) => Math.max(-delta, Math.min(delta, a - b)),
  );
}

/** Mean of −y log σ(x) − (1 − y) log(1 − σ(x)), in the form that does not overflow; gradient seeded at `logits`. */
export function binaryCrossEntropy(tape: Tape, x: Tensor, y: ArrayLike<number>, options: LossOptions = {}): number {
  return pointLoss(
    tape,
    x,
    y,
    options,
    (a, b) => Math.max(a, 0) - a * b + Math.log1p(Math.exp(-Math.abs(a))),
    (a, b) => 1 / (1 + Math.exp(-a)) - b,
  );
}
