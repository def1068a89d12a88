import { flatSize, type Info, PraxisError, type Rng, type Space, type SpaceValue } from "@praxis/env";
import type { ActionDistribution } from "./action-distribution.ts";
import { readActionMask } from "./action-mask.ts";
import {
  addCategoricalGradient,
  drawIndex,
  entropyOf,
  indexOfLargest,
  logSoftmaxLegal,
} from "./distributions/categorical.ts";
import { sigmoid, softplus } from "./distributions/logistic.ts";

const HALF_LOG_TWO_PI = 0.5 * Math.log(2 * Math.PI);

/** One independent factor of an action distribution and where its numbers begin in a row. */
interface HeadPart {
  readonly kind: "categorical" | "bernoulli" | "gaussian";
  readonly name: string;
  readonly size: number;
  readonly inputAt: number;
  readonly actionAt: number;
  readonly maskAt: number;
  readonly deviationAt: number;
}

/** What a distribution is read from: one row of each array. */
export interface HeadRow {
  /** Network outputs: logits and means, [rows, inputSize]. */
  readonly inputs: Float32Array;
  /** Which choices are legal, [rows, maskSize], 0 forbids; null: all are. */
  readonly masks: Uint8Array | null;
  /** Logarithms of the Gaussians' deviations, [deviationSize], the same for all rows. */
  readonly logDeviations: Float32Array;
  readonly row: number;
}

/** Log-probability of an action and entropy of the distribution, both summed over parts. */
export interface HeadValue {
  readonly logProb: number;
  readonly entropy: number;
}

/**
 * Action distribution of a space as a product of parts: discrete is one categorical, multiDiscrete several, multiBinary
 * independent bits, box a diagonal Gaussian whose deviations do not depend on the state, dict its entries in order
 * (factored). Actions are rows of {@link ActionHead.actionSize} numbers, Gaussian ones as drawn: only what the environment
 * gets is clipped, so that a stored log-probability belongs to the stored action.
 *
 * Masks have one entry per categorical choice and one per bit (0: the bit stays 0); a box has none. A categorical without a
 * legal choice throws ALL_MASKED naming the part.
 */
export class ActionHead implements ActionDistribution {
  readonly space: Space;
  /** Network outputs a row. */
  readonly inputSize: number;
  readonly actionSize: number;
  readonly maskSize: number;
  /** Gaussian dimensions. */
  readonly deviationSize: number;
  readonly #parts: readonly HeadPart[];

  constructor(space: Space) {
    this.space = space;
    const parts: HeadPart[] = [];
    const at = { input: 0, action: 0, mask: 0, deviation: 0 };
    const add = (kind: HeadPart["kind"], name: string, size: number): void => {
      const { input: inputAt, action: actionAt, mask: maskAt, deviation: deviationAt } = at;
      parts.push({ kind, name, size, inputAt, actionAt, maskAt, deviationAt });
      at.input += size;
      at.action += kind === "categorical" ? 1 : size;
      if (kind === "gaussian") at.deviation += size;
      else at.mask += size;
    };
    const visit = (part: Space, name: string): void => {
      switch (part.kind) {
        case "discrete":
          add("categorical", name, part.n);
          break;
        case "multiDiscrete":
          for (const [i, n] of part.nvec.entries()) add("categorical", `${name}[${i}]`, n);
          break;
        case "multiBinary":
          add("bernoulli", name, part.n);
          break;
        case "box":
          add("gaussian", name, flatSize(part));
          break;
        case "dict":
          for (const [key, inner] of Object.entries(part.spaces)) visit(inner, `${name}.${key}`);
      }
    };
    visit(space, "action");
    this.#parts = parts;
    this.inputSize = at.input;
    this.actionSize = at.action;
    this.maskSize = at.mask;
    this.deviationSize = at.deviation;
  }

  readMask(info: Info, masks: Uint8Array, row: number): void {
    readActionMask(this.space, info, masks, row);
  }

  /** Draws an action into row `row` of `actions` and returns its log-probability. Draws as often whatever the mask. */
  sample(head: HeadRow, rng: Rng, actions: Float32Array): number {
    this.#choose(head, actions, rng);
    return this.evaluate(head, actions).logProb;
  }

  /** Writes the most likely action (of equals the first; a bit at ½ is 0) into row `row` of `actions`. */
  mode(head: HeadRow, actions: Float32Array): void {
    this.#choose(head, actions, null);
  }

  /** Throws VALIDATION_ERROR for an action that the mask forbids. */
  evaluate(head: HeadRow, actions: Float32Array): HeadValue {
    let logProb = 0;
    let entropy = 0;
    for (const part of this.#parts) {
      const actionAt = head.row * this.actionSize + part.actionAt;
      const inputAt = head.row * this.inputSize + part.inputAt;
      if (part.kind === "categorical") {
        const logProbs = this.#logProbs(part, head);
        const chosen = logProbs[actions[actionAt]!];
        if (chosen === undefined || chosen === Number.NEGATIVE_INFINITY)
          throw new PraxisError(
            "VALIDATION_ERROR",
            `${part.name} of row ${head.row} is ${actions[actionAt]}, which is not among its legal choices.`,
          );
        logProb += chosen;
        entropy += entropyOf(logProbs);
        continue;
      }
      for (let j = 0; j < part.size; j++) {
        const x = this.#finite(head.inputs[inputAt + j]!, part, head.row);
        const action = actions[actionAt + j]!;
        if (part.kind === "gaussian") {
          const logDeviation = head.logDeviations[part.deviationAt + j]!;
          const z = (action - x) / Math.exp(logDeviation);
          logProb -= 0.5 * z * z + logDeviation + HALF_LOG_TWO_PI;
          entropy += 0.5 + HALF_LOG_TWO_PI + logDeviation;
        } else if (this.#allows(part, head, j)) {
          logProb -= softplus(action === 1 ? -x : x);
          entropy += softplus(x) - x * sigmoid(x);
        } else if (action !== 0) {
          throw new PraxisError("VALIDATION_ERROR", `Bit ${j} of ${part.name} in row ${head.row} is set but masked.`);
        }
      }
    }
    return { logProb, entropy };
  }

