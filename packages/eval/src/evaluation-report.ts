import { reliabilityBins, selectiveRisk } from "./calibration.ts";
import { comparePaired, differenceOfMeans, holm, shareBetween } from "./comparison.ts";
import type { Report, ReportTable } from "./report.ts";
import { calibrationOf, estimateMetric, type MetricSpec, type ResultRow, unitValues } from "./rows.ts";
import type { Estimate } from "./statistics.ts";
import { type Figure, type IntervalPoint, plotCurves, plotIntervals } from "./svg.ts";

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
}

/** A gap between a subgroup and everybody else that a report points at. */
const GAP = 0.05;

const show = ({ mean, low, high }: Estimate): string => `${number(mean)} [${number(low)}, ${number(high)}]`;
const number = (value: number): string => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(3));

/** Report and data of an evaluation. Conditions other than null are told apart in a table of their own. */
export function makeEvaluationReport(input: EvaluationInput): {
  readonly report: Report;
  readonly summary: EvaluationSummary;
} {
  const rows = [...input.rows].sort((a, b) => order(a, b));
  const plain = rows.filter(({ condition }) => condition === null);
  const of = (group: string, policy: string): ResultRow[] =>
    plain.filter((row) => row.group === group && row.policy === policy);
  const estimates: EvaluationSummary["estimates"][number][] = [];
  for (const group of input.groups)
    for (const policy of input.policies)
      for (const spec of input.metrics) {
        const estimate = estimateMetric(of(group, policy), spec);
        if (estimate !== null) estimates.push({ group, policy, metric: spec.name, estimate });
      }
  const comparisons = compareAll(input, of);
  const summary = { estimates, comparisons };
  const report = {
    title: input.title,
    notice: input.notice,
    facts: input.facts,
    tables: [
      mainTable(input, estimates),
      normalisedTable(input, of),
      comparisonTable(comparisons),
      ...input.groups.map((group) => groupTable(input, group, estimates)),
      calibrationTable(input, of),
      subgroupTable(input, of),
      conditionTable(input, rows),
    ].filter((table) => table.rows.length > 0),
    figures: figuresOf(input, { estimates, comparisons, plain, rows }),
  };
  return { report, summary };
}

function order(a: ResultRow, b: ResultRow): number {
  return a.unit < b.unit ? -1 : a.unit > b.unit ? 1 : a.policy < b.policy ? -1 : a.policy > b.policy ? 1 : 0;
}

type Of = (group: string, policy: string) => readonly ResultRow[];

/** Values of two policies on the units that both played. */
function paired(a: readonly ResultRow[], b: readonly ResultRow[], metric: string): [number[], number[]] {
  const left = unitValues(a, metric);
  const right = unitValues(b, metric);
  const units = [...left.keys()].filter((unit) => right.has(unit));
  return [units.map((unit) => left.get(unit)!), units.map((unit) => right.get(unit)!)];
}

function compareAll({ policies, groups, score }: EvaluationInput, of: Of): EvaluationSummary["comparisons"] {
  const [first, ...others] = policies;
  return others.flatMap((policy) => {
    const made = groups.flatMap((group) => {
      const [a, b] = paired(of(group, first!), of(group, policy), score);
      return a.length === 0 ? [] : [{ group, policy: first!, against: policy, ...comparePaired(a, b) }];
    });
    const adjusted = holm(made.map(({ pValue }) => pValue));
    return made.map((each, i) => ({ ...each, adjusted: adjusted[i]! }));
  });
}

function mainTable(
  { groups, policies, score }: EvaluationInput,
  estimates: EvaluationSummary["estimates"],
): ReportTable {
  const shown = [score, "success", "mean_step_reward", "legality", "severe_harm", "exploit"];
  return {
    title: "Results by task",
    note: "Mean or share with its 95 % interval; units are scenarios.",
    columns: ["task", "policy", "n", ...shown.map((name) => name.replaceAll("_", " "))],
    rows: groups.flatMap((group) =>
      policies.flatMap((policy) => {
        const own = estimates.filter((each) => each.group === group && each.policy === policy);
        const find = (name: string): Estimate | undefined => own.find(({ metric }) => metric === name)?.estimate;
        if (own.length === 0) return [];
        const n = String(Math.max(...own.map(({ estimate }) => estimate.n)));
        return [[group, policy, n, ...shown.map((name) => (find(name) === undefined ? "-" : show(find(name)!)))]];
      }),
    ),
  };
}

