export { CHECK_NAMES, type CheckEnvOptions, checkEnv, type EnvCheck } from "./check-env.ts";
export type {
  CandidateAction,
  CandidateProvider,
  Env,
  EnvDefinition,
  EnvSchemas,
  EnvService,
  EnvSnapshot,
  EnvState,
  EnvTool,
  Info,
  MakeEnvOptions,
  MaybePromise,
  Policy,
  ResetRequest,
  ResetResult,
  ServerMode,
  StepRequest,
  StepResult,
  SyncEnv,
  TaskProvider,
  TaskSplit,
  ToolContext,
  Violation,
} from "./env.ts";
export {
  assertNever,
  ERRORS,
  type ErrorCode,
  type ErrorRow,
  type Fault,
  type FieldError,
  PraxisError,
  toPraxisError,
} from "./errors.ts";
export {
  makeResourceSession,
  type ResourceSession,
  type SessionLimits,
  type ToolCallResult,
  type ToolErrorType,
  type ToolTraceEntry,
  type Verification,
} from "./harness.ts";
export { canonicalJson, fnv1a64, hashJson, hashModulo, hashText } from "./hash.ts";
export {
  checkFinite,
  checkSafeJson,
  findNonFinite,
  findUnsafeJson,
  MAX_JSON_DEPTH,
  toPlainJson,
} from "./json.ts";
export { findJsonError } from "./json-error.ts";
export { closestName, didYouMean, editDistance } from "./names.ts";
export { copyPlainData, formatPlainData, parsePlainData } from "./plain-data.ts";
export { EnvRegistry } from "./registry.ts";
export { recordEpisode, replayTrace, type TraceDifference } from "./replay.ts";
export { Rng, type RngState, RngStreams, type RngStreamsState } from "./rng.ts";
export {
  checkWeights,
  RewardComponents,
  weightedTotal,
} from "./rubric/components.ts";
export { gate, rubricDict, rubricList, sequential, weightedSum } from "./rubric/containers.ts";
export { type JudgedStep, type LlmJudgeSettings, llmJudge, parseJudgeScore } from "./rubric/llm-judge.ts";
export {
  type AfterScore,
  type BeforeScore,
  evaluateOrInfraError,
  Rubric,
  type RubricBody,
  type RubricConfig,
  type RubricOutcome,
  type RubricResult,
  type RubricScope,
  rubric,
} from "./rubric/rubric.ts";
export { exponentialCredit, Trajectory, type TrajectoryOptions, type TrajectoryStep } from "./rubric/trajectory.ts";
export type { Scene, SceneProvider, SceneReader, SceneResult, SceneShape } from "./scene.ts";
export { checkSeed } from "./seed.ts";
export { type EpisodeStart, type Simulator, SimulatorEnv, type Transition } from "./simulator.ts";
export {
  type BoxSpace,
  checkInSpace,
  type DictSpace,
  type DiscreteSpace,
  flatSize,
  flattenInto,
  type MultiBinarySpace,
  type MultiDiscreteSpace,
  type Space,
  type SpaceValue,
  sampleSpace,
  whyNotInSpace,
} from "./spaces.ts";
export {
  formatTrace,
  parseTraces,
  TRACE_VERSION,
  type Trace,
  type TraceEnd,
  type TraceHeader,
  type TraceStep,
  traceHeader,
  traceStep,
} from "./trace.ts";
export type { SyncEnvDefinition } from "./vector/env-chunk.ts";
export { LocalVectorEnv, type VectorEnvOptions } from "./vector/local-vector-env.ts";
export {
  type AutoresetMode,
  envSeed,
  type SavedEnv,
  type VectorEnv,
  type VectorObservations,
  type VectorReset,
  type VectorResetRequest,
  type VectorStep,
} from "./vector/vector-env.ts";
export { decodeResult, decodeState, encodeReset, encodeResult, encodeState, type WireStep } from "./wire.ts";
