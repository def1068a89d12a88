import { canonicalJson, hashText } from "@praxis/env";
import { withDerivedGroups } from "./load.ts";
import type { Drug, InteractionRule, KnowledgeBase } from "./types.ts";

/** A drug row without what follows from the others: its number and its derived groups. */
export type NewDrugRow = Omit<Drug, "index">;

/**
 * The knowledge base with one drug more at its end, and rules about it. The groups of the row are the typed ones; members of
 * the derived groups are worked out. Engines and tables of the knowledge base are made anew for it.
 */
export function withDrug(kb: KnowledgeBase, row: NewDrugRow, rules: readonly InteractionRule[] = []): KnowledgeBase {
  const index = kb.drugs.length;
  const drug = withDerivedGroups({ ...row, index });
  const groupMembers = new Map(kb.groupMembers);
  for (const group of drug.groups) groupMembers.set(group, [...(groupMembers.get(group) ?? []), index]);
  const withRxcui = new Map(kb.drugIndexByRxcui);
  if (drug.rxcui !== null) withRxcui.set(drug.rxcui, index);
  return {
    ...kb,
    drugs: [...kb.drugs, drug],
    rules: [...kb.rules, ...rules.map((rule, i) => ({ ...rule, index: kb.rules.length + i }))],
    drugIndexById: new Map(kb.drugIndexById).set(drug.drugId, index),
    drugIndexByName: new Map(kb.drugIndexByName).set(drug.genericName.toLowerCase(), index),
    drugIndexByRxcui: withRxcui,
    groupMembers,
    hash: hashText(`${kb.hash}\u0000${canonicalJson(drug)}\u0000${canonicalJson(rules)}`),
  };
}
