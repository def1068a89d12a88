import { findCascades } from "../interactions/cascades.ts";
import { memberTable } from "../interactions/member-table.ts";
import { findOmissions, type Omission } from "../interactions/omissions.ts";
import { listedMedication } from "./hit-candidates.ts";
import type { LegalityContext } from "./legality-context.ts";
import type { OfferList } from "./offer-list.ts";
import { offerRemoval, offerReplacement } from "./removals.ts";
import { addition, findStarts } from "./replacements.ts";
import type { Protection } from "./types.ts";
import { untreatedConditions } from "./untreated.ts";

/** Most omissions, and most cascades, that get offers in one step. */
const OMISSION_LIMIT = 4;
const CASCADE_LIMIT = 2;

/** Omissions that a protection answers. */
const PROTECTION_FOR: Partial<Record<Omission["id"], Protection>> = {
  STEROID_BONE: "BONE",
  OSTEOPOROSIS: "BONE",
  METHOTREXATE_FOLATE: "FOLATE",
  OPIOID_LAXATIVE: "LAXATIVE",
};

/** Omissions of the list as known. */
export function knownOmissions(context: LegalityContext): Omission[] {
  const { kb, known, facts, orders } = context;
  const regimen = context.listed.map(({ drugIndex, dosePerDay, startDay, isPrn }) => ({
    drugIndex,
    dosePerDay,
    daysOfUse: startDay === null ? 0 : known.clock.day - startDay,
    isPrn,
  }));
  return findOmissions(kb, regimen, facts, { lifeExpectancy: known.lifeExpectancy, orders });
}

/** Offers the missing therapies, then a first-line drug for each condition that nothing treats; one group each. */
export function offerForOmissions(context: LegalityContext, offers: OfferList): void {
  if (context.known.lifeExpectancy === "<1y") return;
  const omissions = knownOmissions(context);
  let count = 0;
  for (const omission of omissions) {
    if (count === OMISSION_LIMIT) return;
    if (offerForOmission(context, offers, omission)) count++;
  }
  for (const code of untreatedConditions(context)) {
    if (count === OMISSION_LIMIT) return;
    if (omissions.every(({ condition }) => condition !== code) && offerStart(context, offers, code, code, null))
      count++;
  }
}

/** True when there was something to offer. */
function offerForOmission(context: LegalityContext, offers: OfferList, { id, condition, options }: Omission): boolean {
  const protection = PROTECTION_FOR[id];
  if (protection === undefined) return offerStart(context, offers, id, condition, options);
  offers.openGroup();
  offers.add({ type: "ADD_PROTECTION", protection }, "omission", [id]);
  return true;
}

/** Offers the first drug for a condition (one of `options`, if given); false when none may be started. */
function offerStart(
  context: LegalityContext,
  offers: OfferList,
  id: string,
  condition: string,
  options: readonly string[] | null,
): boolean {
  const isOption = options === null ? null : memberTable(context.kb, options);
  const [start] = findStarts(context, [condition], {
    makePayload: (drug) => addition(context, drug, null),
    limit: 1,
    leaving: null,
    accepts: (drug) => isOption === null || isOption[drug.index] === 1,
  });
  if (start === undefined) return false;
  offers.openGroup();
  offers.add(start.payload, "omission", [id]);
  return true;
}

/** Offers the end of the cause of a prescribing cascade, another drug for it, and the end of the drug given for it. */
export function offerForCascades(context: LegalityContext, offers: OfferList): void {
  for (const { rule, causeIndex, treatmentIndex } of findCascades(context.kb, context.listed).slice(0, CASCADE_LIMIT)) {
    const cause = listedMedication(context, causeIndex)!;
    const treatment = listedMedication(context, treatmentIndex)!;
    const addresses = [`${rule.family}:${cause.medRef}`];
    offers.openGroup();
    offerReplacement(context, offers, cause, { source: "hit", addresses });
    offerRemoval(context, offers, cause, { source: "hit", addresses });
    offerRemoval(context, offers, treatment, { source: "hit", addresses });
  }
}
