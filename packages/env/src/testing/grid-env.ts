import { z } from "zod";
import type { EnvDefinition, EnvState, Info, ResetResult, SyncEnv, TaskProvider } from "../env.ts";
import { PraxisError } from "../errors.ts";
import { weightedTotal } from "../rubric/components.ts";
import { type Simulator, SimulatorEnv } from "../simulator.ts";

/** Action of {@link gridEnv}: 0 up, 1 right, 2 down, 3 left. */
export interface GridAction {
  readonly direction: number;
}
/** Observation of {@link gridEnv}: cells of a {@link GRID_SIZE} × {@link GRID_SIZE} grid. */
export interface GridObservation {
  readonly x: number;
  readonly y: number;
  readonly goalX: number;
  readonly goalY: number;
}
/** Reset options of {@link gridEnv}. */
export interface GridOptions {
  readonly split?: string;
  readonly index?: number;
}

/** Cells of a side. */
export const GRID_SIZE = 4;
/** Steps until truncation. */
export const GRID_MAX_STEPS = 12;
const WEIGHTS = { goal: 0.9, closer: 0.1 };
/** What a direction adds to x and y. */
export const GRID_MOVES = [
  [0, -1],
  [1, 0],
  [0, 1],
  [-1, 0],
] as const;

const isInside = (x: number, y: number): boolean => x >= 0 && y >= 0 && x < GRID_SIZE && y < GRID_SIZE;
const distance = ({ x, y, goalX, goalY }: GridObservation): number => Math.abs(x - goalX) + Math.abs(y - goalY);
const mask = ({ x, y }: GridObservation): boolean[] => GRID_MOVES.map(([dx, dy]) => isInside(x + dx, y + dy));

const tasks: TaskProvider = {
  splits: () => [{ name: "corners", type: "test" }],
  count(split) {
    if (split !== "corners") throw new PraxisError("UNKNOWN_NAME", `Unknown split '${split}'. Did you mean 'corners'?`);
    return 2;
  },
  get(split, index) {
    if (!(index >= 0 && index < this.count(split)))
      throw new PraxisError("VALIDATION_ERROR", `Split '${split}' has tasks 0 to 1, not ${index}.`);
    const far = GRID_SIZE - 1;
    return index === 0 ? { x: 0, y: 0, goalX: far, goalY: far } : { x: far, y: 0, goalX: 0, goalY: far };
  },
};

/** The pure core of {@link gridEnv}; its state is the observation. */
export const gridSimulator: Simulator<GridObservation, GridAction, GridObservation, GridOptions> = {
  begin({ options }, streams) {
    const rng = streams.stream("start");
    const cell = rng.integer(0, GRID_SIZE ** 2 - 1);
    const goal = (cell + rng.integer(1, GRID_SIZE ** 2 - 1)) % GRID_SIZE ** 2;
    const drawn = {
      x: cell % GRID_SIZE,
      y: Math.floor(cell / GRID_SIZE),
      goalX: goal % GRID_SIZE,
      goalY: Math.floor(goal / GRID_SIZE),
    };
    const state =
      options.split === undefined
        ? drawn
        : (tasks.get(options.split, options.index ?? 0) as unknown as GridObservation);
    return { state, observation: state, info: { actionMask: mask(state) } };
  },
  transition(before, { direction }, _streams, stepCount) {
    const [dx, dy] = GRID_MOVES[direction]!;
    const isLegal = isInside(before.x + dx, before.y + dy);
    const state = isLegal ? { ...before, x: before.x + dx, y: before.y + dy } : before;
    const terminated = distance(state) === 0;
    const truncated = !terminated && stepCount + 1 >= GRID_MAX_STEPS;
    const rewardComponents = {
      goal: terminated ? 1 : 0,
      closer: isLegal ? distance(before) - distance(state) : -1,
    };
    const info: Info = {
      rewardComponents,
      actionMask: mask(state),
      ...(isLegal ? {} : { violations: [{ kind: "wall", message: "There is a wall.", direction }] }),
      ...(terminated || truncated ? { terminationReason: terminated ? "goal" : "timeLimit" } : {}),
    };
    return {
      state,
      observation: state,
      reward: weightedTotal(rewardComponents, WEIGHTS),
      terminated,
      truncated,
      info,
    };
  },
};

const cell = z
  .int()
  .min(0)
  .max(GRID_SIZE - 1);

/**
 * A walk to a goal on a small grid, with everything that a learner looks for: box and discrete spaces, an action mask,
 * violations, reward components, a time limit, tasks.
 */
export const gridEnv: EnvDefinition<GridAction, GridObservation, EnvState, SyncEnv<GridAction, GridObservation>> = {
  id: "Grid-v0",
  name: "grid",
  description: "Walk to the goal on a small grid.",
  version: "0.1.0",
  rewardRange: [-0.1, 1],
  maxEpisodeSteps: GRID_MAX_STEPS,
  observationSpace: { kind: "box", shape: [4], low: 0, high: 1 },
  actionSpace: { kind: "discrete", n: GRID_MOVES.length },
  tasks,
  metadata: { rewardWeights: WEIGHTS },
  schemas: {
    action: z.strictObject({
      direction: z
        .int()
        .min(0)
        .max(GRID_MOVES.length - 1),
    }),
    observation: z.strictObject({ x: cell, y: cell, goalX: cell, goalY: cell }),
    state: z.looseObject({ episodeId: z.string().nullable(), stepCount: z.int().min(0) }),
    reset: z.object({ split: z.string().optional(), index: z.int().min(0).optional() }),
  },
  sampleAction: (rng, last: ResetResult<GridObservation>) => ({
    direction: rng.choice(mask(last.observation).flatMap((isLegal, direction) => (isLegal ? [direction] : []))),
  }),
  encodeObservation: ({ x, y, goalX, goalY }) => [x, y, goalX, goalY].map((side) => side / (GRID_SIZE - 1)),
  decodeAction: (choice) => ({ direction: choice as number }),
  makeEnv: ({ seed } = {}) => new SimulatorEnv("Grid-v0", gridSimulator, seed),
};
