/** Sizes of a {@link RolloutBuffer}. */
export interface RolloutSizes {
  readonly numSteps: number;
  readonly numEnvs: number;
  readonly observationSize: number;
  readonly actionSize: number;
  readonly maskSize: number;
  /** Steps of a sequence; divides `numSteps`. */
  readonly sequenceLength: number;
}

/** A run of consecutive steps of one environment. */
export interface Sequence {
  readonly env: number;
  readonly firstStep: number;
}

/** Rows [sequenceLength, sequences.length] of a minibatch, gathered from the buffer in time order. */
export interface MinibatchRows {
  /** Row of the buffer that each row of the minibatch comes from. */
  readonly rows: Int32Array;
  readonly states: readonly Float32Array[];
}

/**
 * What a rollout keeps, allocated once. Rows are [numSteps, numEnvs]. A policy's memory is stored where sequences begin, so
 * that the update continues from what acted, not from zeros.
 */
export class RolloutBuffer {
  readonly sizes: RolloutSizes;
  readonly observations: Float32Array;
  readonly actions: Float32Array;
  readonly masks: Uint8Array;
  readonly logProbs: Float64Array;
  readonly values: Float64Array;
  readonly rewards: Float64Array;
  readonly episodeStarts: Uint8Array;
  readonly terminated: Uint8Array;
  readonly truncated: Uint8Array;
  /** Value of the final observation where an episode was truncated. */
  readonly finalValues: Float64Array;
  /** 1 where a verifier failed, so that the reward is unknown. */
  readonly excluded: Uint8Array;
  /** Memory before the first step of each sequence, [numSteps / sequenceLength, numEnvs]. */
  readonly states: Float32Array[];

  constructor(sizes: RolloutSizes) {
    const rows = sizes.numSteps * sizes.numEnvs;
    this.sizes = sizes;
    this.observations = new Float32Array(rows * sizes.observationSize);
    this.actions = new Float32Array(rows * sizes.actionSize);
    this.masks = new Uint8Array(rows * sizes.maskSize);
    this.logProbs = new Float64Array(rows);
    this.values = new Float64Array(rows);
    this.rewards = new Float64Array(rows);
    this.episodeStarts = new Uint8Array(rows);
    this.terminated = new Uint8Array(rows);
    this.truncated = new Uint8Array(rows);
    this.finalValues = new Float64Array(rows);
    this.excluded = new Uint8Array(rows);
    this.states = [];
  }

  /** Forgets the last rollout; arrays that every step writes keep their contents until then. */
  clear(): void {
    this.states.length = 0;
    this.finalValues.fill(0);
    this.excluded.fill(0);
  }

  /** Every sequence of the rollout once. */
  sequences(): Sequence[] {
    const { numSteps, numEnvs, sequenceLength } = this.sizes;
    return Array.from({ length: (numSteps / sequenceLength) * numEnvs }, (_, i) => ({
      env: i % numEnvs,
      firstStep: Math.floor(i / numEnvs) * sequenceLength,
    }));
  }

  /** Rows of some sequences side by side, and the memories they begin with. */
  gather(sequences: readonly Sequence[]): MinibatchRows {
    const { numEnvs, sequenceLength } = this.sizes;
    const rows = new Int32Array(sequenceLength * sequences.length);
    for (let t = 0; t < sequenceLength; t++)
      sequences.forEach(({ env, firstStep }, b) => {
        rows[t * sequences.length + b] = (firstStep + t) * numEnvs + env;
      });
    const states = sequences.map(({ env, firstStep }) => this.states[(firstStep / sequenceLength) * numEnvs + env]!);
    return { rows, states };
  }
}

/** Rows `rows` of `source` [any, width] one after another in `target`. */
export function gatherInto<T extends Float32Array | Uint8Array>(
  source: T,
  width: number,
  rows: Int32Array,
  target: T,
): T {
  rows.forEach((row, i) => {
    target.set(source.subarray(row * width, (row + 1) * width), i * width);
  });
  return target;
}
