import type { Rng } from "@praxis/env";
import type { Finding } from "../../sub-environments/bandit-mining/findings.ts";
import { patternExcess } from "../../sub-environments/bandit-mining/risk.ts";
import { STAR_SIZES } from "../../sub-environments/bandit-mining/tiers.ts";
import { subsetsOf } from "../../sub-environments/bandit-mining/truth.ts";
import { type FoundPattern, Growth } from "./growth.ts";
import { Localisation } from "./localise.ts";
import type { Miner, MiningProblem } from "./miner.ts";
import { triggerSize } from "./risk-model.ts";
import { Suspicion } from "./suspicion.ts";
import { Verification } from "./verification.ts";

/** Sets screened at once. */
const SCREENED_TOGETHER = 4;
/** A screened set is followed up from this chance on that it is dangerous. */
const FOLLOW_UP = 0.5;
/** Greedy searches for a set, from different first drugs. */
const SEARCHES = 3;

/**
 * Group testing by the rule that a pattern is dangerous as soon as more than half of it is taken: wide sets of the most
 * suspicious pairs and triples are screened; a set that looks dangerous is searched for the pattern's members, and these are
 * grown to the whole pattern, whose smallest dangerous subsets are declared.
 */
export class StructuredMiner implements Miner {
  readonly #problem: MiningProblem;
  readonly #rng: Rng;
  readonly #suspicion: Suspicion;
  /** Confirmed dangerous subsets. */
  readonly #found: (readonly number[])[] = [];
  readonly #queue: { readonly set: readonly number[]; readonly chance: number }[] = [];
  #localisation: Localisation | null = null;
  #growth: Growth | null = null;
  #verification: Verification | null = null;

  constructor(problem: MiningProblem, rng: Rng) {
    this.#problem = problem;
    this.#rng = rng;
    this.#suspicion = new Suspicion(problem);
  }

  propose(probesLeft: number): readonly (readonly number[])[] {
    if (this.#verification !== null) return [this.#verification.propose()];
    if (this.#growth !== null) return [this.#growth.propose()];
    if (this.#localisation !== null) return [this.#localisation.propose()];
    return this.#screens(Math.min(SCREENED_TOGETHER, probesLeft));
  }

  learn(combination: readonly number[], relativeRisk: number): void {
    if (this.#verification !== null) {
      this.#verification.learn(relativeRisk);
      this.#closeVerification(this.#verification);
      return;
    }
    if (this.#growth !== null) {
      this.#growth.learn(combination, relativeRisk);
      this.#closeGrowth(this.#growth.result());
      return;
    }
    if (this.#localisation !== null) {
      this.#localisation.learn(combination, relativeRisk);
      this.#closeLocalisation(this.#localisation);
      return;
    }
    const chance = this.#suspicion.chanceAfter(combination, relativeRisk);
    if (chance < FOLLOW_UP) this.#suspicion.learn(combination, relativeRisk);
    else this.#queue.push({ set: combination, chance });
  }

  declare(): readonly Finding[] {
    const open = [
      ...(this.#growth === null ? [] : [this.#growth.members]),
      ...(this.#verification === null ? [] : [...this.#verification.confirmed, ...this.#verification.waiting]),
    ];
    return [...this.#found, ...open]
      .filter((drugs) => drugs.length <= STAR_SIZES[1])
      .map((drugs) => ({ drugs, isPattern: true }));
  }

  #screens(count: number): readonly (readonly number[])[] {
    const next = this.#queue.shift();
    if (next !== undefined) {
      this.#localisation = new Localisation(this.#problem, this.#suspicion, next.set, next.chance);
      return [this.#localisation.propose()];
    }
    const sets: (readonly number[])[] = [];
    const isDrawn = new Set<string>();
    for (let i = 0; i < count; i++) {
      let best: readonly number[] | null = null;
      for (let search = 0; search < SEARCHES; search++) {
        const set = this.#suspicion.mostSuspicious(this.#rng.integer(0, this.#problem.drugs - 1));
        if (isDrawn.has(set.join())) continue;
        if (best === null || this.#suspicion.worth(set) > this.#suspicion.worth(best)) best = set;
      }
      if (best === null) continue;
      isDrawn.add(best.join());
      sets.push(best);
    }
    return sets;
  }

  #closeLocalisation(localisation: Localisation): void {
    const members = localisation.result();
    if (members === null) return;
    this.#localisation = null;
    if (members.length === 0) {
      this.#suspicion.clear(localisation.set);
      return;
    }
    this.#growth = new Growth(this.#problem, this.#suspicion, {
      members,
      set: localisation.set,
      sizes: localisation.sizesOf(members),
    });
    this.#closeGrowth(this.#growth.result());
  }

  #closeGrowth(found: FoundPattern | null): void {
    if (found === null) return;
    this.#growth = null;
    const { drugs, size, risk, isWhole } = found;
    const trigger = isWhole ? triggerSize(size) : drugs.length;
    this.#verification = new Verification(drugs, {
      subsets: subsetsOf(drugs, trigger),
      noise: this.#problem.noise,
      excess: isWhole ? patternExcess(risk, size, trigger) : 0,
    });
  }

  #closeVerification(verification: Verification): void {
    if (!verification.isDone) return;
    this.#verification = null;
    for (const subset of verification.refuted) this.#suspicion.clear(subset);
    for (const subset of verification.confirmed) {
      this.#found.push(subset);
      this.#suspicion.block(subset);
    }
    // A set that waits for its search and holds what was just confirmed would tell nothing new.
    const isMasked = (set: readonly number[]): boolean =>
      verification.confirmed.some((subset) => subset.every((drug) => set.includes(drug)));
    for (let i = this.#queue.length - 1; i >= 0; i--) if (isMasked(this.#queue[i]!.set)) this.#queue.splice(i, 1);
  }
}
