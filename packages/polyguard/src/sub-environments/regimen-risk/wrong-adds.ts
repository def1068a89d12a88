import { isLegalPayload } from "../../actions/legality.ts";
import type { LegalityContext } from "../../actions/legality-context.ts";
import type { OfferList } from "../../actions/offer-list.ts";
import { knownOmissions } from "../../actions/omission-candidates.ts";
import { addition, drugsFor } from "../../actions/replacements.ts";
import { untreatedConditions } from "../../actions/untreated.ts";

/**
 * Offers up to `most` drugs that treat a condition whose therapy is missing but are forbidden for this patient: by the kidneys,
 * a disease, a pair, an allergy or a duplicate class. Returns how many were found.
 */
export function offerWrongAdds(context: LegalityContext, offers: OfferList, most: number): number {
  const conditions = new Set(knownOmissions(context).map(({ condition }) => condition));
  for (const code of untreatedConditions(context)) conditions.add(code);
  offers.openGroup();
  let added = 0;
  for (const condition of conditions)
    for (const drugIndex of drugsFor(context.kb, condition)) {
      if (added >= most) return added;
      if (context.listedDrugs.has(drugIndex)) continue;
      const payload = addition(context, context.kb.drugs[drugIndex]!, null);
      if (isLegalPayload(context, payload) || offers.has(payload)) continue;
      offers.add(payload, "trap");
      added++;
    }
  return added;
}
