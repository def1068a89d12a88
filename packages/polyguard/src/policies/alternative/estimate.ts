import type { LegalityContext, MappedMedication } from "../../actions/legality-context.ts";
import { hasMajorHit, staticBurden } from "../../actions/replacements.ts";
import { relativeEffect } from "../../engine/benefit-table.ts";
import { CONDITION_BURDENS } from "../../kb/conditions.ts";
import { drugAt } from "../../kb/lookup.ts";
import type { Drug } from "../../kb/types.ts";
import { nextStep, STYLES, type Style } from "../../sub-environments/alternative-suggestion/carry-out.ts";
import { costOf } from "../../sub-environments/alternative-suggestion/grades.ts";
import type { Option } from "../../sub-environments/alternative-suggestion/options.ts";

/** Severity taken for a condition whose degree the record does not tell (assumption: the middle of what is drawn). */
const TYPICAL_SEVERITY = 0.6;
/** Part of a drug's benefit that is left where another drug treats the condition already (assumption:). */
const SHARED_BENEFIT = 0.4;
/** What a major interaction with the rest of the list costs, and an option that can't be begun (assumption: sizes). */
const MAJOR_HIT_COST = 0.08;
const IMPOSSIBLE_COST = 0.5;

/**
 * What an option may be worth, from the record and the tables alone: benefit by its indications, harm by its risk points and
 * interactions, less warnings, doses and preferences.
 */
export function estimateOption(context: LegalityContext, target: MappedMedication, option: Option): number {
  if (beginningOf(context, target.medRef, option) === null) return -IMPOSSIBLE_COST;
  const cost = costOf(context, target, option);
  if (option.kind !== "drug") return -cost;
  const drug = drugAt(context.kb, option.drugIndex);
  const hit = hasMajorHit(context, drug, target) ? MAJOR_HIT_COST : 0;
  return benefitOf(context, target, drug) - staticBurden(context.kb, drug) - hit - cost;
}

/** The style in which an option can be begun on what is known, in order of preference; null = none. */
function beginningOf(context: LegalityContext, medRef: string, option: Option): Style | null {
  return STYLES.find((style) => nextStep(context, medRef, option, style) !== null) ?? null;
}

function benefitOf(context: LegalityContext, target: MappedMedication, drug: Drug): number {
  let benefit = 0;
  for (const code of drug.indications) {
    const burden = CONDITION_BURDENS.get(code);
    if (burden === undefined || !context.indications.has(code)) continue;
    const isShared = context.listed.some(
      (each) => each.medRef !== target.medRef && drugAt(context.kb, each.drugIndex).indications.includes(code),
    );
    const effect = burden.control * relativeEffect(drug, code) * (isShared ? SHARED_BENEFIT : 1);
    benefit += TYPICAL_SEVERITY * burden.burdenPerYear * burden.bestReduction * effect;
  }
  return benefit;
}
