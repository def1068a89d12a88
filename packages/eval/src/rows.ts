import { brier, type Decision, expectedCalibrationError, selectiveRisk } from "./calibration.ts";
import { clopperPearson } from "./clopper-pearson.ts";
import { bootstrap, type Estimate, wilson } from "./statistics.ts";

/** A condition that units were also played under, on the same scenarios: a disturbed view, or an agent without a part. */
export interface Condition {
  readonly kind: "perturbation" | "ablation";
  readonly name: string;
}

/** A course of a value over an episode: ascending x. */
export type Course = readonly (readonly [x: number, y: number])[];

/** A played unit as a report takes it: whose, of which group, and its values by metric. */
export interface ResultRow {
  /** What systems are paired on, a scenario id say. */
  readonly unit: string;
  readonly group: string;
  readonly policy: string;
  /** Tier of the unit, easy say. */
  readonly tier: string;
  /** Condition it was played under; null = none. */
  readonly condition: Condition | null;
  readonly subgroups: readonly string[];
  /** Values by metric; one that does not apply is left out. */
  readonly metrics: Readonly<Record<string, number>>;
  readonly decisions: readonly Decision[];
  /** Courses by series. */
  readonly courses: Readonly<Record<string, Course>>;
}

/**
 * How a metric is summed up: mean (bootstrap), share of units (Wilson), share of a rare event (Clopper and Pearson), or fold:
 * values are |log ratios|, told as e to their mean, the geometric mean fold error (1 = none).
 */
export interface MetricSpec {
  readonly name: string;
  readonly label: string;
  readonly kind: "mean" | "share" | "rare" | "fold";
  readonly better: "higher" | "lower" | null;
}

/** Values of a metric over the rows that have it; several rows of one unit are averaged first. In order of first appearance. */
export function unitValues(rows: readonly ResultRow[], metric: string): ReadonlyMap<string, number> {
  const sums = new Map<string, { sum: number; n: number }>();
  for (const { unit, metrics } of rows) {
    const value = metrics[metric];
    if (value === undefined) continue;
    const entry = sums.get(unit) ?? { sum: 0, n: 0 };
    entry.sum += value;
    entry.n++;
    sums.set(unit, entry);
  }
  return new Map([...sums].map(([unit, { sum, n }]) => [unit, sum / n]));
}

/** The metric over rows with its interval; null where no row has it. */
export function estimateMetric(
  rows: readonly ResultRow[],
  { name, kind }: Pick<MetricSpec, "name" | "kind">,
): Estimate | null {
  const values = [...unitValues(rows, name).values()];
  if (values.length === 0) return null;
  if (kind === "fold") {
    const { n, mean, low, high } = bootstrap(values);
    return { n, mean: Math.exp(mean), low: Math.exp(low), high: Math.exp(high) };
  }
  // A unit played several times may be successful in part: then the share is a mean like any other.
  if (kind === "mean" || values.some((value) => value !== 0 && value !== 1)) return bootstrap(values);
  const hits = values.filter((value) => value === 1).length;
  return kind === "share" ? wilson(hits, values.length) : clopperPearson(hits, values.length);
}

/** Calibration of the decisions in rows; null without any. */
export interface Calibration {
  readonly n: number;
  readonly brier: number;
  readonly ece: number;
  readonly selectiveRisk80: number;
}

/** Calibration of all decisions of the rows together. */
export function calibrationOf(rows: readonly ResultRow[]): Calibration | null {
  const decisions = rows.flatMap((row) => row.decisions);
  if (decisions.length === 0) return null;
  return {
    n: decisions.length,
    brier: brier(decisions),
    ece: expectedCalibrationError(decisions),
    selectiveRisk80: selectiveRisk(decisions, 0.8),
  };
}
