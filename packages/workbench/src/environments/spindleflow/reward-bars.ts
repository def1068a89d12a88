import type { TaskEnd } from "./observation.ts";

/** One signed term of a task's reward, as a bar between two values of the running sum. */
interface TermBar {
  readonly name: string;
  readonly value: number;
  readonly from: number;
  readonly to: number;
}

/** The waterfall of a task's reward. */
interface RewardBars {
  readonly bars: readonly TermBar[];
  /** Values between which all bars lie; 0 is among them. */
  readonly low: number;
  readonly high: number;
  /** What the terms add up to; the reward itself may be clipped or, without any output, set. */
  readonly sum: number;
}

/** Terms in their order, each beginning where the one before ended. */
export function rewardBars({ components, reward }: Pick<TaskEnd, "components" | "reward">): RewardBars {
  let sum = 0;
  const bars = Object.entries(components).map(([name, value]) => {
    const from = sum;
    sum += value;
    return { name, value, from, to: sum };
  });
  const ends = [0, reward, ...bars.map(({ to }) => to)];
  return { bars, low: Math.min(...ends), high: Math.max(...ends), sum };
}
