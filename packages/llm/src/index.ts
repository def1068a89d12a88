export type { Embedder } from "./embedder.ts";
export { LlmError, type LlmErrorCode } from "./errors.ts";
export { featurePlaces, hash384 } from "./hash384.ts";
export { type MiniLm, type MiniLmFiles, makeMiniLm } from "./minilm.ts";
