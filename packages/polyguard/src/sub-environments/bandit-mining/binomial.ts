import type { Rng } from "@praxis/env";

/** Cumulative probabilities of Binomial(trials, mean / trials), entry k = P(X <= k); the last is 1. */
export function binomialTable(trials: number, mean: number): Float64Array {
  const p = mean / trials;
  const table = new Float64Array(trials + 1);
  let mass = (1 - p) ** trials;
  let sum = 0;
  for (let k = 0; k <= trials; k++) {
    sum += mass;
    table[k] = sum;
    mass *= ((trials - k) / (k + 1)) * (p / (1 - p));
  }
  table[trials] = 1;
  return table;
}

/** One draw by inversion of a {@link binomialTable}; takes one uniform number. */
export function drawBinomial(table: Float64Array, rng: Rng): number {
  const u = rng.uniform();
  let k = 0;
  while (table[k]! <= u && k < table.length - 1) k++;
  return k;
}

/** `count` different integers of 0 … below - 1 in ascending order. */
export function drawDistinct(rng: Rng, below: number, count: number): number[] {
  const drawn: number[] = [];
  while (drawn.length < count) {
    const value = rng.integer(0, below - 1);
    if (!drawn.includes(value)) insert(drawn, value);
  }
  return drawn;
}

/** Puts a value into its place in an ascending list: of a handful of numbers this is many times as quick as a sort. */
function insert(ascending: number[], value: number): void {
  let at = ascending.length;
  ascending.push(value);
  for (; at > 0 && ascending[at - 1]! > value; at--) ascending[at] = ascending[at - 1]!;
  ascending[at] = value;
}
