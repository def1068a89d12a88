export { brokenEnvs } from "./broken-envs.ts";
export { type CounterAction, type CounterObservation, counterEnv } from "./counter-env.ts";
export {
  GRID_MAX_STEPS,
  GRID_MOVES,
  GRID_SIZE,
  type GridAction,
  type GridObservation,
  type GridOptions,
  gridEnv,
  gridSimulator,
} from "./grid-env.ts";
export { makeSleepEnv, type Sleep, type SleepAction, type SleepObservation } from "./sleep-env.ts";
export { type ToolEnvAction, type ToolEnvObservation, toolEnv } from "./tool-env.ts";
