import type { Rng } from "@praxis/env";
import type { FeatureRow } from "./combination-features.ts";

/**
 * Bayesian linear regression with known noise: posterior mean and covariance by rank-one updates, and an ensemble of
 * posterior draws that are updated with noise of their own (ensemble sampling, Lu and Van Roy 2017: each member is an exact
 * draw of the posterior). Learning changes it in place.
 */
export class BayesLinear {
  readonly #length: number;
  readonly #variance: number;
  readonly #mean: Float64Array;
  readonly #covariance: Float64Array;
  readonly #members: readonly Float64Array[];
  readonly #rng: Rng;
  readonly #gain: Float64Array;

  constructor(
    options: {
      /** Standard deviation of an observation. */
      readonly noise: number;
      /** Standard deviation of each weight before anything is seen; the means are 0. */
      readonly spreads: ArrayLike<number>;
      readonly members: number;
    },
    rng: Rng,
  ) {
    const { noise, spreads, members } = options;
    const { length } = spreads;
    this.#length = length;
    this.#variance = noise * noise;
    this.#mean = new Float64Array(length);
    this.#covariance = new Float64Array(length * length);
    for (let i = 0; i < length; i++) this.#covariance[i * length + i] = spreads[i]! ** 2;
    this.#rng = rng;
    this.#members = Array.from({ length: members }, () =>
      Float64Array.from(spreads, (spread) => rng.normal(0, spread)),
    );
    this.#gain = new Float64Array(length);
  }

  /** Takes note of one observation. */
  learn(row: FeatureRow, target: number): void {
    const n = this.#length;
    const gain = this.#gain;
    gain.fill(0);
    for (let k = 0; k < row.indexes.length; k++) {
      const offset = row.indexes[k]! * n;
      const value = row.values[k]!;
      for (let i = 0; i < n; i++) gain[i]! += value * this.#covariance[offset + i]!;
    }
    const total = this.#variance + dot(row, gain);
    const deviation = Math.sqrt(this.#variance);
    const shift = (weights: Float64Array, observed: number): void => {
      const step = (observed - dot(row, weights)) / total;
      for (let i = 0; i < n; i++) weights[i]! += gain[i]! * step;
    };
    shift(this.#mean, target);
    for (const member of this.#members) shift(member, target + this.#rng.normal(0, deviation));
    for (let i = 0; i < n; i++) {
      const scale = gain[i]! / total;
      if (scale === 0) continue;
      const offset = i * n;
      for (let j = 0; j < n; j++) this.#covariance[offset + j]! -= scale * gain[j]!;
    }
  }

  /** Posterior mean of the weights. */
  weights(): Float64Array {
    return this.#mean.slice();
  }

  /** Posterior mean of a row's target. */
  mean(row: FeatureRow): number {
    return dot(row, this.#mean);
  }

  /** Posterior standard deviation of a row's expected target. */
  deviation(row: FeatureRow): number {
    let sum = 0;
    for (let k = 0; k < row.indexes.length; k++) {
      const offset = row.indexes[k]! * this.#length;
      for (let l = 0; l < row.indexes.length; l++)
        sum += row.values[k]! * row.values[l]! * this.#covariance[offset + row.indexes[l]!]!;
    }
    return Math.sqrt(Math.max(0, sum));
  }

  /** A row's expected target by one draw of the ensemble. */
  drawn(member: number, row: FeatureRow): number {
    return dot(row, this.#members[member]!);
  }
}

function dot({ indexes, values }: FeatureRow, weights: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < indexes.length; k++) sum += values[k]! * weights[indexes[k]!]!;
  return sum;
}
