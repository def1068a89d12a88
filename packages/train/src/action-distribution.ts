import type { Info, Rng, SpaceValue } from "@praxis/env";
import type { HeadRow, HeadValue } from "./action-head.ts";

/** Chances of the choices of each part of an action, by the part's name and the choice's; forbidden choices are left out. */
export type Odds = Readonly<Record<string, Readonly<Record<string, number>>>>;

/**
 * What a policy's last layer is read as: a distribution over actions under a mask, with exact log-probabilities and their
 * gradients. Actions are rows of `actionSize` numbers as drawn; only what the environment gets is clipped or translated, so
 * that a stored log-probability belongs to the stored action.
 */
export interface ActionDistribution {
  /** Network outputs a row. */
  readonly inputSize: number;
  readonly actionSize: number;
  readonly maskSize: number;
  /** Gaussian dimensions, whose deviations do not depend on the state. */
  readonly deviationSize: number;
  /** Writes which choices `info.actionMask` allows into row `row` of `masks`. Throws VALIDATION_ERROR for one that does not fit. */
  readMask(info: Info, masks: Uint8Array, row: number): void;
  /** Draws an action into row `row` of `actions` and returns its log-probability. Draws as often whatever the mask. */
  sample(head: HeadRow, rng: Rng, actions: Float32Array): number;
  /** Writes the most likely choice of every part. */
  mode(head: HeadRow, actions: Float32Array): void;
  /** Throws VALIDATION_ERROR for an action that the mask forbids. */
  evaluate(head: HeadRow, actions: Float32Array): HeadValue;
  /** Adds the gradient of `dLogProb · logProb + dEntropy · entropy` to the row of `dInputs` and to `dLogDeviations`. */
  addGradient(
    head: HeadRow,
    actions: Float32Array,
    weights: { readonly dLogProb: number; readonly dEntropy: number },
    into: { readonly dInputs: Float32Array; readonly dLogDeviations: Float32Array },
  ): void;
  /** What the environment gets for row `row` of `actions`. */
  toSpaceValue(actions: Float32Array, row: number): SpaceValue;
  /** What a person is shown of the distribution. */
  odds?(head: HeadRow): Odds;
  /** Names under which the shares of an action's choices are logged, such as `meta_stop`. */
  tags?(actions: Float32Array, row: number): readonly string[];
}
