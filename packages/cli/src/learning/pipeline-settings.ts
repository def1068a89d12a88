import { z } from "zod";

/** Settings of `praxis pipeline polyguard`; everything that decides a number. */
export const pipelineSettings = z.strictObject({
  seed: z.int().min(0).default(0),
  /** Scenarios that experts play, over all tasks and tiers. */
  experts: z.int().min(9).default(900),
  epochs: z.int().min(1).default(10),
  iterations: z.int().min(1).default(32),
  groups: z.int().min(1).default(64),
  groupSize: z.int().min(2).default(8),
  /** Validation episodes, every so many iterations, and evaluations without a new best until training ends. */
  validation: z.int().min(1).default(128),
  validateEvery: z.int().min(1).default(4),
  patience: z.int().min(1).default(4),
  /** Held-out scenarios of each sub-environment in the report. */
  scenarios: z.int().min(1).default(50),
  split: z.string().default("test_iid"),
  difficulty: z.string().default("medium"),
  policies: z.array(z.string()).default(["grpo", "sft", "base", "rule_based", "random_legal", "oracle_lookahead"]),
  /** Scenarios of each sub-environment that are also played with a disturbed view; 0: none. */
  disturbed: z.int().min(0).default(5),
  ablation: z.string().default("none"),
});

/** Checked settings. */
export type PipelineSettings = z.output<typeof pipelineSettings>;

/** Sizes for a run that only shows that all stages work: under a minute. */
export const SMOKE_SIZES: Partial<PipelineSettings> = {
  ...{ experts: 18, epochs: 2, iterations: 2, groups: 4, groupSize: 4, validation: 4, validateEvery: 1 },
  ...{ scenarios: 1, difficulty: "easy", disturbed: 0 },
  policies: ["grpo", "sft", "base", "rule_based"],
};
