export { builtInTools } from "./built-in-tools.ts";
export { type Dashboard, type DashboardOptions, serveDashboard } from "./dashboard.ts";
export { diskFiles } from "./files.ts";
export { loadGguf } from "./gguf.ts";
export { type HostOptions, makeHost } from "./host.ts";
export { importPackage } from "./import-package.ts";
export { openLocalStore } from "./local-store.ts";
export { connectMcp } from "./mcp.ts";
export { newFlow } from "./new-flow.ts";
export {
  checkFlowFile,
  type RunFileOptions,
  type RunFileOutcome,
  type RunMeta,
  readRunMeta,
  replayRun,
  runFlowFile,
} from "./run-file.ts";
export { isRunFolder, openRunFolder, type RunFolder, readRunEvents, readRunLog } from "./run-folder.ts";
export { listRuns, type RunCache, readRun } from "./run-list.ts";
