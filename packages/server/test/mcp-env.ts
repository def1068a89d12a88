import { type EnvDefinition, type EnvTool, PraxisError, SimulatorEnv } from "@praxis/env";
import { z } from "zod";

const actionSchema = z.strictObject({ delta: z.int().min(1).max(3) });
type Action = z.infer<typeof actionSchema>;

/** Counts up to 5 in steps of 1 to 3; each step earns a tenth of its delta. */
function makeCounter(seed = 0) {
  return new SimulatorEnv<{ readonly total: number }, Action, { readonly total: number }>(
    "Counter-v0",
    {
      begin: () => ({ state: { total: 0 }, observation: { total: 0 } }),
      transition: ({ total }, { delta }) => {
        const next = { total: total + delta };
        return {
          state: next,
          observation: next,
          reward: delta / 10,
          terminated: next.total >= 5,
          truncated: false,
          info: { rewardComponents: { progress: delta / 10 } },
        };
      },
      view: (state) => state,
    },
    seed,
  );
}

const increment: EnvTool = {
  name: "increment",
  title: "Increment",
  description: "Adds a number to the total",
  input: z.strictObject({ delta: z.int().min(1).max(3) }),
  readOnly: false,
  async call(_env, args, context) {
    const { observation, terminated } = await context.step({ delta: args.delta });
    return { ...(observation as { total: number }), finished: terminated };
  },
};
const tools: readonly EnvTool[] = [
  {
    name: "add",
    description: "Add two numbers",
    input: z.strictObject({ a: z.int(), b: z.int() }),
    readOnly: true,
    call: (_env, args) => (args.a as number) + (args.b as number),
  },
  increment,
  {
    name: "look",
    description: "Tells the total",
    input: z.strictObject({}),
    readOnly: true,
    call: (env) => ({ total: env.state().total }),
  },
  {
    name: "echo",
    description: "Returns the value as given",
    input: z.strictObject({ value: z.unknown().optional() }),
    readOnly: true,
    call: (_env, args) => args.value,
  },
  {
    name: "fail",
    description: "Steps once, then fails",
    input: z.strictObject({}),
    readOnly: false,
    async call(_env, _args, context) {
      await context.step({ delta: 1 });
      throw new PraxisError("ENVIRONMENT_ERROR", "The lamp broke.");
    },
  },
  {
    name: "not_a_number",
    description: "Steps once, then returns NaN",
    input: z.strictObject({}),
    readOnly: false,
    async call(_env, _args, context) {
      await context.step({ delta: 1 });
      return { value: Number.NaN };
    },
  },
  {
    name: "never",
    description: "Steps once, then never answers",
    input: z.strictObject({}),
    readOnly: false,
    async call(_env, _args, context) {
      await context.step({ delta: 1 });
      return new Promise(() => undefined);
    },
  },
  {
    name: "hint",
    description: "Helps in training only",
    input: z.strictObject({}),
    readOnly: true,
    modes: ["simulation"],
    call: () => "count to 5",
  },
  {
    name: "submit",
    description: "Only agents in production see it",
    input: z.strictObject({}),
    readOnly: false,
    modes: ["production"],
    call: () => null,
  },
];

/** A small environment with tools of every kind. */
export const counterDefinition: EnvDefinition = {
  id: "Counter-v0",
  name: "counter",
  description: "Counts up to 5.",
  version: "1.2.3",
  notice: "For tests only.",
  schemas: {
    action: actionSchema,
    observation: z.strictObject({ total: z.int() }),
    state: z.looseObject({ episodeId: z.string().nullable(), stepCount: z.int().min(0) }),
    reset: z.strictObject({}),
  },
  rewardRange: [0, 1],
  tools,
  sampleAction: () => ({ delta: 1 }),
  makeEnv: (options) => makeCounter(options?.seed),
};

/** The same environment without a tool. */
export const toollessDefinition: EnvDefinition = (({ tools: _tools, ...rest }) => ({
  ...rest,
  id: "Silent-v0",
  name: "silent",
}))(counterDefinition);
