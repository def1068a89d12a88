/** Lowest reward and component. */
const REWARD_MIN = 0.001;
/** Highest reward and component. */
const REWARD_MAX = 0.999;

/** q of the reward: clipped to [.001, .999] and rounded to three decimals. */
export function quantize(x: number): number {
  return Math.round(clip(x, REWARD_MIN, REWARD_MAX) * 1000) / 1000;
}

/** `x` limited to [low, high]. */
export function clip(x: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, x));
}
