import { z } from "zod";
import type { EnvDefinition, EnvState, SyncEnv } from "../env.ts";
import { type Simulator, SimulatorEnv } from "../simulator.ts";

/** Action of {@link counterEnv}. */
export interface CounterAction {
  readonly message: string;
}
/** Observation of {@link counterEnv}: the message back, and how many came in this episode. */
export interface CounterObservation {
  readonly message: string;
  readonly count: number;
}

const simulator: Simulator<number, CounterAction, CounterObservation> = {
  begin: () => ({ state: 0, observation: { message: "", count: 0 } }),
  transition(count, { message }) {
    const terminated = message === "stop";
    return {
      state: count + 1,
      observation: { message, count: count + 1 },
      reward: Math.min(1, message.length / 10),
      terminated,
      truncated: false,
      info: terminated ? { terminationReason: "stopped" } : {},
    };
  },
  view: (count) => ({ count }),
};

/** The smallest environment: echoes a message, counts, rewards a tenth per character up to 1, ends at the message `stop`. */
export const counterEnv: EnvDefinition<
  CounterAction,
  CounterObservation,
  EnvState,
  SyncEnv<CounterAction, CounterObservation>
> = {
  id: "Counter-v0",
  name: "counter",
  description: "Echoes a message and counts how many it got.",
  version: "0.1.0",
  isDeterministic: true,
  rewardRange: [0, 1],
  schemas: {
    action: z.strictObject({ message: z.string() }),
    observation: z.strictObject({ message: z.string(), count: z.int().min(0) }),
    state: z.looseObject({ episodeId: z.string().nullable(), stepCount: z.int().min(0), count: z.int().optional() }),
    reset: z.object({}),
  },
  sampleAction: (rng) => ({ message: rng.choice(["hello", "again", "stop"]) }),
  makeEnv: ({ seed } = {}) => new SimulatorEnv("Counter-v0", simulator, seed),
};
