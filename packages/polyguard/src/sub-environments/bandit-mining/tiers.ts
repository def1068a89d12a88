import type { Difficulty } from "../../scenario/types.ts";

/** Sizes of a mining task. */
export interface MiningTier {
  /** Drugs that combinations are made of. */
  readonly drugs: number;
  /** Hidden dangerous patterns. */
  readonly patterns: number;
  /** Distinct combinations of the population. */
  readonly population: number;
  /** Standard deviation of one probe. */
  readonly noise: number;
  /** Probes that may be made. */
  readonly probes: number;
}

/**
 * Sizes by tier. assumption: scaled down from OptimNeuralTS (Larouche et al., arXiv 2212.05190: 500 drugs, 100,000
 * combinations, 30,000 probes) so that an episode takes seconds.
 */
export const MINING_TIERS: Readonly<Record<Difficulty, MiningTier>> = {
  easy: { drugs: 30, patterns: 3, population: 2_000, noise: 0.1, probes: 200 },
  medium: { drugs: 60, patterns: 8, population: 10_000, noise: 0.15, probes: 600 },
  hard: { drugs: 120, patterns: 16, population: 30_000, noise: 0.2, probes: 1_500 },
};

/** Most probes of one step. */
export const MAX_PROBES_PER_STEP = 16;
/** Fewest and most drugs of a probed combination. */
export const PROBE_SIZES = [2, 8] as const;
/** Fewest and most drugs of a declared pattern. */
export const STAR_SIZES = [2, 4] as const;
/** A combination is dangerous above this mean relative risk. */
export const DANGEROUS_ABOVE = 1.1;
