import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type EvaluationInput,
  makeEvaluationReport,
  type ResultRow,
  renderHtml,
  renderMarkdown,
  type TrainingSeries,
} from "@praxis/eval";
import {
  CHANNELS,
  DEFAULT_WEIGHTS,
  EVALUATION_COURSES,
  EVALUATION_METRICS,
  type EvaluationRow,
  NOTICE,
  perturbationIsIdle,
  SUBGROUPS,
  variantIsIdle,
} from "@praxis/polyguard";
import { engineReport } from "./engine-report.ts";
import { type EvaluationRun, type EvaluationSettings, TEAM } from "./run-evaluation.ts";

/** Texts of a report, the same for the same results. */
export interface WrittenReport {
  readonly markdown: string;
  readonly html: string;
  /** Document with settings, estimates, comparisons and failures. */
  readonly json: string;
  readonly figures: readonly { readonly name: string; readonly svg: string; readonly data: string }[];
}

/** Name of a group of scenarios: the sub-environment, and split and tier where a run has several. */
function groupOf(
  { subEnvironment, split, difficulty }: Pick<EvaluationRow, "subEnvironment" | "split" | "difficulty">,
  { splits, difficulties }: EvaluationSettings,
): string {
  const more = [...(splits.length > 1 ? [split] : []), ...(difficulties.length > 1 ? [difficulty] : [])];
  return [subEnvironment, ...more].join(", ");
}

function resultRow(row: EvaluationRow, settings: EvaluationSettings): ResultRow {
  return {
    unit: row.scenarioId,
    group: groupOf(row, settings),
    policy: row.policy,
    tier: row.difficulty,
    condition: conditionOf(row),
    subgroups: row.subgroups,
    metrics: row.metrics,
    decisions: row.decisions,
    courses: row.courses,
  };
}

function conditionOf({ perturbation, variant }: EvaluationRow): ResultRow["condition"] {
  if (perturbation !== null) return { kind: "perturbation", name: perturbation };
  return variant === null ? null : { kind: "ablation", name: variant };
}

/** What an improvement may not pay for. */
const GUARDED = [
  { name: "legality", label: "legality", better: "higher" },
  { name: "severe_harm", label: "severe harm", better: "lower" },
  { name: "process_fidelity_score", label: "process fidelity", better: "higher" },
  { name: "timeout", label: "timeouts", better: "lower" },
] as const;

/** Components of the reward with their weight in the whole. */
const PARTS = CHANNELS.flatMap((channel) =>
  Object.entries(DEFAULT_WEIGHTS.channels[channel]).map(([metric, weight]) => ({
    metric,
    label: metric.replace(/_score$/, "").replaceAll("_", " "),
    weight: weight * DEFAULT_WEIGHTS.total[channel],
  })),
);

/** Rows of a run as reports take them. */
export function resultRows(settings: EvaluationSettings, run: EvaluationRun): ResultRow[] {
  return run.results.flatMap((result) => result.rows.map((row) => resultRow(row, settings)));
}

/** What a report of a run is made from. @param training progress of training runs to be shown with it */
export function evaluationInput(
  settings: EvaluationSettings,
  run: EvaluationRun,
  title: string,
  training: readonly TrainingSeries[] = [],
): EvaluationInput {
  const rows = resultRows(settings, run);
  const failures = run.results.flatMap((result) => result.failures);
  const { splits, difficulties, subEnvironments, variants } = settings;
  const wanted = subEnvironments.flatMap((subEnvironment) =>
    splits.flatMap((split) =>
      difficulties.map((difficulty) => ({
        subEnvironment,
        group: groupOf({ subEnvironment, split, difficulty }, settings),
      })),
    ),
  );
  const played = new Set(rows.map(({ group }) => group));
  const groups = wanted.filter(({ group }) => played.has(group));
  return {
    title,
    notice: NOTICE,
    facts: [
      `Split ${splits.join(", ")}, difficulty ${difficulties.join(", ")}, ${settings.n} scenarios of each task wanted.`,
      `${rows.length} episodes scored; ${failures.length} failed by fault of the software and are left out.`,
      `Code ${run.version}.`,
    ],
    rows,
    metrics: EVALUATION_METRICS,
    score: "task_score",
    policies: settings.policies,
    groups: groups.map(({ group }) => group),
    subgroups: SUBGROUPS,
    low: "random_legal",
    high: "oracle_lookahead",
    greedy: "oracle_greedy",
    guarded: GUARDED,
    parts: PARTS,
    courses: EVALUATION_COURSES,
    alerts: { sensitivity: "alert_sensitivity", ppv: "alert_ppv" },
    training,
    withoutEffect: groups.flatMap(({ group, subEnvironment }) => [
      ...variants.flatMap((name) => {
        const reason = variantIsIdle(subEnvironment, name);
        return reason === null ? [] : [{ group, policy: TEAM, condition: { kind: "ablation", name } as const, reason }];
      }),
      ...settings.perturbations.flatMap((name) => {
        const reason = perturbationIsIdle(subEnvironment, name);
        const condition = { kind: "perturbation", name } as const;
        return reason === null ? [] : [{ group, policy: "all", condition, reason }];
      }),
    ]),
    further: engineReport(),
  };
}

/** Makes the report of a run in all its forms. @param training progress of training runs to be shown with it */
export function composeReport(
  settings: EvaluationSettings,
  run: EvaluationRun,
  training: readonly TrainingSeries[],
): WrittenReport {
  const failures = run.results.flatMap((result) => result.failures);
  const { report, summary } = makeEvaluationReport(evaluationInput(settings, run, "PolyGuard evaluation", training));
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
