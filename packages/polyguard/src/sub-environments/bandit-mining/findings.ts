import { didYouMean } from "@praxis/env";
import type { MiningInstance } from "./instance.ts";
import { containing, type Population, populationOf } from "./population.ts";
import { STAR_SIZES } from "./tiers.ts";

/** A declared finding: one combination, or with a star every combination that contains the drugs. */
export interface Finding {
  /** Positions, ascending. */
  readonly drugs: readonly number[];
  readonly isPattern: boolean;
}

/** A finding, or in words what is wrong with its text. */
export type ReadFinding =
  | { readonly finding: Finding; readonly problem: null }
  | { readonly finding: null; readonly problem: string };

/** Reads `a+b+c` or `a+b*` (ids ascending, 2-4 drugs before a star). */
export function readFinding(drugIds: readonly string[], text: string): ReadFinding {
  const refuse = (problem: string): ReadFinding => ({ finding: null, problem: `'${text.slice(0, 80)}': ${problem}` });
  const isPattern = text.endsWith("*");
  const ids = (isPattern ? text.slice(0, -1) : text).split("+");
  const drugs: number[] = [];
  for (const id of ids) {
    const position = drugIds.indexOf(id);
    if (position < 0) return refuse(`no drug '${id}' in bandit.drugs.${didYouMean(id, drugIds)}`);
    if (drugs.length > 0 && position <= drugs.at(-1)!) return refuse("write the ids once each, in ascending order.");
    drugs.push(position);
  }
  if (drugs.length < 2) return refuse("name at least two drugs.");
  if (isPattern && drugs.length > STAR_SIZES[1]) return refuse(`a pattern has 2 to ${STAR_SIZES[1]} drugs.`);
  return { finding: { drugs, isPattern }, problem: null };
}

/** Text of a finding, as {@link readFinding} reads it. @param drugs positions, ascending */
export function writeFinding(drugIds: readonly string[], { drugs, isPattern }: Finding): string {
  return `${drugs.map((position) => drugIds[position]).join("+")}${isPattern ? "*" : ""}`;
}

/** How good a declaration is. */
export interface FindingsScore {
  /** Declared combinations of the population. */
  readonly declared: number;
  readonly truePositives: number;
  /** True share of the declared; 0 when nothing is declared. */
  readonly precision: number;
  /** Found share of the dangerous; 0 when none is. */
  readonly recall: number;
  /** F score that weighs precision twice as much as recall, the task score. */
  readonly fHalf: number;
}

/** Scores findings against the population. A declared combination outside the population counts for nothing. */
export function scoreFindings(instance: MiningInstance, findings: readonly Finding[]): FindingsScore {
  const population = populationOf(instance);
  const isDeclared = new Uint8Array(population.combinations.length);
  let declared = 0;
  for (const finding of findings)
    for (const index of covered(population, finding)) {
      declared += 1 - isDeclared[index]!;
      isDeclared[index] = 1;
    }
  let truePositives = 0;
  for (const index of population.dangerous) truePositives += isDeclared[index]!;
  const precision = declared === 0 ? 0 : truePositives / declared;
  const recall = population.dangerous.length === 0 ? 0 : truePositives / population.dangerous.length;
  return { declared, truePositives, precision, recall, fHalf: fBeta(precision, recall, 0.5) };
}

/** Findings whose combinations are kept of one population: more than any declaration has. */
const MOST_KEPT = 4000;
const kept = new WeakMap<Population, Map<string, Int32Array>>();

/** Numbers of the combinations of a finding: kept, as a miner's findings are scored step after step and few of them change. */
function covered(population: Population, { drugs, isPattern }: Finding): Int32Array {
  let byFinding = kept.get(population);
  if (byFinding === undefined || byFinding.size >= MOST_KEPT) {
    byFinding = new Map();
    kept.set(population, byFinding);
  }
  const key = `${drugs.join("+")}${isPattern ? "*" : ""}`;
  let indexes = byFinding.get(key);
  if (indexes === undefined) {
    const found = containing(population, drugs);
    indexes = Int32Array.from(
      isPattern ? found : found.filter((index) => population.combinations[index]!.length === drugs.length),
    );
    byFinding.set(key, indexes);
  }
  return indexes;
}

/** F score with recall weighing `beta` times as much as precision (van Rijsbergen 1979); 0 when both are 0. */
export function fBeta(precision: number, recall: number, beta: number): number {
  const weight = beta * beta;
  const denominator = weight * precision + recall;
  return denominator === 0 ? 0 : ((1 + weight) * precision * recall) / denominator;
}
