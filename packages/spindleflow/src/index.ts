export { type Bank, SECTORS } from "./bank/bank.ts";
export { parseCatalog } from "./bank/catalog.ts";
export { loadBank, loadBankText } from "./bank/load-bank.ts";
export { type BankEmbedder, makeBank } from "./bank/make-bank.ts";
export {
  defineSpindleFlow,
  SPINDLEFLOW_VERSION,
  type SpindleFlowDefinition,
  type SpindleFlowOptions,
} from "./definition.ts";
export { SPINDLEFLOW_ID, type SpindleFlowEnv } from "./env.ts";
export { loadSpindleFlow } from "./load-spindleflow.ts";
export { renderSpindleFlow, type SpindleFlowRenderer } from "./render.ts";
