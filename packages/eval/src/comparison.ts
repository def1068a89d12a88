import { PraxisError } from "@praxis/env";
import { bootstrap, type Estimate, mean, pairedBootstrap, quantile, resampleIndexes } from "./statistics.ts";

/** A paired comparison: mean of `a - b` with its interval, and a two-sided bootstrap p-value. */
export interface Comparison {
  readonly difference: Estimate;
  /** Chance of a difference this far from 0 if there were none; at least 1 / (resamples + 1). */
  readonly pValue: number;
}

/**
 * Paired bootstrap over units that both systems played. The p-value is of the differences centred at 0 (Efron and Tibshirani
 * 1993, 16.4). Throws VALIDATION_ERROR if the lengths differ.
 */
export function comparePaired(
  a: readonly number[],
  b: readonly number[],
  { resamples = 10_000, seed = 0 }: { readonly resamples?: number; readonly seed?: number } = {},
): Comparison {
  const difference = pairedBootstrap(a, b, { resamples, seed });
  const n = a.length;
  const centred = a.map((value, i) => value - b[i]! - difference.mean);
  const draws = resampleIndexes(n, resamples, seed);
  let asFar = 0;
  for (let r = 0; r < resamples; r++) {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += centred[draws[r * n + i]!]!;
    if (Math.abs(sum / n) >= Math.abs(difference.mean) - 1e-15) asFar++;
  }
  return { difference, pValue: (asFar + 1) / (resamples + 1) };
}

/** Adjusted p-values in the order given, for as many comparisons (Holm 1979); each 0 … 1. */
export function holm(pValues: readonly number[]): number[] {
  const order = pValues.map((_, i) => i).sort((i, j) => pValues[i]! - pValues[j]!);
  const adjusted = new Array<number>(pValues.length);
  let highest = 0;
  for (const [rank, i] of order.entries()) {
    highest = Math.max(highest, Math.min(1, (pValues.length - rank) * pValues[i]!));
    adjusted[i] = highest;
  }
  return adjusted;
}

/**
 * Interval of `(S - S_low) / (S_high - S_low)` over units that all three played; null where low and high do not differ.
 * Throws VALIDATION_ERROR if the lengths differ.
 */
export function shareBetween(
  scores: readonly number[],
  low: readonly number[],
  high: readonly number[],
  { resamples = 10_000, seed = 0 }: { readonly resamples?: number; readonly seed?: number } = {},
): Estimate | null {
  if (scores.length !== low.length || scores.length !== high.length)
    throw new PraxisError(
      "VALIDATION_ERROR",
      `Paired lists differ in length: ${scores.length}, ${low.length} and ${high.length}.`,
    );
  if (scores.length === 0 || Math.abs(mean(high) - mean(low)) < 1e-9) return null;
  const units = scores.map((_, i) => i);
  const share = (chosen: readonly number[]): number => {
    let gained = 0;
    let possible = 0;
    for (const i of chosen) {
      gained += scores[i]! - low[i]!;
      possible += high[i]! - low[i]!;
    }
    return Math.abs(possible) < 1e-12 ? 0 : gained / possible;
  };
  return bootstrap(units, { statistic: share, resamples, seed });
}

/** Bootstrap of the difference of the means of two groups of different units; n is of the first. */
export function differenceOfMeans(
  a: readonly number[],
  b: readonly number[],
  { resamples = 10_000, seed = 0 }: { readonly resamples?: number; readonly seed?: number } = {},
): Estimate {
  // Streams of their own, or groups of one size would be drawn alike.
  const drawsA = resampleIndexes(a.length, resamples, seed);
  const drawsB = resampleIndexes(b.length, resamples, seed + 1);
  const meanOf = (values: readonly number[], draws: Uint32Array, r: number): number => {
    let sum = 0;
    for (let i = 0; i < values.length; i++) sum += values[draws[r * values.length + i]!]!;
    return sum / values.length;
  };
  const results = Array.from({ length: resamples }, (_, r) => meanOf(a, drawsA, r) - meanOf(b, drawsB, r));
  return { n: a.length, mean: mean(a) - mean(b), low: quantile(results, 0.025), high: quantile(results, 0.975) };
}
