import { PraxisError } from "@praxis/env";

/** A decision with the confidence stated for it, 0-1, and whether it was good. */
export interface Decision {
  readonly confidence: number;
  readonly isGood: boolean;
}

/** Decisions of like confidence. */
export interface ReliabilityBin {
  readonly n: number;
  readonly confidence: number;
  readonly accuracy: number;
}

function checkNotEmpty(decisions: readonly Decision[]): void {
  if (decisions.length === 0) throw new PraxisError("VALIDATION_ERROR", "Calibration needs at least one decision.");
}

/** Mean squared distance of confidence and outcome (Brier 1950); 0 is perfect. */
export function brier(decisions: readonly Decision[]): number {
  checkNotEmpty(decisions);
  let sum = 0;
  for (const { confidence, isGood } of decisions) sum += (confidence - Number(isGood)) ** 2;
  return sum / decisions.length;
}

/**
 * Bins of equal mass in ascending confidence; fewer where there are fewer decisions. Decisions of one confidence that fall into
 * several bins count in each by their share of good ones, so that their order plays no part.
 */
export function reliabilityBins(decisions: readonly Decision[], bins = 10): ReliabilityBin[] {
  checkNotEmpty(decisions);
  const levels = new Map<number, { n: number; good: number }>();
  for (const { confidence, isGood } of decisions) {
    const level = levels.get(confidence) ?? { n: 0, good: 0 };
    level.n++;
    level.good += Number(isGood);
    levels.set(confidence, level);
  }
  const sorted = decisions
    .map(({ confidence }) => ({ confidence, accuracy: levels.get(confidence)!.good / levels.get(confidence)!.n }))
    .sort((a, b) => a.confidence - b.confidence);
  const made: ReliabilityBin[] = [];
  for (let bin = 0; bin < bins; bin++) {
    const from = Math.floor((bin * sorted.length) / bins);
    const members = sorted.slice(from, Math.floor(((bin + 1) * sorted.length) / bins));
    if (members.length === 0) continue;
    const share = (value: (member: (typeof members)[number]) => number): number =>
      members.reduce((sum, each) => sum + value(each), 0) / members.length;
    made.push({
      n: members.length,
      confidence: share(({ confidence }) => confidence),
      accuracy: share(({ accuracy }) => accuracy),
    });
  }
  return made;
}

/** Expected calibration error over bins of equal mass (Naeini et al. 2015; Nixon et al. 2019 for equal mass). */
export function expectedCalibrationError(decisions: readonly Decision[], bins = 10): number {
  let sum = 0;
  for (const { n, confidence, accuracy } of reliabilityBins(decisions, bins))
    sum += (n / decisions.length) * Math.abs(confidence - accuracy);
  return sum;
}

/** Share of bad decisions among the most confident `coverage` of them (El-Yaniv and Wiener 2010); ties count in full, by their share. */
export function selectiveRisk(decisions: readonly Decision[], coverage = 0.8): number {
  checkNotEmpty(decisions);
  const wanted = Math.max(1, Math.round(coverage * decisions.length));
  const levels = new Map<number, { n: number; bad: number }>();
  for (const { confidence, isGood } of decisions) {
    const level = levels.get(confidence) ?? { n: 0, bad: 0 };
    level.n++;
    level.bad += Number(!isGood);
    levels.set(confidence, level);
  }
  let left = wanted;
  let bad = 0;
  for (const [, level] of [...levels].sort(([a], [b]) => b - a)) {
    const taken = Math.min(left, level.n);
    bad += (taken / level.n) * level.bad;
    left -= taken;
    if (left === 0) break;
  }
  return bad / wanted;
}
