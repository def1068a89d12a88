import { reliabilityBins } from "./calibration.ts";
import type { ResultRow } from "./rows.ts";
import { quantile, resampleIndexes } from "./statistics.ts";
import type { Curve } from "./svg-curves.ts";

/** Decisions of a unit by their level of confidence: how many, how many of them bad. */
interface UnitCounts {
  readonly levels: readonly number[];
  readonly n: readonly number[];
  readonly bad: readonly number[];
}

/** Levels of confidence, the highest first, and each unit's decisions by them: what both curves are made of. */
class DecisionCounts {
  readonly levels: readonly number[];
  readonly units: readonly UnitCounts[];
  readonly decisions: number;

  constructor(rows: readonly ResultRow[]) {
    const decided = rows.filter(({ decisions }) => decisions.length > 0);
    this.levels = [...new Set(decided.flatMap(({ decisions }) => decisions.map(({ confidence }) => confidence)))].sort(
      (a, b) => b - a,
    );
    const place = new Map(this.levels.map((level, i) => [level, i]));
    const byUnit = new Map<string, Map<number, [n: number, bad: number]>>();
    for (const { unit, decisions } of decided) {
      const counts = byUnit.get(unit) ?? new Map<number, [number, number]>();
      byUnit.set(unit, counts);
      for (const { confidence, isGood } of decisions) {
        const at = place.get(confidence)!;
        const [n, bad] = counts.get(at) ?? [0, 0];
        counts.set(at, [n + 1, bad + Number(!isGood)]);
      }
    }
    this.units = [...byUnit.values()].map((counts) => ({
      levels: [...counts.keys()],
      n: [...counts.values()].map(([n]) => n),
      bad: [...counts.values()].map(([, bad]) => bad),
    }));
    this.decisions = decided.reduce((sum, { decisions }) => sum + decisions.length, 0);
  }

  /** Decisions and bad ones by level in units drawn anew, `resamples` times; the arrays are used again. */
  *resampled(resamples: number, seed: number): Generator<{ readonly n: Float64Array; readonly bad: Float64Array }> {
    const count = this.units.length;
    const draws = resampleIndexes(count, resamples, seed);
    const n = new Float64Array(this.levels.length);
    const bad = new Float64Array(this.levels.length);
    for (let r = 0; r < resamples; r++) {
      n.fill(0);
      bad.fill(0);
      for (let i = 0; i < count; i++) {
        const unit = this.units[draws[r * count + i]!]!;
        for (let k = 0; k < unit.levels.length; k++) {
          n[unit.levels[k]!]! += unit.n[k]!;
          bad[unit.levels[k]!]! += unit.bad[k]!;
        }
      }
      yield { n, bad };
    }
  }
}

/** assumption: bounds of a curve need fewer resamples than a difference that is judged. */
const RESAMPLES = 2000;

function interval(values: readonly number[]): { readonly low: number; readonly high: number } | null {
  const found = values.filter(Number.isFinite);
  return found.length < RESAMPLES / 2 ? null : { low: quantile(found, 0.025), high: quantile(found, 0.975) };
}

/** Accuracy against stated confidence in bins of equal mass; intervals by units drawn anew, bins kept. Null without decisions. */
export function reliabilityCurve(series: string, rows: readonly ResultRow[], seed = 0): Curve | null {
  const counts = new DecisionCounts(rows);
  if (counts.decisions === 0) return null;
  const bins = reliabilityBins(rows.flatMap(({ decisions }) => decisions));
  // Bins that share one level of confidence are one point: their decisions cannot be told apart.
  const points = [...new Map(bins.map((bin) => [bin.confidence, bin])).values()];
  const edges = points.map(({ confidence }, i) => (i === 0 ? 0 : (points[i - 1]!.confidence + confidence) / 2));
  const binOf = counts.levels.map((level) => edges.findLastIndex((edge) => level >= edge));
  const drawn = points.map((): number[] => []);
  for (const { n, bad } of counts.resampled(RESAMPLES, seed)) {
    const sums = points.map(() => [0, 0] as [number, number]);
    for (let level = 0; level < n.length; level++) {
      const sum = sums[binOf[level]!]!;
      sum[0] += n[level]!;
      sum[1] += bad[level]!;
    }
    for (const [i, [all, wrong]] of sums.entries()) drawn[i]!.push(all === 0 ? Number.NaN : 1 - wrong / all);
  }
  const inBin = points.map((_, i) =>
    counts.units.reduce(
      (sum, unit) => sum + unit.levels.reduce((own, level, k) => own + (binOf[level] === i ? unit.n[k]! : 0), 0),
      0,
    ),
  );
  return {
    series,
    n: counts.decisions,
    points: points.map(({ confidence, accuracy }, i) => ({
      x: confidence,
      y: accuracy,
      n: inBin[i]!,
      ...(interval(drawn[i]!) ?? {}),
    })),
  };
}

const COVERAGES = Array.from({ length: 10 }, (_, i) => (i + 1) / 10);

/** Share of bad decisions among the most confident ones against their share; ties count by their part. Null without decisions. */
export function riskCoverageCurve(series: string, rows: readonly ResultRow[], seed = 0): Curve | null {
  const counts = new DecisionCounts(rows);
  if (counts.decisions === 0) return null;
  const whole = { n: new Float64Array(counts.levels.length), bad: new Float64Array(counts.levels.length) };
  for (const unit of counts.units)
    for (const [k, level] of unit.levels.entries()) {
      whole.n[level]! += unit.n[k]!;
      whole.bad[level]! += unit.bad[k]!;
    }
  const drawn = COVERAGES.map((): number[] => []);
  for (const sample of counts.resampled(RESAMPLES, seed))
    for (const [i, risk] of risksAt(sample).entries()) drawn[i]!.push(risk);
  const risks = risksAt(whole);
  return {
    series,
    n: counts.decisions,
    points: COVERAGES.map((coverage, i) => ({ x: coverage, y: risks[i]!, ...(interval(drawn[i]!) ?? {}) })),
  };
}

/** Risk at each coverage of decisions counted by level, the most confident first. */
function risksAt({ n, bad }: { readonly n: Float64Array; readonly bad: Float64Array }): readonly number[] {
  let total = 0;
  for (const each of n) total += each;
  return COVERAGES.map((coverage) => {
    const wanted = Math.max(1, Math.round(coverage * total));
    let left = wanted;
    let wrong = 0;
    for (let level = 0; level < n.length && left > 0; level++) {
      if (n[level] === 0) continue;
      const taken = Math.min(left, n[level]!);
      wrong += (taken / n[level]!) * bad[level]!;
      left -= taken;
    }
    return wrong / wanted;
  });
}
