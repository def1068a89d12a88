import type { CourseSpec } from "./mean-curves.ts";
import type { Report } from "./report.ts";
import type { Condition, MetricSpec, ResultRow } from "./rows.ts";
import type { Estimate } from "./statistics.ts";
import type { TrainingSeries } from "./training-figures.ts";
import type { GuardedMetric, Verdict } from "./verdict.ts";

/** What a report is made from. */
export interface EvaluationInput {
  readonly title: string;
  readonly notice: string;
  readonly facts: readonly string[];
  /** In any order; the report does not depend on it. */
  readonly rows: readonly ResultRow[];
  readonly metrics: readonly MetricSpec[];
  /** Name of the score that policies are compared on. */
  readonly score: string;
  /** In the order of the report; the others are compared with the first one. */
  readonly policies: readonly string[];
  readonly groups: readonly string[];
  readonly subgroups: readonly string[];
  /** Policies that span the normalised score; left out when either did not play. */
  readonly low: string;
  readonly high: string;
  /** Policy from which on far-sightedness is counted in metric `j`; left out when it did not play. */
  readonly greedy: string;
  /** Metrics that an improvement may not pay for. */
  readonly guarded: readonly GuardedMetric[];
  /** Parts of the mean reward with their weights in it, in order; they are drawn stacked. */
  readonly parts: readonly { readonly metric: string; readonly label: string; readonly weight: number }[];
  readonly courses: readonly CourseSpec[];
  /** Metrics of alerts that are drawn against each other. */
  readonly alerts: { readonly sensitivity: string; readonly ppv: string };
  /** Progress of training runs; empty = none was handed in. */
  readonly training: readonly TrainingSeries[];
  /** Conditions that cannot act in a group, with the reason. */
  readonly withoutEffect: readonly {
    readonly group: string;
    readonly policy: string;
    readonly condition: Condition;
    readonly reason: string;
  }[];
  /** Sections that the caller made itself, put at the end. */
  readonly further: Pick<Report, "tables" | "figures">;
}

/** Every estimate of a report as data. */
export interface EvaluationSummary {
  readonly estimates: readonly {
    readonly group: string;
    readonly policy: string;
    readonly metric: string;
    readonly estimate: Estimate;
  }[];
  readonly comparisons: readonly {
    readonly group: string;
    readonly policy: string;
    readonly against: string;
    readonly difference: Estimate;
    readonly pValue: number;
    /** Adjusted over the groups (Holm 1979). */
    readonly adjusted: number;
  }[];
  readonly verdicts: readonly Verdict[];
}

/** Rows of a group and a policy without a condition. */
export type RowsOf = (group: string, policy: string) => readonly ResultRow[];
