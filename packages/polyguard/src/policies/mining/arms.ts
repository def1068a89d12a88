import type { Rng } from "@praxis/env";
import { drawDistinct } from "../../sub-environments/bandit-mining/binomial.ts";
import { PROBE_SIZES } from "../../sub-environments/bandit-mining/tiers.ts";
import { differentialEvolution } from "./differential-evolution.ts";
import type { MiningProblem } from "./miner.ts";

/** A score of combinations, positions ascending; the largest is wanted. */
export type ArmScore = (combination: ArrayLike<number>) => number;

/** Combinations that may be probed: the population's, where it was shown, else any of 2-8 drugs. */
export class Arms {
  /** Combinations of the population of a size that can be probed; empty when it was not shown. */
  readonly shown: readonly Uint8Array[];
  readonly #drugs: number;
  readonly #rng: Rng;
  readonly #taken = new Set<Uint8Array>();

  constructor(problem: MiningProblem, rng: Rng) {
    this.#drugs = problem.drugs;
    this.#rng = rng;
    this.shown = (problem.population ?? []).filter(
      ({ length }) => length >= PROBE_SIZES[0] && length <= PROBE_SIZES[1],
    );
  }

  /** One at random. */
  random(): readonly number[] {
    if (this.shown.length > 0) return Array.from(this.#rng.choice(this.shown));
    return drawDistinct(this.#rng, this.#drugs, this.#rng.integer(...PROBE_SIZES));
  }

  /**
   * The one of the highest score: among those shown that were not taken before, as looking again teaches less than looking
   * elsewhere; without a population what an evolution finds.
   */
  best(score: ArmScore): readonly number[] {
    if (this.shown.length === 0) return differentialEvolution(score, this.#drugs, this.#rng);
    let best = this.shown[0]!;
    let most = Number.NEGATIVE_INFINITY;
    for (const combination of this.shown) {
      if (this.#taken.has(combination)) continue;
      const value = score(combination);
      if (value > most) {
        most = value;
        best = combination;
      }
    }
    this.#taken.add(best);
    return Array.from(best);
  }
}
