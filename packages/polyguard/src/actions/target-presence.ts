import type { Known } from "../observation/types.ts";
import type { LegalityRule, RuleHit } from "./rule.ts";

function hit(text: string): RuleHit {
  return { id: "V03", text, facts: [] };
}

function isItem({ discrepancies, allergies, medications }: Known, target: string): boolean {
  return (
    discrepancies.some(({ id }) => id === target) ||
    allergies.some(({ id }) => id === target) ||
    medications.some(({ medRef }) => medRef === target)
  );
}

function isConflict({ conflicts }: Known, target: string): boolean {
  return conflicts.some(({ id }) => id === target);
}

/** V03: the target is on the list (stop, adjust, hold, taper) or not (add), a replacement is not active yet. */
export const checkTargets: LegalityRule = (context, { payload, target }) => {
  const { known, kb, listedDrugs } = context;
  switch (payload.type) {
    case "STOP_DRUG":
    case "HOLD_DOSE":
    case "ADJUST_DOSE":
    case "START_TAPER":
    case "SEPARATE_TIMING":
    case "RECOMMEND_ALTERNATIVE":
      return target === null ? hit(`${payload.medRef} is not on the list`) : null;
    case "SUBSTITUTE_DRUG":
      if (target === null) return hit(`${payload.medRef} is not on the list`);
      return listedDrugs.has(payload.drugIndex) ? hit("the replacement is on the list already") : null;
    case "CONTINUE_TAPER":
    case "PAUSE_TAPER":
    case "REVERT_TAPER":
      if (target === null) return hit(`${payload.medRef} is not on the list`);
      return target.taper === null ? hit(`${payload.medRef} has no taper plan`) : null;
    case "ADD_DRUG":
      if (kb.drugs[payload.drugIndex] === undefined) return hit("the drug is not in the knowledge base");
      if (listedDrugs.has(payload.drugIndex)) return hit("the drug is on the list already");
      return payload.crossOverFromMedRef !== null && !context.byRef.has(payload.crossOverFromMedRef)
        ? hit(`${payload.crossOverFromMedRef} is not on the list`)
        : null;
    case "ORDER_MONITORING":
      return payload.medRef !== null && target === null ? hit(`${payload.medRef} is not on the list`) : null;
    case "RECONCILE_ITEM":
      return isItem(known, payload.target) ? null : hit(`${payload.target} is no item of the record`);
    case "REQUEST_REVIEW":
      return payload.target === null || context.byRef.has(payload.target) || isConflict(known, payload.target)
        ? null
        : hit(`${payload.target} is no item of the record`);
    default:
      return null;
  }
};
