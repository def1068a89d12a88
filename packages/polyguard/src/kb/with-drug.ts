import { canonicalJson, hashText } from "@praxis/env";
import { withDerivedGroups } from "./load.ts";
import type { Drug, KnowledgeBase } from "./types.ts";

/** A drug row without what follows from the others: its number and its derived groups. */
export type NewDrugRow = Omit<Drug, "index">;

const extended = new WeakMap<KnowledgeBase, KnowledgeBase>();

/** The knowledge base that another one is with one drug more; null = it is none of {@link withDrug}. */
export function baseOf(kb: KnowledgeBase): KnowledgeBase | null {
  return extended.get(kb) ?? null;
}

/**
 * The knowledge base with one drug more at its end, which the rules about its groups name too. The groups of the row are the
 * typed ones; members of the derived groups are worked out. The other rows are the same objects.
 */
export function withDrug(kb: KnowledgeBase, row: NewDrugRow): KnowledgeBase {
  const index = kb.drugs.length;
  const drug = withDerivedGroups({ ...row, index });
  const groupMembers = new Map(kb.groupMembers);
  for (const group of drug.groups) groupMembers.set(group, [...(groupMembers.get(group) ?? []), index]);
  const withRxcui = new Map(kb.drugIndexByRxcui);
  if (drug.rxcui !== null) withRxcui.set(drug.rxcui, index);
  const made: KnowledgeBase = {
    ...kb,
    drugs: [...kb.drugs, drug],
    drugIndexById: new Map(kb.drugIndexById).set(drug.drugId, index),
    drugIndexByName: new Map(kb.drugIndexByName).set(drug.genericName.toLowerCase(), index),
    drugIndexByRxcui: withRxcui,
    groupMembers,
    hash: hashText(`${kb.hash}\u0000${canonicalJson(drug)}`),
  };
  extended.set(made, kb);
  return made;
}
