/** Settings of the clipped ratio; `clipLow` and `clipHigh` differ in the asymmetric form (Yu et al. 2025). */
export interface ClipRange {
  /** The ratio is held above 1 − clipLow. */
  readonly clipLow: number;
  /** The ratio is held below 1 + clipHigh. */
  readonly clipHigh: number;
}

/** A sample's loss and its derivative. */
export interface SampleLoss {
  readonly loss: number;
  readonly slope: number;
}

/**
 * −min(r A, clip(r) A) with r = e^logRatio (Schulman et al. 2017, equation 7).
 * @returns `slope` by the new log-probability, 0 where the clip holds; `clipped`: the ratio is outside the range
 */
export function clippedSurrogate(
  logRatio: number,
  advantage: number,
  { clipLow, clipHigh }: ClipRange,
): SampleLoss & { readonly clipped: boolean } {
  const ratio = Math.exp(logRatio);
  const held = Math.max(1 - clipLow, Math.min(1 + clipHigh, ratio));
  const [free, bound] = [ratio * advantage, held * advantage];
  // Not "≤": a ratio of exactly 1 with advantage 0 has slope 0 in both branches, so that equality may take either.
  const holds = bound < free;
  return { loss: holds ? -bound : -free, slope: holds ? 0 : -free, clipped: ratio !== held };
}

/**
 * Squared error of a value estimate; with `clipRange` the larger of it and that of the estimate held within the range of the
 * old one. @returns `slope` by the new value
 */
export function valueLoss(value: number, oldValue: number, target: number, clipRange: number | null): SampleLoss {
  const error = value - target;
  const free = { loss: error * error, slope: 2 * error };
  if (clipRange === null) return free;
  const change = Math.max(-clipRange, Math.min(clipRange, value - oldValue));
  const heldError = oldValue + change - target;
  if (free.loss >= heldError * heldError) return free;
  return { loss: heldError * heldError, slope: change === value - oldValue ? 2 * heldError : 0 };
}

/** Estimate of KL(p‖q) from a sample of p: e^x − 1 − x with x = log q − log p; never negative (Schulman 2020, "k3"). */
export function klK3(logRatio: number): number {
  return Math.expm1(logRatio) - logRatio;
}

/** Share of the targets' variance that the predictions explain: 1 perfect, 0 as good as the mean; 0 when targets are equal. */
export function explainedVariance(predictions: ArrayLike<number>, targets: ArrayLike<number>): number {
  const n = targets.length;
  const varianceOf = (at: (i: number) => number): number => {
    let mean = 0;
    for (let i = 0; i < n; i++) mean += at(i) / n;
    let sum = 0;
    for (let i = 0; i < n; i++) sum += (at(i) - mean) ** 2;
    return sum / n;
  };
  const variance = varianceOf((i) => targets[i]!);
  return variance === 0 ? 0 : 1 - varianceOf((i) => targets[i]! - predictions[i]!) / variance;
}
