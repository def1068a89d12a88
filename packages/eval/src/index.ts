export {
  brier,
  type Decision,
  expectedCalibrationError,
  type ReliabilityBin,
  reliabilityBins,
  selectiveRisk,
} from "./calibration.ts";
export { clopperPearson } from "./clopper-pearson.ts";
export { type Comparison, comparePaired, holm, shareBetween } from "./comparison.ts";
export { type EpisodeOutcome, type EpisodesRequest, makeSyncEnv, runEpisodes } from "./episodes.ts";
export type { EvaluationInput, EvaluationSummary } from "./evaluation-input.ts";
export { makeEvaluationReport } from "./evaluation-report.ts";
export type { CourseSpec } from "./mean-curves.ts";
export { makeRandomPolicy } from "./policies.ts";
export { type Report, type ReportTable, renderHtml, renderMarkdown } from "./report.ts";
export {
  type Calibration,
  type Condition,
  type Course,
  calibrationOf,
  estimateMetric,
  type MetricSpec,
  type ResultRow,
  unitValues,
} from "./rows.ts";
export { showEstimate } from "./show-estimate.ts";
export { bootstrap, type Estimate, mean, pairedBootstrap, quantile, wilson } from "./statistics.ts";
export { escapeXml, type Figure } from "./svg.ts";
export { type Curve, plotCurves } from "./svg-curves.ts";
export { type IntervalPoint, plotIntervals } from "./svg-intervals.ts";
export { plotScatter, type ScatterPoint } from "./svg-scatter.ts";
export type { TrainingSeries } from "./training-figures.ts";
export { judgeImprovement, type Verdict } from "./verdict.ts";
