import { readClaims } from "../../documents/claim-text.ts";
import { pairClaim } from "../../documents/kb-claims.ts";
import { type DocumentStore, searchStore } from "../../documents/store.ts";
import { claimMatter } from "../../documents/types.ts";
import { findDrug } from "../../kb/lookup.ts";
import type { KnowledgeBase } from "../../kb/types.ts";
import { copyMemory } from "../../observation/copy-memory.ts";
import type { KnownEvidence, Memory } from "../../observation/types.ts";

/** The memory after a query: the three best documents, those not seen before. The same object when nothing is new. */
export function fetchDocuments(kb: KnowledgeBase, store: DocumentStore, memory: Memory, query: string): Memory {
  const fresh: KnownEvidence[] = searchStore(store, query)
    .filter(({ document }) => !memory.evidence.some(({ id }) => id === document.id))
    .map(({ document, snippet }) => ({
      id: document.id,
      title: document.title,
      sourceType: document.sourceType,
      year: document.year,
      snippet,
      drugIndexes: interactingDrugs(kb, snippet),
    }));
  if (fresh.length === 0) return memory;
  const next = copyMemory(memory);
  next.evidence = [...memory.evidence, ...fresh];
  return next;
}

/** Drugs of the interactions that a snippet states rightly: with them the decision support shows their alerts. */
function interactingDrugs(kb: KnowledgeBase, snippet: string): readonly number[] {
  const indexes = new Set<number>();
  for (const stated of readClaims(snippet)) {
    const first = stated.predicate === "interaction" ? findDrug(kb, stated.subject) : undefined;
    const second = stated.object === null ? undefined : findDrug(kb, stated.object);
    if (first === undefined || second === undefined) continue;
    const truth = pairClaim(kb, first.index, second.index);
    if (truth.value === "none" || truth.value !== stated.value || claimMatter(truth) !== claimMatter(stated)) continue;
    indexes.add(first.index).add(second.index);
  }
  return [...indexes];
}
