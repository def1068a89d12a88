import { recommendedTaper } from "../course/taper-classes.ts";
import { washoutDays } from "../course/washout.ts";
import type { Drug } from "../kb/types.ts";
import type { LegalityContext, MappedMedication } from "./legality-context.ts";
import type { OfferList } from "./offer-list.ts";
import { addition, drugsFor, findStarts, hasMajorHit, substitution } from "./replacements.ts";
import { activeIndicationsOf, needsTaper, taperUse } from "./target-rules.ts";
import type { ActionPayload, CandidateSource } from "./types.ts";

/** What an offer is made for. */
export interface OfferReason {
  readonly source: CandidateSource;
  readonly addresses: readonly string[];
}

/** The usual way to end a drug: its class's taper after longer use, else a plain stop. */
function removalOf(context: LegalityContext, medication: MappedMedication): ActionPayload {
  const drug = context.kb.drugs[medication.drugIndex]!;
  if (needsTaper(context, medication)) {
    const pace = medication.taper === null ? recommendedTaper(drug, taperUse(context, medication)) : null;
    if (pace !== null) return { type: "START_TAPER", medRef: medication.medRef, taper: pace, orders: [] };
  }
  return { type: "STOP_DRUG", medRef: medication.medRef, switchToDrugIndex: null, orders: [] };
}

/** Offers the end of a drug, unless it is under a plan already: that is the taper offers' matter. */
export function offerRemoval(
  context: LegalityContext,
  offers: OfferList,
  medication: MappedMedication,
  reason: OfferReason,
): void {
  if (medication.taper !== null && needsTaper(context, medication)) return;
  offers.add(removalOf(context, medication), reason.source, reason.addresses);
}

/**
 * Offers another drug in place of one: a swap in one action where the rules allow it, else a cross-over (the old drug needs
 * a taper) or a declared switch (the new one has to wait for a washout).
 */
export function offerReplacement(
  context: LegalityContext,
  offers: OfferList,
  medication: MappedMedication,
  reason: OfferReason,
): void {
  let payloads = offers.replacements.get(medication.medRef);
  if (payloads === undefined) {
    payloads = findReplacements(context, medication);
    offers.replacements.set(medication.medRef, payloads);
  }
  for (const payload of payloads) offers.add(payload, reason.source, reason.addresses);
}

function findReplacements(context: LegalityContext, medication: MappedMedication): readonly ActionPayload[] {
  const drug = context.kb.drugs[medication.drugIndex]!;
  const conditions = activeIndicationsOf(context, drug);
  if (conditions.length === 0) return [];
  const isProtected = needsTaper(context, medication);
  const payloads: ActionPayload[] = findStarts(context, conditions, {
    makePayload: (other) => substitution(context, medication, other),
    limit: 1,
    leaving: medication,
    // Out of a taper class V08 forbids the swap.
    ...(isProtected ? { accepts: (other: Drug) => other.taperClass === drug.taperClass } : {}),
  }).map(({ payload }) => payload);
  if (isProtected) {
    // The old drug stays for the overlap, so its own hits with the new one count too.
    const crossOvers = findStarts(context, conditions, {
      makePayload: (other) => addition(context, other, medication),
      limit: 1,
      leaving: null,
      accepts: (other) => other.taperClass !== drug.taperClass,
    });
    payloads.push(...crossOvers.map(({ payload }) => payload));
  } else if (payloads.length === 0) {
    const next = findSwitch(context, medication, conditions);
    if (next !== null)
      payloads.push({ type: "STOP_DRUG", medRef: medication.medRef, switchToDrugIndex: next, orders: [] });
  }
  return payloads;
}

/** First drug by preference that may follow only after a washout and would then have no major hit; null = none. */
function findSwitch(
  context: LegalityContext,
  medication: MappedMedication,
  conditions: readonly string[],
): number | null {
  if (context.known.declaredSwitch !== null) return null;
  const from = context.kb.drugs[medication.drugIndex]!;
  for (const condition of conditions) {
    for (const drugIndex of drugsFor(context.kb, condition)) {
      const to = context.kb.drugs[drugIndex]!;
      if (context.listedDrugs.has(drugIndex) || washoutDays(from, to) === 0) continue;
      if (!hasMajorHit(context, to, medication)) return drugIndex;
    }
  }
  return null;
}
