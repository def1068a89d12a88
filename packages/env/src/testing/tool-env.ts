import { z } from "zod";
import type { EnvDefinition, EnvState, EnvTool, SyncEnv } from "../env.ts";
import { type Simulator, SimulatorEnv } from "../simulator.ts";

/** Action of {@link toolEnv}. */
export interface ToolEnvAction {
  readonly amount: number;
}
/** Observation of {@link toolEnv}. */
export interface ToolEnvObservation {
  readonly total: number;
  readonly target: number;
}
interface ToolEnvWorld {
  readonly total: number;
  readonly target: number;
}

const simulator: Simulator<ToolEnvWorld, ToolEnvAction, ToolEnvObservation> = {
  begin(_start, streams) {
    const state = { total: 0, target: streams.stream("target").integer(5, 20) };
    return { state, observation: state };
  },
  transition({ total, target }, { amount }, _streams, stepCount) {
    const state = { total: total + amount, target };
    const terminated = state.total === target;
    const truncated = !terminated && stepCount + 1 >= 20;
    return {
      state,
      observation: state,
      reward: terminated ? 1 : 0,
      terminated,
      truncated,
      info: terminated || truncated ? { terminationReason: terminated ? "target" : "timeLimit" } : {},
    };
  },
  view: ({ total }) => ({ total }),
};

const noArguments = z.strictObject({});

const tools: readonly EnvTool<SyncEnv>[] = [
  {
    name: "look",
    description: "Tells the total and the target.",
    input: noArguments,
    readOnly: true,
    call: (_env, _args, { last }) => last.observation,
  },
  {
    name: "add",
    title: "Add",
    description: "Adds an amount to the total; counts as a step.",
    input: z.strictObject({ amount: z.int().min(1).max(5) }),
    examples: [{ amount: 2 }],
    readOnly: false,
    call: (_env, { amount }, context) => context.step({ amount }),
  },
  {
    name: "fail",
    description: "Always fails.",
    input: noArguments,
    readOnly: false,
    call() {
      throw new Error("This tool always fails.");
    },
  },
  {
    name: "peek",
    description: "Tells what is left to the target; for trainers only.",
    input: noArguments,
    readOnly: true,
    modes: ["simulation"],
    call(_env, _args, { last }) {
      const { total, target } = last.observation as ToolEnvObservation;
      return { left: target - total };
    },
  },
];

/** An environment with MCP tools: reach a target by adding amounts. One tool fails, one is for the simulation mode only. */
export const toolEnv: EnvDefinition<
  ToolEnvAction,
  ToolEnvObservation,
  EnvState,
  SyncEnv<ToolEnvAction, ToolEnvObservation>
> = {
  id: "Tools-v0",
  name: "tools",
  description: "Reach a target by adding amounts with tools.",
  version: "0.1.0",
  rewardRange: [0, 1],
  maxEpisodeSteps: 20,
  tools,
  schemas: {
    action: z.strictObject({ amount: z.int().min(1).max(5) }),
    observation: z.strictObject({ total: z.int().min(0), target: z.int().min(5).max(20) }),
    state: z.looseObject({ episodeId: z.string().nullable(), stepCount: z.int().min(0), total: z.int().optional() }),
    reset: z.object({}),
  },
  sampleAction: (rng) => ({ amount: rng.integer(1, 5) }),
  makeEnv: ({ seed } = {}) => new SimulatorEnv("Tools-v0", simulator, seed),
};
