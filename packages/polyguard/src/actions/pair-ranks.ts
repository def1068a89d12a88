import { type PairTable, pairEntries, pairTableOf } from "../interactions/pair-table.ts";
import { keptByKnowledgeBase } from "../kb/kept.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import { baseOf } from "../kb/with-drug.ts";

/**
 * Highest severity rank plus one that any rule gives a pair, whatever its condition; 0 = no rule. Row-major
 * `[drugs, drugs]`, symmetric. Most pairs have no rule, so that most questions end here.
 */
export const pairRanksOf: (kb: KnowledgeBase) => Uint8Array = keptByKnowledgeBase((kb) => {
  const table = pairTableOf(kb);
  const n = table.drugCount;
  const ranks = new Uint8Array(n * n);
  const base = baseOf(kb);
  const known = base === null ? 0 : copyRanks(base, ranks, n);
  for (let j = known; j < n; j++) {
    for (let i = 0; i < j; i++) {
      const rank = highestRank(table, i, j);
      ranks[i * n + j] = rank;
      ranks[j * n + i] = rank;
    }
  }
  return ranks;
});

/** Copies the ranks of a knowledge base into the larger table of one that was made from it; number of its drugs. */
function copyRanks(base: KnowledgeBase, ranks: Uint8Array, n: number): number {
  const m = base.drugs.length;
  const known = pairRanksOf(base);
  for (let i = 0; i < m; i++) ranks.set(known.subarray(i * m, (i + 1) * m), i * n);
  return m;
}

function highestRank(table: PairTable, i: number, j: number): number {
  let rank = 0;
  for (const entry of pairEntries(table, i, j)) rank = Math.max(rank, entry.severityRank + 1);
  return rank;
}
