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
export { type EvaluationInput, type EvaluationSummary, makeEvaluationReport } from "./evaluation-report.ts";
export { makeRandomPolicy } from "./policies.ts";
export { type Report, type ReportTable, renderHtml, renderMarkdown } from "./report.ts";
export {
  type Calibration,
  calibrationOf,
  estimateMetric,
  type MetricSpec,
  type ResultRow,
  unitValues,
} from "./rows.ts";
export { bootstrap, type Estimate, mean, pairedBootstrap, quantile, wilson } from "./statistics.ts";
export { type Curve, escapeXml, type Figure, type IntervalPoint, plotCurves, plotIntervals } from "./svg.ts";
