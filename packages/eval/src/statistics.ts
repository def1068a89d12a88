import { PraxisError, Rng } from "@praxis/env";

/** A mean with the bounds of its 95 % interval and the number of units it stands on. */
export interface Estimate {
  readonly n: number;
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

function checkNotEmpty(values: ArrayLike<number>): void {
  if (values.length === 0) throw new PraxisError("VALIDATION_ERROR", "A statistic needs at least one value.");
}

/** Arithmetic mean of a non-empty list. */
export function mean(values: readonly number[]): number {
  checkNotEmpty(values);
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/** Quantile `p` (0 … 1) with linear interpolation between order statistics (type 7 of Hyndman and Fan 1996). */
export function quantile(values: ArrayLike<number>, p: number): number {
  checkNotEmpty(values);
  const sorted = Float64Array.from(values).sort();
  const at = (sorted.length - 1) * p;
  const below = Math.floor(at);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below]! + (at - below) * (sorted[above]! - sorted[below]!);
}

/**
 * Percentile bootstrap interval (Efron 1979) of a statistic over units.
 * @param statistic default the mean @param resamples default 10,000 @param seed of the resampling stream, fixed so that reports repeat
 */
export function bootstrap(
  values: readonly number[],
  options: {
    readonly statistic?: (values: readonly number[]) => number;
    readonly resamples?: number;
    readonly seed?: number;
  } = {},
): Estimate {
  checkNotEmpty(values);
  const { statistic = mean, resamples = 10_000, seed = 0 } = options;
  const n = values.length;
  const draws = resampleIndexes(n, resamples, seed);
  const results = new Float64Array(resamples);
  if (statistic === mean) {
    // The statistic of nearly every line of a report: summed in place, in the order that `mean` would.
    for (let r = 0, at = 0; r < resamples; r++) {
      let sum = 0;
      for (let i = 0; i < n; i++, at++) sum += values[draws[at]!]!;
      results[r] = sum / n;
    }
  } else {
    const sample = new Array<number>(n);
    for (let r = 0; r < resamples; r++) {
      for (let i = 0; i < n; i++) sample[i] = values[draws[r * n + i]!]!;
      results[r] = statistic(sample);
    }
  }
  return { n, mean: statistic(values), low: quantile(results, 0.025), high: quantile(results, 0.975) };
}

/** Index tables of late, as a report takes dozens of statistics on units of one number; a few megabytes each. */
const indexTables = new Map<string, Uint32Array>();
const MOST_TABLES = 4;

/** The units that each resample is made of, [resamples, n], row-major; the same table for the same arguments. */
export function resampleIndexes(n: number, resamples: number, seed: number): Uint32Array {
  const key = `${n}/${resamples}/${seed}`;
  let table = indexTables.get(key);
  if (table === undefined) {
    const rng = Rng.fromSeed(seed, "bootstrap");
    table = new Uint32Array(n * resamples);
    for (let i = 0; i < table.length; i++) table[i] = rng.integer(0, n - 1);
    if (indexTables.size >= MOST_TABLES) indexTables.delete(indexTables.keys().next().value!);
    indexTables.set(key, table);
  }
  return table;
}

/** Paired bootstrap of the mean difference `a[i] − b[i]`. Throws VALIDATION_ERROR if the lengths differ. */
export function pairedBootstrap(
  a: readonly number[],
  b: readonly number[],
  options: { readonly resamples?: number; readonly seed?: number } = {},
): Estimate {
  if (a.length !== b.length)
    throw new PraxisError("VALIDATION_ERROR", `Paired lists differ in length: ${a.length} and ${b.length}.`);
  return bootstrap(
    a.map((value, i) => value - b[i]!),
    options,
  );
}

/** 95 % score interval of a share (Wilson 1927). */
export function wilson(successes: number, n: number): Estimate {
  if (!(n > 0 && successes >= 0 && successes <= n))
    throw new PraxisError("VALIDATION_ERROR", `A share needs 0 ≤ successes ≤ n and n > 0, not ${successes} of ${n}.`);
  const z = 1.959963984540054;
  const p = successes / n;
  const centre = (p + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const half = (z / (1 + (z * z) / n)) * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n));
  // At 0 and n the bound is exact; rounding must not push it past.
  return { n, mean: p, low: successes === 0 ? 0 : centre - half, high: successes === n ? 1 : centre + half };
}
