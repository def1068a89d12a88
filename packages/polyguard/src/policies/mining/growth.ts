import { SAFE_MEAN } from "../../sub-environments/bandit-mining/risk.ts";
import { normalised } from "./localise.ts";
import { knownMatrixOf, type MiningProblem } from "./miner.ts";
import { PatternDensities, RISK_GRID, triggerSize } from "./risk-model.ts";
import type { Suspicion } from "./suspicion.ts";

/** Drugs of a probe. */
const MOST_DRUGS = 8;
const SURE = 0.97;
const MOST_PROBES = 60;

/** A pattern as far as it is known. */
export interface FoundPattern {
  readonly drugs: readonly number[];
  readonly size: number;
  /** Its relative risk. */
  readonly risk: number;
  /** All its drugs are known; else `drugs` are some of them that are dangerous together. */
  readonly isWhole: boolean;
}

/**
 * Grows the members that were found in a set to the whole pattern: a posterior over up to two more members, the pattern's
 * size and its risk. Each probe adds to the members the group whose outcome is the least certain.
 */
export class Growth {
  readonly members: readonly number[];
  readonly #noise: number;
  readonly #drugs: number;
  /** Guess g has the added drugs `#first[g]` and `#second[g]` (-1 = none) and size `members + added`. */
  readonly #first: Int16Array;
  readonly #second: Int16Array;
  /** Log weights, guess-major over the grid of risks. */
  readonly #logs: Float64Array;
  #probes = 0;

  constructor(
    problem: MiningProblem,
    suspicion: Suspicion,
    start: {
      readonly members: readonly number[];
      /** The set the members were found in: its other drugs are no members. */
      readonly set: readonly number[];
      readonly sizes: ReadonlyMap<number, readonly number[]>;
    },
  ) {
    const { members, set, sizes } = start;
    this.members = members;
    this.#noise = problem.noise;
    this.#drugs = problem.drugs;
    const outside: number[] = [];
    for (let drug = 0; drug < problem.drugs; drug++) if (!set.includes(drug)) outside.push(drug);
    const isKnown = knownMatrixOf(problem);
    const first: number[] = [];
    const second: number[] = [];
    const priors: number[] = [];
    const bySize = new Map<number, number>();
    const add = (a: number, b: number): void => {
      const added = b >= 0 ? [a, b] : a >= 0 ? [a] : [];
      const size = members.length + added.length;
      if (!sizes.has(size)) return;
      const pattern = [...members, ...added].sort((x, y) => x - y);
      let pairs = 0;
      for (const x of pattern) for (const y of pattern) pairs += isKnown[x * problem.drugs + y]!;
      // assumption: two thirds of the patterns of three and four drugs hold a known pair.
      const knownWeight = size === 3 || size === 4 ? (pairs > 0 ? 10 : 1) : 1;
      const prior = added.length === 0 ? 1 : knownWeight * suspicion.evidence(pattern, size);
      first.push(a);
      second.push(b);
      priors.push(prior);
      bySize.set(size, (bySize.get(size) ?? 0) + prior);
    };
    add(-1, -1);
    for (const a of outside) add(a, -1);
    if (sizes.has(members.length + 2))
      for (let i = 0; i < outside.length; i++)
        for (let j = i + 1; j < outside.length; j++) add(outside[i]!, outside[j]!);
    this.#first = Int16Array.from(first);
    this.#second = Int16Array.from(second);
    this.#logs = new Float64Array(first.length * RISK_GRID.length);
    for (let g = 0; g < first.length; g++) {
      const size = this.#sizeOf(g);
      const share = Math.log(priors[g]! / bySize.get(size)!);
      sizes.get(size)!.forEach((weight, r) => {
        this.#logs[g * RISK_GRID.length + r] = share + Math.log(Math.max(weight, 1e-12));
      });
    }
  }

