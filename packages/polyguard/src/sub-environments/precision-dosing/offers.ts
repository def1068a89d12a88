import type { OfferPlan } from "../../actions/candidates.ts";
import { OfferList } from "../../actions/offer-list.ts";
import { hasRecentLevel } from "../../actions/start-rules.ts";
import { doseOptions } from "../../pharmacology/dose-options.ts";
import { TIERS } from "../../scenario/tiers.ts";
import type { Facing } from "../sub-environment.ts";
import { GENOTYPE_ORDER, type ModelContent, type ModelSpecial } from "./content.ts";

/** KEEP, FINISH, review, hold, three orders, up to 16 doses and the traps: the limit of a candidate list. */
const MOST = 24;
/** Creatinine older than this may be ordered again, days. assumption: well before it no longer counts (90 days). */
const CREATININE_DAYS = 30;
/** Body weight for the grid where it is not known. assumption: a usual adult weight. */
const FALLBACK_WEIGHT_KG = 70;

/** What is offered for a drug that is dosed by level: the doses inside the step limits, a hold, orders. */
export function dosingOffers({ content, special, legality }: Facing<ModelContent, ModelSpecial>): OfferPlan {
  const { known } = legality;
  const { medRef } = content;
  const offers = new OfferList();
  offers.openGroup();
  offers.add({ type: "KEEP_REGIMEN" }, "keep");
  offers.add({ type: "FINISH" }, "keep");
  offers.add({ type: "REQUEST_REVIEW", reviewTo: "pharmacist", target: medRef }, "review");
  const medication = legality.byRef.get(medRef);
  const { traps } = TIERS[known.difficulty];
  if (medication === undefined) return { offers, traps, most: MOST };
  const drug = legality.kb.drugs[medication.drugIndex]!;
  const order = (code: string): void =>
    offers.add({ type: "ORDER_MONITORING", medRef, orders: [code] }, "missing", [medRef]);
  order(content.model.levelCode);
  offers.add({ type: "HOLD_DOSE", medRef }, "dose", [medRef]);
  if (known.kidneyAgeDays === null || known.kidneyAgeDays > CREATININE_DAYS) order("CREAT");
  if (drug.drugId === "warfarin" && !special.isGenotypeKnown) order(GENOTYPE_ORDER);
  const options = doseOptions(drug, {
    weightKg: known.weightKg ?? FALLBACK_WEIGHT_KG,
    current: { dosePerDay: medication.dosePerDay, intervalH: Math.round(24 / medication.dosesPerDay) },
    level: hasRecentLevel(legality, drug) ? (medication.lastLevel?.value ?? null) : null,
    hasCad: legality.facts.conditions.has("CAD"),
  });
  for (const { dosePerDay, intervalH } of options)
    offers.add({ type: "ADJUST_DOSE", medRef, dosePerDay, dosesPerDay: 24 / intervalH, orders: [] }, "dose", [medRef]);
  return { offers, traps, most: MOST };
}
