import { z } from "zod";
import type { EnvDefinition, EnvSnapshot, EnvState, ResetRequest, StepResult, SyncEnv } from "../env.ts";
import { PraxisError } from "../errors.ts";
import { type GridAction, type GridObservation, gridEnv } from "./grid-env.ts";

type GridSyncEnv = SyncEnv<GridAction, GridObservation>;
type GridDefinition = EnvDefinition<GridAction, GridObservation, EnvState, GridSyncEnv>;
type GridResult = StepResult<GridObservation>;

/** {@link gridEnv} with other parts. */
const withDefinition = (changes: Partial<GridDefinition>): GridDefinition => ({ ...gridEnv, ...changes });

/** {@link gridEnv} with some methods of each instance replaced. */
function withMethods(
  change: (env: GridSyncEnv) => Partial<GridSyncEnv>,
  changes: Partial<GridDefinition> = {},
): GridDefinition {
  return withDefinition({
    ...changes,
    makeEnv(options) {
      const env = gridEnv.makeEnv(options);
      const plain: GridSyncEnv = {
        reset: (request) => env.reset(request),
        step: (action) => env.step(action),
        state: () => env.state(),
        snapshot: () => env.snapshot(),
        restore: (snapshot) => env.restore(snapshot),
        close: () => env.close(),
      };
      return { ...plain, ...change(env) };
    },
  });
}

/** {@link gridEnv} with each step's result changed. */
const withResults = (
  change: (result: GridResult) => Readonly<Record<string, unknown>>,
  changes: Partial<GridDefinition> = {},
): GridDefinition =>
  withMethods(
    (env) => ({
      step(action) {
        const result = env.step(action);
        return { ...result, ...change(result) };
      },
    }),
    changes,
  );

const looseObservation = { schemas: { ...gridEnv.schemas, observation: z.looseObject({ x: z.int() }) as never } };
const tool = (name: string, description: string, readOnly = false) => ({
  name,
  description,
  readOnly,
  input: z.strictObject({}),
  call: (env: GridSyncEnv) => env.step({ direction: 0 }),
});

let tasksAsked = 0;
let actionsSampled = 0;
let instancesMade = 0;
let stepsOfAll = 0;

