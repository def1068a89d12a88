import { PraxisError } from "@praxis/env";
import { z } from "zod";
import { isRecurrent, networkOptions, networkSettings } from "./network-settings.ts";

const share = z.number().min(0).max(1);
const positive = z.int().min(1);

/** Settings of PPO; defaults are those of Stable-Baselines3 2.9 (feed-forward) and sb3-contrib (LSTM). */
export const ppoSettings = z.strictObject({
  totalSteps: positive.default(100_000).describe("environment steps of the whole run"),
  numEnvs: positive.default(8).describe("environments that step together"),
  numSteps: positive.default(128).describe("steps of each environment in a rollout"),
  minibatchSize: positive.default(128).describe("rows of a minibatch, whole sequences"),
  sequenceLength: positive.optional().describe("steps of a sequence; default: numSteps with a memory, 1 without"),
  epochs: positive.default(10).describe("passes over each rollout"),
  gamma: share.default(0.99).describe("discount"),
  gaeLambda: share.default(0.95).describe("lambda of the advantage estimate"),
  learningRate: z.number().positive().default(3e-4),
  learningRateSchedule: z.enum(["constant", "linear"]).default("constant").describe("linear goes to 0 at totalSteps"),
  clipRange: z.number().positive().default(0.2).describe("range of the probability ratio"),
  clipRangeSchedule: z.enum(["constant", "linear"]).default("constant").describe("linear goes to 0 at totalSteps"),
  valueClipRange: z.number().positive().nullable().default(null).describe("range of a value's change"),
  entropyCoef: z.number().min(0).default(0),
  valueCoef: z.number().min(0).default(0.5),
  maxGradNorm: z.number().positive().default(0.5),
  targetKl: z.number().positive().nullable().default(null).describe("an update ends above 1.5 times this"),
  normalizeAdvantages: z.boolean().default(true).describe("within each minibatch"),
  normalizeObservations: z.boolean().default(false).describe("running mean and deviation"),
  normalizeRewards: z.boolean().default(false).describe("running deviation of the discounted return"),
  ...networkSettings.shape,
  constantColumns: z
    .array(z.tuple([z.int().min(0), positive]))
    .nullable()
    .default(null)
    .describe("observation columns [from, to) that keep their values within an episode"),
});

/** Checked settings, defaults filled in. */
export type PpoSettings = z.output<typeof ppoSettings>;
/** What a caller gives. */
export type PpoSettingsInput = z.input<typeof ppoSettings>;

/** Settings with defaults, and the sequence length they mean. Throws INVALID_CONFIG naming what does not fit together. */
export function resolvePpoSettings(given: PpoSettingsInput): PpoSettings & { readonly sequenceLength: number } {
  const parsed = ppoSettings.safeParse(given);
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!;
    throw new PraxisError("INVALID_CONFIG", `PPO setting '${path.join(".")}': ${message}.`);
  }
  const settings = parsed.data;
  const sequenceLength = settings.sequenceLength ?? (isRecurrent(settings) ? settings.numSteps : 1);
  const { numSteps, minibatchSize } = settings;
  if (numSteps % sequenceLength !== 0)
    throw new PraxisError(
      "INVALID_CONFIG",
      `numSteps is ${numSteps}; sequenceLength ${sequenceLength} must divide it.`,
    );
  if (minibatchSize % sequenceLength !== 0)
    throw new PraxisError(
      "INVALID_CONFIG",
      `minibatchSize is ${minibatchSize}; it must be a multiple of the sequence length, ${sequenceLength}.`,
    );
  if (settings.normalizeObservations && settings.constantColumns !== null)
    throw new PraxisError(
      "INVALID_CONFIG",
      "normalizeObservations moves every column at each step; constantColumns can't be used with it.",
    );
  if (settings.normalizeObservations && settings.observationBlocks !== null)
    throw new PraxisError(
      "INVALID_CONFIG",
      "normalizeObservations would move the masks and edges of observationBlocks; scale features in the environment.",
    );
  networkOptions(settings);
  return { ...settings, sequenceLength };
}
