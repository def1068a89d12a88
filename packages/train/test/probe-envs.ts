import {
  type EnvDefinition,
  type EnvState,
  type Info,
  type Simulator,
  SimulatorEnv,
  type Space,
  type SyncEnv,
} from "@praxis/env";
import { z } from "zod";

/** What a probe environment is made of; observations are plain vectors, actions what the space holds. */
export interface Probe<State> {
  readonly name: string;
  readonly observationSize: number;
  readonly actionSpace: Space;
  readonly maxEpisodeSteps?: number;
  begin(uniform: () => number): State;
  observe(state: State): readonly number[];
  step(state: State, action: unknown, stepCount: number): ProbeStep<State>;
  mask?(state: State): Info["actionMask"];
}

export interface ProbeStep<State> {
  readonly state: State;
  readonly reward: number;
  readonly terminated?: boolean;
  readonly truncated?: boolean;
  readonly info?: Info;
}

type ProbeDefinition = EnvDefinition<unknown, readonly number[], EnvState, SyncEnv<unknown, readonly number[]>>;

/** A whole definition around a probe. */
export function makeProbe<State>(probe: Probe<State>): ProbeDefinition {
  const id = `${probe.name}-v0`;
  const infoOf = (state: State): Info => {
    const actionMask = probe.mask?.(state);
    return actionMask === undefined ? {} : { actionMask };
  };
  const simulator: Simulator<State, unknown, readonly number[]> = {
    begin(_start, streams) {
      const state = probe.begin(() => streams.stream("probe").uniform());
      return { state, observation: probe.observe(state), info: infoOf(state) };
    },
    transition(before, action, _streams, stepCount) {
      const { terminated = false, truncated = false, ...step } = probe.step(before, action, stepCount);
      const info = { ...infoOf(step.state), ...step.info };
      return { ...step, observation: probe.observe(step.state), terminated, truncated, info };
    },
  };
  return {
    id,
    name: probe.name.toLowerCase(),
    description: "A probe.",
    version: "0.1.0",
    rewardRange: [-10, 10],
    maxEpisodeSteps: probe.maxEpisodeSteps ?? 16,
    observationSpace: { kind: "box", shape: [probe.observationSize], low: -10, high: 10 },
    actionSpace: probe.actionSpace,
    schemas: {
      action: z.unknown(),
      observation: z.array(z.number()),
      state: z.looseObject({ episodeId: z.string().nullable(), stepCount: z.int() }),
      reset: z.object({}),
    },
    sampleAction: () => 0,
    makeEnv: ({ seed } = {}) => new SimulatorEnv(id, simulator, seed),
  };
}

/** Reward 1 whatever is done, one step. */
export const constantProbe = makeProbe({
  name: "Constant",
  observationSize: 1,
  actionSpace: { kind: "discrete", n: 2 },
  begin: () => 0,
  observe: () => [0],
  step: (state) => ({ state, reward: 1, terminated: true }),
});

/** Reward is the observation, 1 or −1, one step. */
export const observationProbe = makeProbe({
  name: "Observation",
  observationSize: 1,
  actionSpace: { kind: "discrete", n: 2 },
  begin: (uniform) => (uniform() < 0.5 ? -1 : 1),
  observe: (state: number) => [state],
  step: (state) => ({ state, reward: state, terminated: true }),
});

/** Reward 1 at the second step. */
export const delayedProbe = makeProbe({
  name: "Delayed",
  observationSize: 1,
  actionSpace: { kind: "discrete", n: 2 },
  begin: () => 0,
  observe: (state: number) => [state],
  step: (state, _action, stepCount) => ({
    state: state + 1,
    reward: stepCount === 1 ? 1 : 0,
    terminated: stepCount === 1,
  }),
});

/** The second arm pays. */
export const armsProbe = makeProbe({
  name: "Arms",
  observationSize: 1,
  actionSpace: { kind: "discrete", n: 2 },
  begin: () => 0,
  observe: () => [0],
  step: (state, action) => ({ state, reward: action === 1 ? 1 : -1, terminated: true }),
});

/** A cue at the first step, asked for at the fourth, where all cues look the same: without memory the mean is 0. */
export const recallProbe = makeProbe({
  name: "Recall",
  observationSize: 2,
  actionSpace: { kind: "discrete", n: 2 },
  begin: (uniform) => ({ cue: uniform() < 0.5 ? 0 : 1, at: 0 }),
  observe: ({ cue, at }: { cue: number; at: number }) => [at === 0 ? 2 * cue - 1 : 0, at === 3 ? 1 : 0],
  step: ({ cue, at }, action) => ({
    state: { cue, at: at + 1 },
    reward: at === 3 ? (action === cue ? 1 : -1) : 0,
    terminated: at === 3,
  }),
});

/** One point each for: the choice of the observation's sign, a set first bit and an unset second, a dose near half of it. */
export const mixedProbe = makeProbe({
  name: "Mixed",
  observationSize: 1,
  actionSpace: {
    kind: "dict",
    spaces: {
      sign: { kind: "discrete", n: 2 },
      bits: { kind: "multiBinary", n: 2 },
      dose: { kind: "box", shape: [1], low: -1, high: 1 },
    },
  },
  begin: (uniform) => 2 * uniform() - 1,
  observe: (state: number) => [state],
  step(state, action) {
    const { sign, bits, dose } = action as { sign: number; bits: number[]; dose: number[] };
    const points = [
      sign === (state > 0 ? 1 : 0) ? 1 : 0,
      (bits[0]! + 1 - bits[1]!) / 2,
      1 - (dose[0]! - state / 2) ** 2,
    ];
    return { state, reward: points.reduce((sum, x) => sum + x, 0), terminated: true };
  },
});
