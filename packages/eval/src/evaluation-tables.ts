import { shareBetween } from "./comparison.ts";
import type { EvaluationInput, EvaluationSummary, RowsOf } from "./evaluation-input.ts";
import type { ConditionChange } from "./pairing.ts";
import type { ReportTable } from "./report.ts";
import { calibrationOf, estimateMetric, type MetricSpec, unitValues } from "./rows.ts";
import type { Estimate } from "./statistics.ts";
import { MOST_WORSENING } from "./verdict.ts";

/** A gap between a subgroup and everybody else that a report points at. */
const GAP = 0.05;

const show = ({ mean, low, high }: Estimate): string => `${number(mean)} [${number(low)}, ${number(high)}]`;
const number = (value: number): string => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(3));

/** Scores, safety and cheating by group and policy. */
export function mainTable(
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

/** Share of the way from one policy to another, by group; null where it cannot be told. */
export function shareOfWay(
  input: Pick<EvaluationInput, "high">,
  of: RowsOf,
  {
    group,
    policy,
    metric,
    from,
  }: { readonly group: string; readonly policy: string; readonly metric: string; readonly from: string },
): Estimate | null {
  const values = [policy, from, input.high].map((name) => unitValues(of(group, name), metric));
  const units = [...values[0]!.keys()].filter((unit) => values[1]!.has(unit) && values[2]!.has(unit));
  const [a, b, c] = values.map((each) => units.map((unit) => each.get(unit)!));
  return units.length === 0 ? null : shareBetween(a!, b!, c!);
}

/** Score between the low and the high policy, and share of the far-sighted gain in J. */
export function normalisedTable(input: EvaluationInput, of: RowsOf): ReportTable {
  const share = (group: string, policy: string, metric: string, from: string): string => {
    const estimate = shareOfWay(input, of, { group, policy, metric, from });
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

/** Differences of the first policy to the others. */
export function comparisonTable(comparisons: EvaluationSummary["comparisons"]): ReportTable {
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

/** Whether the first policy is an improvement over each other one. */
export function verdictTable({ verdicts }: EvaluationSummary): ReportTable {
  return {
    title: "Improvement",
    note: `An improvement has a gain in the task score with its interval above 0, and legality, severe harm, process fidelity and timeouts whose worsening is below ${MOST_WORSENING} at the upper bound.`,
    columns: ["task", "policy", "against", "n", "gain in task score", "worsening, upper bound", "verdict"],
    rows: verdicts.map(({ group, policy, against, gain, worsening, isImprovement, reasons }) => [
      group,
      policy,
      against,
      String(gain.n),
      show(gain),
      worsening.map(({ label, estimate }) => `${label} ${number(estimate.high)}`).join(", "),
      isImprovement ? "improvement" : `not shown: ${reasons.join("; ")}`,
    ]),
  };
}

/** Every metric of a group by policy. */
export function groupTable(
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

/** Calibration by group and policy. */
export function calibrationTable({ groups, policies }: EvaluationInput, of: RowsOf): ReportTable {
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

/** Scores inside and outside of each subgroup. */
export function subgroupTable({ groups, policies, subgroups, score }: EvaluationInput, of: RowsOf): ReportTable {
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

/** Changes of the score under the conditions of a kind; what cannot act somewhere is said. */
export function conditionTable(
  changes: readonly ConditionChange[],
  texts: { readonly title: string; readonly note: string; readonly column: string },
  withoutEffect: EvaluationInput["withoutEffect"],
): ReportTable {
  return {
    title: texts.title,
    note: texts.note,
    columns: ["task", "policy", texts.column, "n", "change"],
    rows: [
      ...changes.map(({ group, policy, condition, difference, isWithoutEffect }) => [
        group,
        policy,
        condition,
        String(difference.n),
        isWithoutEffect ? "none: every episode was played alike" : show(difference),
      ]),
      ...withoutEffect.map(({ group, policy, condition, reason }) => [
        group,
        policy,
        condition.name,
        "-",
        `does not apply: ${reason}`,
      ]),
    ],
  };
}
