import type { Drug } from "../kb/types.ts";
import { type DoseOption, dosingGrid, nearestDose } from "./dose-options.ts";
import { firstWeeklyDose, type WarfarinDoseFacts } from "./warfarin.ts";

/** What the label start of the dosing models looks at. */
export interface StartFacts extends WarfarinDoseFacts {
  /** As known, mL/min. */
  readonly crClMlPerMin: number;
}

/** First dose by label, IWPC formula or common practice, on the grid of the drug; null for a drug without a dosing model. */
export function labelStart(drug: Drug, facts: StartFacts): DoseOption | null {
  const dose = unroundedStart(drug.drugId, facts);
  if (dose === null) return null;
  return {
    dosePerDay: nearestDose(dosingGrid(drug, facts.weightKg), dose),
    intervalH: Math.round(24 / drug.dosesPerDay),
  };
}

function unroundedStart(drugId: string, { crClMlPerMin, weightKg, ...facts }: StartFacts): number | null {
  switch (drugId) {
    case "vancomycin":
      return 15.4 * crClMlPerMin;
    case "gentamicin":
      return (5 * weightKg * crClMlPerMin) / 100;
    case "warfarin":
      return firstWeeklyDose({ ...facts, weightKg }) / 7;
    case "digoxin":
      return crClMlPerMin < 30 ? 0.0625 : 0.125;
    case "phenytoin":
      return 300;
    case "lithium_carbonate":
      return crClMlPerMin < 60 ? 300 : 600;
    case "levothyroxine":
      return 1.36 * weightKg;
    default:
      return null;
  }
}
