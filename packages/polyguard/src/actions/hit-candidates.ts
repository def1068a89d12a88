import type { PairHit } from "../interactions/pair-hits.ts";
import type { RegimenHit } from "../interactions/regimen-rules.ts";
import type { HarmDomain, InteractionDomain } from "../kb/domains.ts";
import type { LegalityContext, MappedMedication } from "./legality-context.ts";
import type { OfferList } from "./offer-list.ts";
import { type OfferReason, offerRemoval, offerReplacement } from "./removals.ts";
import { gridOf } from "./replacements.ts";
import type { Reviewer } from "./types.ts";

/** Specialist for a harm domain; the pharmacist for the rest. */
const REVIEWER_OF: Partial<Record<HarmDomain, Reviewer>> = {
  BLEED: "cardiologist",
  BRADY: "cardiologist",
  QT: "cardiologist",
  HYPOTENSION: "cardiologist",
  HYPERK: "nephrologist",
  HYPOK: "nephrologist",
  AKI: "nephrologist",
  FALL_SEDATION: "geriatrician",
  ANTICHOL: "geriatrician",
  HYPONA: "geriatrician",
  SEROTONIN: "psychiatrist",
  SEIZURE: "psychiatrist",
};

/** Whom to ask about a harm. */
export function reviewerFor(domain: InteractionDomain): Reviewer {
  return domain === "EFFICACY_LOSS" ? "pharmacist" : (REVIEWER_OF[domain] ?? "pharmacist");
}

/** Listed medication of a drug, or undefined. */
export function listedMedication(context: LegalityContext, drugIndex: number): MappedMedication | undefined {
  for (const medication of context.listed) if (medication.drugIndex === drugIndex) return medication;
  return undefined;
}

/** Offers every management of a pair hit, the surest first: end or replace a side, adjust, protect, separate, monitor, review. */
export function offerForPair(
  context: LegalityContext,
  offers: OfferList,
  hit: PairHit,
  addresses: readonly string[],
): void {
  const a = listedMedication(context, hit.aIndex);
  const b = listedMedication(context, hit.bIndex);
  if (a === undefined || b === undefined) return;
  const reason: OfferReason = { source: "hit", addresses };
  const object = hit.objectIndex === null ? null : hit.objectIndex === hit.aIndex ? a : b;
  const codes = hit.managementCodes;
  // A contraindicated hit can't be managed, only removed, whatever its row lists.
  const needsRemoval =
    hit.severity === "contraindicated" || codes.some((code) => code === "AVOID" || code === "STOP_ONE");
  const [expendable, other] = byStopHarm(context, a, b);
  if (needsRemoval || codes.includes("TAPER") || codes.includes("TAPER_ORDER")) {
    offerRemoval(context, offers, expendable, reason);
  }
  if (needsRemoval || codes.includes("SUBSTITUTE")) {
    offerReplacement(context, offers, expendable, reason);
    offerReplacement(context, offers, other, reason);
  }
  if (codes.includes("ADJUST") || (hit.severity === "major" && object !== null)) {
    const target = object ?? expendable;
    offerLowerDose(context, offers, target, reason, hit.aucrApprox ?? 2);
  }
  if (codes.includes("PROTECT")) {
    const isOpioid = context.traits[hit.aIndex]!.isOpioid || context.traits[hit.bIndex]!.isOpioid;
    offers.add({ type: "ADD_PROTECTION", protection: isOpioid ? "NALOXONE" : "PPI" }, "hit", addresses);
  }
  if (codes.includes("SEPARATE"))
    offers.add({ type: "SEPARATE_TIMING", medRef: (object ?? a).medRef }, "hit", addresses);
  if (codes.includes("MONITOR") && hit.severity !== "contraindicated")
    offerMonitoring(context, offers, object === null ? [a, b] : [object], reason);
  if (codes.includes("REVIEW_INDICATION"))
    offers.add(
      { type: "REQUEST_REVIEW", reviewTo: reviewerFor(hit.domain), target: (object ?? expendable).medRef },
      "hit",
      addresses,
    );
  if (needsRemoval) offerRemoval(context, offers, other, reason);
}

