import type { Rng } from "@praxis/env";
import { PROBE_SIZES } from "../../sub-environments/bandit-mining/tiers.ts";

/** Settings of OptimNeuralTS (Larouche et al., arXiv 2212.05190). */
const SCALE = 0.8;
const CROSSOVER = 0.9;
const MEMBERS = 24;
const GENERATIONS = 16;

/**
 * Combination of 2-8 drugs with a high score, by differential evolution (Storn and Price 1997, rand/1/bin) over weights of the
 * drugs: a vector stands for the drugs of weight above .5, the heaviest eight at most.
 */
export function differentialEvolution(
  score: (combination: readonly number[]) => number,
  drugs: number,
  rng: Rng,
): readonly number[] {
  const members = Array.from({ length: MEMBERS }, () => {
    // A start of about five drugs each.
    const vector = Float64Array.from({ length: drugs }, () => rng.uniform() ** (drugs / 20));
    return { vector, value: score(combinationOf(vector)) };
  });
  for (let generation = 0; generation < GENERATIONS; generation++) {
    for (let i = 0; i < MEMBERS; i++) {
      const [a, b, c] = [0, 1, 2].map(() => members[rng.integer(0, MEMBERS - 1)]!.vector) as [
        Float64Array,
        Float64Array,
        Float64Array,
      ];
      const target = members[i]!;
      const forced = rng.integer(0, drugs - 1);
      const trial = target.vector.map((own, d) =>
        d === forced || rng.bernoulli(CROSSOVER) ? clip(a[d]! + SCALE * (b[d]! - c[d]!)) : own,
      );
      const value = score(combinationOf(trial));
      if (value >= target.value) members[i] = { vector: trial, value };
    }
  }
  return combinationOf(members.reduce((best, each) => (each.value > best.value ? each : best)).vector);
}

function clip(x: number): number {
  return Math.min(1, Math.max(0, x));
}

/** Drugs of weight above .5, at least two and at most eight: the heaviest. Ascending. */
function combinationOf(weights: Float64Array): readonly number[] {
  const ranked = Array.from(weights.keys()).sort((x, y) => weights[y]! - weights[x]! || x - y);
  const wanted = ranked.filter((drug) => weights[drug]! > 0.5).length;
  return ranked.slice(0, Math.min(PROBE_SIZES[1], Math.max(PROBE_SIZES[0], wanted))).sort((a, b) => a - b);
}
