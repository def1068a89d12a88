import { hashModulo } from "@praxis/env";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import type { Split } from "./types.ts";

/** Seeds of a split, both ends included. The test splits share one range; their content differs by the holdouts. */
export const SPLIT_SEEDS: Readonly<Record<Split, readonly [first: number, last: number]>> = {
  train: [0, 99_999],
  val: [100_000, 109_999],
  test_iid: [200_000, 209_999],
  test_pair: [200_000, 209_999],
  test_template: [200_000, 209_999],
  test_drug: [200_000, 209_999],
  test_combo: [200_000, 209_999],
  stress: [300_000, 300_599],
};

/** Families that never occur outside test_template. */
export const HELD_OUT_FAMILIES: readonly string[] = ["H05", "H09", "H19", "H24", "H30", "H36", "H39"];

const RULES_PER_HUNDRED = 15;
const DRUGS_PER_HUNDRED = 8;
const COMBINATIONS_PER_HUNDRED = 15;

/** True for a rule of the interaction table that never is an injected hazard in train, val and test_iid. */
export function isHeldOutRule(ruleId: string): boolean {
  return ruleId.startsWith("DDI") && hashModulo(ruleId, 100) < RULES_PER_HUNDRED;
}

/** True for a drug that never is in a regimen of train, val and test_iid; the only member of its class is exempt. */
export function isHeldOutDrug(kb: KnowledgeBase, drug: Drug): boolean {
  const isOnlyMember = (kb.groupMembers.get(drug.groups[0] ?? "")?.length ?? 1) === 1;
  return !isOnlyMember && hashModulo(drug.drugId, 100) < DRUGS_PER_HUNDRED;
}

/** True for a set of two or more families that never occurs together outside test_combo; by hash of the sorted names. */
export function isHeldOutCombination(families: readonly string[]): boolean {
  const unique = [...new Set(families)].sort();
  return unique.length > 1 && hashModulo(unique.join("+"), 100) < COMBINATIONS_PER_HUNDRED;
}

/** What a split demands of its scenarios beyond the common rules; null = nothing. */
export type Demand = "held_out_rule" | "held_out_family" | "held_out_drug" | "held_out_combination" | null;

/** The demand of a split. A split without one obeys every holdout; a split with one obeys the others. */
export function demandOf(split: Split): Demand {
  switch (split) {
    case "train":
    case "val":
    case "test_iid":
    case "stress":
      return null;
    case "test_pair":
      return "held_out_rule";
    case "test_template":
      return "held_out_family";
    case "test_drug":
      return "held_out_drug";
    case "test_combo":
      return "held_out_combination";
  }
}

/** Facts of a scenario that the holdouts are about. */
export interface HoldoutFacts {
  readonly families: readonly string[];
  readonly ruleIds: readonly string[];
  readonly drugs: readonly Drug[];
}

/** Holdouts that a scenario touches, by name and member; empty for a scenario that may be in train. */
export function touchedHoldouts(kb: KnowledgeBase, facts: HoldoutFacts): readonly string[] {
  return [
    ...facts.families
      .filter((family) => HELD_OUT_FAMILIES.includes(family))
      .map((family) => `held_out_family:${family}`),
    ...facts.ruleIds.filter(isHeldOutRule).map((ruleId) => `held_out_rule:${ruleId}`),
    ...facts.drugs.filter((drug) => isHeldOutDrug(kb, drug)).map((drug) => `held_out_drug:${drug.drugId}`),
    ...(isHeldOutCombination(facts.families) ? [`held_out_combination:${facts.families.join("+")}`] : []),
  ];
}
