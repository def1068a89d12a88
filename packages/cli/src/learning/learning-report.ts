import { join } from "node:path";
import {
  bootstrap,
  type Curve,
  calibrationOf,
  type Estimate,
  type Figure,
  makeEvaluationReport,
  pairedBootstrap,
  plotCurves,
  type Report,
  type ReportTable,
  type ResultRow,
  renderHtml,
  renderMarkdown,
  showEstimate,
} from "@praxis/eval";
import { NOTICE } from "@praxis/polyguard";
import { readMetrics } from "@praxis/train";
import { evaluationInput, resultRows, type WrittenReport } from "../evaluation/write-report.ts";
import type { PipelineOutcome } from "./pipeline.ts";

/** Whether one line got better from SFT to GRPO, and why not where it did not. */
export interface ImprovementLine {
  readonly subEnvironment: string;
  readonly before: number;
  readonly after: number;
  readonly difference: Estimate;
  readonly improved: boolean;
  readonly why: string;
}

/** The most that legality, severe harm or timeouts may get worse, as a bound of the interval (evaluation's rule of improvement). */
const WORSENING = 0.02;
/** Episodes shown of those that got better and of those that got worse. */
const EXAMPLES = 5;

/** The report of a pipeline in all its forms: honesty checks first, then the evaluation's own tables and figures. */
export function composeLearningReport(
  outcome: PipelineOutcome,
): WrittenReport & { readonly lines: readonly ImprovementLine[] } {
  const { evaluation, evaluationSettings, settings, checks } = outcome;
  const rows = resultRows(evaluationSettings, evaluation);
  const { report, summary } = makeEvaluationReport(evaluationInput(evaluationSettings, evaluation, "PolyGuard learns"));
  const last = outcome.grpoRun === null ? "sft" : "grpo";
  const first = outcome.sftRun === null || last === "sft" ? "base" : "sft";
  const lines = improvement(rows, { before: first, after: last, groups: evaluationSettings.subEnvironments });
  const tables = [
    improvementTable(lines, first, last),
    checkTable(outcome),
    honestyTable(rows, evaluationSettings.policies),
    examplesTable(rows, first, last),
    disturbedTable(outcome, last),
    ...report.tables,
  ].filter((table) => table.rows.length > 0);
  const whole: Report = {
    ...report,
    notice: NOTICE,
    facts: [
      `Seed ${settings.seed}, ablation ${settings.ablation}: ${settings.experts} expert scenarios, ${settings.epochs} epochs of SFT, at most ${settings.iterations} iterations of GRPO with ${settings.groups} groups of ${settings.groupSize}.`,
      `Weights kept: ${(["sft", "grpo"] as const).map((stage) => `${stage} ${checks[stage]?.iteration ?? "none"}`).join(", ")}.`,
      "Headline is the task score on held-out scenarios, never the training reward.",
      ...report.facts,
    ],
    tables,
    figures: [...curves(outcome), ...report.figures],
  };
  return {
    lines,
    markdown: renderMarkdown(whole),
    html: renderHtml(whole),
    json: `${JSON.stringify({ notice: NOTICE, settings, checks, improvement: lines, code: evaluation.version, ...summary }, null, 1)}\n`,
    figures: whole.figures.map(({ name, svg, data }) => ({ name, svg, data: `${JSON.stringify(data, null, 1)}\n` })),
  };
}

type Metric = (row: ResultRow) => number | undefined;
const metric =
  (name: string): Metric =>
  ({ metrics }) =>
    metrics[name];

/** Differences of a metric on the scenarios that both policies played. */
function differences(
  rows: readonly ResultRow[],
  group: string | null,
  { before, after }: { readonly before: string; readonly after: string },
  value: Metric,
): readonly (readonly [before: number, after: number])[] {
  const of = (policy: string): Map<string, number> =>
    new Map(
      rows.flatMap((row) => {
        const found = value(row);
        const isIn = row.policy === policy && row.condition === null && (group === null || row.group === group);
        return isIn && found !== undefined ? [[row.unit, found] as const] : [];
      }),
    );
  const [a, b] = [of(before), of(after)];
  return [...a].flatMap(([unit, x]) => (b.has(unit) ? [[x, b.get(unit)!] as const] : []));
}

