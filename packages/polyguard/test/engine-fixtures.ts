import { type EvaluationContext, type EvaluationItem, makeItem } from "../src/engine/evaluation-types.ts";
import type { Facts } from "../src/interactions/facts.ts";
import { getDrug } from "../src/kb/lookup.ts";
import { loadBundledKnowledgeBase } from "../src/kb/node.ts";

export const kb = loadBundledKnowledgeBase();

/** Row number of a drug. */
export const at = (drugId: string): number => getDrug(kb, drugId).index;

/** A fit man of 70 with normal labs; conditions have severity 1. */
export function contextOf(conditions: readonly string[], changes: Partial<EvaluationContext> = {}): EvaluationContext {
  return {
    ageYears: 70,
    sex: "M",
    frailtyCfs: 3,
    lifeExpectancy: ">5y",
    isSmoker: false,
    genotype: null,
    crClMlPerMin: 80,
    egfrMlPerMin: 80,
    potassiumMmolPerL: 4.4,
    sodiumMmolPerL: 139,
    qtcMs: 420,
    heartRatePerMin: 70,
    conditions: conditions.map((code) => ({ code, severity: 1 })),
    orders: [],
    hazardMultipliers: {},
    responses: {},
    ...changes,
  };
}

/** Known facts of the same man. */
export function factsOf(conditions: readonly string[] = [], changes: Partial<Facts> = {}): Facts {
  return {
    ageYears: 70,
    sex: "M",
    crClMlPerMin: 80,
    egfrMlPerMin: 80,
    potassiumMmolPerL: 4.4,
    sodiumMmolPerL: 139,
    qtcMs: 420,
    heartRatePerMin: 70,
    conditions: new Set(conditions),
    ...changes,
  };
}

/** A settled item at dose_max, where every dose condition of a rule is most likely met. */
export function itemOf(drugId: string, changes: Partial<EvaluationItem> = {}): EvaluationItem {
  const drug = getDrug(kb, drugId);
  return makeItem({ drugIndex: drug.index, dosePerDay: drug.doseMax, dosesPerDay: drug.dosesPerDay, ...changes });
}
