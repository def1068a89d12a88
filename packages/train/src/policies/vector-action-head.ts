import type { Rng } from "@praxis/env";
import type { ActionDistribution } from "../action-distribution.ts";
import { ActionHead, type HeadRow, type HeadValue } from "../action-head.ts";
import { actionVectorBounds, actionVectorSize } from "./delegation-action.ts";

/** How numbers from −1 to 1 become an action vector: stretched to each entry's bounds, or as they are, to be rounded. */
export type VectorDecoder = "affine" | "seed";

/**
 * A diagonal Gaussian over the action vector, without any mask, for comparison. Actions are stored and valued as drawn; only the
 * environment gets clipped ones. `affine` reaches every choice; `seed` hands −1 … 1 on as they are, so that numbers of choices
 * round to 0 or 1 only.
 */
export class VectorActionHead implements ActionDistribution {
  readonly inputSize: number;
  readonly actionSize: number;
  readonly maskSize = 0;
  readonly deviationSize: number;
  readonly #gaussian: ActionHead;
  readonly #decoder: VectorDecoder;
  readonly #bounds: ReturnType<typeof actionVectorBounds>;

  constructor(slots: number, decoder: VectorDecoder) {
    const size = actionVectorSize(slots);
    this.#gaussian = new ActionHead({ kind: "box", shape: [size], low: -1, high: 1 });
    this.#decoder = decoder;
    this.#bounds = actionVectorBounds(slots);
    this.inputSize = size;
    this.actionSize = size;
    this.deviationSize = size;
  }

  readMask(): void {}

  sample(head: HeadRow, rng: Rng, actions: Float32Array): number {
    return this.#gaussian.sample(head, rng, actions);
  }

  mode(head: HeadRow, actions: Float32Array): void {
    this.#gaussian.mode(head, actions);
  }

  evaluate(head: HeadRow, actions: Float32Array): HeadValue {
    return this.#gaussian.evaluate(head, actions);
  }

  addGradient(...given: Parameters<ActionHead["addGradient"]>): void {
    this.#gaussian.addGradient(...given);
  }

  toSpaceValue(actions: Float32Array, row: number): number[] {
    const { low, high } = this.#bounds;
    const clipped = this.#gaussian.toSpaceValue(actions, row) as number[];
    if (this.#decoder === "affine") return clipped.map((x, j) => low[j]! + ((x + 1) / 2) * (high[j]! - low[j]!));
    return clipped.map((x, j) => Math.min(high[j]!, Math.max(low[j]!, x)));
  }
}
