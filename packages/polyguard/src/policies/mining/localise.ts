import { SAFE_MEAN, SAFE_SPREAD } from "../../sub-environments/bandit-mining/risk.ts";
import { knownMatrixOf, knownPairsOf, type MiningProblem } from "./miner.ts";
import {
  choose,
  expectedPatterns,
  PATTERN_SIZES,
  PatternDensities,
  RISK_GRID,
  safeLogDensity,
  triggerSize,
} from "./risk-model.ts";
import type { Suspicion } from "./suspicion.ts";

/** A guess: which drugs of the screened set belong to the pattern, and how large it is. */
interface Guess {
  /** Bits by place in the set. */
  readonly mask: number;
  readonly size: number;
  readonly shared: number;
}

/** Chance that counts as sure. */
const SURE = 0.95;
/** Probes after which the search in a set is given up, or the best guess taken when it is better than even. */
const MOST_PROBES = 30;

/** What the search in a set has come to: the pattern's drugs of the set, empty when the set is safe; null = not yet. */
export type Localised = readonly number[] | null;

/**
 * Searches a suspicious set for the members of a pattern: a posterior over all subsets that could be dangerous, all pattern
 * sizes and a grid of risks; the next probe is the subset whose outcome (dangerous or not) says most about the members.
 */
export class Localisation {
  readonly set: readonly number[];
  readonly #noise: number;
  readonly #guesses: readonly Guess[];
  /** Masks of the guesses. */
  readonly #masks: Uint8Array;
  /** Log weights, guess-major over the grid of risks; the last entry is "safe". */
  readonly #logs: Float64Array;
  readonly #subsets: readonly number[];
  #probes = 0;

  constructor(problem: MiningProblem, suspicion: Suspicion, set: readonly number[], chance: number) {
    this.set = set;
    this.#noise = problem.noise;
    const guesses: Guess[] = [];
    const priors: number[] = [];
    const subsets: number[] = [];
    const prior = new MemberPrior(problem, set);
    for (let mask = 1; mask < 1 << set.length; mask++) {
      const shared = BITS[mask]!;
      if (shared < 2) continue;
      subsets.push(mask);
      for (const size of PATTERN_SIZES) {
        if (shared > size || shared < triggerSize(size)) continue;
        const members = membersOf(set, mask);
        guesses.push({ mask, size, shared });
        priors.push(prior.of(members, size) * suspicion.evidence(members, size));
      }
    }
    let total = 0;
    for (const each of priors) total += each;
    this.#guesses = guesses;
    this.#masks = Uint8Array.from(guesses, ({ mask }) => mask);
    this.#subsets = subsets;
    this.#logs = new Float64Array(guesses.length * RISK_GRID.length + 1);
    guesses.forEach((_, index) => {
      const log = Math.log((chance * priors[index]!) / total / RISK_GRID.length);
      this.#logs.fill(log, index * RISK_GRID.length, (index + 1) * RISK_GRID.length);
    });
    this.#logs[this.#logs.length - 1] = Math.log(1 - chance);
  }

