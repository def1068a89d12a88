import { isTitrated, targetDose } from "../kb/dose-grid.ts";
import { listedMedication } from "./hit-candidates.ts";
import type { LegalityContext, MappedMedication } from "./legality-context.ts";
import type { OfferList } from "./offer-list.ts";
import { offerRemoval } from "./removals.ts";
import { addition, firstDose, gridOf, openOrders } from "./replacements.ts";
import { activeIndicationsOf } from "./target-rules.ts";

/** Days after a stop for which a restart is offered. */
const RESTART_WITHIN_DAYS = 56;

/** The next raise of a titrated drug on its way up, or null. */
export function nextRaise(context: LegalityContext, medication: MappedMedication): number | null {
  if (medication.taper !== null || medication.startDay === null || medication.startDay < 0) return null;
  const drug = context.kb.drugs[medication.drugIndex]!;
  if (!isTitrated(drug)) return null;
  const target = targetDose(drug);
  if (medication.dosePerDay >= target * (1 - 1e-9)) return null;
  const highest = Math.min(target, 2 * medication.dosePerDay) * (1 + 1e-9);
  let next: number | null = null;
  for (const dose of gridOf(context, drug))
    if (dose > medication.dosePerDay * (1 + 1e-9) && dose <= highest) next = dose;
  return next;
}

/** Offers that carry a begun course on: raises, the second half of a cross-over or switch, restarts. One group each. */
export function offerForCourse(context: LegalityContext, offers: OfferList): void {
  const { known, kb } = context;
  for (const medication of context.listed) {
    const raised = nextRaise(context, medication);
    if (raised !== null) offerRaise(context, offers, medication, raised);
    const { medRef, crossOverFromDrugIndex } = medication;
    const old = crossOverFromDrugIndex === null ? undefined : listedMedication(context, crossOverFromDrugIndex);
    if (old !== undefined) {
      offers.openGroup();
      offerRemoval(context, offers, old, { source: "omission", addresses: [medRef] });
    }
  }
  if (known.declaredSwitch !== null && !context.listedDrugs.has(known.declaredSwitch.toDrugIndex)) {
    offers.openGroup();
    const drug = kb.drugs[known.declaredSwitch.toDrugIndex]!;
    offers.add(addition(context, drug, null), "omission", ["switch"]);
  }
  offerRestart(context, offers);
}

function offerRaise(
  context: LegalityContext,
  offers: OfferList,
  { medRef, drugIndex }: MappedMedication,
  dosePerDay: number,
): void {
  const drug = context.kb.drugs[drugIndex]!;
  const { dosesPerDay } = drug;
  offers.openGroup();
  offers.add({ type: "ADJUST_DOSE", medRef, dosePerDay, dosesPerDay, orders: openOrders(context, drug) }, "omission", [
    medRef,
  ]);
}

/** The last stopped drug whose indication is active and has no other drug. */
function offerRestart(context: LegalityContext, offers: OfferList): void {
  const { known, kb } = context;
  for (let i = known.stopped.length - 1; i >= 0; i--) {
    const { drugIndex, daysAgo, dosePerDay, dosesPerDay } = known.stopped[i]!;
    if (daysAgo > RESTART_WITHIN_DAYS || context.listedDrugs.has(drugIndex)) continue;
    const drug = kb.drugs[drugIndex]!;
    const isBare = activeIndicationsOf(context, drug).some((code) => !isTreated(context, code));
    if (!isBare || known.declaredSwitch?.fromDrugIndex === drugIndex) continue;
    offers.openGroup();
    offers.add(
      {
        type: "ADD_DRUG",
        drugIndex,
        dosePerDay: isTitrated(drug) ? Math.min(dosePerDay, firstDose(context, drug)) : dosePerDay,
        dosesPerDay,
        crossOverFromMedRef: null,
        orders: openOrders(context, drug),
      },
      "omission",
      [drug.drugId],
    );
    return;
  }
}

/** True when a listed drug treats the condition. */
export function isTreated(context: LegalityContext, condition: string): boolean {
  for (const { indications } of context.regimen) if (indications.includes(condition)) return true;
  return false;
}
