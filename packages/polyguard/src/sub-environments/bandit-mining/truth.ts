import { type Finding, writeFinding } from "./findings.ts";
import type { MiningInstance } from "./instance.ts";
import { containing, populationOf } from "./population.ts";

/** The smallest subsets of every pattern that are dangerous, as patterns with a star. */
export function dangerousSubsets({ patterns }: MiningInstance): readonly Finding[] {
  return patterns.flatMap(({ drugs }) =>
    subsetsOf(drugs, Math.floor(drugs.length / 2) + 1).map((subset) => ({ drugs: subset, isPattern: true })),
  );
}

/** Texts of a declaration without any error: the dangerous subsets, and each combination that is dangerous by chance. */
export function trueFindings(instance: MiningInstance): readonly string[] {
  const population = populationOf(instance);
  const subsets = dangerousSubsets(instance);
  const covered = new Set(subsets.flatMap(({ drugs }) => containing(population, drugs)));
  const byChance = population.dangerous
    .filter((index) => !covered.has(index))
    .map((index): Finding => ({ drugs: Array.from(population.combinations[index]!), isPattern: false }));
  return [...subsets, ...byChance].map((finding) => writeFinding(instance.drugIds, finding));
}

/** All subsets of `count` drugs, in lexicographic order. */
export function subsetsOf(drugs: readonly number[], count: number): readonly (readonly number[])[] {
  if (count === 0) return [[]];
  return drugs.flatMap((drug, at) => subsetsOf(drugs.slice(at + 1), count - 1).map((rest) => [drug, ...rest]));
}
