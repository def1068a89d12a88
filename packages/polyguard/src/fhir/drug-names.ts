import { type DrugMatch, matchDrugText } from "../kb/drug-text.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import type { Concept } from "./resources.ts";

const RXNORM = "http://www.nlm.nih.gov/research/umls/rxnorm";
const ATC = "http://www.whocc.no/atc";

/** The drug of a medication concept: RxNorm ingredient code, exact ATC code, then display and text. */
export function matchDrug(kb: KnowledgeBase, concept: Concept): DrugMatch {
  for (const { system, code } of concept.coding ?? []) {
    if (code === undefined) continue;
    if (system === RXNORM) {
      const index = kb.drugIndexByRxcui.get(code);
      if (index !== undefined) return { kind: "drug", drug: kb.drugs[index]!, by: "rxnorm" };
    }
    if (system === ATC) {
      const index = kb.drugIndexByAtc.get(code);
      if (index !== undefined) return { kind: "drug", drug: kb.drugs[index]!, by: "atc" };
    }
  }
  const texts = [...(concept.coding ?? []).map((entry) => entry.display), concept.text].filter(
    (text) => text !== undefined,
  );
  let unmapped: DrugMatch | null = null;
  for (const text of texts) {
    const match = matchDrugText(kb, text);
    if (match.kind === "drug") return match;
    unmapped ??= match;
  }
  const code = concept.coding?.[0];
  return (
    unmapped ?? {
      kind: "unmapped",
      label: code?.code === undefined ? "unnamed medication" : `${code.system ?? "no system"} ${code.code}`,
      nearest: null,
    }
  );
}
