import { PraxisError } from "@praxis/env";
import type { ActionDistribution } from "./action-distribution.ts";
import { clippedSurrogate, klK3, valueLoss } from "./surrogate.ts";

/** A minibatch; arrays have one entry a row of the network's outputs. */
export interface PpoLossInput {
  readonly distribution: ActionDistribution;
  /** [rows, distribution.inputSize] and [rows], as the network gives them now. */
  readonly logits: Float32Array;
  readonly newValues: Float32Array;
  readonly logDeviations: Float32Array;
  readonly actions: Float32Array;
  readonly masks: Uint8Array;
  /** As they were when the actions were taken. */
  readonly logProbs: ArrayLike<number>;
  readonly values: ArrayLike<number>;
  readonly advantages: ArrayLike<number>;
  readonly returns: ArrayLike<number>;
  /** Rows that count. */
  readonly counted: readonly number[];
  readonly clipRange: number;
  readonly valueClipRange: number | null;
  readonly entropyCoef: number;
  readonly valueCoef: number;
}

/** Means over the rows that count. */
export interface PpoLosses {
  readonly policy: number;
  readonly value: number;
  readonly entropy: number;
  readonly kl: number;
  readonly clipped: number;
}

/**
 * The loss of PPO (Schulman et al. 2017, equation 9): clipped surrogate, value error, entropy bonus. Writes its gradient at the
 * network's outputs to `into`. Throws NON_FINITE_NUMBER for a value that is none.
 */
export function ppoLoss(
  input: PpoLossInput,
  into: { readonly dInputs: Float32Array; readonly dValues: Float32Array; readonly dLogDeviations: Float32Array },
): PpoLosses {
  const { distribution, logits, logDeviations, actions, masks, counted, clipRange } = input;
  const share = 1 / counted.length;
  const sums = { policy: 0, value: 0, entropy: 0, kl: 0, clipped: 0 };
  const range = { clipLow: clipRange, clipHigh: clipRange };
  for (const row of counted) {
    const head = { inputs: logits, masks, logDeviations, row };
    const { logProb, entropy } = distribution.evaluate(head, actions);
    const logRatio = logProb - input.logProbs[row]!;
    const surrogate = clippedSurrogate(logRatio, input.advantages[row]!, range);
    const value = finiteValue(input.newValues[row]!, row);
    const error = valueLoss(value, input.values[row]!, input.returns[row]!, input.valueClipRange);
    const weights = { dLogProb: share * surrogate.slope, dEntropy: -share * input.entropyCoef };
    distribution.addGradient(head, actions, weights, into);
    into.dValues[row] = share * input.valueCoef * error.slope;
    sums.policy += share * surrogate.loss;
    sums.value += share * error.loss;
    sums.entropy += share * entropy;
    sums.kl += share * klK3(logRatio);
    sums.clipped += surrogate.clipped ? share : 0;
  }
  return sums;
}

/** Throws NON_FINITE_NUMBER for a critic's output that is NaN or infinite. */
export function finiteValue(value: number, row: number): number {
  if (Number.isFinite(value)) return value;
  throw new PraxisError("NON_FINITE_NUMBER", `The critic's value in row ${row} is ${value}.`);
}

/** Running sums of {@link PpoLosses} over minibatches and their means by the names everybody plots. */
export class LossMeans {
  readonly #sums = { policy: 0, value: 0, entropy: 0, kl: 0, clipped: 0, gradientNorm: 0 };
  #minibatches = 0;

  add(losses: PpoLosses, gradientNorm: number): void {
    for (const key of ["policy", "value", "entropy", "kl", "clipped"] as const) this.#sums[key] += losses[key];
    this.#sums.gradientNorm += gradientNorm;
    this.#minibatches++;
  }

  metrics(): Record<string, number> {
    const mean = (sum: number): number => sum / Math.max(1, this.#minibatches);
    return {
      "losses/policy_loss": mean(this.#sums.policy),
      "losses/value_loss": mean(this.#sums.value),
      "losses/entropy": mean(this.#sums.entropy),
      "losses/approx_kl": mean(this.#sums.kl),
      "losses/clip_fraction": mean(this.#sums.clipped),
      "losses/gradient_norm": mean(this.#sums.gradientNorm),
    };
  }
}
