import { usualDoseMax } from "../kb/dose-grid.ts";
import { judgeRenalRule } from "../kb/renal-dose.ts";
import { findMeasurement, flagOf } from "../observation/measurements.ts";
import type { LegalityContext, MappedMedication } from "./legality-context.ts";
import type { OfferList } from "./offer-list.ts";
import { gridOf } from "./replacements.ts";
import { monitorItem } from "./start-rules.ts";

/** What is odd about a dose as known. */
type DoseFlagKind =
  | "above_renal_cap"
  | "above_usual_max"
  | "below_usual_min"
  | "weekly_drug_daily"
  | "level_high"
  | "level_low";

/** A listed medication whose dose or level is odd. */
export interface DoseFlag {
  readonly medication: MappedMedication;
  readonly flag: DoseFlagKind;
  /** Highest dose by the renal rule, where that is the matter. */
  readonly cap: number | null;
}

/** Flags of the listed doses, in list order, the level first. Drugs under a plan, still rising, or as needed have none below. */
export function doseFlags(context: LegalityContext): DoseFlag[] {
  const flags: DoseFlag[] = [];
  for (const medication of context.listed) {
    const drug = context.kb.drugs[medication.drugIndex]!;
    const { lastLevel, dosePerDay } = medication;
    const measurement = lastLevel === null ? undefined : findMeasurement(lastLevel.code);
    const level = measurement === undefined ? "N" : flagOf(measurement, lastLevel!.value);
    // A high TSH means too low a dose.
    const isInverse = lastLevel?.code === "TSH";
    const cap = context.traits[drug.index]!.hasRenalClause ? judgeRenalRule(drug, context.renal).doseCap : null;
    if (level !== "N")
      flags.push({ medication, flag: (level === "H") === isInverse ? "level_low" : "level_high", cap: null });
    else if (drug.doseUnit === "mg/wk" && medication.dosesPerDay > 2 * drug.dosesPerDay)
      flags.push({ medication, flag: "weekly_drug_daily", cap: null });
    else if (cap !== null && dosePerDay > cap * (1 + 1e-9)) flags.push({ medication, flag: "above_renal_cap", cap });
    else if (dosePerDay > usualDoseMax(drug) * (1 + 1e-9))
      flags.push({ medication, flag: "above_usual_max", cap: usualDoseMax(drug) });
    else if (dosePerDay < drug.doseMin * (1 - 1e-9) && !isRisingOrLeaving(medication))
      flags.push({ medication, flag: "below_usual_min", cap: null });
  }
  return flags;
}

function isRisingOrLeaving(medication: MappedMedication): boolean {
  return medication.taper !== null || medication.isPrn || (medication.startDay !== null && medication.startDay >= 0);
}

/** Offers for a dose flag: the nearest doses that mend it, a hold, and the level. */
export function offerForDose(context: LegalityContext, offers: OfferList, { medication, flag, cap }: DoseFlag): void {
  const drug = context.kb.drugs[medication.drugIndex]!;
  const { medRef, dosePerDay } = medication;
  const addresses = [medRef];
  const adjust = (dose: number | undefined, dosesPerDay = medication.dosesPerDay): void => {
    if (dose !== undefined)
      offers.add({ type: "ADJUST_DOSE", medRef, dosePerDay: dose, dosesPerDay, orders: [] }, "dose", addresses);
  };
  const grid = gridOf(context, drug);
  const lower = grid.filter((dose) => dose < dosePerDay * (1 - 1e-9));
  const higher = grid.find((dose) => dose > dosePerDay * (1 + 1e-9));
  const isTooHigh = flag !== "below_usual_min" && flag !== "level_low";
  if (flag === "weekly_drug_daily") {
    adjust(grid.filter((dose) => dose <= Math.min(dosePerDay, drug.doseMax)).pop(), drug.dosesPerDay);
    return;
  }
  if (isTooHigh) {
    if (cap !== null && cap > 0) adjust(lower.filter((dose) => dose <= cap * (1 + 1e-9)).pop());
    adjust(lower[lower.length - 1]);
    if (flag === "level_high") offers.add({ type: "HOLD_DOSE", medRef }, "dose", addresses);
    adjust(higher);
  } else {
    adjust(higher);
    adjust(lower[lower.length - 1]);
  }
  if (drug.isNarrowTi) offers.add({ type: "ORDER_MONITORING", medRef, orders: [monitorItem(drug)] }, "dose", addresses);
}
