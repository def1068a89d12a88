import { didYouMean, PraxisError } from "@praxis/env";
import type { Drug, KnowledgeBase } from "./types.ts";

/** The drug of that drug_id, generic name (case ignored) or RxCUI; undefined when none fits. */
export function findDrug(kb: KnowledgeBase, name: string): Drug | undefined {
  const key = name.trim().toLowerCase();
  const index = kb.drugIndexById.get(key) ?? kb.drugIndexByName.get(key) ?? kb.drugIndexByRxcui.get(key);
  return index === undefined ? undefined : kb.drugs[index];
}

/** The drug of that drug_id; throws UNKNOWN_NAME with the nearest id. */
export function getDrug(kb: KnowledgeBase, drugId: string): Drug {
  const index = kb.drugIndexById.get(drugId);
  if (index === undefined) {
    throw new PraxisError(
      "UNKNOWN_NAME",
      `Unknown drug '${drugId}'.${didYouMean(drugId, kb.drugIndexById.keys())} Use a drug_id of the drug table.`,
    );
  }
  return drugAt(kb, index);
}

/** The drug of that row number; throws UNKNOWN_NAME outside the table. */
export function drugAt(kb: KnowledgeBase, index: number): Drug {
  const drug = kb.drugs[index];
  if (drug === undefined)
    throw new PraxisError("UNKNOWN_NAME", `No drug has index ${index}; allowed: 0 to ${kb.drugs.length - 1}.`);
  return drug;
}

/** Row numbers of the members of a typed or derived group, ascending; empty for an unknown token. */
export function membersOf(kb: KnowledgeBase, group: string): readonly number[] {
  return kb.groupMembers.get(group) ?? [];
}

/** True if the drug is in the typed or derived group. */
export function isInGroup(kb: KnowledgeBase, drugIndex: number, group: string): boolean {
  return drugAt(kb, drugIndex).groups.includes(group);
}