  /** The subset to probe next. */
  propose(): readonly number[] {
    const weights = normalised(this.#logs);
    const safe = weights.at(-1)!;
    const safeRate = dangerRate((SAFE_MEAN - OUTCOME_LIMIT) / Math.hypot(this.#noise, SAFE_SPREAD));
    const rows = this.#guesses.length;
    // Row g, entry c: mass of guess g times the chance of a dangerous outcome when c of its members are probed, and times the
    // entropy of that chance.
    const dangers = new Float64Array(rows * 9);
    const spreads = new Float64Array(rows * 9);
    const kept: number[] = [];
    for (let g = 0; g < rows; g++) {
      const { size, shared } = this.#guesses[g]!;
      let sum = 0;
      for (let r = 0; r < RISK_GRID.length; r++) sum += weights[g * RISK_GRID.length + r]!;
      if (sum < 1e-5) continue;
      kept.push(g);
      for (let count = 0; count <= shared; count++) {
        let rate = safeRate;
        if (count >= triggerSize(size)) {
          rate = 0;
          for (let r = 0; r < RISK_GRID.length; r++) {
            const excess = (RISK_GRID[r]! - 1) * ((2 * count) / size - 1);
            rate += weights[g * RISK_GRID.length + r]! * dangerRate((1 + excess - OUTCOME_LIMIT) / this.#noise);
          }
          rate /= sum;
        }
        dangers[g * 9 + count] = sum * rate;
        spreads[g * 9 + count] = sum * entropy(rate);
      }
    }
    const masks = this.#masks;
    let best = this.#subsets.at(-1)!;
    let most = -1;
    for (const mask of this.#subsets) {
      let mean = safe * safeRate;
      let spread = safe * entropy(safeRate);
      for (const g of kept) {
        const at = g * 9 + BITS[mask & masks[g]!]!;
        mean += dangers[at]!;
        spread += spreads[at]!;
      }
      const information = entropy(mean) - spread;
      if (information > most) {
        most = information;
        best = mask;
      }
    }
    return membersOf(this.set, best);
  }

  /** Learns from a probe of a subset of the set. */
  learn(subset: readonly number[], observed: number): void {
    this.#probes++;
    let probed = 0;
    this.set.forEach((drug, place) => {
      if (subset.includes(drug)) probed |= 1 << place;
    });
    const densities = new PatternDensities(observed, this.#noise);
    this.#guesses.forEach(({ mask, size }, g) => {
      densities.addTo(this.#logs, g * RISK_GRID.length, size, BITS[mask & probed]!);
    });
    this.#logs[this.#logs.length - 1]! += safeLogDensity(observed, this.#noise);
  }

  /** The members once they are sure enough, an empty list for a safe set, null while the search goes on. */
  result(): Localised {
    const weights = normalised(this.#logs);
    const isOver = this.#probes >= MOST_PROBES;
    const safe = weights.at(-1)!;
    if (safe > SURE) return [];
    const byMask = new Map<number, number>();
    this.#guesses.forEach(({ mask }, g) => {
      let sum = 0;
      for (let r = 0; r < RISK_GRID.length; r++) sum += weights[g * RISK_GRID.length + r]!;
      byMask.set(mask, (byMask.get(mask) ?? 0) + sum);
    });
    let best = 0;
    let most = 0;
    for (const [mask, weight] of byMask)
      if (weight > most) {
        most = weight;
        best = mask;
      }
    if (most > SURE || (isOver && most > 0.5)) return membersOf(this.set, best);
    return isOver ? [] : null;
  }

  /** Weight of each size and grid risk given the members, size-major; sums to 1 over all sizes. */
  sizesOf(members: readonly number[]): ReadonlyMap<number, readonly number[]> {
    const weights = normalised(this.#logs);
    const found = new Map<number, number[]>();
    let total = 0;
    this.#guesses.forEach(({ mask, size }, g) => {
      if (membersOf(this.set, mask).join() !== members.join()) return;
      const row = Array.from(weights.subarray(g * RISK_GRID.length, (g + 1) * RISK_GRID.length));
      for (const weight of row) total += weight;
      found.set(size, row);
    });
    return new Map([...found].map(([size, row]) => [size, row.map((weight) => weight / total)]));
  }
}

/** An outcome above this reads as dangerous when the next probe is chosen: half way from safe to the least danger. */
const OUTCOME_LIMIT = 1.08;

/** Logistic stand-in for the normal distribution function (within 0.01): good enough to choose a probe. */
function dangerRate(z: number): number {
  return 1 / (1 + Math.exp(-1.702 * z));
}

function entropy(p: number): number {
  return p <= 0 || p >= 1 ? 0 : -p * Math.log(p) - (1 - p) * Math.log(1 - p);
}

/** exp of anything below is 0 in double precision. */
const LEAST_EXPONENT = -746;

/** exp(logs) that sums to 1. */
export function normalised(logs: Float64Array): Float64Array {
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < logs.length; i++) if (logs[i]! > most) most = logs[i]!;
  const weights = new Float64Array(logs.length);
  let total = 0;
  for (let i = 0; i < logs.length; i++) {
    const difference = logs[i]! - most;
    // Below this exp is 0, and slow to find so.
    if (difference < LEAST_EXPONENT) continue;
    const weight = Math.exp(difference);
    weights[i] = weight;
    total += weight;
  }
  for (let i = 0; i < weights.length; i++) weights[i]! /= total;
  return weights;
}

/** Number of bits set, by mask of a set of at most eight drugs. */
const BITS: Uint8Array = new Uint8Array(256);
for (let mask = 1; mask < 256; mask++) BITS[mask] = (mask & 1) + BITS[mask >> 1]!;

function membersOf(set: readonly number[], mask: number): number[] {
  return set.filter((_, place) => (mask & (1 << place)) !== 0);
}

/** How often a pattern of a size meets a set in exactly the given members, as the task draws its patterns. */
class MemberPrior {
  readonly #problem: MiningProblem;
  readonly #outside: number;
  readonly #counts: ReturnType<typeof expectedPatterns>;
  /** 1 for each known pair, row-major and symmetric. */
  readonly #isKnown: Uint8Array;
  readonly #knownCount: number;
  /** Known pairs of each drug of the set with one outside it. */
  readonly #across: Uint16Array;

  constructor(problem: MiningProblem, set: readonly number[]) {
    this.#problem = problem;
    this.#outside = problem.drugs - set.length;
    this.#counts = expectedPatterns(problem);
    const knownPairs = knownPairsOf(problem);
    this.#isKnown = knownMatrixOf(problem);
    this.#knownCount = knownPairs.length;
    this.#across = new Uint16Array(problem.drugs);
    for (const a of set)
      for (let b = 0; b < problem.drugs; b++)
        if (!set.includes(b)) this.#across[a]! += this.#isKnown[a * problem.drugs + b]!;
  }

  of(members: readonly number[], size: number): number {
    const { drugs } = this.#problem;
    const missing = size - members.length;
    const random = (this.#counts.random[size]! * choose(this.#outside, missing)) / choose(drugs, size);
    const structured = this.#counts.onKnownPair[size]!;
    if (structured === 0 || this.#knownCount === 0) return random;
    let inside = 0;
    let across = 0;
    for (const a of members) {
      for (const b of members) if (a < b) inside += this.#isKnown[a * drugs + b]!;
      across += this.#across[a]!;
    }
    const rest = choose(drugs - 2, size - 2);
    const ways = inside * choose(this.#outside, missing) + across * choose(this.#outside - 1, missing - 1);
    return random + (structured * ways) / (this.#knownCount * rest);
  }
}
