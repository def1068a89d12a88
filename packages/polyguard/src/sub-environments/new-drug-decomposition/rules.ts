import type { LegalityRule } from "../../actions/rule.ts";
import { decompositionFault } from "../../new-drug/decomposition.ts";

/** What the rules need to know of the episode. */
export interface NewDrugOwn {
  readonly isDecomposed: boolean;
}

/** V01 for a decomposition outside its keys and bounds; V03 for a second one. */
export const checkDecomposition: LegalityRule = ({ known }, { payload }) => {
  if (payload.type !== "DECOMPOSE_NEW_DRUG") return null;
  const fault = decompositionFault(payload.decomposition);
  if (fault !== null) return { id: "V01", text: `decomposition: ${fault}`, facts: [] };
  return isOwn(known.own) && known.own.isDecomposed
    ? { id: "V03", text: "the new drug has been judged already", facts: [] }
    : null;
};

function isOwn(own: unknown): own is NewDrugOwn {
  return typeof own === "object" && own !== null && "isDecomposed" in own;
}
