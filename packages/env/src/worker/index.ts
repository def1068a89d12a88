export { makeWorkerVectorEnv, type WorkerVectorEnv, type WorkerVectorEnvOptions } from "./worker-vector-env.ts";
