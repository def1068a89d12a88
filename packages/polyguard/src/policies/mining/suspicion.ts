import { knownPairsOf, type MiningProblem } from "./miner.ts";
import { choose, expectedPatterns, patternLogDensity, RISK_GRID, safeLogDensity } from "./risk-model.ts";

/** Drugs of a screened set. */
const SET_SIZE = 8;
/** Weight of a dangerous triple against a dangerous pair: it is in fewer combinations of the population. */
const TRIPLE_VALUE = 0.3;
/** What a set loses that contains a pattern already found, which would mask the others. */
const MASKED = -1e3;
/** Suspicion that is left of what was found innocent. */
const INNOCENT = 0.02;

/**
 * How likely each pair and each triple of drugs is dangerous by itself, given the probes so far. Two tables of n x n and
 * n x n x n numbers, symmetric; learning changes them in place.
 */
export class Suspicion {
  readonly #drugs: number;
  readonly #noise: number;
  readonly #pairs: Float64Array;
  readonly #triples: Float32Array;
  readonly #pairPrior: Float64Array;
  readonly #triplePrior: Float32Array;
  readonly #pairShares: readonly (readonly [risk: number, size: number, weight: number])[];
  readonly #tripleShares: readonly (readonly [risk: number, size: number, weight: number])[];

