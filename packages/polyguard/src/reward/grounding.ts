import type { LegalityContext } from "../actions/legality-context.ts";
import type { WireAction } from "../actions/schema.ts";
import type { Known } from "../observation/types.ts";

/** Score of an empty rationale. */
const EMPTY_RATIONALE = 0.3;

/** How an explanation was judged. */
export interface Grounding {
  readonly score: number;
  /** Cited ids that the observation does not hold. */
  readonly unknownIds: readonly string[];
}

/**
 * c11: .6 F1 of the cited ids against the verifier's facts plus .4 of the numeric check: the share of numbers with a unit and
 * of drug names in the rationale that occur in the observation. 0 when a cited id does not exist, .3 without a rationale.
 */
export function judgeExplanation(
  context: LegalityContext,
  action: Pick<WireAction, "rationale" | "evidence_ids">,
  facts: readonly string[],
): Grounding {
  const known = observationIds(context.known);
  const cited = [...new Set(action.evidence_ids)];
  const unknownIds = cited.filter((id) => !known.has(id));
  if (unknownIds.length > 0) return { score: 0, unknownIds };
  if (action.rationale.trim() === "") return { score: EMPTY_RATIONALE, unknownIds };
  return { score: 0.6 * computeF1(cited, facts) + 0.4 * numericCheck(context, action.rationale), unknownIds };
}

/** Ids that an observation shows: alerts, discrepancies, conflicts, evidence, review notes, allergies, med_refs, `lab:CODE`. */
export function observationIds(known: Known): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { id } of known.alerts) ids.add(id);
  for (const { id } of known.discrepancies) ids.add(id);
  for (const { id } of known.conflicts) ids.add(id);
  for (const { id } of known.evidence) ids.add(id);
  for (const { id } of known.reviewNotes) ids.add(id);
  for (const { id } of known.allergies) ids.add(id);
  for (const { medRef } of known.medications) ids.add(medRef);
  for (const code of Object.keys(known.values)) ids.add(`lab:${code}`);
  return ids;
}

/** F1 of two id lists; 1 when both are empty. */
export function computeF1(cited: readonly string[], facts: readonly string[]): number {
  if (cited.length === 0 && facts.length === 0) return 1;
  const hits = cited.filter((id) => facts.includes(id)).length;
  return (2 * hits) / (cited.length + facts.length);
}

const NUMBER_WITH_UNIT =
  /(\d+(?:\.\d+)?)\s*(%|mL\/min|mmol\/L|mg\/dL|ng\/mL|ug\/mL|mcg\/d|mg\/d|mg\/wk|mg|mcg|ug|U\/d|U|ms|bpm|days?|d|y|kg|cm|INR)(?![A-Za-z])/g;

/** Share of the rationale's numbers with a unit and drug names that the observation holds; 1 when it has none. */
function numericCheck(context: LegalityContext, rationale: string): number {
  let total = 0;
  let grounded = 0;
  const numbers = [...rationale.matchAll(NUMBER_WITH_UNIT)];
  if (numbers.length > 0) {
    const shown = observationNumbers(context.known);
    for (const [, digits] of numbers) {
      total++;
      const value = Number(digits);
      if (shown.some((number) => Math.abs(number - value) <= 0.005 * Math.max(1, Math.abs(number)))) grounded++;
    }
  }
  const words = new Set(rationale.toLowerCase().split(/[^a-z0-9_]+/));
  for (const word of words) {
    const index = context.kb.drugIndexById.get(word) ?? context.kb.drugIndexByName.get(word);
    if (index === undefined) continue;
    total++;
    if (context.listedDrugs.has(index) || context.known.stopped.some(({ drugIndex }) => drugIndex === index))
      grounded++;
  }
  return total === 0 ? 1 : grounded / total;
}

function observationNumbers(known: Known): number[] {
  const numbers = [known.ageYears, known.clock.day, known.burden.drugs, known.burden.acb];
  for (const value of [known.weightKg, known.heightCm, known.frailtyCfs, known.crClMlPerMin, known.egfrMlPerMin])
    if (value !== null) numbers.push(value, Math.round(value));
  for (const { value, measuredDay } of Object.values(known.values)) numbers.push(value, known.clock.day - measuredDay);
  for (const { dosePerDay, startDay } of known.medications) {
    numbers.push(dosePerDay);
    if (startDay !== null) numbers.push(known.clock.day - startDay);
  }
  for (const { score } of known.symptoms) numbers.push(score);
  return numbers;
}