  /**
   * Adds the gradient of `dLogProb · logProb + dEntropy · entropy` to row `row` of `dInputs` and to `dLogDeviations`.
   */
  addGradient(
    head: HeadRow,
    actions: Float32Array,
    { dLogProb, dEntropy }: { readonly dLogProb: number; readonly dEntropy: number },
    into: { readonly dInputs: Float32Array; readonly dLogDeviations: Float32Array },
  ): void {
    for (const part of this.#parts) {
      const actionAt = head.row * this.actionSize + part.actionAt;
      const inputAt = head.row * this.inputSize + part.inputAt;
      if (part.kind === "categorical") {
        const logProbs = this.#logProbs(part, head);
        addCategoricalGradient(logProbs, { chosen: actions[actionAt]!, dLogProb, dEntropy }, into.dInputs, inputAt);
        continue;
      }
      for (let j = 0; j < part.size; j++) {
        const x = head.inputs[inputAt + j]!;
        const action = actions[actionAt + j]!;
        if (part.kind === "gaussian") {
          const deviation = Math.exp(head.logDeviations[part.deviationAt + j]!);
          const z = (action - x) / deviation;
          into.dInputs[inputAt + j]! += (dLogProb * z) / deviation;
          into.dLogDeviations[part.deviationAt + j]! += dLogProb * (z * z - 1) + dEntropy;
        } else if (this.#allows(part, head, j)) {
          const p = sigmoid(x);
          into.dInputs[inputAt + j]! += dLogProb * (action - p) - dEntropy * x * p * (1 - p);
        }
      }
    }
  }

  /** Member of the space for row `row` of `actions`; box elements are clipped to their bounds. */
  toSpaceValue(actions: Float32Array, row: number): SpaceValue {
    let at = row * this.actionSize;
    const read = (space: Space): SpaceValue => {
      const from = at;
      at += flatSize(space);
      switch (space.kind) {
        case "discrete":
          return actions[from]!;
        case "multiDiscrete":
        case "multiBinary":
          return Array.from(actions.subarray(from, at));
        case "box": {
          const { low, high } = space;
          const bound = (bounds: number | readonly number[], i: number) =>
            typeof bounds === "number" ? bounds : bounds[i]!;
          return Array.from(actions.subarray(from, at), (x, i) => Math.min(bound(high, i), Math.max(bound(low, i), x)));
        }
        case "dict":
          at = from;
          return Object.fromEntries(Object.entries(space.spaces).map(([name, part]) => [name, read(part)]));
      }
    };
    return read(this.space);
  }

  #choose(head: HeadRow, actions: Float32Array, rng: Rng | null): void {
    for (const part of this.#parts) {
      const actionAt = head.row * this.actionSize + part.actionAt;
      const inputAt = head.row * this.inputSize + part.inputAt;
      if (part.kind === "categorical") {
        const logProbs = this.#logProbs(part, head);
        actions[actionAt] = rng === null ? indexOfLargest(logProbs) : drawIndex(logProbs, rng.uniform());
        continue;
      }
      for (let j = 0; j < part.size; j++) {
        const x = this.#finite(head.inputs[inputAt + j]!, part, head.row);
        if (part.kind === "gaussian") {
          const deviation = Math.exp(head.logDeviations[part.deviationAt + j]!);
          actions[actionAt + j] = rng === null ? x : rng.normal(x, deviation);
        } else {
          const isSet = rng === null ? x > 0 : rng.uniform() < sigmoid(x);
          actions[actionAt + j] = isSet && this.#allows(part, head, j) ? 1 : 0;
        }
      }
    }
  }

  #allows(part: HeadPart, { masks, row }: HeadRow, j: number): boolean {
    return masks === null || masks[row * this.maskSize + part.maskAt + j] !== 0;
  }

  #finite(x: number, { name }: HeadPart, row: number): number {
    if (Number.isFinite(x)) return x;
    throw new PraxisError("NON_FINITE_NUMBER", `The policy's output for ${name} in row ${row} is ${x}.`);
  }

  /** Log-probabilities of one categorical, −Infinity where masked. */
  #logProbs(part: HeadPart, head: HeadRow): Float64Array {
    const from = head.row * this.inputSize + part.inputAt;
    const logProbs = new Float64Array(part.size);
    for (let j = 0; j < part.size; j++)
      if (this.#allows(part, head, j)) logProbs[j] = this.#finite(head.inputs[from + j]!, part, head.row);
    if (!logSoftmaxLegal(logProbs, (j) => this.#allows(part, head, j)))
      throw new PraxisError("ALL_MASKED", `The mask of ${part.name} in row ${head.row} allows none of ${part.size}.`);
    return logProbs;
  }
}
