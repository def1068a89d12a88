import type { Rng } from "@praxis/env";
import type { Finding } from "../../sub-environments/bandit-mining/findings.ts";
import { patternExcess } from "../../sub-environments/bandit-mining/risk.ts";
import { subsetsOf } from "../../sub-environments/bandit-mining/truth.ts";
import { Growth } from "./growth.ts";
import type { Miner, MiningProblem } from "./miner.ts";
import { expectedPatterns, RISK_GRID, triggerSize } from "./risk-model.ts";
import { Suspicion } from "./suspicion.ts";
import { Verification } from "./verification.ts";

/** Pairs probed at once. */
const TOGETHER = 8;
/** A pair that is observed above this is tested. */
const TESTED_ABOVE = 1.12;
/** Excess of a pair that is two thirds of a pattern of three, in the middle. */
const PAIR_EXCESS = patternExcess(2.4, 3, 2);

/**
 * Probes pairs one after the other, the known ones first, tests those that look dangerous and grows each confirmed pair to the
 * pattern it belongs to. Patterns of which no pair is dangerous stay hidden from it.
 */
export class PairsMiner implements Miner {
  readonly #problem: MiningProblem;
  readonly #suspicion: Suspicion;
  /** Pairs not probed yet, the next one last. */
  readonly #pairs: (readonly number[])[];
  readonly #found: (readonly number[])[] = [];
  readonly #suspects: (readonly number[])[] = [];
  #growth: Growth | null = null;
  #verification: Verification | null = null;

  constructor(problem: MiningProblem, rng: Rng) {
    this.#problem = problem;
    this.#suspicion = new Suspicion(problem);
    const { drugs, pairRanks } = problem;
    const all = subsetsOf(
      Array.from({ length: drugs }, (_, drug) => drug),
      2,
    );
    const rank = ([a, b]: readonly number[]): number => pairRanks[a! * drugs + b!]!;
    this.#pairs = rng.shuffled(all).sort((x, y) => rank(x) - rank(y));
  }

  propose(probesLeft: number): readonly (readonly number[])[] {
    if (this.#verification !== null) return [this.#verification.propose()];
    if (this.#growth !== null) return [this.#growth.propose()];
    const suspect = this.#suspects.shift();
    if (suspect !== undefined) {
      this.#verification = this.#test(suspect, [suspect], PAIR_EXCESS);
      return [suspect];
    }
    return this.#pairs.splice(-Math.min(TOGETHER, probesLeft)).reverse();
  }

  learn(combination: readonly number[], relativeRisk: number): void {
    if (this.#verification !== null) {
      this.#verification.learn(relativeRisk);
      if (this.#verification.isDone) this.#closeVerification(this.#verification);
    } else if (this.#growth !== null) {
      this.#growth.learn(combination, relativeRisk);
      const grown = this.#growth.result();
      if (grown === null) return;
      this.#growth = null;
      const { drugs, size, risk, isWhole } = grown;
      if (!isWhole || size === 2) return;
      const others = subsetsOf(drugs, triggerSize(size)).filter((pair) => !this.#isFound(pair));
      if (others.length > 0) this.#verification = this.#test(drugs, others, patternExcess(risk, size, 2));
    } else if (relativeRisk > TESTED_ABOVE && !this.#isFound(combination)) this.#suspects.push(combination);
  }

  declare(): readonly Finding[] {
    return this.#found.map((drugs) => ({ drugs, isPattern: true }));
  }

  #test(pattern: readonly number[], subsets: readonly (readonly number[])[], excess: number): Verification {
    return new Verification(pattern, { subsets, noise: this.#problem.noise, excess });
  }

  #isFound(pair: readonly number[]): boolean {
    return this.#found.some((found) => found.join() === pair.join());
  }

  #closeVerification({ pattern, confirmed }: Verification): void {
    this.#verification = null;
    this.#found.push(...confirmed);
    if (pattern.length !== 2 || confirmed.length === 0) return;
    const { onKnownPair, random } = expectedPatterns(this.#problem);
    const share = (size: number): number[] => RISK_GRID.map(() => onKnownPair[size]! + random[size]!);
    const sizes = new Map([
      [2, share(2)],
      [3, share(3)],
    ]);
    this.#growth = new Growth(this.#problem, this.#suspicion, { members: pattern, set: pattern, sizes });
  }
}
