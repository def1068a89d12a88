import { pairTableOf } from "../interactions/pair-table.ts";
import type { KnowledgeBase } from "../kb/types.ts";

const cache = new WeakMap<KnowledgeBase, Uint8Array>();

/**
 * Highest severity rank plus one that any rule gives a pair, whatever its condition; 0 = no rule. Row-major
 * `[drugs, drugs]`, symmetric. Most pairs have no rule, so that most questions end here.
 */
export function pairRanksOf(kb: KnowledgeBase): Uint8Array {
  let ranks = cache.get(kb);
  if (ranks === undefined) {
    const table = pairTableOf(kb);
    const n = table.drugCount;
    ranks = new Uint8Array(n * n);
    for (let i = 0; i < n; i++) {
      for (let j = i + 1; j < n; j++) {
        let rank = 0;
        for (const entry of table.entries[table.pairIds[i * n + j]!]!) rank = Math.max(rank, entry.severityRank + 1);
        ranks[i * n + j] = rank;
        ranks[j * n + i] = rank;
      }
    }
    cache.set(kb, ranks);
  }
  return ranks;
}
