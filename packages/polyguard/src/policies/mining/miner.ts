import type { Finding } from "../../sub-environments/bandit-mining/findings.ts";

/** What a miner knows of its task from the start. Drugs are positions in the task's list. */
export interface MiningProblem {
  /** Number of drugs. */
  readonly drugs: number;
  /** Severity of each pair in the interaction table, row-major: 0 none, 1 moderate, 2 major, 3 contraindicated; symmetric. */
  readonly pairRanks: Uint8Array;
  /** Anticholinergic burden of each drug, 0-3. */
  readonly anticholinergic: readonly number[];
  /** Hidden patterns in the task. */
  readonly patterns: number;
  /** Standard deviation of one probe. */
  readonly noise: number;
  /** Probes of the whole task. */
  readonly probes: number;
  /** Combinations of the population; null when they were not shown. */
  readonly population: readonly Uint8Array[] | null;
}

/** A strategy that looks for dangerous combinations: it says what to probe, is told what was seen, and declares. */
export interface Miner {
  /** The next 1-16 combinations (2-8 positions each, ascending), at most `probesLeft`; empty when it has seen enough. */
  propose(probesLeft: number): readonly (readonly number[])[];
  /** Takes note of one probe; called in the order of the proposal. */
  learn(combination: readonly number[], relativeRisk: number): void;
  /** What it would declare now. */
  declare(): readonly Finding[];
}

/** Rank from which on a pair counts as known to be dangerous. */
const KNOWN_RANK = 2;

interface KnownPairs {
  readonly pairs: readonly { readonly a: number; readonly b: number }[];
  readonly matrix: Uint8Array;
}

const knownOf = new WeakMap<MiningProblem, KnownPairs>();

function known(problem: MiningProblem): KnownPairs {
  let found = knownOf.get(problem);
  if (found === undefined) {
    const { drugs, pairRanks } = problem;
    const pairs: { a: number; b: number }[] = [];
    const matrix = new Uint8Array(drugs * drugs);
    for (let a = 0; a < drugs; a++)
      for (let b = a + 1; b < drugs; b++) {
        if (pairRanks[a * drugs + b]! < KNOWN_RANK) continue;
        pairs.push({ a, b });
        matrix[a * drugs + b] = 1;
        matrix[b * drugs + a] = 1;
      }
    found = { pairs, matrix };
    knownOf.set(problem, found);
  }
  return found;
}

/** Known major or contraindicated pairs, a < b, in order. Worked out once for a problem. */
export function knownPairsOf(problem: MiningProblem): KnownPairs["pairs"] {
  return known(problem).pairs;
}

/** 1 for each known major or contraindicated pair, row-major, symmetric. Worked out once for a problem. */
export function knownMatrixOf(problem: MiningProblem): Uint8Array {
  return known(problem).matrix;
}
