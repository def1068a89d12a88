export { encodeDecision, type SpindleFlowAction } from "./action.ts";
export type { AuditChain } from "./audit/chain.ts";
export { explainAudit, renderExplanation } from "./audit/explain.ts";
export { exportAudit, parseAuditLogs } from "./audit/log-text.ts";
export { type AuditVerdict, auditEpisode, verifyAudit } from "./audit/verify.ts";
export { type Bank, SECTORS } from "./bank/bank.ts";
export { parseCatalog } from "./bank/catalog.ts";
export { loadBank, loadBankText } from "./bank/load-bank.ts";
export { type BankEmbedder, makeBank } from "./bank/make-bank.ts";
export { type PlayedShift, type PlayedTask, ShiftStage } from "./baselines/evaluate.ts";
export { makeScript, ORACLE_NAMES, SCRIPT_NAMES } from "./baselines/index.ts";
export { trainLinUcb } from "./baselines/linucb.ts";
export { makeScriptPolicy } from "./baselines/script-policy.ts";
export { makeConfig, PRESETS, type Preset, type SpindleFlowConfig, type SpindleFlowSettings } from "./config.ts";
export {
  advanceCurriculum,
  CURRICULUM_START,
  type CurriculumState,
  type EpisodeOutcome,
} from "./curriculum.ts";
export {
  defineSpindleFlow,
  SPINDLEFLOW_VERSION,
  type SpindleFlowDefinition,
  type SpindleFlowOptions,
} from "./definition.ts";
export { SPINDLEFLOW_ID, type SpindleFlowEnv, type SpindleFlowParts } from "./env.ts";
export { EMPTY_LEARNING, type EndedTask, type LearningState, learnEpisode } from "./learning-state.ts";
export { type LiveScene, makeLiveCascade, type TextJudge } from "./live/cascade.ts";
export { type EmbedText, liveCall, readLiveScene } from "./live/live-observation.ts";
export { scoreText } from "./live/text-score.ts";
export { type LoadSpindleFlowOptions, loadPrices, loadSpindleFlow, loadSpindleFlowParts } from "./load-spindleflow.ts";
export { type Bill, billTasks, parsePrices, type TaskTokens } from "./meter.ts";
export { META_ACTIONS, MODES } from "./names.ts";
export type { SpindleFlowObservation } from "./observation.ts";
export { renderSpindleFlow, type SpindleFlowRenderer } from "./render.ts";
export { defineRouting } from "./routing/definition.ts";
export { evaluateRouters } from "./routing/evaluate.ts";
export { type EmbeddedTable, embedTable } from "./routing/knn.ts";
export { readCsv, readJsonLines } from "./routing/read-rows.ts";
export { ROUTERS } from "./routing/routers.ts";
export { makeRoutingTable, type RoutingRow, type RoutingTable } from "./routing/table.ts";
export { describeSituation, revealTruth, type SeatReading, type ShiftTruth, type Situation } from "./situation.ts";
