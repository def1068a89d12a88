import {
  type Env,
  type EnvDefinition,
  type EnvSnapshot,
  type EnvState,
  type EnvTool,
  PraxisError,
  type ResetRequest,
  type ResetResult,
  type Simulator,
  SimulatorEnv,
  type StepRequest,
  type StepResult,
} from "@praxis/env";
import { z } from "zod";

const stateSchema = z.object({ episodeId: z.string().nullable(), stepCount: z.int().min(0) });

interface CounterState {
  readonly total: number;
  readonly limit: number;
}

const counterAction = z.strictObject({
  add: z.int().min(0).max(9).default(1),
  note: z.string().max(40).optional(),
  loud: z.boolean().optional(),
});
type CounterAction = z.infer<typeof counterAction>;
interface CounterObservation {
  readonly total: number;
  readonly roll: number;
  readonly note: string | null;
}

const counter: Simulator<CounterState, CounterAction, CounterObservation, { readonly limit?: number }> = {
  begin: ({ options }, streams) => ({
    state: { total: 0, limit: options.limit ?? 5 },
    observation: { total: 0, roll: streams.stream("roll").uint32(), note: null },
  }),
  transition(state, action, streams, stepCount) {
    const total = state.total + action.add;
    return {
      state: { ...state, total },
      observation: { total, roll: streams.stream("roll").uint32(), note: action.note ?? null },
      reward: action.add / 10,
      terminated: total >= 20,
      truncated: stepCount + 1 >= state.limit,
      info: action.note === undefined ? {} : { heard: action.note },
    };
  },
  view: (state) => ({ total: state.total }),
};

const counterTools: readonly EnvTool[] = [
  {
    name: "peek",
    description: "Tells the total",
    input: z.strictObject({}) as unknown as EnvTool["input"],
    readOnly: true,
    call: (env) => ({ total: env.state().total }),
  },
  {
    name: "add",
    description: "Adds a number",
    input: z.strictObject({ add: z.int().min(0).max(9) }) as unknown as EnvTool["input"],
    readOnly: false,
    call: async (_env, args, context) => (await context.step(args)).observation,
  },
  {
    name: "fail",
    description: "Adds one, then fails",
    input: z.strictObject({}) as unknown as EnvTool["input"],
    readOnly: false,
    call: async (_env, _args, context) => {
      await context.step({ add: 1 });
      throw new Error("the tool broke");
    },
  },
];

/** Adds numbers up; five steps, or a total of 20. */
export const counterDefinition = {
  id: "Counter-v0",
  name: "counter",
  description: "Adds numbers up.",
  version: "0.1.0",
  schemas: {
    action: counterAction,
    observation: z.object({ total: z.number(), roll: z.number(), note: z.string().nullable() }),
    state: stateSchema.extend({ total: z.number().optional() }),
    reset: z.object({ limit: z.int().min(1).max(100).optional() }),
  },
  rewardRange: [0, 1],
  maxEpisodeSteps: 5,
  tasks: {
    splits: () => [
      { name: "train", type: "train" },
      { name: "extra", type: "validation" },
    ],
    count: (split) => {
      if (split === "train") return 3;
      if (split === "extra") return 1;
      throw new PraxisError("UNKNOWN_NAME", `Unknown split '${split}'.`);
    },
    get: (split, index) => ({ split, index, limit: index + 1 }),
  },
  tools: counterTools,
  sampleAction: (rng) => ({ add: rng.integer(0, 9) }),
  makeEnv: ({ seed } = {}) => new SimulatorEnv("Counter-v0", counter, seed),
} satisfies EnvDefinition<CounterAction, CounterObservation> as unknown as EnvDefinition;

const echoAction = z.strictObject({ message: z.string().min(1).max(20_000_000) });

/** Says what it was told, however long. */
export const echoDefinition = {
  id: "Echo-v0",
  name: "echo",
  description: "Says what it was told.",
  version: "1.0.0",
  schemas: {
    action: z.strictObject({ message: z.string().min(1) }),
    observation: z.object({ echo: z.string() }),
    state: stateSchema,
    reset: z.object({}),
  },
  rewardRange: [0, 1],
  sampleAction: () => ({ message: "hi" }),
  makeEnv: ({ seed } = {}) =>
    new SimulatorEnv<null, z.infer<typeof echoAction>, { echo: string }>(
      "Echo-v0",
      {
        begin: () => ({ state: null, observation: { echo: "ready" } }),
        transition: (state, action) => ({
          state,
          observation: { echo: action.message },
          reward: 0.5,
          terminated: false,
          truncated: false,
          info: {},
        }),
      },
      seed,
    ),
} satisfies EnvDefinition<z.infer<typeof echoAction>, { echo: string }> as unknown as EnvDefinition;

