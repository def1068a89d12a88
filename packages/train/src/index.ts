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
export { type Checkpoint, checkpointName, latestCheckpoint, readCheckpoint, writeCheckpoint } from "./checkpoint.ts";
export { cartPole, maskedCartPole } from "./envs/cart-pole.ts";
export { type EvaluationRequest, type EvaluationResult, evaluatePolicy } from "./evaluate.ts";
export { exportPolicyOnnx } from "./export-onnx.ts";
export {
  type Completion,
  collectGroups,
  type Group,
  type GroupBatch,
  type GroupRequest,
  hashGroups,
} from "./groups.ts";
export { Grpo, type GrpoMetrics, type GrpoOptions, type GrpoSettings, grpoSettings } from "./grpo.ts";
export { ObservationNormalizer, RewardNormalizer, RunningMoments } from "./normalizers.ts";
export type { ColumnRange, ObservationLayout } from "./observation-layout.ts";
export { Ppo, type PpoMetrics, type PpoOptions } from "./ppo.ts";
export { loadPpoPolicy, makePpoPolicy, makeTrainedPolicy, type PpoPolicyOptions } from "./ppo-policy.ts";
export { type PpoSettings, type PpoSettingsInput, ppoSettings, resolvePpoSettings } from "./ppo-settings.ts";
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
export { type SftExample, type SftMetrics, type SftOptions, sftExamplesFromTraces, trainSft } from "./sft.ts";
export {
  type CandidateDecision,
  CandidatePolicy,
  copyWeights,
  type DecisionTask,
  type Evaluation,
  type LastResult,
  type MaskedDecision,
  MaskedPolicy,
  makeMaskedTask,
  type SmallPolicy,
} from "./small-policy.ts";
export { type ClipRange, clippedSurrogate, explainedVariance, klK3, type SampleLoss, valueLoss } from "./surrogate.ts";
export { formatEventHeader, formatScalars } from "./tensorboard.ts";
export { type EvaluationPlan, type TrainPpoOptions, type TrainPpoResult, trainPpo } from "./train-ppo.ts";