/** Environments that break one rule each, by the name of the check that finds them. */
export const brokenEnvs: Readonly<Record<string, GridDefinition>> = {
  metadata: withDefinition({ description: "" }),
  "schemas-publishable": withDefinition({
    schemas: { ...gridEnv.schemas, reset: gridEnv.schemas.reset.extend({ since: z.date().optional() }) },
  }),
  "action-strict": withDefinition({
    schemas: { ...gridEnv.schemas, action: z.object({ direction: z.int().min(0).max(3) }) },
  }),
  "tool-names": withDefinition({ tools: [tool("reset", "Begins again.")] }),
  "tool-descriptions": withDefinition({ tools: [tool("up", " ")] }),
  tasks: withDefinition({
    tasks: { ...gridEnv.tasks!, count: (split) => gridEnv.tasks!.count(split), get: () => ({ task: tasksAsked++ }) },
  }),

  "seed-repeats": withMethods((env) => {
    const instance = instancesMade++;
    return {
      step(action) {
        const result = env.step(action);
        return { ...result, info: { ...result.info, instance } };
      },
    };
  }),
  "seed-differs": withMethods((env) => ({
    reset: (request) =>
      env.reset(Number.isSafeInteger(request?.seed) ? { ...request, seed: Math.min(request!.seed!, 0) } : request),
  })),
  "seed-sequence": withMethods((env) => {
    let seed = 0;
    return {
      reset(request: ResetRequest = {}) {
        const begun = env.reset({ ...request, seed: request.seed ?? seed });
        seed = request.seed ?? seed;
        return begun;
      },
    };
  }),
  "reset-repeats": withMethods((env) => {
    let episode = 0;
    return {
      reset(request) {
        const begun = env.reset(request);
        return { ...begun, info: { ...begun.info, episode: episode++ } };
      },
    };
  }),
  "instances-apart": withMethods((env) => ({
    reset(request) {
      const begun = env.reset(request);
      stepsOfAll = 0;
      return begun;
    },
    step(action) {
      const result = env.step(action);
      return { ...result, info: { ...result.info, stepsOfAll: ++stepsOfAll } };
    },
  })),
  "snapshot-restores": withMethods(() => ({ restore: () => undefined })),
  "snapshot-survives": withMethods((env) => {
    let live = { inner: env.snapshot() };
    return {
      reset(request) {
        const begun = env.reset(request);
        live = { inner: env.snapshot() };
        return begun;
      },
      step(action) {
        const result = env.step(action);
        live.inner = env.snapshot();
        return result;
      },
      snapshot: () => ({ envId: "Grid-v0", data: live }),
      restore(snapshot) {
        live = snapshot.data as { inner: EnvSnapshot };
        env.restore(live.inner);
      },
    };
  }),
  "snapshot-forks": withMethods((env) => {
    const own = new WeakSet<EnvSnapshot>();
    return {
      snapshot() {
        const snapshot = env.snapshot();
        own.add(snapshot);
        return snapshot;
      },
      restore(snapshot) {
        if (!own.has(snapshot)) throw new PraxisError("VALIDATION_ERROR", "This snapshot is of another instance.");
        env.restore(snapshot);
      },
    };
  }),
  "tool-read-only": withDefinition({ tools: [tool("look", "Looks, and moves.", true)] }),

  "step-before-reset": withMethods((env) => ({
    step(action) {
      if (env.state().episodeId === null) env.reset();
      return env.step(action);
    },
  })),
  "step-after-end": withMethods((env) => {
    let last: GridResult | null = null;
    return {
      step(action) {
        try {
          last = env.step(action);
        } catch (error) {
          if (last === null) throw error;
        }
        return last;
      },
    };
  }),
  "bad-seed": withMethods((env) => ({
    reset: (request) =>
      env.reset(request?.seed === undefined ? request : { ...request, seed: Math.floor(request.seed) }),
  })),
  "failed-call": withMethods((env) => ({
    step(action) {
      if (action?.direction === undefined) env.step({ direction: 0 });
      return env.step(action);
    },
  })),
  "state-schema": withDefinition({
    schemas: { ...gridEnv.schemas, state: z.looseObject({ lives: z.int() }) as never },
  }),
  "state-any-time": withMethods((env) => ({
    state() {
      if (env.state().episodeId === null) throw new Error("There is no episode.");
      return env.state();
    },
  })),
  "step-count": withMethods((env) => ({ state: () => ({ ...env.state(), stepCount: env.state().stepCount * 2 }) })),
  "episode-id": withMethods((env) => ({
    reset: ({ seed, options = {} } = {}) => env.reset(seed === undefined ? { options } : { seed, options }),
  })),
  "max-episode-steps": withDefinition({ maxEpisodeSteps: 1 }),
  "close-twice": withMethods((env) => {
    let isClosed = false;
    return {
      close() {
        if (isClosed) throw new Error("It is closed already.");
        isClosed = true;
        env.close();
      },
    };
  }),

  "sample-action": withDefinition({
    sampleAction: (rng, last) => ({ ...gridEnv.sampleAction(rng, last), note: "for myself" }),
  }),
  "sample-action-repeats": withDefinition({ sampleAction: () => ({ direction: actionsSampled++ % 3 }) }),
  "observation-schema": withResults(({ observation }) => ({ observation: { ...observation, z: 0 } })),
  "observation-plain": withResults(
    ({ observation }) => ({ observation: { ...observation, seen: new Date(0) } }),
    looseObservation,
  ),
  "observation-names": withResults(
    ({ observation }) => ({ observation: { ...observation, reward: 0 } }),
    looseObservation,
  ),
  "observation-space": withDefinition({ encodeObservation: ({ x, y, goalX, goalY }) => [x, y, goalX, goalY + 1] }),
  "observation-kept": withMethods((env) => {
    const observation = { x: 0, y: 0, goalX: 0, goalY: 0 };
    return {
      reset(request) {
        const begun = env.reset(request);
        return { ...begun, observation: Object.assign(observation, begun.observation) };
      },
      step(action) {
        const result = env.step(action);
        return { ...result, observation: Object.assign(observation, result.observation) };
      },
    };
  }),
  "action-kept": withMethods((env) => ({
    step(action) {
      const result = env.step(action);
      Object.assign(action, { used: true });
      return result;
    },
  })),
  "reward-finite": withResults(() => ({ reward: Number.NaN })),
  "reward-range": withResults(() => ({ reward: 5 })),
  "reward-components": withResults(({ info }) => ({
    info: { ...info, rewardComponents: { ...info.rewardComponents, goal: Number.NaN } },
  })),
  "info-plain": withResults(({ info }) => ({ info: { ...info, takenMs: Number.POSITIVE_INFINITY } })),
  "flags-boolean": withResults(({ terminated }) => ({ terminated: terminated ? 1 : 0 })),
  "termination-reason": withResults(({ info: { terminationReason: _, ...info } }) => ({ info })),
  "illegal-action": withResults(({ info: { violations: _, ...info } }) => ({ info })),
};
