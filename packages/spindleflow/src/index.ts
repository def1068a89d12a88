export type { Bank } from "./bank/bank.ts";
export {
  defineSpindleFlow,
  SPINDLEFLOW_VERSION,
  type SpindleFlowDefinition,
  type SpindleFlowOptions,
} from "./definition.ts";
export { SPINDLEFLOW_ID, type SpindleFlowEnv } from "./env.ts";
