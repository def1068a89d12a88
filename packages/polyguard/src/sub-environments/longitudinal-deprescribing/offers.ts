import { generalOffers, type OfferPlan } from "../../actions/candidates.ts";
import type { LegalityContext, MappedMedication } from "../../actions/legality-context.ts";
import type { OfferList } from "../../actions/offer-list.ts";
import { taperUse } from "../../actions/target-rules.ts";
import type { ActionPayload, TaperPace } from "../../actions/types.ts";
import { recommendedTaper, taperLimit } from "../../course/taper-classes.ts";

/** Conditions that sleep and worry training helps with; for others there is counselling. */
const CBT_CONDITIONS: readonly string[] = ["INSOMNIA", "ANXIETY"];
/** Slower than the class's pace: as many times its interval. */
const SLOW = 2;
/** Gentler: as large a share of its step. */
const GENTLE = 0.5;
const SMALLEST_STEP_PCT = 5;

/** The general offers, with further paces for each target that may start and support for its taper. */
export function deprescribingOffers(context: LegalityContext): OfferPlan {
  const plan = generalOffers(context);
  for (const medRef of context.known.targets) {
    const medication = context.byRef.get(medRef);
    if (medication === undefined || !isMissed(context, medication)) continue;
    plan.offers.openGroup();
    if (medication.taper === null) offerPaces(context, plan.offers, medication);
    else offerGentler(plan.offers, medication.medRef, medication.taper);
    offerSupport(context, plan.offers, medication);
  }
  return { ...plan, most: plan.most + 4 * context.known.targets.length };
}

/** True when the body has adapted to the drug as known; an unknown duration counts as long. Wider than what must be tapered: a PPI. */
function isMissed({ kb, known }: LegalityContext, { drugIndex, startDay }: MappedMedication): boolean {
  const { taperIfDaysGt } = kb.drugs[drugIndex]!;
  return taperIfDaysGt !== null && (startDay === null || known.clock.day - startDay > taperIfDaysGt);
}

function offerSupport(context: LegalityContext, offers: OfferList, { medRef, indication }: MappedMedication): void {
  const code = indication !== null && CBT_CONDITIONS.includes(indication) ? "CBT_I" : "COUNSELLING";
  if (!context.orders.has(code)) offers.add({ type: "ORDER_MONITORING", medRef, orders: [code] }, "target", [medRef]);
}

/** Half of a step, as far as a plan can make it. */
function gentler({ stepPct }: TaperPace): number {
  return Math.max(SMALLEST_STEP_PCT, Math.floor(GENTLE * stepPct));
}

function offerGentler(offers: OfferList, medRef: string, plan: TaperPace): void {
  const taper = { stepPct: gentler(plan), intervalDays: plan.intervalDays };
  if (taper.stepPct !== plan.stepPct) offers.add({ type: "CONTINUE_TAPER", medRef, taper }, "target", [medRef]);
}

/** The recommended pace, a slower and a gentler one, and the fastest that the class allows. */
function offerPaces(context: LegalityContext, offers: OfferList, medication: MappedMedication): void {
  const { medRef, drugIndex, dosePerDay } = medication;
  const drug = context.kb.drugs[drugIndex]!;
  const use = taperUse(context, medication);
  const pace = recommendedTaper(drug, use);
  const limit = taperLimit(drug, use);
  if (pace === null) return;
  const start = (stepPct: number, intervalDays: number): ActionPayload => ({
    type: "START_TAPER",
    medRef,
    taper: { stepPct, intervalDays },
    orders: [],
  });
  offers.add(start(pace.stepPct, pace.intervalDays), "target", [medRef]);
  offers.add(start(pace.stepPct, SLOW * pace.intervalDays), "target", [medRef]);
  offers.add(start(gentler(pace), pace.intervalDays), "target", [medRef]);
  if (limit === null || dosePerDay <= 0) return;
  const fastest = Math.floor(Math.min(100, (100 * limit.drop) / dosePerDay + 1e-9));
  if (fastest >= SMALLEST_STEP_PCT) offers.add(start(fastest, limit.intervalDays), "target", [medRef]);
}