/** Score between the low and the high policy, and share of the far-sighted gain in J. */
function normalisedTable(input: EvaluationInput, of: Of): ReportTable {
  const share = (group: string, policy: string, metric: string, from: string): string => {
    const values = [policy, from, input.high].map((name) => unitValues(of(group, name), metric));
    const units = [...values[0]!.keys()].filter((unit) => values[1]!.has(unit) && values[2]!.has(unit));
    const [a, b, c] = values.map((each) => units.map((unit) => each.get(unit)!));
    const estimate = units.length === 0 ? null : shareBetween(a!, b!, c!);
    return estimate === null ? "-" : `${show(estimate)}, n=${estimate.n}`;
  };
  const rows = input.groups.flatMap((group) =>
    input.policies
      .filter((policy) => of(group, policy).length > 0)
      .map((policy) => [
        group,
        policy,
        share(group, policy, input.score, input.low),
        share(group, policy, "j", input.greedy),
      ]),
  );
  return {
    title: "Normalised score",
    note: `Score from ${input.low} (0) to ${input.high} (1), and the part of the gain in J from ${input.greedy} to ${input.high} that is captured.`,
    columns: ["task", "policy", "normalised score", "far-sighted gain"],
    rows: rows.filter((row) => row[2] !== "-" || row[3] !== "-"),
  };
}

function comparisonTable(comparisons: EvaluationSummary["comparisons"]): ReportTable {
  return {
    title: "Paired comparisons",
    note: "Difference of the task score on the same scenarios, paired bootstrap; p-values adjusted over tasks (Holm).",
    columns: ["task", "policy", "against", "n", "difference", "p", "p adjusted"],
    rows: comparisons.map(({ group, policy, against, difference, pValue, adjusted }) => [
      group,
      policy,
      against,
      String(difference.n),
      show(difference),
      pValue.toFixed(4),
      adjusted.toFixed(4),
    ]),
  };
}

function groupTable(
  { metrics, policies }: EvaluationInput,
  group: string,
  estimates: EvaluationSummary["estimates"],
): ReportTable {
  const own = estimates.filter((each) => each.group === group);
  const rows = metrics.flatMap(({ name, label }) => {
    const values = policies.map((policy) => own.find((each) => each.policy === policy && each.metric === name));
    if (values.every((value) => value === undefined)) return [];
    return [
      [label, ...values.map((value) => (value === undefined ? "-" : `${show(value.estimate)}, n=${value.estimate.n}`))],
    ];
  });
  return { title: group, note: "", columns: ["metric", ...policies], rows };
}

function calibrationTable({ groups, policies }: EvaluationInput, of: Of): ReportTable {
  return {
    title: "Calibration",
    note: "Stated confidence against whether the choice was good; selective risk at 80 % coverage; ECE over 10 bins of equal mass.",
    columns: ["task", "policy", "decisions", "Brier", "ECE", "selective risk"],
    rows: groups.flatMap((group) =>
      policies.flatMap((policy) => {
        const found = calibrationOf(of(group, policy));
        return found === null
          ? []
          : [[group, policy, String(found.n), number(found.brier), number(found.ece), number(found.selectiveRisk80)]];
      }),
    ),
  };
}

function subgroupTable({ groups, policies, subgroups, score }: EvaluationInput, of: Of): ReportTable {
  const spec: MetricSpec = { name: score, label: score, kind: "mean", better: "higher" };
  return {
    title: "Subgroups",
    note: `Task score inside and outside; gaps above ${GAP} are marked.`,
    columns: ["policy", "subgroup", "n", "inside", "outside", "gap"],
    rows: policies.flatMap((policy) => {
      const rows = groups.flatMap((group) => of(group, policy));
      return subgroups.flatMap((name) => {
        const inside = estimateMetric(
          rows.filter((row) => row.subgroups.includes(name)),
          spec,
        );
        const outside = estimateMetric(
          rows.filter((row) => !row.subgroups.includes(name)),
          spec,
        );
        if (inside === null || outside === null) return [];
        const gap = inside.mean - outside.mean;
        const flag = Math.abs(gap) > GAP ? " (above the limit)" : "";
        return [[policy, name, String(inside.n), show(inside), show(outside), `${number(gap)}${flag}`]];
      });
    }),
  };
}

interface ConditionChange {
  readonly group: string;
  readonly policy: string;
  readonly condition: string;
  readonly difference: Estimate;
}