/** Each sub-environment, then all of them: task score before and after, by paired bootstrap. */
function improvement(
  rows: readonly ResultRow[],
  about: { readonly before: string; readonly after: string; readonly groups: readonly string[] },
): readonly ImprovementLine[] {
  return [...about.groups, null].flatMap((group): ImprovementLine[] => {
    const pairs = differences(rows, group, about, metric("task_score"));
    if (pairs.length === 0) return [];
    const difference = pairedBootstrap(
      pairs.map(([, after]) => after),
      pairs.map(([before]) => before),
    );
    const worse = (["legality", "severe_harm", "timeout"] as const).filter((name) => {
      const change = differences(rows, group, about, metric(name));
      if (change.length === 0) return false;
      const sign = name === "legality" ? -1 : 1;
      return bootstrap(change.map(([x, y]) => sign * (y - x))).high >= WORSENING && change.some(([x, y]) => x !== y);
    });
    const why = [
      ...(difference.mean <= 0 ? ["the score did not rise"] : difference.low <= 0 ? ["the interval holds 0"] : []),
      ...worse.map((name) => `${name.replaceAll("_", " ")} may have got worse`),
    ];
    return [
      {
        subEnvironment: group ?? "all",
        before: pairs.reduce((sum, [x]) => sum + x, 0) / pairs.length,
        after: pairs.reduce((sum, [, y]) => sum + y, 0) / pairs.length,
        ...{ difference, improved: why.length === 0, why: why.join("; ") },
      },
    ];
  });
}

function improvementTable(lines: readonly ImprovementLine[], before: string, after: string): ReportTable {
  return {
    title: `Task score, ${before} to ${after}`,
    note: "Paired on the same scenarios. Improved: the score rises with its interval above 0, and legality, severe harm and timeouts do not get worse.",
    columns: ["sub-environment", before, after, "difference (95 % interval)", "n", "improved", "why not"],
    rows: lines.map((line) => [
      ...[line.subEnvironment, line.before.toFixed(3), line.after.toFixed(3), showEstimate(line.difference)],
      ...[String(line.difference.n), `improved: ${line.improved}`, line.why],
    ]),
  };
}

function checkTable({ checks }: PipelineOutcome): ReportTable {
  return {
    title: "Checks after saving",
    note: "On validation episodes: the policy as read back from disk, the share of legal actions and of actions understood as written.",
    columns: ["policy", "iteration kept", "reload agrees", "legal", "format", "episodes", "decisions"],
    rows: Object.entries(checks).map(([name, check]) => [
      ...[name, String(check.iteration), String(check.reloadAgrees), check.legality.toFixed(4)],
      ...[check.format.toFixed(4), String(check.episodes), String(check.decisions)],
    ]),
  };
}

/** Reward by component and what could be gamed, policy by policy. */
function honestyTable(rows: readonly ResultRow[], policies: readonly string[]): ReportTable {
  const names = [
    ...["task_score", "success", "training_return", "steps", "legality", "severe_harm", "exploit", "timeout"],
    ...["abstention_precision", "abstention_recall"],
  ];
  const scored = [...new Set(rows.flatMap((row) => Object.keys(row.metrics)))].filter(
    (name) => name.endsWith("_score") && name !== "task_score",
  );
  const line = (name: string): readonly string[] => [
    name.replaceAll("_", " "),
    ...policies.map((policy) => {
      const values = rows.flatMap((row) => {
        const value = row.policy === policy && row.condition === null ? row.metrics[name] : undefined;
        return value === undefined ? [] : [value];
      });
      return values.length === 0 ? "-" : showEstimate(bootstrap(values));
    }),
  ];
  const calibration = policies.map((policy) => {
    const found = calibrationOf(rows.filter((row) => row.policy === policy && row.condition === null));
    return found === null ? "-" : found.ece.toFixed(3);
  });
  return {
    title: "Honesty: what the return is made of",
    note: "Means over all sub-environments. A component that rises while the task score does not would be gamed.",
    columns: ["", ...policies],
    rows: [...[...names, ...scored.sort()].map(line), ["expected calibration error", ...calibration]],
  };
}

