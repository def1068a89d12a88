export type { ActionDistribution } from "./action-distribution.ts";
export { ActionHead, type HeadRow, type HeadValue } from "./action-head.ts";
export { readActionMask } from "./action-mask.ts";
export {
  ActorCritic,
  type ActorCriticOptions,
  type PolicyInput,
  type PolicyOutput,
  type PolicyState,
} from "./actor-critic.ts";
export {
  computeGae,
  computeGroupAdvantages,
  type GaeInput,
  type GroupAdvantageMethod,
  hasZeroVariance,
  normalizeAdvantages,
} from "./advantages.ts";
export { type CandidateDecision, CandidatePolicy, makeCandidateTask } from "./candidate-policy.ts";
export { type Checkpoint, checkpointName, latestCheckpoint, readCheckpoint, writeCheckpoint } from "./checkpoint.ts";
export { type Demonstration, type DemonstrationRequest, demonstrate } from "./demonstrate.ts";
export { cartPole, maskedCartPole } from "./envs/cart-pole.ts";
export { grid } from "./envs/grid.ts";
export { EpisodePpo, type EpisodePpoOptions } from "./episode-ppo.ts";
export { type EpisodePpoSettings, episodePpoSettings, resolveEpisodePpoSettings } from "./episode-ppo-settings.ts";
export { type EvaluationRequest, evaluatePolicy } from "./evaluate.ts";
export { type EvaluationResult, evaluateRecorded, type RecordedEvaluationRequest } from "./evaluate-recorded.ts";
export { evaluateSmallPolicy, makeSmallAgentPolicy, type SmallEvaluationRequest } from "./evaluate-small.ts";
export { type ActingPolicy, exportPolicyOnnx } from "./export-onnx.ts";
export { type GroupWorkers, type GroupWorkersOptions, makeGroupWorkers } from "./group-workers.ts";
export {
  type Completion,
  collectGroups,
  type Group,
  type GroupBatch,
  type GroupContext,
  type GroupPlan,
  type GroupSettings,
  type GroupStart,
  hashGroups,
} from "./groups.ts";
export {
  type GroupCollector,
  Grpo,
  type GrpoMetrics,
  type GrpoOptions,
  type GrpoSettings,
  grpoSettings,
} from "./grpo.ts";
export { loadRecordedPolicy, type RecordedChoice, RecordedPlayer } from "./load-recorded.ts";
export { type MaskedDecision, MaskedPolicy, makeMaskedTask } from "./masked-policy.ts";
export { restoreParameters } from "./model-tensors.ts";
export { ObservationNormalizer, RewardNormalizer, RunningMoments } from "./normalizers.ts";
export { type ObservationBlock, observationBlock } from "./observation-blocks.ts";
export type { ColumnRange, ObservationLayout } from "./observation-layout.ts";
export type { EmbeddingRow, ObservationRecord, ObservationRecorder } from "./observation-record.ts";
export { PhaseCurriculum, phaseCurriculumSettings } from "./phase-curriculum.ts";
export {
  ACTION_AT,
  actionVectorBounds,
  DELEGATION_MODES,
  fromActionVector,
  META_ACTIONS,
  type SlotMask,
  toActionVector,
} from "./policies/delegation-action.ts";
export { DELEGATION_LOGITS_AT, DelegationHead } from "./policies/delegation-head.ts";
export {
  DelegationPolicy,
  type DelegationPolicySettings,
  delegationPolicySettings,
} from "./policies/delegation-policy.ts";
export { makeDelegationTask } from "./policies/delegation-task.ts";
export { makeSlotLayout, type SlotLayout, slotsOf } from "./policies/slot-layout.ts";
export { Ppo, type PpoMetrics, type PpoOptions } from "./ppo.ts";
export { loadPpoPolicy, makePpoPolicy, makeTrainedPolicy, type PpoPolicyOptions } from "./ppo-policy.ts";
export { type PpoSettings, type PpoSettingsInput, ppoSettings, resolvePpoSettings } from "./ppo-settings.ts";
export { RecordedActorCritic } from "./recorded-actor-critic.ts";
export type {
  Memories,
  ProjectionCache,
  RecordedInput,
  RecordedOutput,
  RecordedPolicy,
} from "./recorded-policy.ts";
export { type RecordedDecision, RecordedSmallPolicy } from "./recorded-small-policy.ts";
export type { FinishedEpisode, ReplayedEpisode, ReplayedStep } from "./replayed-episode.ts";
export { joinHooks, type RolloutHook, type RolloutReport } from "./rollout-hook.ts";
export {
  findRun,
  listRuns,
  type MetricsRow,
  type RunConfig,
  RunFolder,
  readMetrics,
  readRunConfig,
  runName,
} from "./run-folder.ts";
export { type SceneNetworkSettings, sceneNetworkSettings } from "./scene-network.ts";
export { CHOICE, makeSceneTask, ScenePolicy } from "./scene-policy.ts";
export { Sft, type SftExample, type SftMetrics, type SftOptions, type SftSettings, sftSettings } from "./sft.ts";
export { readTraceExamples, type TraceExamples } from "./sft-traces.ts";
export { makeSmallAgent, type SmallAgent, type SmallAgentSettings, smallAgentSettings } from "./small-agent.ts";
export {
  type Choice,
  copyWeights,
  type DecisionSequence,
  type DecisionTask,
  type Evaluation,
  type LastResult,
  type SmallPolicy,
  type Turn,
} from "./small-policy.ts";
export { type ClipRange, clippedSurrogate, explainedVariance, klK3, type SampleLoss, valueLoss } from "./surrogate.ts";
export { formatEventHeader, formatScalars } from "./tensorboard.ts";
export { type TrainEpisodePpoOptions, trainEpisodePpo } from "./train-episode-ppo.ts";
export {
  type EvaluationPlan,
  type LoopOptions,
  type LoopResult,
  runTrainer,
  type Trainer,
  type TrainingRow,
} from "./train-loop.ts";
export { type TrainPpoOptions, trainPpo } from "./train-ppo.ts";
export {
  loadSmallAgent,
  type TrainGrpoOptions,
  type TrainSftOptions,
  type TrainSmallOptions,
  trainGrpo,
  trainSft,
} from "./train-small.ts";
