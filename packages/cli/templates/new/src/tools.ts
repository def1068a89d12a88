import type { EnvTool, SyncEnv } from "@praxis/env";
import { z } from "zod";
import type { Action, Observation } from "./game.ts";

/** What agents may call over MCP. A tool that acts goes through `context.step`, so that it counts as any other step. */
export const tools: readonly EnvTool<SyncEnv<Action, Observation>>[] = [
  {
    name: "look",
    description: "Tells the bounds of the hidden number and the guesses left.",
    input: z.strictObject({}),
    readOnly: true,
    call: (_env, _args, { last }) => last.observation,
  },
  {
    name: "guess",
    description: "Guesses a number and tells the new bounds. Uses up one guess.",
    input: z.strictObject({ guess: z.int() }),
    examples: [{ guess: 50 }],
    readOnly: false,
    async call(_env, { guess }, context) {
      const { observation, terminated } = await context.step({ guess });
      return { observation, found: terminated };
    },
  },
];
