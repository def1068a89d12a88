import { drugAt } from "../kb/lookup.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import type { Medication, Patient, StoppedDrug } from "../world/types.ts";
import { effectShare } from "./taper-classes.ts";
import { TaperWalker } from "./taper-run.ts";
import { relaxAdaptation } from "./withdrawal.ts";

/** One day of a drug that the body misses. */
export interface WithdrawalDay {
  readonly day: number;
  /** W = max(0, A - E) in the morning, before the body has adapted any further. */
  readonly withdrawal: number;
  /** Effect E, 0-1. */
  readonly effect: number;
}

/** W of a listed drug on each day from `fromDay` to the day before `toDay`, its plan running by itself. */
export function withdrawalPath(
  kb: KnowledgeBase,
  patient: Patient,
  medication: Medication,
  { fromDay, toDay }: { readonly fromDay: number; readonly toDay: number },
): readonly WithdrawalDay[] {
  const drug = drugAt(kb, medication.drugIndex);
  const walker = new TaperWalker();
  walker.begin(kb, patient, medication);
  let { adaptation } = medication;
  const days: WithdrawalDay[] = [];
  for (let day = fromDay; day < toDay; day++) {
    walker.advanceTo(day);
    const effect = effectShare(drug, walker.dosePerDay, medication.referenceDosePerDay);
    days.push({ day, withdrawal: Math.max(0, adaptation - effect), effect });
    adaptation = relaxAdaptation(adaptation, effect, medication.adaptationTauDays, 1);
  }
  return days;
}

/** W of a stopped drug on each day: what is left of the adaptation. */
export function stoppedPath(
  stopped: StoppedDrug,
  { fromDay, toDay }: { readonly fromDay: number; readonly toDay: number },
): readonly WithdrawalDay[] {
  let { adaptation } = stopped;
  const days: WithdrawalDay[] = [];
  for (let day = fromDay; day < toDay; day++) {
    days.push({ day, withdrawal: adaptation, effect: 0 });
    adaptation = relaxAdaptation(adaptation, 0, stopped.adaptationTauDays, 1);
  }
  return days;
}

/** Highest W of a path; 0 for none. */
export function peakOf(days: readonly WithdrawalDay[]): number {
  let peak = 0;
  for (const { withdrawal } of days) peak = Math.max(peak, withdrawal);
  return peak;
}
