import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type EvaluationInput, makeEvaluationReport, type ResultRow, renderHtml, renderMarkdown } from "@praxis/eval";
import { EVALUATION_METRICS, type EvaluationRow, NOTICE, SUBGROUPS } from "@praxis/polyguard";
import type { EvaluationRun, EvaluationSettings } from "./run-evaluation.ts";

/** Texts of a report, the same for the same results. */
export interface WrittenReport {
  readonly markdown: string;
  readonly html: string;
  /** Document with settings, estimates, comparisons and failures. */
  readonly json: string;
  readonly figures: readonly { readonly name: string; readonly svg: string; readonly data: string }[];
}

function resultRow(row: EvaluationRow): ResultRow {
  return {
    unit: row.scenarioId,
    group: row.subEnvironment,
    policy: row.policy,
    condition: row.perturbation,
    subgroups: row.subgroups,
    metrics: row.metrics,
    decisions: row.decisions,
  };
}

/** Rows of a run as reports take them. */
export function resultRows(run: EvaluationRun): ResultRow[] {
  return run.results.flatMap((result) => result.rows.map(resultRow));
}

/** What a report of a run is made from. */
export function evaluationInput(settings: EvaluationSettings, run: EvaluationRun, title: string): EvaluationInput {
  const rows = resultRows(run);
  const failures = run.results.flatMap((result) => result.failures);
  return {
    title,
    notice: NOTICE,
    facts: [
      `Split ${settings.split}, difficulty ${settings.difficulty}, ${settings.n} scenarios of each task wanted.`,
      `${rows.length} episodes scored; ${failures.length} failed by fault of the software and are left out.`,
      `Code ${run.version}.`,
    ],
    rows,
    metrics: EVALUATION_METRICS,
    score: "task_score",
    policies: settings.policies,
    groups: settings.subEnvironments.filter((sub) => rows.some((row) => row.group === sub)),
    subgroups: SUBGROUPS,
    low: "random_legal",
    high: "oracle_lookahead",
    greedy: "oracle_greedy",
  };
}

/** Makes the report of a run in all its forms. */
export function composeReport(settings: EvaluationSettings, run: EvaluationRun): WrittenReport {
  const failures = run.results.flatMap((result) => result.failures);
  const { report, summary } = makeEvaluationReport(evaluationInput(settings, run, "PolyGuard evaluation"));
  return {
    markdown: renderMarkdown(report),
    html: renderHtml(report),
    json: `${JSON.stringify({ notice: NOTICE, settings, code: run.version, ...summary, failures }, null, 1)}\n`,
    figures: report.figures.map(({ name, svg, data }) => ({ name, svg, data: `${JSON.stringify(data, null, 1)}\n` })),
  };
}

/** Writes `report.md`, `report.html`, `report.json` and `figures/` into a folder; what is there of an earlier report is replaced. */
export function writeReport(folder: string, { markdown, html, json, figures }: WrittenReport): void {
  mkdirSync(join(folder, "figures"), { recursive: true });
  writeFileSync(join(folder, "report.md"), markdown);
  writeFileSync(join(folder, "report.html"), html);
  writeFileSync(join(folder, "report.json"), json);
  for (const { name, svg, data } of figures) {
    writeFileSync(join(folder, "figures", `${name}.svg`), svg);
    writeFileSync(join(folder, "figures", `${name}.json`), data);
  }
}
