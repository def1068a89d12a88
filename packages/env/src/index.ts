export type {
  Env,
  EnvDefinition,
  EnvSchemas,
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
export { canonicalJson, fnv1a64, hashJson, hashModulo, hashText } from "./hash.ts";
export { checkSafeJson, findNonFinite, findUnsafeJson, MAX_JSON_DEPTH } from "./json.ts";
export { closestName, didYouMean, editDistance } from "./names.ts";
export { EnvRegistry } from "./registry.ts";
export { Rng, type RngState, RngStreams, type RngStreamsState } from "./rng.ts";
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
  recordEpisode,
  replayTrace,
  TRACE_VERSION,
  type Trace,
  type TraceDifference,
  type TraceEnd,
  type TraceHeader,
  type TraceStep,
  traceHeader,
  traceStep,
} from "./trace.ts";
export { decodeResult, decodeState, encodeReset, encodeResult, encodeState, type WireStep } from "./wire.ts";
