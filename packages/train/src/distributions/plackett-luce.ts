import type { Rng } from "@praxis/env";

/**
 * Order of a chosen set by logits (Plackett 1975; Luce 1959): the next one is drawn among those that remain in proportion to
 * e^logit. `rank` holds 1 for the first, 2 for the second …, 0 for what is not chosen.
 */

/** log Π_t softmax(ℓ over those that remain)[o_t] = Σ_t (ℓ_{o_t} − logsumexp over those that remain). */
export function plackettLuceLogProb(
  logits: ArrayLike<number>,
  from: number,
  { rank, at, size }: { readonly rank: ArrayLike<number>; readonly at: number; readonly size: number },
): number {
  let logProb = 0;
  for (let j = 0; j < size; j++) {
    const own = rank[at + j]!;
    if (own === 0) continue;
    logProb += logits[from + j]! - logSumOfRemaining(logits, from, { rank, at, size }, own);
  }
  return logProb;
}

/** Adds `dLogProb` times the gradient of {@link plackettLuceLogProb} at the logits to `into`, from `from` on. */
export function addPlackettLuceGradient(
  logits: ArrayLike<number>,
  from: number,
  order: { readonly rank: ArrayLike<number>; readonly at: number; readonly size: number },
  dLogProb: number,
  into: Float32Array,
): void {
  const { rank, at, size } = order;
  for (let t = 0; t < size; t++) {
    const own = rank[at + t]!;
    if (own === 0) continue;
    into[from + t]! += dLogProb;
    const logSum = logSumOfRemaining(logits, from, order, own);
    for (let j = 0; j < size; j++)
      if (rank[at + j]! >= own) into[from + j]! -= dLogProb * Math.exp(logits[from + j]! - logSum);
  }
}

/** log Σ e^ℓ over those whose rank is `first` or later. */
function logSumOfRemaining(
  logits: ArrayLike<number>,
  from: number,
  { rank, at, size }: { readonly rank: ArrayLike<number>; readonly at: number; readonly size: number },
  first: number,
): number {
  let largest = Number.NEGATIVE_INFINITY;
  for (let j = 0; j < size; j++) if (rank[at + j]! >= first) largest = Math.max(largest, logits[from + j]!);
  let sum = 0;
  for (let j = 0; j < size; j++) if (rank[at + j]! >= first) sum += Math.exp(logits[from + j]! - largest);
  return largest + Math.log(sum);
}

/**
 * Writes ranks of the set `bits` into `rank` from `at` on: drawn with `rng`, or by falling logits (the mode; of equals the
 * first) where it is null. Takes `bits.length` draws whatever is chosen.
 */
export function choosePlackettLuce(
  logits: ArrayLike<number>,
  from: number,
  bits: Uint8Array,
  rng: Rng | null,
  into: { readonly rank: Float32Array; readonly at: number },
): void {
  const { rank, at } = into;
  const size = bits.length;
  // The order of ℓ + Gumbel noise is a Plackett–Luce draw (Yellott 1977); one draw a place, used or not.
  const keys = Float64Array.from({ length: size }, (_, j) => {
    const noise = rng === null ? 0 : -Math.log(-Math.log(1 - rng.uniform()));
    return bits[j] === 0 ? Number.NEGATIVE_INFINITY : logits[from + j]! + noise;
  });
  for (let j = 0; j < size; j++) {
    rank[at + j] = 0;
    if (bits[j] === 0) continue;
    let before = 0;
    for (let i = 0; i < size; i++)
      if (bits[i] !== 0 && (keys[i]! > keys[j]! || (keys[i] === keys[j] && i < j))) before++;
    rank[at + j] = before + 1;
  }
}
