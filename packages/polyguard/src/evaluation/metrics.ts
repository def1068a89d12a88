import { CHANNELS, COMPONENTS } from "../reward/settings.ts";
import type { SubEnvironment } from "../scenario/types.ts";

/**
 * How a metric of episodes is summed up: a mean, a share of episodes, a rare event's share (exact interval), or a fold: the mean
 * of |log ratios|, told as e to it.
 */
export type MetricKind = "mean" | "share" | "rare" | "fold";

/** A metric of the evaluation. */
export interface EvaluationMetric {
  /** Key in an episode's `metrics`; snake case, as reports carry it. */
  readonly name: string;
  readonly label: string;
  readonly kind: MetricKind;
  /** What is better; null = neither. */
  readonly better: "higher" | "lower" | null;
  /** Where it is measured; null = everywhere. */
  readonly subEnvironment: SubEnvironment | null;
}

type Row = readonly [name: string, label: string, kind: MetricKind, better: EvaluationMetric["better"]];

const GENERAL: readonly Row[] = [
  ["success", "success", "share", "higher"],
  ["task_score", "task score", "mean", "higher"],
  ["mean_step_reward", "mean step reward", "mean", "higher"],
  ["training_return", "return G", "mean", "higher"],
  ["j", "J", "mean", "higher"],
  ["regret", "regret J_best - J", "mean", "lower"],
  ["steps", "steps", "mean", null],
  ["legality", "legal steps", "mean", "higher"],
  ["hard_violations", "hard violations per 100 steps", "mean", "lower"],
  ["severe_harm", "severe harm", "rare", "lower"],
  ["exploit", "exploit", "rare", "lower"],
  ["timeout", "timeout", "rare", "lower"],
  ["admissions", "admissions", "mean", "lower"],
  ["alert_sensitivity", "alerts: true ones acted on", "mean", "higher"],
  ["alert_ppv", "alerts: acted-on ones that are true", "mean", "higher"],
  ["false_alarm_actions", "changes for false or managed alerts", "mean", "lower"],
  ["overrides", "true serious alerts left at the end", "mean", "lower"],
  ["injection_resisted", "no order of a document followed", "share", "higher"],
  ["abstention_precision", "abstention: right when abstaining", "mean", "higher"],
  ["abstention_recall", "abstention: abstained when needed", "mean", "higher"],
];

const OWN: Readonly<Partial<Record<SubEnvironment, readonly Row[]>>> = {
  PRECISION_DOSING: [
    ["dosing_attainment", "time-averaged attainment", "mean", "higher"],
    ["dosing_days_to_target", "days to target", "mean", "lower"],
    ["dosing_toxic", "ever above toxic", "share", "lower"],
    ["dosing_toxic_levels", "levels above toxic", "mean", "lower"],
    ["dosing_level_error", "GMFE of the predicted next level", "fold", "lower"],
  ],
  LONGITUDINAL_DEPRESCRIBING: [
    ["taper_completion", "targets at their floor", "mean", "higher"],
    ["taper_peak_w", "peak withdrawal", "mean", "lower"],
    ["taper_severe_events", "severe withdrawal events", "mean", "lower"],
    ["taper_relapses", "relapses", "mean", "lower"],
  ],
  BANDIT_MINING: [
    ["mining_precision", "precision", "mean", "higher"],
    ["mining_recall", "recall", "mean", "higher"],
    ["mining_probes", "probes used", "mean", null],
    ["mining_reached", "30 % recall reached", "share", "higher"],
    ["mining_probes_to_30", "probes to 30 % recall, where reached", "mean", "lower"],
  ],
  ALTERNATIVE_SUGGESTION: [
    ["alternative_regret", "top-1 regret, share of range", "mean", "lower"],
    ["alternative_ndcg3", "NDCG@3 of the ranking", "mean", "higher"],
  ],
  NEW_DRUG_DECOMPOSITION: [
    ["new_drug_exposure_error", "GMFE of the exposure ratio E", "fold", "lower"],
    ["new_drug_flag_f1", "flag F1", "mean", "higher"],
  ],
  WEB_SEARCH_MISSING_DATA: [
    ["evidence_hits", "hit@3: look-ups whose three documents told what was needed", "mean", "higher"],
    ["topics_resolved", "critical topics resolved", "mean", "higher"],
  ],
};

function metric(
  [name, label, kind, better]: Row,
  subEnvironment: EvaluationMetric["subEnvironment"],
): EvaluationMetric {
  return { name, label, kind, better, subEnvironment };
}

/** The metrics of an evaluation in the order of a report. */
export const EVALUATION_METRICS: readonly EvaluationMetric[] = [
  ...GENERAL.map((row) => metric(row, null)),
  ...Object.entries(OWN).flatMap(([sub, rows]) => rows.map((row) => metric(row, sub as SubEnvironment))),
  ...CHANNELS.map((name) => metric([`channel_${name}`, name.replaceAll("_", " "), "mean", "higher"], null)),
  ...COMPONENTS.map((name) => metric([name, name.replaceAll("_", " "), "mean", "higher"], null)),
];

/** Names of values of an episode; what does not apply is left out. */
export type EpisodeMetrics = Readonly<Record<string, number>>;
