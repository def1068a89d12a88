import { pairEntries, pairTableOf } from "../interactions/pair-table.ts";
import { drugAt } from "../kb/lookup.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import type { KnownEvidence } from "./types.ts";

/** Snippets one query returns at most, and their length. */
const RESULTS = 3;
const SNIPPET_LENGTH = 160;
/** Year printed on label snippets. assumption: that of the knowledge base. */
const LABEL_YEAR = 2023;

/**
 * Label snippets of the given drugs that fit a query best: by the number of query words they hold, ties in the order of
 * the drugs. A query without any hit gives the labels of the first drugs it could be about: none.
 */
export function searchLabels(
  kb: KnowledgeBase,
  drugIndexes: readonly number[],
  query: string,
): readonly KnownEvidence[] {
  const words = wordsOf(query);
  const scored: { readonly document: KnownEvidence; readonly score: number }[] = [];
  for (const index of drugIndexes) {
    for (const document of labelDocuments(kb, drugAt(kb, index), drugIndexes)) {
      const text = `${document.title} ${document.snippet}`.toLowerCase();
      let score = 0;
      for (const word of words) if (hasWord(text, word)) score++;
      if (score > 0) scored.push({ document, score });
    }
  }
  return scored
    .sort((x, y) => y.score - x.score)
    .slice(0, RESULTS)
    .map(({ document }) => document);
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(
    text
      .toLowerCase()
      .split(/[^a-z0-9_]+/)
      .filter((word) => word.length > 1),
  );
}

const WORD_CHARACTER = /[a-z0-9_]/;

/** True when a lower-case text holds the word by itself. */
function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const end = at + word.length;
    const isBegin = at === 0 || !WORD_CHARACTER.test(text[at - 1]!);
    if (isBegin && (end === text.length || !WORD_CHARACTER.test(text[end]!))) return true;
  }
  return false;
}

function labelDocuments(kb: KnowledgeBase, drug: Drug, others: readonly number[]): KnownEvidence[] {
  const document = (kind: string, title: string, text: string, drugIndexes: readonly number[]): KnownEvidence => ({
    id: `ev:${drug.drugId}:${kind}`,
    title,
    sourceType: "label",
    year: LABEL_YEAR,
    snippet: text.slice(0, SNIPPET_LENGTH),
    drugIndexes,
  });
  const max = drug.maxDaily === null ? "individual" : `${drug.maxDaily} ${drug.doseUnit}`;
  const renal = drug.renalRule.clauses.length > 0 ? "dose depends on kidney function (CrCl)" : "no renal dose rule";
  const found: KnownEvidence[] = [
    document(
      "dose",
      `${drug.drugId} label: dose`,
      `${drug.drugId} dose ${drug.doseMin}-${drug.doseMax} ${drug.doseUnit}, limit ${max}; renal: ${renal}; monitoring ${drug.monitoring.join(" ") || "none"}`,
      [drug.index],
    ),
  ];
  const table = pairTableOf(kb);
  const partners: string[] = [];
  const partnerIndexes = [drug.index];
  for (const other of others) {
    const entry = other === drug.index ? undefined : pairEntries(table, drug.index, other)[0];
    if (entry === undefined) continue;
    partners.push(`${drugAt(kb, other).drugId} (${entry.severity} ${entry.domain})`);
    partnerIndexes.push(other);
  }
  if (partners.length > 0)
    found.push(
      document(
        "interactions",
        `${drug.drugId} label: interactions`,
        `${drug.drugId} interactions: ${partners.join(", ")}`,
        partnerIndexes,
      ),
    );
  return found;
}