const moodAction = z.strictObject({
  mood: z.enum([
    "fine",
    "slow",
    "hang",
    "throw",
    "nan",
    "infinity",
    "minusInfinity",
    "nanObservation",
    "bigint",
    "hangDeaf",
  ]),
});
type MoodAction = z.infer<typeof moodAction>;

/** What a {@link MoodyEnv} waits with; tests hand in their own to decide when a slow step is done. */
export interface Waits {
  slow(): Promise<void>;
  slowReset?(): Promise<void>;
}

/** An asynchronous environment that misbehaves as it is told, after it has already changed its state. */
class MoodyEnv implements Env<MoodAction, { readonly steps: number }> {
  readonly #waits: Waits;
  readonly log: string[];
  #steps = 0;
  #id: string | null = null;

  constructor(waits: Waits, log: string[]) {
    this.#waits = waits;
    this.log = log;
  }

  async reset(request: ResetRequest = {}): Promise<ResetResult<{ readonly steps: number }>> {
    await this.#waits.slowReset?.();
    this.#steps = 0;
    this.#id = request.episodeId ?? "moody";
    return { observation: { steps: 0 }, info: {} };
  }

  async step(action: MoodAction, request: StepRequest = {}): Promise<StepResult<{ readonly steps: number }>> {
    if (this.#id === null) throw new PraxisError("RESET_NEEDED", "No episode has begun.");
    this.#steps++;
    let reward = 0.5;
    let steps = this.#steps;
    switch (action.mood) {
      case "slow":
        await this.#waits.slow();
        break;
      case "hang":
        await new Promise<void>((_resolve, reject) => {
          request.signal?.addEventListener("abort", () => {
            this.log.push("aborted");
            reject(new Error("stopped"));
          });
        });
        break;
      case "hangDeaf":
        await new Promise<void>(() => {});
        break;
      case "throw":
        throw new Error("kaput");
      case "nan":
        reward = Number.NaN;
        break;
      case "infinity":
        reward = Number.POSITIVE_INFINITY;
        break;
      case "minusInfinity":
        reward = Number.NEGATIVE_INFINITY;
        break;
      case "nanObservation":
        steps = Number.NaN;
        break;
      case "bigint":
        return {
          observation: { steps: 1n as unknown as number },
          reward,
          terminated: false,
          truncated: false,
          info: {},
        };
      case "fine":
        break;
    }
    return { observation: { steps }, reward, terminated: false, truncated: false, info: {} };
  }

  state(): EnvState {
    return { episodeId: this.#id, stepCount: this.#steps };
  }

  snapshot(): EnvSnapshot {
    return { envId: "Moody-v0", data: [this.#steps, this.#id] };
  }

  restore(snapshot: EnvSnapshot): void {
    [this.#steps, this.#id] = snapshot.data as [number, string | null];
  }

  close(): void {
    this.log.push("closed");
  }
}

/** Definition of the asynchronous, misbehaving environment; `log` gets what happens to its instances. */
export function moodyDefinition(waits: Waits = { slow: async () => {} }, log: string[] = []): EnvDefinition {
  return {
    id: "Moody-v0",
    name: "moody",
    description: "Misbehaves as it is told.",
    version: "0.1.0",
    schemas: {
      action: moodAction,
      observation: z.object({ steps: z.number() }),
      state: stateSchema,
      reset: z.object({}),
    },
    rewardRange: [0, 1],
    sampleAction: () => ({ mood: "fine" }),
    makeEnv: () => {
      log.push("made");
      return new MoodyEnv(waits, log);
    },
  } satisfies EnvDefinition<MoodAction, { readonly steps: number }> as unknown as EnvDefinition;
}

/** Its environment can't be built. */
export const brokenDefinition: EnvDefinition = {
  ...counterDefinition,
  id: "Broken-v0",
  name: "broken",
  makeEnv: () => {
    throw new Error("secret cause");
  },
};
