import type { Finding } from "../../sub-environments/bandit-mining/findings.ts";
import { SAFE_MEAN, SAFE_SPREAD } from "../../sub-environments/bandit-mining/risk.ts";
import { DANGEROUS_ABOVE } from "../../sub-environments/bandit-mining/tiers.ts";

/** A belief about the mean risk of a combination. */
export interface Belief {
  readonly mean: number;
  readonly deviation: number;
}

/** A held-out probe with the belief that was formed without it. */
export interface HeldOut extends Belief {
  readonly observed: number;
}

/** Last share of the probes, which only calibrate: drawn at random among what is believed dangerous. */
const VALIDATING_SHARE = 0.2;

/** True once the probes are to calibrate and no longer to learn. */
export function isValidating(probesMade: number, budget: number): boolean {
  return probesMade >= Math.round((1 - VALIDATING_SHARE) * budget);
}

/** Precision that a threshold must reach on held-out probes. */
const WANTED_PRECISION = 0.9;
/** Held-out probes above a threshold that make its precision known well enough. */
const FEWEST_HELD_OUT = 6;
/** Thresholds that are tried: deviations that the mean must lie above the limit, 0-10 in steps of .25. */
const THRESHOLDS = Array.from({ length: 41 }, (_, i) => i / 4);

/**
 * The lowest threshold whose held-out probes are dangerous often enough. The posterior of a linear model is over-confident
 * where the risk is not linear, so its deviations alone would declare too much. Infinite when none is good enough.
 * @param noise standard deviation of one probe
 */
export function calibrateThreshold(heldOut: readonly HeldOut[], noise: number): number {
  for (const threshold of THRESHOLDS) {
    const above = heldOut.filter((each) => isAbove(each, threshold));
    if (above.length < FEWEST_HELD_OUT) return Number.POSITIVE_INFINITY;
    const share = above.filter(({ observed }) => observed > DANGEROUS_ABOVE).length / above.length;
    // A safe combination is observed above the limit this often by noise alone.
    const byNoise = 1 / (1 + Math.exp((1.702 * (DANGEROUS_ABOVE - SAFE_MEAN)) / Math.hypot(noise, SAFE_SPREAD)));
    if ((share - byNoise) / (1 - byNoise) >= WANTED_PRECISION) return threshold;
  }
  return Number.POSITIVE_INFINITY;
}

/** Most combinations that calibrating probes are drawn from: the surest ones. */
const MOST_VALIDATED = 800;

/** The combinations that calibrating probes are drawn from: those believed dangerous, the surest first. */
export function validationPool(
  shown: readonly Uint8Array[],
  beliefOf: (combination: Uint8Array) => Belief,
): readonly Finding[] {
  return findingsAbove(shown, beliefOf, 0).slice(0, MOST_VALIDATED);
}

/** The shown combinations that are believed dangerous by at least `threshold` deviations, the surest first. */
export function findingsAbove(
  shown: readonly Uint8Array[],
  beliefOf: (combination: Uint8Array) => Belief,
  threshold: number,
): readonly Finding[] {
  if (threshold === Number.POSITIVE_INFINITY) return [];
  const chosen: { readonly combination: Uint8Array; readonly surety: number }[] = [];
  for (const combination of shown) {
    const belief = beliefOf(combination);
    if (isAbove(belief, threshold))
      chosen.push({ combination, surety: (belief.mean - DANGEROUS_ABOVE) / Math.max(1e-9, belief.deviation) });
  }
  return chosen
    .sort((x, y) => y.surety - x.surety)
    .map(({ combination }) => ({ drugs: Array.from(combination), isPattern: false }));
}

/** True when the belief says dangerous by at least that many deviations. */
function isAbove({ mean, deviation }: Belief, threshold: number): boolean {
  return mean - threshold * deviation > DANGEROUS_ABOVE;
}
