import { PraxisError } from "../errors.ts";
import { didYouMean } from "../names.ts";

/** How far a sum of weights may be from 1. */
const WEIGHT_TOLERANCE = 1e-6;

/** Says why `weights` are not finite, non-negative numbers that sum to 1 ± 1e-6, or null if they are. */
export function whyNotWeights(weights: Readonly<Record<string, number>>): string | null {
  let sum = 0;
  for (const [name, weight] of Object.entries(weights)) {
    if (!(Number.isFinite(weight) && weight >= 0)) return `Weight '${name}' is ${weight}; it must be 0 or more.`;
    sum += weight;
  }
  return Math.abs(sum - 1) <= WEIGHT_TOLERANCE ? null : `Weights must sum to 1, but sum to ${sum}.`;
}

/** Throws INVALID_CONFIG unless `weights` are finite, non-negative and sum to 1 ± 1e-6. */
export function checkWeights(weights: Readonly<Record<string, number>>): void {
  const why = whyNotWeights(weights);
  if (why !== null) throw new PraxisError("INVALID_CONFIG", why);
}

/**
 * Sum of `components[name] * weights[name]`, in the order of `weights`, so that equal input gives equal bits. Throws
 * INVALID_CONFIG if the names of the two differ.
 */
export function weightedTotal(
  components: Readonly<Record<string, number>>,
  weights: Readonly<Record<string, number>>,
): number {
  let total = 0;
  let used = 0;
  for (const name in weights) {
    const component = components[name];
    if (component === undefined) throw new PraxisError("INVALID_CONFIG", `The reward component '${name}' is missing.`);
    total += component * weights[name]!;
    used++;
  }
  if (Object.keys(components).length !== used) {
    const extra = Object.keys(components).find((name) => !Object.hasOwn(weights, name))!;
    throw new PraxisError(
      "INVALID_CONFIG",
      `The reward component '${extra}' has no weight.${didYouMean(extra, Object.keys(weights))}`,
    );
  }
  return total;
}

/**
 * Gathers the reward of one step by component, synchronously and without allocation but for {@link RewardComponents.values}.
 * Weights are free (penalties may weigh more than 1 in sum); pass them through {@link checkWeights} where they must sum to 1.
 */
export class RewardComponents<Name extends string> {
  readonly weights: Readonly<Record<Name, number>>;
  readonly #names: readonly Name[];
  readonly #values: Float64Array;

  constructor(weights: Readonly<Record<Name, number>>) {
    this.weights = weights;
    this.#names = Object.keys(weights) as Name[];
    this.#values = new Float64Array(this.#names.length);
  }

  /** Adds to a component. Throws UNKNOWN_NAME for a name without a weight. */
  add(name: Name, value: number): void {
    const index = this.#names.indexOf(name);
    if (index < 0)
      throw new PraxisError("UNKNOWN_NAME", `Unknown reward component '${name}'.${didYouMean(name, this.#names)}`);
    this.#values[index]! += value;
  }

  /** The reward: {@link weightedTotal} of what was added. */
  total(): number {
    let total = 0;
    for (let i = 0; i < this.#names.length; i++) total += this.#values[i]! * this.weights[this.#names[i]!];
    return total;
  }

  /** What was added by name, unweighted, for `info.rewardComponents`; a new record. */
  values(): Record<Name, number> {
    const values = {} as Record<Name, number>;
    for (let i = 0; i < this.#names.length; i++) values[this.#names[i]!] = this.#values[i]!;
    return values;
  }

  /** Back to zero for the next step. */
  clear(): void {
    this.#values.fill(0);
  }
}