  constructor(problem: MiningProblem) {
    const n = problem.drugs;
    this.#drugs = n;
    this.#noise = problem.noise;
    const { onKnownPair, random } = expectedPatterns(problem);
    const known = new Float64Array(n * n);
    const degree = new Float64Array(n);
    const knownPairs = knownPairsOf(problem);
    const count = Math.max(1, knownPairs.length);
    for (const { a, b } of knownPairs) {
      known[a * n + b] = 1;
      known[b * n + a] = 1;
      degree[a]!++;
      degree[b]!++;
    }
    this.#pairs = new Float64Array(n * n);
    const byChance2 = (random[2]! + 3 * random[3]!) / choose(n, 2);
    for (let a = 0; a < n; a++)
      for (let b = 0; b < n; b++) {
        if (a === b) continue;
        // A pattern of three on a known pair makes two more pairs dangerous, each with one end of the known one.
        const besideKnown = (onKnownPair[3]! * (degree[a]! + degree[b]!)) / (count * (n - 2));
        this.#pairs[a * n + b] = byChance2 + besideKnown + (known[a * n + b]! * onKnownPair[3]!) / count;
      }
    this.#triples = new Float32Array(n * n * n);
    const byChance3 = (4 * random[4]! + 10 * random[5]!) / choose(n, 3);
    const withKnown = onKnownPair[4]! / (count * (n - 2));
    for (let a = 0; a < n; a++)
      for (let b = 0; b < n; b++)
        for (let c = 0; c < n; c++) {
          if (a === b || b === c || a === c) continue;
          const inside = known[a * n + b]! + known[b * n + c]! + known[a * n + c]!;
          const ends = degree[a]! + degree[b]! + degree[c]!;
          // Two of the four triples of a pattern of four hold its known pair, the other two one end of it each.
          this.#triples[(a * n + b) * n + c] =
            byChance3 + 2 * withKnown * inside + (2 * withKnown * ends) / Math.max(1, n - 3);
        }
    this.#pairPrior = this.#pairs.slice();
    this.#triplePrior = this.#triples.slice();
    this.#pairShares = shares([
      [3, onKnownPair[3]! + random[3]!],
      [2, random[2]! / 3],
    ]);
    this.#tripleShares = shares([
      [4, 4 * (onKnownPair[4]! + random[4]!)],
      [5, 10 * random[5]!],
    ]);
  }

  /** Chance that a set is dangerous, at most 0.9: the sum over its pairs and triples, which are rarely dangerous together. */
  chance(set: readonly number[]): number {
    let sum = 0;
    this.#visit(
      set,
      (pair) => {
        sum += Math.max(0, this.#pairs[pair]!);
      },
      (triple) => {
        sum += Math.max(0, this.#triples[triple]!);
      },
    );
    return Math.min(0.9, sum);
  }

  /** Chance that a set is dangerous after one probe of it. */
  chanceAfter(set: readonly number[], observed: number): number {
    const prior = this.chance(set);
    const { pair, triple } = this.#likelihoodRatios(observed);
    const shareOfPairs = this.#pairShare(set, prior);
    const odds = (prior * (shareOfPairs * pair + (1 - shareOfPairs) * triple)) / (1 - prior);
    return odds / (1 + odds);
  }

  /** Learns from one probe of a set that is not followed up. */
  learn(set: readonly number[], observed: number): void {
    const { pair, triple } = this.#likelihoodRatios(observed);
    const prior = this.chance(set);
    const shareOfPairs = this.#pairShare(set, prior);
    const evidence = 1 - prior + prior * (shareOfPairs * pair + (1 - shareOfPairs) * triple);
    this.#scale(set, pair / evidence, triple / evidence);
  }

  /** The set was tested until it was surely safe. */
  clear(set: readonly number[]): void {
    this.#scale(set, INNOCENT, INNOCENT);
  }

  /** A dangerous subset was confirmed: screened sets keep away from it. Four drugs count by their triples. */
  block(subset: readonly number[]): void {
    this.#visit(
      subset,
      (pair) => {
        if (subset.length === 2) this.#pairs[pair] = MASKED;
      },
      (triple) => {
        this.#triples[triple] = MASKED;
      },
    );
    this.#mirror(subset);
  }

  /** How much of the first suspicion against a pattern is left: that of its least suspicious dangerous subset. */
  evidence(pattern: readonly number[], size: number): number {
    if (size === 6) return 1;
    let least = Number.POSITIVE_INFINITY;
    this.#visit(
      pattern,
      (pair) => {
        if (size <= 3) least = Math.min(least, Math.max(1e-6, this.#pairs[pair]! / this.#pairPrior[pair]!));
      },
      (triple) => {
        if (size > 3) least = Math.min(least, Math.max(1e-6, this.#triples[triple]! / this.#triplePrior[triple]!));
      },
    );
    return Number.isFinite(least) ? least : 1;
  }

  /** The most suspicious set of eight that a greedy search with one round of swaps finds from `first`. */
  mostSuspicious(first: number): number[] {
    const n = this.#drugs;
    const set: number[] = [];
    const isIn = new Uint8Array(n);
    // What each drug would add to the worth of the set as it stands; kept up to date, as working it out anew is slow.
    const added = new Float64Array(n);
    const take = (drug: number): void => {
      this.#addWorth(drug, set, added, 1);
      set.push(drug);
      isIn[drug] = 1;
    };
    take(first);
    while (set.length < Math.min(SET_SIZE, n)) take(largest(added, isIn));
    for (const old of [...set]) {
      set.splice(set.indexOf(old), 1);
      isIn[old] = 0;
      this.#addWorth(old, set, added, -1);
      take(largest(added, isIn));
    }
    return set.sort((a, b) => a - b);
  }

  /** Worth of screening a set. */
  worth(set: readonly number[]): number {
    let sum = 0;
    this.#visit(
      set,
      (pair) => {
        sum += this.#pairs[pair]!;
      },
      (triple) => {
        sum += TRIPLE_VALUE * this.#triples[triple]!;
      },
    );
    return sum;
  }

  /** Adds to every drug `sign` times the worth of its pair with `drug`, and of its triples with `drug` and one of `set`. */
  #addWorth(drug: number, set: readonly number[], added: Float64Array, sign: 1 | -1): void {
    const n = this.#drugs;
    const pairs = this.#pairs;
    const triples = this.#triples;
    const weight = sign * TRIPLE_VALUE;
    const row = drug * n;
    for (let other = 0; other < n; other++) added[other]! += sign * pairs[row + other]!;
    for (let i = 0; i < set.length; i++) {
      const plane = (row + set[i]!) * n;
      for (let other = 0; other < n; other++) added[other]! += weight * triples[plane + other]!;
    }
  }

  #pairShare(set: readonly number[], chance: number): number {
    let pairs = 0;
    this.#visit(
      set,
      (pair) => {
        pairs += Math.max(0, this.#pairs[pair]!);
      },
      () => {},
    );
    return chance === 0 ? 0 : Math.min(1, pairs / chance);
  }

  #likelihoodRatios(observed: number): { readonly pair: number; readonly triple: number } {
    const safe = safeLogDensity(observed, this.#noise);
    const ratio = (parts: readonly (readonly [number, number, number])[], shared: number): number => {
      let sum = 0;
      for (const [risk, size, weight] of parts)
        sum += weight * Math.exp(patternLogDensity(observed, this.#noise, { risk, size, shared }) - safe);
      return sum;
    };
    return { pair: ratio(this.#pairShares, 2), triple: ratio(this.#tripleShares, 3) };
  }

  #scale(set: readonly number[], pairFactor: number, tripleFactor: number): void {
    this.#visit(
      set,
      (pair) => {
        if (this.#pairs[pair]! > 0) this.#pairs[pair] = this.#pairs[pair]! * pairFactor;
      },
      (triple) => {
        if (this.#triples[triple]! > 0) this.#triples[triple] = this.#triples[triple]! * tripleFactor;
      },
    );
    this.#mirror(set);
  }

  /** Calls back with the table positions of all pairs and triples of a set, each once, in the set's order. */
  #visit(set: readonly number[], onPair: (at: number) => void, onTriple: (at: number) => void): void {
    const n = this.#drugs;
    for (let i = 0; i < set.length; i++)
      for (let j = i + 1; j < set.length; j++) {
        const pair = set[i]! * n + set[j]!;
        onPair(pair);
        for (let k = j + 1; k < set.length; k++) onTriple(pair * n + set[k]!);
      }
  }

  /** Copies what stands at the set's own order to all other orders of the same drugs. */
  #mirror(set: readonly number[]): void {
    const n = this.#drugs;
    for (let i = 0; i < set.length; i++)
      for (let j = i + 1; j < set.length; j++) {
        const [a, b] = [set[i]!, set[j]!];
        this.#pairs[b * n + a] = this.#pairs[a * n + b]!;
        for (let k = j + 1; k < set.length; k++) {
          const c = set[k]!;
          const value = this.#triples[(a * n + b) * n + c]!;
          this.#triples[(a * n + c) * n + b] = value;
          this.#triples[(b * n + a) * n + c] = value;
          this.#triples[(b * n + c) * n + a] = value;
          this.#triples[(c * n + a) * n + b] = value;
          this.#triples[(c * n + b) * n + a] = value;
        }
      }
  }
}

/** Values within this share of each other are equal: sums in another order differ in the last bits. */
const TIE = 1e-9;

/** Position of the largest value whose drug is not in yet; the first of equals. */
function largest(values: Float64Array, isIn: Uint8Array): number {
  let best = -1;
  for (let i = 0; i < values.length; i++)
    if (isIn[i] === 0 && (best < 0 || values[i]! > values[best]! + TIE * Math.abs(values[best]!))) best = i;
  return best;
}

function shares(
  bySize: readonly (readonly [size: number, weight: number])[],
): readonly (readonly [risk: number, size: number, weight: number])[] {
  let total = 0;
  for (const [, weight] of bySize) total += weight;
  return bySize.flatMap(([size, weight]) =>
    RISK_GRID.map((risk) => [risk, size, weight / total / RISK_GRID.length] as const),
  );
}
