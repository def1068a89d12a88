import { exposureModelOf } from "../course/labs.ts";
import { carryOverAfterStop, carryOverAfterUse, timingOf } from "../course/time-constants.ts";
import { drugAt } from "../kb/lookup.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import type { DoseDay } from "./dosing-model.ts";
import { CATION_ABSORPTION, PPI_ABSORPTION } from "./levothyroxine.ts";

/** Another drug of the list, taken from one course day to another. */
export interface CoMedication {
  readonly drugIndex: number;
  /** Negative infinity = long ago. */
  readonly startDay: number;
  /** null = still taken. */
  readonly stopDay: number | null;
}

/** Factors of co-medication on a day. */
export type DayFactors = Pick<DoseDay, "clearanceFactor" | "absorptionFactor">;

/** Factors on lithium clearance by class. Source: Finley 2016; assumption: one factor a class, classes multiply. */
const LITHIUM_FACTORS: readonly (readonly [group: string, factor: number])[] = [
  ["THIAZIDE", 0.75],
  ["RASI", 0.75],
  ["NSAID", 0.78],
  ["LOOP", 0.9],
];

/** Drugs whose clearance the static exposure model changes. */
const EXPOSURE_DRUGS = new Set(["warfarin", "digoxin", "phenytoin"]);

/** What co-medication does to a dosing model's drug on a course day: it comes and goes with its carry-over. */
export function factorsOn(
  kb: KnowledgeBase,
  drug: Drug,
  others: readonly CoMedication[],
  courseDay: number,
): DayFactors {
  if (EXPOSURE_DRUGS.has(drug.drugId)) {
    const model = exposureModelOf(kb);
    // Kidneys and genotype are the dosing model's own.
    model.setPatient({});
    model.clearPerpetrators();
    const alone = model.aucr(drug.index);
    for (const other of others)
      if (other.drugIndex !== drug.index) model.addPerpetrator(other.drugIndex, weightOn(kb, other, courseDay));
    return { clearanceFactor: alone / model.aucr(drug.index), absorptionFactor: 1 };
  }
  const strongest = (group: string): number =>
    others.reduce(
      (most, other) =>
        drugAt(kb, other.drugIndex).groups.includes(group) ? Math.max(most, weightOn(kb, other, courseDay)) : most,
      0,
    );
  switch (drug.drugId) {
    case "lithium_carbonate":
      return {
        clearanceFactor: LITHIUM_FACTORS.reduce(
          (product, [group, factor]) => product * (1 - (1 - factor) * strongest(group)),
          1,
        ),
        absorptionFactor: 1,
      };
    case "levothyroxine": {
      const cation = strongest("POLYVALENT_CATION") > 0 ? CATION_ABSORPTION : 1;
      const ppi = strongest("PPI") > 0 ? PPI_ABSORPTION : 1;
      return { clearanceFactor: 1, absorptionFactor: cation * ppi };
    }
    default:
      return { clearanceFactor: 1, absorptionFactor: 1 };
  }
}

/** Above this weight a drug counts as settled. */
const SETTLED_WEIGHT = 0.999;

/** {@link factorsOn} for a stretch of course days; worked out once where every drug is settled or gone. */
export function factorsFrom(
  kb: KnowledgeBase,
  drug: Drug,
  others: readonly CoMedication[],
  firstDay: number,
  days: number,
): readonly DayFactors[] {
  const isConstant = others.every((other) => {
    if (other.stopDay !== null && other.stopDay > firstDay) return false;
    const weight = weightOn(kb, other, firstDay);
    return other.stopDay === null ? weight > SETTLED_WEIGHT : weight <= 0;
  });
  if (isConstant) return new Array<DayFactors>(days).fill(factorsOn(kb, drug, others, firstDay));
  return Array.from({ length: days }, (_, i) => factorsOn(kb, drug, others, firstDay + i));
}

function weightOn(kb: KnowledgeBase, { drugIndex, startDay, stopDay }: CoMedication, day: number): number {
  if (day < startDay) return 0;
  const timing = timingOf(drugAt(kb, drugIndex));
  if (stopDay === null || day < stopDay) return carryOverAfterUse(timing, 0, day - startDay);
  return carryOverAfterStop(timing, carryOverAfterUse(timing, 0, stopDay - startDay), day - stopDay);
}
