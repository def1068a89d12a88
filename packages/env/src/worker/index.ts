export { type CallServer, type DefinitionSource, importDefinition, serveCalls } from "./serve-calls.ts";
export { allInOrder, shareOf, WorkerThread } from "./worker-thread.ts";
export { makeWorkerVectorEnv, type WorkerVectorEnv, type WorkerVectorEnvOptions } from "./worker-vector-env.ts";
