import { recommendedTaper, taperLimit } from "../course/taper-classes.ts";
import type { LegalityContext, MappedMedication } from "./legality-context.ts";
import type { OfferList } from "./offer-list.ts";
import { needsTaper, taperUse } from "./target-rules.ts";

/** Withdrawal score above which going back is worth offering. Source: mild symptoms show above .15. */
export const WITHDRAWAL_SIGN = 0.15;

/** Offers for a plan that runs or rests: go on (or at the class's pace), pause, go back, and one pace too fast. */
export function offerForPlan(context: LegalityContext, offers: OfferList, medication: MappedMedication): void {
  const plan = medication.taper;
  if (plan === null) return;
  const { medRef } = medication;
  const drug = context.kb.drugs[medication.drugIndex]!;
  const pace = recommendedTaper(drug, taperUse(context, medication));
  const hasSigns = (plan.withdrawalScore ?? 0) > WITHDRAWAL_SIGN;
  if (hasSigns) offers.add({ type: "REVERT_TAPER", medRef }, "taper", [medRef]);
  if (plan.isPaused) offers.add({ type: "CONTINUE_TAPER", medRef, taper: null }, "taper", [medRef]);
  else offers.add({ type: "PAUSE_TAPER", medRef }, "taper", [medRef]);
  if (pace !== null && (pace.stepPct !== plan.stepPct || pace.intervalDays !== plan.intervalDays))
    offers.add({ type: "CONTINUE_TAPER", medRef, taper: pace }, "taper", [medRef]);
  if (!hasSigns) offers.add({ type: "REVERT_TAPER", medRef }, "taper", [medRef]);
  const limit = taperLimit(drug, taperUse(context, medication));
  if (limit !== null)
    offers.add(
      {
        type: "CONTINUE_TAPER",
        medRef,
        taper: { stepPct: 100, intervalDays: Math.max(1, Math.floor(limit.intervalDays / 2)) },
      },
      "taper",
      [medRef],
    );
}

/** Offers the start of a taper of a named target, at the class's pace and at one too fast. */
export function offerForTarget(context: LegalityContext, offers: OfferList, medication: MappedMedication): void {
  if (medication.taper !== null) return;
  const { medRef } = medication;
  if (!needsTaper(context, medication)) {
    offers.add({ type: "STOP_DRUG", medRef, switchToDrugIndex: null, orders: [] }, "target", [medRef]);
    return;
  }
  const use = taperUse(context, medication);
  const drug = context.kb.drugs[medication.drugIndex]!;
  const pace = recommendedTaper(drug, use);
  if (pace === null) return;
  offers.add({ type: "START_TAPER", medRef, taper: pace, orders: [] }, "target", [medRef]);
  const fast = { stepPct: 50, intervalDays: Math.max(1, Math.round(pace.intervalDays / 2)) };
  offers.add({ type: "START_TAPER", medRef, taper: fast, orders: [] }, "target", [medRef]);
}