/** Change of the score under each condition, on the same units. */
function conditionChanges({ groups, policies, score }: EvaluationInput, rows: readonly ResultRow[]): ConditionChange[] {
  const conditions = [...new Set(rows.flatMap(({ condition }) => (condition === null ? [] : [condition])))].sort();
  const under = (group: string, policy: string, condition: string | null): ResultRow[] =>
    rows.filter((row) => row.group === group && row.policy === policy && row.condition === condition);
  return groups.flatMap((group) =>
    policies.flatMap((policy) =>
      conditions.flatMap((condition) => {
        const [a, b] = paired(under(group, policy, condition), under(group, policy, null), score);
        return a.length === 0 ? [] : [{ group, policy, condition, difference: comparePaired(a, b).difference }];
      }),
    ),
  );
}

function conditionTable(input: EvaluationInput, rows: readonly ResultRow[]): ReportTable {
  return {
    title: "Perturbations",
    note: "Change of the task score on the same scenarios.",
    columns: ["task", "policy", "perturbation", "n", "change"],
    rows: conditionChanges(input, rows).map(({ group, policy, condition, difference }) => [
      group,
      policy,
      condition,
      String(difference.n),
      show(difference),
    ]),
  };
}

/** Gaps with intervals: units inside and outside are different ones, so both are drawn anew. */
function subgroupGaps({ policies, subgroups, score }: EvaluationInput, plain: readonly ResultRow[]): IntervalPoint[] {
  return policies.flatMap((policy) => {
    const own = plain.filter((row) => row.policy === policy);
    return subgroups.flatMap((name) => {
      const scores = (isInside: boolean): number[] => [
        ...unitValues(
          own.filter((row) => row.subgroups.includes(name) === isInside),
          score,
        ).values(),
      ];
      const [inside, outside] = [scores(true), scores(false)];
      if (inside.length === 0 || outside.length === 0) return [];
      return [{ row: name, series: policy, estimate: differenceOfMeans(inside, outside) }];
    });
  });
}

interface Drawn extends EvaluationSummary {
  readonly plain: readonly ResultRow[];
  readonly rows: readonly ResultRow[];
}

function figuresOf(input: EvaluationInput, { estimates, comparisons, plain, rows }: Drawn): readonly Figure[] {
  const figures: Figure[] = [];
  const dots = (name: string, title: string, metric: string): void => {
    const points = estimates
      .filter((each) => each.metric === metric)
      .map(({ group, policy, estimate }) => ({ row: group, series: policy, estimate }));
    if (points.length > 0) figures.push(plotIntervals(name, title, points, { xLabel: title.toLowerCase() }));
  };
  dots("task-score", "Task score", input.score);
  dots("success", "Success rate", "success");
  dots("mean-step-reward", "Mean step reward", "mean_step_reward");
  const gaps = (name: string, title: string, xLabel: string, points: readonly IntervalPoint[]): void => {
    if (points.length > 0) figures.push(plotIntervals(name, title, points, { xLabel, zero: true }));
  };
  gaps(
    "comparisons",
    `Difference of ${input.policies[0]} to the others`,
    "difference of the task score",
    comparisons.map(({ group, against, difference }) => ({ row: group, series: against, estimate: difference })),
  );
  gaps("subgroups", "Gaps by subgroup", "mean task score inside less that outside", subgroupGaps(input, plain));
  gaps(
    "perturbations",
    "Change by perturbation",
    "change of the task score",
    conditionChanges(input, rows).map(({ group, policy, condition, difference }) => ({
      row: `${group}, ${condition}`,
      series: policy,
      estimate: difference,
    })),
  );
  const decided = input.policies.flatMap((policy) => {
    const decisions = plain.filter((row) => row.policy === policy).flatMap((row) => row.decisions);
    return decisions.length === 0 ? [] : [{ policy, decisions }];
  });
  if (decided.length > 0) {
    figures.push(
      plotCurves(
        "calibration",
        "Accuracy against stated confidence",
        decided.map(({ policy, decisions }) => ({
          series: policy,
          n: decisions.length,
          points: reliabilityBins(decisions).map(({ confidence, accuracy }) => [confidence, accuracy] as const),
        })),
        { xLabel: "confidence", yLabel: "share of good choices", diagonal: true },
      ),
      plotCurves(
        "risk-coverage",
        "Risk against coverage",
        decided.map(({ policy, decisions }) => ({
          series: policy,
          n: decisions.length,
          points: Array.from({ length: 10 }, (_, i) => {
            const coverage = (i + 1) / 10;
            return [coverage, selectiveRisk(decisions, coverage)] as const;
          }),
        })),
        { xLabel: "coverage", yLabel: "share of bad choices" },
      ),
    );
  }
  return figures;
}
