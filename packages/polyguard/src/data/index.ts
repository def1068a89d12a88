export { type CardFacts, dataCard, RowCounts } from "./card.ts";
export { type DataRow, LeakAudit } from "./leaks.ts";
export { type ExpertPlan, planExpert } from "./learning-episodes.ts";
export { type DecisionRecord, hashObservation, playUnit } from "./play-unit.ts";
export {
  advantagesOf,
  DATA_KINDS,
  type DataKind,
  type PreferenceRow,
  SFT_SOURCES,
  type SftRow,
  type SftSource,
  type TraceRow,
} from "./rows.ts";
export { type DropReason, RowSelection, type SelectedRows, shortages, sourceQuotas } from "./select-rows.ts";
export { makeExpert } from "./teacher.ts";
export { DATA_SPLITS, type DataSplit, planUnit, type UnitPlan } from "./unit-plan.ts";
