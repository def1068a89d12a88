import type { Finding } from "../../sub-environments/bandit-mining/findings.ts";

/** What a miner knows of its task from the start. Drugs are positions in the task's list. */
export interface MiningProblem {
  /** Number of drugs. */
  readonly drugs: number;
  /** Known major or contraindicated pairs, a < b. */
  readonly knownPairs: readonly { readonly a: number; readonly b: number }[];
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
