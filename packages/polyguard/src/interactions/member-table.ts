import type { Drug, KnowledgeBase } from "../kb/types.ts";

/** True if the drug is one of the group tokens or drug_ids. */
export function isOneOf(drug: Drug, tokens: readonly string[]): boolean {
  return tokens.includes(drug.drugId) || drug.groups.some((group) => tokens.includes(group));
}

const tables = new WeakMap<KnowledgeBase, WeakMap<readonly string[], Uint8Array>>();

/** {@link isOneOf} of every drug by row number, 1 = true; worked out once for a list of tokens (by identity). */
export function memberTable(kb: KnowledgeBase, tokens: readonly string[]): Uint8Array {
  let byTokens = tables.get(kb);
  if (byTokens === undefined) {
    byTokens = new WeakMap();
    tables.set(kb, byTokens);
  }
  let table = byTokens.get(tokens);
  if (table === undefined) {
    table = Uint8Array.from(kb.drugs, (drug) => Number(isOneOf(drug, tokens)));
    byTokens.set(tokens, table);
  }
  return table;
}
