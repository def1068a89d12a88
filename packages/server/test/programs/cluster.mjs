// A program with two workers, as the command line would start them; run from the built package by cluster.test.ts.
import { EnvRegistry, SimulatorEnv } from "@praxis/env";
import { serve } from "@praxis/server";
import { z } from "zod";

const registry = new EnvRegistry([
  {
    id: "Sum-v0",
    name: "sum",
    description: "Adds numbers up.",
    version: "0.1.0",
    schemas: {
      action: z.strictObject({ add: z.int() }),
      observation: z.object({ total: z.number() }),
      state: z.object({ episodeId: z.string().nullable(), stepCount: z.int() }),
      reset: z.object({}),
    },
    rewardRange: [0, 1],
    sampleAction: () => ({ add: 1 }),
    makeEnv: ({ seed } = {}) =>
      new SimulatorEnv(
        "Sum-v0",
        {
          begin: () => ({ state: 0, observation: { total: 0 } }),
          transition: (total, { add }) => ({
            state: total + add,
            observation: { total: total + add },
            reward: 0.5,
            terminated: false,
            truncated: false,
            info: {},
          }),
        },
        seed,
      ),
  },
]);
const served = await serve({ registry, port: 0 }, 2);
if (served.role === "primary") {
  process.stdout.write(`${served.url}\n`);
  process.on("SIGTERM", () => served.close());
} else {
  // The signal of a terminal reaches workers too; the primary tells them when to stop.
  process.on("SIGTERM", () => {});
}