/** Episodes whose score changed most, with what plays them again. */
function examplesTable(rows: readonly ResultRow[], before: string, after: string): ReportTable {
  const units = [...new Set(rows.map(({ unit }) => unit))];
  const scoreOf = (unit: string, policy: string): number | undefined =>
    rows.find((row) => row.unit === unit && row.policy === policy && row.condition === null)?.metrics.task_score;
  const changes = units
    .flatMap((unit) => {
      const [x, y] = [scoreOf(unit, before), scoreOf(unit, after)];
      return x === undefined || y === undefined || x === y ? [] : [{ unit, x, y }];
    })
    .sort((a, b) => b.y - b.x - (a.y - a.x) || (a.unit < b.unit ? -1 : 1));
  const better = changes.filter(({ x, y }) => y > x).slice(0, EXAMPLES);
  const worse = changes
    .filter(({ x, y }) => y < x)
    .slice(-EXAMPLES)
    .reverse();
  return {
    title: `Episodes that ${after} plays better than ${before}, and worse`,
    note: "Task scores of single scenarios, most changed first.",
    columns: ["scenario", before, after, ""],
    rows: [
      ...better.map(({ unit, x, y }) => [unit, x.toFixed(3), y.toFixed(3), "better"]),
      ...worse.map(({ unit, x, y }) => [unit, x.toFixed(3), y.toFixed(3), "worse"]),
    ],
  };
}

/** Name of a view without disturbance. */
const NONE = "none";

function disturbedTable({ disturbed }: PipelineOutcome, policy: string): ReportTable {
  const rows =
    disturbed === null ? [] : resultRows(disturbed.settings, disturbed.run).filter((row) => row.policy === policy);
  const conditions = [...new Set(rows.map(({ condition }) => condition?.name ?? NONE))];
  const scores = (name: string): number[] =>
    rows.flatMap((row) =>
      (row.condition?.name ?? NONE) === name && row.metrics.task_score !== undefined ? [row.metrics.task_score] : [],
    );
  return {
    title: `Disturbed view, ${policy}`,
    note: "Task score over all sub-environments; the first line is the view as it is.",
    columns: ["disturbance", "task score (95 % interval)", "n"],
    rows: conditions.flatMap((name) => {
      const values = scores(name);
      return values.length === 0 ? [] : [[name, showEstimate(bootstrap(values)), String(values.length)]];
    }),
  };
}

function curves({ sftRun, grpoRun }: PipelineOutcome): Figure[] {
  const points = (run: string, name: string): Curve["points"][number][] =>
    readMetrics(run).flatMap((row) => (row[name] === undefined ? [] : [{ x: row.iteration ?? 0, y: row[name] }]));
  const figures: Figure[] = [];
  const add = (run: string | null, name: string, title: string, own: readonly [string, string][], yLabel: string) => {
    if (run === null) return;
    const drawn = own
      .map(([series, key]) => ({ series, points: points(join(run), key) }))
      .filter((curve) => curve.points.length > 0)
      .map((curve) => ({ ...curve, n: curve.points.length }));
    if (drawn.length > 0) figures.push(plotCurves(name, title, drawn, { xLabel: "iteration", yLabel }));
  };
  add(sftRun, "sft-loss", "SFT: cross entropy", [["cross entropy", "losses/cross_entropy"]], "nats");
  add(
    grpoRun,
    "grpo-return",
    "GRPO: what completions and validation episodes came to",
    [
      ["completions", "charts/completion_return"],
      ["validation", "evaluation/mean_return"],
    ],
    "return",
  );
  add(grpoRun, "grpo-kl", "GRPO: KL to the SFT policy", [["KL", "losses/reference_kl"]], "nats");
  return figures;
}