  /** The combination to probe next. */
  propose(): readonly number[] {
    const weights = normalised(this.#logs);
    const byDrug = new Float64Array(this.#drugs);
    for (let g = 0; g < this.#first.length; g++) {
      const sum = this.#weightOf(weights, g);
      if (this.#first[g]! >= 0) byDrug[this.#first[g]!]! += sum;
      if (this.#second[g]! >= 0) byDrug[this.#second[g]!]! += sum;
    }
    const ranked = Array.from(byDrug.keys())
      .filter((drug) => byDrug[drug]! > 0)
      .sort((a, b) => byDrug[b]! - byDrug[a]! || a - b);
    const room = MOST_DRUGS - this.members.length;
    let best: readonly number[] = [];
    let most = -1;
    for (let count = 0; count <= Math.min(room, ranked.length); count++) {
      const group = ranked.slice(0, count);
      const spread = this.#spread(weights, group);
      if (spread > most) {
        most = spread;
        best = group;
      }
    }
    return [...this.members, ...best].sort((a, b) => a - b);
  }

  /** Learns from a probe of the members with a group beside them. */
  learn(combination: readonly number[], observed: number): void {
    this.#probes++;
    const densities = new PatternDensities(observed, this.#noise);
    const isIn = this.#flagsOf(combination);
    for (let g = 0; g < this.#first.length; g++)
      densities.addTo(this.#logs, g * RISK_GRID.length, this.#sizeOf(g), this.members.length + this.#sharedBy(g, isIn));
  }

  /** The whole pattern once it is sure, what is known of it when the search takes too long, null while it goes on. */
  result(): FoundPattern | null {
    const weights = normalised(this.#logs);
    let best = 0;
    let most = -1;
    for (let g = 0; g < this.#first.length; g++) {
      const weight = this.#weightOf(weights, g);
      if (weight > most) {
        most = weight;
        best = g;
      }
    }
    if (most < SURE) return this.#probes >= MOST_PROBES ? this.partial() : null;
    const added = [this.#first[best]!, this.#second[best]!].filter((drug) => drug >= 0);
    const drugs = [...this.members, ...added].sort((a, b) => a - b);
    return { drugs, size: this.#sizeOf(best), risk: this.#riskOf(weights, best), isWhole: true };
  }

  /** The members alone, which are dangerous together. */
  partial(): FoundPattern {
    return { drugs: this.members, size: this.members.length, risk: RISK_GRID[0]!, isWhole: false };
  }

  #sizeOf(guess: number): number {
    return this.members.length + Number(this.#first[guess]! >= 0) + Number(this.#second[guess]! >= 0);
  }

  #weightOf(weights: Float64Array, guess: number): number {
    let sum = 0;
    for (let r = 0; r < RISK_GRID.length; r++) sum += weights[guess * RISK_GRID.length + r]!;
    return sum;
  }

  #riskOf(weights: Float64Array, guess: number): number {
    let sum = 0;
    for (let r = 0; r < RISK_GRID.length; r++) sum += weights[guess * RISK_GRID.length + r]! * RISK_GRID[r]!;
    return sum / this.#weightOf(weights, guess);
  }

  /** 1 for each drug of a combination; one entry more, for no drug. */
  #flagsOf(combination: readonly number[]): Uint8Array {
    const isIn = new Uint8Array(this.#drugs + 1);
    for (const drug of combination) isIn[drug] = 1;
    return isIn;
  }

  #sharedBy(guess: number, isIn: Uint8Array): number {
    const first = this.#first[guess]!;
    const second = this.#second[guess]!;
    return (first < 0 ? 0 : isIn[first]!) + (second < 0 ? 0 : isIn[second]!);
  }

  /** Spread of the expected outcome of members and group over the posterior, in noise deviations. */
  #spread(weights: Float64Array, group: readonly number[]): number {
    let mean = 0;
    let square = 0;
    const isIn = this.#flagsOf(group);
    for (let g = 0; g < this.#first.length; g++) {
      const size = this.#sizeOf(g);
      const shared = this.members.length + this.#sharedBy(g, isIn);
      for (let r = 0; r < RISK_GRID.length; r++) {
        const weight = weights[g * RISK_GRID.length + r]!;
        if (weight < 1e-9) continue;
        const value = shared < triggerSize(size) ? SAFE_MEAN : 1 + (RISK_GRID[r]! - 1) * ((2 * shared) / size - 1);
        mean += weight * value;
        square += weight * value * value;
      }
    }
    return square - mean * mean;
  }
}
