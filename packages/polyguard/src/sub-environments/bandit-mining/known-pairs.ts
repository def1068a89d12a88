import { pairEntries, pairTableOf } from "../../interactions/pair-table.ts";
import type { KnowledgeBase } from "../../kb/types.ts";

/** A pair that the interaction table or the exposure model calls major or contraindicated under some condition. */
export interface KnownPair {
  /** Positions in the list of drugs, a < b. */
  readonly a: number;
  readonly b: number;
  /** Rules that name the pair so, in the table's order. */
  readonly ruleIds: readonly string[];
}

/** All known major or contraindicated pairs among drugs, given as rows of the drug table; ordered by a, then b. */
export function listKnownPairs(kb: KnowledgeBase, drugIndexes: readonly number[]): readonly KnownPair[] {
  const table = pairTableOf(kb);
  const pairs: KnownPair[] = [];
  for (let a = 0; a < drugIndexes.length; a++) {
    for (let b = a + 1; b < drugIndexes.length; b++) {
      const ruleIds = pairEntries(table, drugIndexes[a]!, drugIndexes[b]!)
        .filter((entry) => entry.severityRank >= 1)
        .map((entry) => entry.ruleId);
      if (ruleIds.length > 0) pairs.push({ a, b, ruleIds });
    }
  }
  return pairs;
}
