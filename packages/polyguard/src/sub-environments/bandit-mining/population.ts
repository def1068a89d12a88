import { Rng } from "@praxis/env";
import { binomialTable, drawBinomial, drawDistinct } from "./binomial.ts";
import type { MiningInstance } from "./instance.ts";
import { meanRisk } from "./risk.ts";
import { DANGEROUS_ABOVE } from "./tiers.ts";

/** Distinct combinations with their true risks. Latent but for the combinations. */
export interface Population {
  /** Positions of the drugs of each combination, ascending. */
  readonly combinations: readonly Uint8Array[];
  /** True mean relative risk of each. */
  readonly means: Float64Array;
  /** The means in ascending order. */
  readonly sortedMeans: Float64Array;
  /** Numbers of the dangerous combinations, ascending. */
  readonly dangerous: readonly number[];
  /** Numbers of the combinations that contain each drug, by position, ascending. */
  readonly byDrug: readonly Int32Array[];
}

/** assumption: mean number of drugs of a combination. */
const MEAN_SIZE = 6;

const kept = new WeakMap<MiningInstance, Population>();

/** The population of an instance; worked out once for it. */
export function populationOf(instance: MiningInstance): Population {
  let population = kept.get(instance);
  if (population === undefined) {
    population = drawPopulation(instance);
    kept.set(instance, population);
  }
  return population;
}

function drawPopulation(instance: MiningInstance): Population {
  const { drugs, population: count } = instance.tier;
  const rng = Rng.fromSeed(instance.seed, "population");
  const sizes = binomialTable(drugs, MEAN_SIZE);
  const seen = new Set<string>();
  const combinations: Uint8Array[] = [];
  while (combinations.length < count) {
    let size = drawBinomial(sizes, rng);
    while (size < 2) size = drawBinomial(sizes, rng);
    const combination = drawDistinct(rng, drugs, size);
    const key = String.fromCharCode(...combination);
    if (seen.has(key)) continue;
    seen.add(key);
    combinations.push(Uint8Array.from(combination));
  }
  const means = new Float64Array(count);
  const dangerous: number[] = [];
  const lists: number[][] = Array.from({ length: drugs }, () => []);
  for (let i = 0; i < count; i++) {
    const combination = combinations[i]!;
    means[i] = meanRisk(instance, combination);
    if (means[i]! > DANGEROUS_ABOVE) dangerous.push(i);
    for (const position of combination) lists[position]!.push(i);
  }
  return {
    combinations,
    means,
    sortedMeans: means.slice().sort(),
    dangerous,
    byDrug: lists.map((list) => Int32Array.from(list)),
  };
}

/** Share of the population with a lower mean than `risk`, and half of those with an equal one: 0-1. */
export function riskRank({ sortedMeans }: Population, risk: number): number {
  const below = countBelow(sortedMeans, risk, false);
  const upTo = countBelow(sortedMeans, risk, true);
  return (below + upTo) / (2 * sortedMeans.length);
}

/** Entries below `limit` (or up to it) in an ascending list. */
function countBelow(sorted: Float64Array, limit: number, isInclusive: boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isInclusive ? sorted[middle]! <= limit : sorted[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Numbers of the combinations that contain all of `drugs` (positions, at least one), ascending. */
export function containing({ byDrug, combinations }: Population, drugs: readonly number[]): readonly number[] {
  let shortest = byDrug[drugs[0]!]!;
  for (const drug of drugs) if (byDrug[drug]!.length < shortest.length) shortest = byDrug[drug]!;
  const found: number[] = [];
  for (const index of shortest) if (drugs.every((drug) => combinations[index]!.includes(drug))) found.push(index);
  return found;
}
