import { PraxisError } from "@praxis/env";
import type { TaskClass } from "./bank/bank.ts";

/** What judges an output: 0 structural, 1 embedding, 2 micro-judge, 3 full judge. */
export type Tier = 0 | 1 | 2 | 3;

/** Tier that a class is judged at; a moderate task in some cases by the dearer judge. @param dearer drawn at reset */
export function tierOfClass(name: TaskClass, dearer: boolean): Tier {
  switch (name) {
    case "atomic":
      return 0;
    case "simple":
      return 1;
    case "moderate":
      return dearer ? 2 : 1;
    default:
      return 2;
  }
}

/** The one tier of an episode: team and generalist are scored with it, and nobody can ask for another. */
export class EpisodeTierLock {
  readonly tier: Tier;
  readonly #sigmas: readonly number[];

  constructor(tier: Tier, sigmas: readonly number[]) {
    this.tier = tier;
    this.#sigmas = sigmas;
  }

  /** Noise of the locked tier. Throws INVALID_CONFIG when asked for another: deltas across tiers mean nothing. */
  sigmaFor(tier: Tier): number {
    if (tier !== this.tier)
      throw new PraxisError(
        "INVALID_CONFIG",
        `This episode is judged at tier ${this.tier}; tier ${tier} was asked for. Begin another episode for another tier.`,
      );
    return this.#sigmas[tier]!;
  }
}
