/** Saved state of a {@link RunningMoments}. */
export interface MomentsState {
  readonly count: number;
  readonly mean: readonly number[];
  readonly squares: readonly number[];
}

/** Running mean and variance by element (Chan, Golub and LeVeque 1983), in float64. */
export class RunningMoments {
  readonly size: number;
  #count = 0;
  #mean: Float64Array;
  #squares: Float64Array;

  constructor(size: number) {
    this.size = size;
    this.#mean = new Float64Array(size);
    this.#squares = new Float64Array(size);
  }

  /** Takes in one row of `size` numbers. */
  add(values: ArrayLike<number>, offset = 0): void {
    this.#count++;
    for (let j = 0; j < this.size; j++) {
      const x = values[offset + j]!;
      const delta = x - this.#mean[j]!;
      this.#mean[j]! += delta / this.#count;
      this.#squares[j]! += delta * (x - this.#mean[j]!);
    }
  }

  mean(j: number): number {
    return this.#mean[j]!;
  }

  /** Population deviation; 1 before there are two rows. */
  deviation(j: number): number {
    return this.#count < 2 ? 1 : Math.sqrt(this.#squares[j]! / this.#count);
  }

  save(): MomentsState {
    return { count: this.#count, mean: [...this.#mean], squares: [...this.#squares] };
  }

  restore({ count, mean, squares }: MomentsState): void {
    this.#count = count;
    this.#mean = Float64Array.from(mean);
    this.#squares = Float64Array.from(squares);
  }
}

const EPSILON = 1e-8;
/** Normalised numbers are held within ±10, as in the reference implementations of PPO. */
const LIMIT = 10;

/** Brings observations to mean 0 and deviation 1 by all seen so far. */
export class ObservationNormalizer {
  readonly moments: RunningMoments;

  constructor(size: number) {
    this.moments = new RunningMoments(size);
  }

  /** Takes in rows [rows, size]. */
  update(rows: Float32Array): void {
    for (let at = 0; at < rows.length; at += this.moments.size) this.moments.add(rows, at);
  }

  /** A normalised copy of rows [rows, size]; what was seen does not change. */
  apply(rows: Float32Array): Float32Array {
    const { moments } = this;
    const means = Float64Array.from({ length: moments.size }, (_, j) => moments.mean(j));
    const scales = Float64Array.from({ length: moments.size }, (_, j) => 1 / (moments.deviation(j) + EPSILON));
    return rows.map((x, i) => {
      const j = i % moments.size;
      return Math.max(-LIMIT, Math.min(LIMIT, (x - means[j]!) * scales[j]!));
    });
  }
}

/** Saved state of a {@link RewardNormalizer}. */
export interface RewardNormalizerState {
  readonly moments: MomentsState;
  readonly returns: readonly number[];
}

/** Divides rewards by the deviation of the discounted return so far (as `VecNormalize` of Stable-Baselines does). */
export class RewardNormalizer {
  readonly #gamma: number;
  readonly #moments = new RunningMoments(1);
  #returns: Float64Array;

  constructor(numEnvs: number, gamma: number) {
    this.#gamma = gamma;
    this.#returns = new Float64Array(numEnvs);
  }

  /** Takes in one step of every environment and returns its scaled rewards. */
  step(rewards: Float64Array, ended: ArrayLike<number>): Float64Array {
    for (let i = 0; i < rewards.length; i++) {
      this.#returns[i] = this.#returns[i]! * this.#gamma + rewards[i]!;
      this.#moments.add(this.#returns, i);
    }
    const scale = 1 / (this.#moments.deviation(0) + EPSILON);
    for (let i = 0; i < rewards.length; i++) if (ended[i]) this.#returns[i] = 0;
    return rewards.map((reward) => Math.max(-LIMIT, Math.min(LIMIT, reward * scale)));
  }

  save(): RewardNormalizerState {
    return { moments: this.#moments.save(), returns: [...this.#returns] };
  }

  restore({ moments, returns }: RewardNormalizerState): void {
    this.#moments.restore(moments);
    this.#returns = Float64Array.from(returns);
  }
}
