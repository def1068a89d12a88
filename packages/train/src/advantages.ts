import { PraxisError } from "@praxis/env";

/** One rollout; arrays are [numSteps, numEnvs], row-major. */
export interface GaeInput {
  readonly numSteps: number;
  readonly numEnvs: number;
  readonly rewards: ArrayLike<number>;
  /** Value of the observation that the step was taken in. */
  readonly values: ArrayLike<number>;
  /** Value of the observation after the last step, [numEnvs]. */
  readonly lastValues: ArrayLike<number>;
  /** Value of the final observation where an episode was truncated; elsewhere unread. */
  readonly finalValues: ArrayLike<number>;
  readonly terminated: ArrayLike<number>;
  readonly truncated: ArrayLike<number>;
  /** 1 where the reward is unknown (a verifier failed): no advantage, and earlier steps see this step's value only. */
  readonly excluded?: ArrayLike<number>;
  readonly gamma: number;
  readonly gaeLambda: number;
}

/**
 * Generalised advantage estimation (Schulman et al. 2016, equation 16). A truncated episode is bootstrapped from its final
 * observation, a terminated one is not, and the recursion stops at either end.
 * @returns `advantages` and `returns` (advantage + value), [numSteps, numEnvs]
 */
export function computeGae(input: GaeInput): { readonly advantages: Float64Array; readonly returns: Float64Array } {
  const { numSteps, numEnvs, rewards, values, lastValues, finalValues, terminated, truncated, gamma } = input;
  const advantages = new Float64Array(numSteps * numEnvs);
  const returns = new Float64Array(numSteps * numEnvs);
  for (let env = 0; env < numEnvs; env++) {
    let next = 0;
    for (let t = numSteps - 1; t >= 0; t--) {
      const i = t * numEnvs + env;
      const ended = terminated[i] !== 0 || truncated[i] !== 0;
      const following = t === numSteps - 1 ? lastValues[env]! : values[i + numEnvs]!;
      // Both ends at once: the task's own end decides.
      const nextValue = terminated[i] !== 0 ? 0 : truncated[i] !== 0 ? finalValues[i]! : following;
      const delta = rewards[i]! + gamma * nextValue - values[i]!;
      next = input.excluded?.[i] ? 0 : delta + (ended ? 0 : gamma * input.gaeLambda * next);
      advantages[i] = next;
      returns[i] = next + values[i]!;
    }
  }
  return { advantages, returns };
}

function meanOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum / values.length;
}

function squaredDeviations(values: ArrayLike<number>, mean: number): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += (values[i]! - mean) ** 2;
  return sum;
}

/** Advantages shifted to mean 0 and scaled to deviation 1 (n − 1), in place; a single one stays as it is. */
export function normalizeAdvantages(advantages: Float64Array): void {
  if (advantages.length < 2) return;
  const mean = meanOf(advantages);
  const deviation = Math.sqrt(squaredDeviations(advantages, mean) / (advantages.length - 1));
  for (let i = 0; i < advantages.length; i++) advantages[i] = (advantages[i]! - mean) / (deviation + 1e-8);
}

/**
 * How the rewards of one group become advantages. `grpo`: over the group's deviation (Shao et al. 2024); `drGrpo`: mean only
 * (Liu et al. 2025); `leaveOneOut`: against the mean of the others (Ahmadian et al. 2024).
 */
export type GroupAdvantageMethod = "grpo" | "drGrpo" | "leaveOneOut";

/** Advantages within one group of at least two rewards; equal rewards give zeros. Throws VALIDATION_ERROR for fewer. */
export function computeGroupAdvantages(rewards: readonly number[], method: GroupAdvantageMethod = "grpo"): number[] {
  const n = rewards.length;
  if (n < 2) throw new PraxisError("VALIDATION_ERROR", `A group needs at least two rewards, not ${n}.`);
  // Rounding of the mean must not make an advantage out of equal rewards.
  if (hasZeroVariance(rewards)) return rewards.map(() => 0);
  const mean = meanOf(rewards);
  switch (method) {
    case "grpo": {
      const deviation = Math.sqrt(squaredDeviations(rewards, mean) / n);
      return rewards.map((reward) => (reward - mean) / (deviation + 1e-4));
    }
    case "drGrpo":
      return rewards.map((reward) => reward - mean);
    case "leaveOneOut":
      return rewards.map((reward) => ((reward - mean) * n) / (n - 1));
  }
}

/** True when all rewards of a group are equal, so that there is nothing to learn from it. */
export function hasZeroVariance(rewards: readonly number[]): boolean {
  return rewards.every((reward) => reward === rewards[0]);
}
