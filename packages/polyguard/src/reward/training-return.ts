import { clip } from "./quantize.ts";

/** One step's share of the training return. */
export interface ReturnStep {
  readonly reward: number;
  /** Weighted sum KEEP would have had at that state: before gates, without the halving of c9, with the best confidence. */
  readonly keepReward: number;
}

/** How an episode ended, as far as the return cares. */
export interface ReturnEnd {
  /** J of the episode and of a roll-out of KEEP on the same event numbers. */
  readonly j: number;
  readonly keepJ: number;
  readonly isSuccess: boolean;
  /** Severe event, exploit or end by illegal actions. */
  readonly isFailure: boolean;
}

/** assumption: cost of a step where the length is free, so that waiting and spamming never pay. */
const STEP_COST = 0.05;

/**
 * G of an episode: sum of gamma^t (r - r_keep - c), plus 5 (J - J_keep) clipped to half a unit, plus .5 for success and
 * minus .5 for failure. `stepCost` is 0 where the length of an episode is fixed.
 */
export function trainingReturn(
  steps: readonly ReturnStep[],
  end: ReturnEnd,
  { stepCost = STEP_COST, gamma = 1 }: { readonly stepCost?: number; readonly gamma?: number } = {},
): number {
  let sum = 0;
  let discount = 1;
  for (const { reward, keepReward } of steps) {
    sum += discount * (reward - keepReward - stepCost);
    discount *= gamma;
  }
  sum += clip(5 * (end.j - end.keepJ), -0.5, 0.5);
  if (end.isSuccess) sum += 0.5;
  if (end.isFailure) sum -= 0.5;
  return sum;
}

/** Mean reward of the steps; 0 without a step. */
export function meanStepReward(steps: readonly ReturnStep[]): number {
  let sum = 0;
  for (const { reward } of steps) sum += reward;
  return steps.length === 0 ? 0 : sum / steps.length;
}
