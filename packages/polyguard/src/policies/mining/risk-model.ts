import { binomialTable } from "../../sub-environments/bandit-mining/binomial.ts";
import { patternExcess, SAFE_MEAN, SAFE_SPREAD } from "../../sub-environments/bandit-mining/risk.ts";
import type { MiningProblem } from "./miner.ts";

/** Grid of a pattern's relative risk, midpoints of six equal parts of 1.8-3.0. */
export const RISK_GRID: readonly number[] = [1.9, 2.1, 2.3, 2.5, 2.7, 2.9];
/** Sizes that patterns can have. */
export const PATTERN_SIZES: readonly number[] = [2, 3, 4, 5, 6];

/** Fewest drugs of a pattern of `size` that are dangerous together: more than half. */
export function triggerSize(size: number): number {
  return Math.floor(size / 2) + 1;
}

/** Log density of a probe at a safe combination, up to a constant that all log densities of the noise share. */
export function safeLogDensity(observed: number, noise: number): number {
  return normalLogDensity(observed, SAFE_MEAN, Math.hypot(noise, SAFE_SPREAD));
}

/** Log density of a probe where `shared` of a pattern's `size` drugs are present. */
export function patternLogDensity(
  observed: number,
  noise: number,
  pattern: { readonly risk: number; readonly size: number; readonly shared: number },
): number {
  const excess = patternExcess(pattern.risk, pattern.size, pattern.shared);
  return excess > 0 ? normalLogDensity(observed, 1 + excess, noise) : safeLogDensity(observed, noise);
}

/** {@link patternLogDensity} of one observation over the grid of risks, each size and share worked out once. */
export class PatternDensities {
  readonly #observed: number;
  readonly #noise: number;
  /** By size and share. */
  readonly #rows: (Float64Array | undefined)[] = [];

  constructor(observed: number, noise: number) {
    this.#observed = observed;
    this.#noise = noise;
  }

  /** Adds the log densities of all risks of the grid to `logs` from `offset` on. */
  addTo(logs: Float64Array, offset: number, size: number, shared: number): void {
    const at = size * 8 + shared;
    let row = this.#rows[at];
    if (row === undefined) {
      row = Float64Array.from(RISK_GRID, (risk) =>
        patternLogDensity(this.#observed, this.#noise, { risk, size, shared }),
      );
      this.#rows[at] = row;
    }
    for (let r = 0; r < row.length; r++) logs[offset + r]! += row[r]!;
  }
}

function normalLogDensity(x: number, mean: number, deviation: number): number {
  const z = (x - mean) / deviation;
  return -0.5 * z * z - Math.log(deviation);
}

/** Expected numbers of patterns by size: those built on a known pair (3 or 4 drugs), and random ones. */
export interface PatternCounts {
  /** By size, index 2-6. */
  readonly onKnownPair: readonly number[];
  readonly random: readonly number[];
}

const MEAN_SIZE = 3.5;
const KNOWN_SHARE = 2 / 3;

/** What the task's description says about the patterns, as expected counts. */
export function expectedPatterns({ drugs, patterns }: MiningProblem): PatternCounts {
  const table = binomialTable(drugs, MEAN_SIZE);
  const share = (size: number): number => table[size]! - table[size - 1]!;
  const known = Math.round(patterns * KNOWN_SHARE);
  const random = patterns - known;
  const small = share(3) + share(4);
  return {
    onKnownPair: [0, 0, 0, (known * share(3)) / small, (known * share(4)) / small, 0, 0],
    random: [
      0,
      0,
      random * table[2]!,
      random * share(3),
      random * share(4),
      random * share(5),
      random * (1 - table[5]!),
    ],
  };
}

/** Number of ways to choose `k` of `n`. */
export function choose(n: number, k: number): number {
  if (k < 0 || k > n) return 0;
  let ways = 1;
  for (let i = 1; i <= k; i++) ways = (ways * (n - k + i)) / i;
  return ways;
}
