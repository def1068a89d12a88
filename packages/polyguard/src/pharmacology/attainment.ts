import type { DosingModel, TargetRange } from "./dosing-model.ts";

/** Attainment u in [0, 1]; a trough that is too high halves it. @param trough NaN = none */
export function attainment(target: TargetRange, value: number, trough: number): number {
  const u = rangeShare(target, value);
  return target.troughBelow !== null && trough >= target.troughBelow ? u / 2 : u;
}

/** True beyond the toxic bound. */
export function isToxic(target: TargetRange, value: number): boolean {
  return target.toxicSide === "above" ? value > target.zeroAbove : value < target.zeroBelow;
}

/** On which side of its range a value lies: -1 below, 0 inside, 1 above. */
export function sideOfRange(target: TargetRange, value: number): -1 | 0 | 1 {
  return value < target.low ? -1 : value > target.high ? 1 : 0;
}

/** How far a value lies outside its range, as a share of the exposure at the nearer end; 0 inside. */
export function distanceToRange(model: DosingModel, target: TargetRange, value: number): number {
  const ends = [model.exposure(target.low), model.exposure(target.high)];
  const low = Math.min(...ends);
  const high = Math.max(...ends);
  const exposure = Math.max(0, model.exposure(value));
  return exposure < low ? 1 - exposure / low : exposure > high ? exposure / high - 1 : 0;
}

/** Exposure beyond the toxic bound, as a multiple of that at the bound; at most 1 = not toxic. */
export function toxicRatio(model: DosingModel, target: TargetRange, value: number): number {
  const bound = target.toxicSide === "above" ? target.zeroAbove : target.zeroBelow;
  return model.exposure(value) / model.exposure(bound);
}

function rangeShare({ low, high, zeroBelow, zeroAbove, isLog }: TargetRange, value: number): number {
  if (value >= low && value <= high) return 1;
  if (value <= zeroBelow || value >= zeroAbove) return 0;
  const at = isLog ? Math.log : identity;
  return value < low
    ? (at(value) - at(zeroBelow)) / (at(low) - at(zeroBelow))
    : (at(zeroAbove) - at(value)) / (at(zeroAbove) - at(high));
}

function identity(x: number): number {
  return x;
}
