/**
 * Turns logits into log-probabilities in place, −Infinity where `isLegal` says no. Returns false, leaving −Infinity everywhere,
 * when nothing is legal.
 */
export function logSoftmaxLegal(values: Float64Array, isLegal: (j: number) => boolean): boolean {
  let largest = Number.NEGATIVE_INFINITY;
  for (let j = 0; j < values.length; j++) {
    if (isLegal(j)) largest = Math.max(largest, values[j]!);
    else values[j] = Number.NEGATIVE_INFINITY;
  }
  if (largest === Number.NEGATIVE_INFINITY) return false;
  let sum = 0;
  for (let j = 0; j < values.length; j++) sum += Math.exp(values[j]! - largest);
  const logSum = largest + Math.log(sum);
  for (let j = 0; j < values.length; j++) values[j]! -= logSum;
  return true;
}

/** −Σ p log p; impossible choices add nothing. */
export function entropyOf(logProbs: Float64Array): number {
  let entropy = 0;
  for (const logProb of logProbs) if (logProb !== Number.NEGATIVE_INFINITY) entropy -= Math.exp(logProb) * logProb;
  return entropy;
}

/** Of equals the first. */
export function indexOfLargest(values: Float64Array): number {
  let best = 0;
  for (let j = 1; j < values.length; j++) if (values[j]! > values[best]!) best = j;
  return best;
}

/** First index at which the cumulated probability passes `uniform`; rounding at the end falls to the last legal one. */
export function drawIndex(logProbs: Float64Array, uniform: number): number {
  let rest = uniform;
  let last = 0;
  for (let j = 0; j < logProbs.length; j++) {
    if (logProbs[j] === Number.NEGATIVE_INFINITY) continue;
    last = j;
    rest -= Math.exp(logProbs[j]!);
    if (rest < 0) return j;
  }
  return last;
}

/**
 * The gradient of `dLogProb · log p(chosen) + dEntropy · entropy` at the logits, added to `into` from `at` on (Sutton and Barto
 * 2018, section 13.3: onehot − p).
 */
export function addCategoricalGradient(
  logProbs: Float64Array,
  { chosen, dLogProb, dEntropy }: { readonly chosen: number; readonly dLogProb: number; readonly dEntropy: number },
  into: Float32Array,
  at: number,
): void {
  const entropy = dEntropy === 0 ? 0 : entropyOf(logProbs);
  for (let j = 0; j < logProbs.length; j++) {
    if (logProbs[j] === Number.NEGATIVE_INFINITY) continue;
    const p = Math.exp(logProbs[j]!);
    into[at + j]! += dLogProb * ((chosen === j ? 1 : 0) - p) - dEntropy * p * (logProbs[j]! + entropy);
  }
}
