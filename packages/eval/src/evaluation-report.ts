import { comparePaired, holm } from "./comparison.ts";
import { figuresOf } from "./evaluation-figures.ts";
import type { EvaluationInput, EvaluationSummary, RowsOf } from "./evaluation-input.ts";
import {
  calibrationTable,
  comparisonTable,
  conditionTable,
  groupTable,
  mainTable,
  normalisedTable,
  subgroupTable,
  verdictTable,
} from "./evaluation-tables.ts";
import { conditionChanges, groupedBy, orderOfRows, paired } from "./pairing.ts";
import type { Report } from "./report.ts";
import { type Condition, estimateMetric } from "./rows.ts";
import { judgeImprovement } from "./verdict.ts";

/** Report and data of an evaluation. Conditions other than null are told apart in tables of their own. */
export function makeEvaluationReport(input: EvaluationInput): {
  readonly report: Report;
  readonly summary: EvaluationSummary;
} {
  const rows = [...input.rows].sort(orderOfRows);
  const plain = rows.filter(({ condition }) => condition === null);
  const byKey = groupedBy(plain, ({ group, policy }) => `${group}|${policy}`);
  const of: RowsOf = (group, policy) => byKey.get(`${group}|${policy}`) ?? [];
  const estimates: EvaluationSummary["estimates"][number][] = [];
  for (const group of input.groups)
    for (const policy of input.policies)
      for (const spec of input.metrics) {
        const estimate = estimateMetric(of(group, policy), spec);
        if (estimate !== null) estimates.push({ group, policy, metric: spec.name, estimate });
      }
  const summary = { estimates, comparisons: compareAll(input, of), verdicts: judgeAll(input, of) };
  const perturbed = conditionChanges(rows, "perturbation", input);
  const ablated = conditionChanges(rows, "ablation", input);
  const idle = (kind: Condition["kind"]): EvaluationInput["withoutEffect"] =>
    input.withoutEffect.filter(({ condition }) => condition.kind === kind);
  const report = {
    title: input.title,
    notice: input.notice,
    facts: input.facts,
    tables: [
      mainTable(input, estimates),
      normalisedTable(input, of),
      comparisonTable(summary.comparisons),
      verdictTable(summary),
      ...input.groups.map((group) => groupTable(input, group, estimates)),
      calibrationTable(input, of),
      subgroupTable(input, of),
      conditionTable(
        perturbed,
        {
          title: "Perturbations",
          note: "Change of the task score on the same scenarios with a disturbed record.",
          column: "perturbation",
        },
        idle("perturbation"),
      ),
      conditionTable(
        ablated,
        {
          title: "Ablations and modes",
          note: "Change of the task score on the same scenarios when the team plays in another way or without a part.",
          column: "way of playing",
        },
        idle("ablation"),
      ),
      ...input.further.tables,
    ].filter((table) => table.rows.length > 0),
    figures: figuresOf(input, { summary, plain, of, perturbed, ablated }),
  };
  return { report, summary };
}

function compareAll({ policies, groups, score }: EvaluationInput, of: RowsOf): EvaluationSummary["comparisons"] {
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

/** Task of a verdict over all groups together. */
const ALL_GROUPS = "all tasks";

/** The first policy against each other one: over all groups, then in each of several. */
function judgeAll(input: EvaluationInput, of: RowsOf): EvaluationSummary["verdicts"] {
  const [policy, ...others] = input.policies;
  return others.flatMap((against) => {
    const judge = (group: string, groups: readonly string[]): EvaluationSummary["verdicts"] => {
      const rows = (name: string) => groups.flatMap((each) => of(each, name));
      const verdict = judgeImprovement(
        { policy: policy!, against, group },
        { policy: rows(policy!), against: rows(against) },
        input,
      );
      return verdict === null ? [] : [verdict];
    };
    return [
      ...judge(ALL_GROUPS, input.groups),
      ...(input.groups.length < 2 ? [] : input.groups.flatMap((group) => judge(group, [group]))),
    ];
  });
}
