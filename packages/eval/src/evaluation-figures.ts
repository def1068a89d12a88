import { comparePaired, differenceOfMeans } from "./comparison.ts";
import { reliabilityCurve, riskCoverageCurve } from "./decision-curves.ts";
import type { EvaluationInput, EvaluationSummary, RowsOf } from "./evaluation-input.ts";
import { shareOfWay } from "./evaluation-tables.ts";
import { meanCurves } from "./mean-curves.ts";
import { type ConditionChange, paired } from "./pairing.ts";
import { estimateMetric, type ResultRow, unitValues } from "./rows.ts";
import type { Figure } from "./svg.ts";
import { type Curve, plotCurves } from "./svg-curves.ts";
import { type IntervalPoint, plotIntervals } from "./svg-intervals.ts";
import { plotScatter, type ScatterPoint } from "./svg-scatter.ts";
import { plotStacks, type Stack } from "./svg-stacks.ts";
import { trainingFigures } from "./training-figures.ts";

/** What figures are drawn from. */
export interface Drawn {
  readonly summary: EvaluationSummary;
  /** Rows without a condition. */
  readonly plain: readonly ResultRow[];
  readonly of: RowsOf;
  readonly perturbed: readonly ConditionChange[];
  readonly ablated: readonly ConditionChange[];
}

/** All figures of a report that its rows allow; one without anything to show is left out. */
export function figuresOf(input: EvaluationInput, drawn: Drawn): readonly Figure[] {
  const { summary, plain } = drawn;
  const dots = (
    name: string,
    title: string,
    xLabel: string,
    points: readonly IntervalPoint[],
    areBars = false,
  ): readonly Figure[] =>
    points.length === 0 ? [] : [plotIntervals(name, title, points, { xLabel, zero: !areBars, areBars })];
  const metric = (name: string): readonly IntervalPoint[] =>
    summary.estimates
      .filter((each) => each.metric === name)
      .map(({ group, policy, estimate }) => ({ row: group, series: policy, estimate }));
  const changes = (all: readonly ConditionChange[]): readonly IntervalPoint[] =>
    all
      .filter(({ isWithoutEffect }) => !isWithoutEffect)
      .map(({ group, policy, condition, difference }) => ({
        row: `${group}, ${condition}`,
        series: policy,
        estimate: difference,
      }));
  return [
    ...dots("success", "Success by task and policy", "share of scenarios solved", metric("success"), true),
    ...dots("task-score", "Task score by task and policy", "task score, 0-1", metric(input.score), true),
    ...dots(
      "normalised-score",
      "Normalised score by task and policy",
      `score, ${input.low} = 0, ${input.high} = 1`,
      normalised(input, drawn.of),
      true,
    ),
    ...dots("mean-step-reward", "Mean step reward", "mean reward of a step, 0-1", metric("mean_step_reward"), true),
    ...input.courses.flatMap((spec) => courseFigures(input, drawn.of, spec)),
    ...dots(
      "far-sight",
      `J less that of ${input.greedy} by tier`,
      `J less J of ${input.greedy}, utility`,
      farSight(input, plain),
    ),
    ...stackFigure(input, plain),
    ...trainingFigures(input.training),
    ...curveFigure(
      input.policies.flatMap((policy) => reliabilityCurve(policy, rowsOf(plain, policy)) ?? []),
      (curves) =>
        plotCurves("calibration", "Accuracy against stated confidence", curves, {
          xLabel: "stated confidence, 0-1",
          yLabel: "share of good choices",
          diagonal: true,
        }),
    ),
    ...curveFigure(
      input.policies.flatMap((policy) => riskCoverageCurve(policy, rowsOf(plain, policy)) ?? []),
      (curves) =>
        plotCurves("risk-coverage", "Risk against coverage", curves, {
          xLabel: "coverage, share of decisions, the most confident first",
          yLabel: "risk, share of bad choices",
        }),
    ),
    ...alertFigure(input, drawn.of),
    ...dots(
      "comparisons",
      `Difference of ${input.policies[0]} to the others`,
      "difference of the task score",
      summary.comparisons.map(({ group, against, difference }) => ({
        row: group,
        series: against,
        estimate: difference,
      })),
    ),
    ...dots("subgroups", "Gaps by subgroup", "mean task score inside less that outside", subgroupGaps(input, plain)),
    ...dots("perturbations", "Score change by perturbation", "change of the task score", changes(drawn.perturbed)),
    ...dots("ablations", "Score change by ablation", "change of the task score", changes(drawn.ablated)),
    ...input.further.figures,
  ];
}

