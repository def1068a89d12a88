import { knownPairsOf, type MiningProblem } from "./miner.ts";

/** A sparse feature row. */
export interface FeatureRow {
  readonly indexes: readonly number[];
  readonly values: readonly number[];
}

const SPREADS = { constant: 0.3, drug: 0.05, pair: 0.4, count: 0.1 };

/**
 * Features of a combination: constant, one per drug, one per known major pair, then the numbers of pairs by severity (each
 * / 4), of drugs (/ 8) and of anticholinergic points (/ 9).
 */
export class CombinationFeatures {
  readonly length: number;
  readonly #problem: MiningProblem;
  readonly #pairAt = new Map<number, number>();
  readonly #countsAt: number;

  constructor(problem: MiningProblem) {
    this.#problem = problem;
    const { drugs } = problem;
    let next = 1 + drugs;
    for (const { a, b } of knownPairsOf(problem)) this.#pairAt.set(a * drugs + b, next++);
    this.#countsAt = next;
    this.length = next + 5;
  }

  /** How far each weight may be from 0 before anything is seen. assumption: pairs matter more than single drugs. */
  spreads(): Float64Array {
    const spreads = new Float64Array(this.length).fill(SPREADS.pair);
    spreads[0] = SPREADS.constant;
    spreads.fill(SPREADS.drug, 1, 1 + this.#problem.drugs);
    spreads.fill(SPREADS.count, this.#countsAt);
    return spreads;
  }

  /** The row of a combination (positions, ascending). */
  row(combination: ArrayLike<number>): FeatureRow {
    const { drugs, pairRanks, anticholinergic } = this.#problem;
    const indexes = [0];
    const values = [1];
    const bySeverity = [0, 0, 0, 0];
    let points = 0;
    for (let i = 0; i < combination.length; i++) {
      const a = combination[i]!;
      indexes.push(1 + a);
      values.push(1);
      points += anticholinergic[a]!;
      for (let j = i + 1; j < combination.length; j++) {
        const key = a * drugs + combination[j]!;
        bySeverity[pairRanks[key]!]!++;
        const at = this.#pairAt.get(key);
        if (at === undefined) continue;
        indexes.push(at);
        values.push(1);
      }
    }
    const counts = [bySeverity[1]! / 4, bySeverity[2]! / 4, bySeverity[3]! / 4, combination.length / 8, points / 9];
    counts.forEach((count, i) => {
      if (count === 0) return;
      indexes.push(this.#countsAt + i);
      values.push(count);
    });
    return { indexes, values };
  }

  /** The row as a dense vector, written into `into` from `offset` on. */
  writeDense(combination: ArrayLike<number>, into: Float32Array, offset: number): void {
    into.fill(0, offset, offset + this.length);
    const { indexes, values } = this.row(combination);
    indexes.forEach((index, i) => {
      into[offset + index] = values[i]!;
    });
  }
}