/** Offers what a regimen rule asks for. */
export function offerForRegimen(
  context: LegalityContext,
  offers: OfferList,
  hit: RegimenHit,
  addresses: readonly string[],
): void {
  const reason: OfferReason = { source: "hit", addresses };
  const members = hit.drugIndexes
    .map((drugIndex) => listedMedication(context, drugIndex))
    .filter((medication): medication is MappedMedication => medication !== undefined);
  switch (hit.ruleId) {
    case "RG7":
      offers.add({ type: "ADD_PROTECTION", protection: "PPI" }, "hit", addresses);
      return;
    case "RG8":
      offers.add({ type: "ADD_PROTECTION", protection: "LAXATIVE" }, "hit", addresses);
      return;
    case "RG4":
      offerMonitoring(context, offers, members.slice(0, 1), reason);
      break;
    case "RG2": {
      const nsaid = members.find(({ drugIndex }) => context.kb.drugs[drugIndex]!.groups.includes("NSAID"));
      if (nsaid !== undefined) {
        offerRemoval(context, offers, nsaid, reason);
        offerReplacement(context, offers, nsaid, reason);
      }
      return;
    }
    case "RG3":
      members.sort((x, y) => context.kb.drugs[y.drugIndex]!.acb - context.kb.drugs[x.drugIndex]!.acb);
      break;
    default:
      members.sort((x, y) => stopHarm(context, x) - stopHarm(context, y));
      break;
  }
  for (const medication of members.slice(0, 2)) {
    offerRemoval(context, offers, medication, reason);
    if (hit.ruleId !== "RG6" && hit.ruleId !== "RG10") offerReplacement(context, offers, medication, reason);
  }
}

/** Offers the next lower dose, and the dose at which exposure comes back to the usual range. */
function offerLowerDose(
  context: LegalityContext,
  offers: OfferList,
  medication: MappedMedication,
  reason: OfferReason,
  ratio: number,
): void {
  if (medication.taper !== null) return;
  const drug = context.kb.drugs[medication.drugIndex]!;
  let next: number | null = null;
  let managed: number | null = null;
  for (const dose of gridOf(context, drug)) {
    if (dose >= medication.dosePerDay * (1 - 1e-9)) break;
    next = dose;
    if (dose * ratio <= drug.doseMax * (1 + 1e-9)) managed = dose;
  }
  if (next !== null) offerDose(offers, medication, next, reason);
  if (managed !== null) offerDose(offers, medication, managed, reason);
}

function offerDose(offers: OfferList, medication: MappedMedication, dosePerDay: number, reason: OfferReason): void {
  const { medRef, dosesPerDay } = medication;
  offers.add({ type: "ADJUST_DOSE", medRef, dosePerDay, dosesPerDay, orders: [] }, reason.source, reason.addresses);
}

/** Offers the monitoring bundle of one drug, or of two together. */
function offerMonitoring(
  context: LegalityContext,
  offers: OfferList,
  medications: readonly MappedMedication[],
  reason: OfferReason,
): void {
  const orders = new Set<string>();
  for (const { drugIndex } of medications) for (const code of context.kb.drugs[drugIndex]!.monitoring) orders.add(code);
  if (orders.size === 0) return;
  const medRef = medications.length === 1 ? medications[0]!.medRef : null;
  offers.add({ type: "ORDER_MONITORING", medRef, orders: [...orders] }, reason.source, reason.addresses);
}

function byStopHarm(
  context: LegalityContext,
  a: MappedMedication,
  b: MappedMedication,
): [MappedMedication, MappedMedication] {
  return stopHarm(context, b) < stopHarm(context, a) ? [b, a] : [a, b];
}

function stopHarm(context: LegalityContext, { drugIndex }: MappedMedication): number {
  return context.kb.drugs[drugIndex]!.stopHarm;
}