const rowsOf = (plain: readonly ResultRow[], policy: string): readonly ResultRow[] =>
  plain.filter((row) => row.policy === policy);

function curveFigure(curves: readonly Curve[], plot: (curves: readonly Curve[]) => Figure): readonly Figure[] {
  return curves.length === 0 ? [] : [plot(curves)];
}

function normalised(input: EvaluationInput, of: RowsOf): readonly IntervalPoint[] {
  return input.groups.flatMap((group) =>
    input.policies.flatMap((policy) => {
      const estimate = shareOfWay(input, of, { group, policy, metric: input.score, from: input.low });
      return estimate === null ? [] : [{ row: group, series: policy, estimate }];
    }),
  );
}

/** Mean courses of a value, a figure for each group that has it. */
function courseFigures({ groups, policies }: EvaluationInput, of: RowsOf, spec: CourseOf): readonly Figure[] {
  return groups.flatMap((group) => {
    const curves = meanCurves(
      policies.flatMap((policy) => of(group, policy)),
      policies,
      spec,
    );
    const { xLabel, yLabel, isFromZero, band } = spec;
    const options = { xLabel, yLabel, isFromZero, ...(band === undefined ? {} : { band }) };
    return curveFigure(curves, (each) =>
      plotCurves(fileName(`${spec.name}-${group}`), `${spec.title}: ${group}`, each, options),
    );
  });
}

type CourseOf = EvaluationInput["courses"][number];

const fileName = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

/** J of each policy less that of the greedy one on the same units, by tier. */
function farSight({ policies, greedy }: EvaluationInput, plain: readonly ResultRow[]): readonly IntervalPoint[] {
  const tiers = [...new Set(plain.map(({ tier }) => tier))];
  return tiers.flatMap((tier) =>
    policies
      .filter((policy) => policy !== greedy)
      .flatMap((policy) => {
        const own = (name: string): readonly ResultRow[] =>
          plain.filter((row) => row.policy === name && row.tier === tier);
        const [a, b] = paired(own(policy), own(greedy), "j");
        return a.length === 0 ? [] : [{ row: tier, series: policy, estimate: comparePaired(a, b).difference }];
      }),
  );
}

/** What the mean reward of a step is made of, before gates. */
function stackFigure({ policies, parts }: EvaluationInput, plain: readonly ResultRow[]): readonly Figure[] {
  const rows = policies.flatMap((policy): readonly Stack[] => {
    const own = rowsOf(plain, policy);
    const estimates = parts.map(({ metric }) => estimateMetric(own, { name: metric, kind: "mean" }));
    if (estimates.length === 0 || estimates.some((each) => each === null)) return [];
    return [
      {
        row: policy,
        n: estimates[0]!.n,
        parts: estimates.map((each, i) => {
          const { weight } = parts[i]!;
          return { value: each!.mean * weight, low: each!.low * weight, high: each!.high * weight };
        }),
      },
    ];
  });
  if (rows.length === 0) return [];
  return [
    plotStacks("components", "Components of the step reward per policy", {
      rows,
      parts: parts.map(({ label }) => label),
      xLabel: "mean step reward before gates (0-1)",
    }),
  ];
}

/** How many of the acted-on alerts are true against how many of the true ones were acted on. */
function alertFigure({ groups, policies, alerts }: EvaluationInput, of: RowsOf): readonly Figure[] {
  const n: Record<string, number> = {};
  const points = policies.flatMap((policy) =>
    groups.flatMap((group): readonly ScatterPoint[] => {
      const x = estimateMetric(of(group, policy), { name: alerts.sensitivity, kind: "mean" });
      const y = estimateMetric(of(group, policy), { name: alerts.ppv, kind: "mean" });
      if (x === null || y === null) return [];
      n[policy] = (n[policy] ?? 0) + x.n;
      return [{ series: policy, label: `${policy}, ${group}, n=${x.n} and ${y.n}`, x, y }];
    }),
  );
  if (points.length === 0) return [];
  return [
    plotScatter("alerts", "Alerts: positive predictive value against sensitivity", points, {
      xLabel: "sensitivity, share of true serious alerts acted on",
      yLabel: "share of acted-on alerts that are true",
      n,
    }),
  ];
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
