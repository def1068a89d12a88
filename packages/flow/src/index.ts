export { CODES, type Code, type CodeRow } from "./codes.ts";
export { type CheckedFlow, type CheckOptions, checkFlow } from "./config/check.ts";
export type { Environment } from "./config/environment.ts";
export { flowJsonSchema as flowSchema } from "./config/flow-schema.ts";
export type { AgentPlan, FlowPlan, ModelPlan, ServerPlan, StepPlan } from "./config/plan.ts";
export { formatProblems, type Position, type Problem, type Range } from "./config/problem.ts";
export type { FileReading, FlowFiles } from "./config/sources.ts";
export { type Clock, makeRealClock, VirtualClock } from "./engine/clock.ts";
export {
  allPolicy,
  type DelegationDecision,
  type DelegationPolicy,
  type DelegationState,
  greedyPolicy,
  makeRandomPolicy,
  type RosterMember,
} from "./engine/delegation-policy.ts";
export { describeEvent } from "./engine/describe-event.ts";
export { EVENT_TYPES, type EventType, type FlowEvent, Redactor } from "./engine/events.ts";
export type { LogEntry, LogSink, ModelReply, PendingHuman, ToolReply } from "./engine/journal.ts";
export { PROMPT_VERSION } from "./engine/prompts.ts";
export { type FlowResult, type FlowRun, type RunOptions, type RunStatus, runFlow } from "./engine/run.ts";
export type { FlowRng, HumanRequest } from "./engine/run-context.ts";
export type { StepRecord, StepStatus } from "./engine/store.ts";
export type { Usage } from "./engine/usage.ts";
export { type ErrorData, FAILURE_CLASSES, type FailureClass, FlowError } from "./errors.ts";
export { graphFlow } from "./graph/graph-flow.ts";
export { renderTiming } from "./graph/svg.ts";
export type { Embedder } from "./memory/embedder.ts";
export { makeHttpEmbedder } from "./memory/http-embedder.ts";
export { makeInMemoryStore } from "./memory/in-memory-store.ts";
export type { Memory, MemoryHit, MemoryNote, MemoryQuestion } from "./memory/memory.ts";
export { makePineconeStore } from "./memory/pinecone-store.ts";
export { makeMemory } from "./memory/service.ts";
export type { MemoryRecord, MemoryStore } from "./memory/store.ts";
export { type ModelHost, makeModelFactory } from "./providers/factory.ts";
export type { CallMeta, LanguageModel, ModelContext, ModelExtras, ModelFactory } from "./providers/model.ts";
export { makeSimulatedModel, type SpecialistReply, type SpecialistSampler } from "./providers/simulated.ts";
export { calculator } from "./tools/calculator.ts";
export { makeCodeTool } from "./tools/code.ts";
export { jsonQuery } from "./tools/json-query.ts";
export { makeToolSource, type ServerConnection, type ToolHost } from "./tools/source.ts";
export type { Tool, ToolContext, ToolSource } from "./tools/tool.ts";
export { makeBraveSearch, makeSearchTool, type SearchAdapter, type SearchHit } from "./tools/web-search.ts";
