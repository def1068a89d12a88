import type { Rng } from "@praxis/env";
import type { Finding } from "../../sub-environments/bandit-mining/findings.ts";
import { LinearMiner } from "./linear-miner.ts";
import type { Miner, MiningProblem } from "./miner.ts";

/**
 * LinUCB whose arms are the pairs of drugs, as no population is shown: it probes the pair of the highest bound and declares the
 * pairs that it believes dangerous, each for every combination that holds it. A pair is more than half of a pattern of three.
 */
export class PairArms implements Miner {
  readonly #inner: LinearMiner;

  constructor(problem: MiningProblem, rng: Rng) {
    this.#inner = new LinearMiner(
      { ...problem, population: pairsOf(problem.drugs) },
      { kind: "linucb", alpha: 1 },
      rng,
    );
  }

  propose(probesLeft: number): readonly (readonly number[])[] {
    return this.#inner.propose(probesLeft);
  }

  learn(combination: readonly number[], relativeRisk: number): void {
    this.#inner.learn(combination, relativeRisk);
  }

  declare(): readonly Finding[] {
    return this.#inner.declare().map(({ drugs }) => ({ drugs, isPattern: true }));
  }
}

function pairsOf(drugs: number): readonly Uint8Array[] {
  const pairs: Uint8Array[] = [];
  for (let a = 0; a < drugs; a++) for (let b = a + 1; b < drugs; b++) pairs.push(Uint8Array.of(a, b));
  return pairs;
}
