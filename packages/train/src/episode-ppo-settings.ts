import { PraxisError } from "@praxis/env";
import { z } from "zod";

const share = z.number().min(0).max(1);
const positive = z.int().min(1);

/** Settings of PPO over whole episodes; defaults are those for shifts of an orchestrator. */
export const episodePpoSettings = z.strictObject({
  totalSteps: positive.default(400_000).describe("environment steps of the whole run"),
  numEnvs: positive.default(32).describe("environments that step together"),
  batchSteps: positive.default(4096).describe("steps of finished episodes that end a rollout"),
  minibatches: positive.default(8).describe("parts of the episodes, each an optimiser step"),
  epochs: positive.default(4).describe("passes over each rollout"),
  gamma: share.default(0.995).describe("discount"),
  gaeLambda: share.default(0.95).describe("lambda of the advantage estimate"),
  learningRate: z.number().positive().default(5e-4),
  finalLearningRate: z.number().min(0).default(5e-5).describe("reached in a straight line at totalSteps"),
  entropyCoef: z.number().min(0).default(0.01),
  finalEntropyCoef: z.number().min(0).default(0.001).describe("reached in a straight line at totalSteps"),
  clipRange: z.number().positive().default(0.2).describe("range of the probability ratio"),
  valueClipRange: z.number().positive().nullable().default(null).describe("range of a value's change"),
  valueCoef: z.number().min(0).default(0.5),
  valueWarmupSteps: z
    .int()
    .min(0)
    .default(0)
    .describe("steps in which only the value learns, after a policy that was learnt without one"),
  maxGradNorm: z.number().positive().default(0.5),
  targetKl: z.number().positive().nullable().default(0.03).describe("an update ends above 1.5 times this"),
});

/** Checked settings, defaults filled in. */
export type EpisodePpoSettings = z.output<typeof episodePpoSettings>;

/** Settings with defaults. Throws INVALID_CONFIG naming the one that is wrong. */
export function resolveEpisodePpoSettings(given: z.input<typeof episodePpoSettings>): EpisodePpoSettings {
  const parsed = episodePpoSettings.safeParse(given);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  throw new PraxisError("INVALID_CONFIG", `PPO setting '${path.join(".")}': ${message}.`);
}
