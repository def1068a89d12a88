import type { Grades } from "./grades.ts";

/** Places that a recommendation has. */
const PLACES = 3;

/** Largest regret of the first choice that counts as success, as a share of the range of g. */
export const MOST_REGRET = 0.1;

/** Regret of the first choice as a share of the range of g, 0-1; 1 without a choice. */
export function regretShare(grades: Grades, ranking: readonly number[]): number {
  const first = ranking[0];
  if (first === undefined) return 1;
  const range = grades.best - grades.worst;
  return range <= 0 ? 0 : (grades.best - grades.worth[first]!) / range;
}

/**
 * NDCG@3 of a ranking: the gain of an option is its rank-normalised g (1 the best, 0 the worst; equal g, equal gain), places
 * are discounted by log2(place + 1). Source: Jarvelin and Kekalainen 2002.
 */
export function ndcg(worth: readonly number[], ranking: readonly number[]): number {
  const gains = worth.map((g) => {
    const better = worth.filter((other) => other > g).length;
    return worth.length === 1 ? 1 : 1 - better / (worth.length - 1);
  });
  const discounted = (ordered: readonly number[]): number =>
    ordered.slice(0, PLACES).reduce((sum, gain, place) => sum + gain / Math.log2(place + 2), 0);
  const seen = [...new Set(ranking)].map((option) => gains[option]!);
  const ideal = discounted([...gains].sort((a, b) => b - a));
  return ideal === 0 ? 0 : discounted(seen) / ideal;
}

/** Task score: half for the regret of the first choice, half for the ranking; 0 without a recommendation. */
export function alternativeScore(grades: Grades, ranking: readonly number[]): number {
  if (ranking.length === 0) return 0;
  return 0.5 * (1 - regretShare(grades, ranking)) + 0.5 * ndcg(grades.worth, ranking);
}
