import { brier, type Decision, expectedCalibrationError, selectiveRisk } from "./calibration.ts";
import { clopperPearson } from "./clopper-pearson.ts";
import { bootstrap, type Estimate, wilson } from "./statistics.ts";

/** A played unit as a report takes it: whose, of which group, and its values by metric. */
export interface ResultRow {
  /** What systems are paired on, a scenario id say. */
  readonly unit: string;
  readonly group: string;
  readonly policy: string;
  /** Condition it was played under; null = none. */
  readonly condition: string | null;
  readonly subgroups: readonly string[];
  /** Values by metric; one that does not apply is left out. */
  readonly metrics: Readonly<Record<string, number>>;
  readonly decisions: readonly Decision[];
}

/** How a metric is summed up: mean (bootstrap), share of units (Wilson) or share of a rare event (Clopper and Pearson). */
export interface MetricSpec {
  readonly name: string;
  readonly label: string;
  readonly kind: "mean" | "share" | "rare";
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
export function estimateMetric(rows: readonly ResultRow[], { name, kind }: MetricSpec): Estimate | null {
  const values = [...unitValues(rows, name).values()];
  if (values.length === 0) return null;
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
