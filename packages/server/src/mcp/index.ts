export { rpcError, rpcParseError } from "./json-rpc.ts";
export { mountMcp } from "./mount.ts";
export { answerRpc } from "./openenv-rpc.ts";
export { isToolStep, toolStep } from "./tool-step.ts";
export { checkTools } from "./tools.ts";
