import type { TaperPace } from "../actions/types.ts";
import { doseGrid } from "../kb/dose-grid.ts";
import { drugAt } from "../kb/lookup.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import { copyMedication } from "../world/copies.ts";
import type { DosePoint, Medication, Patient, TaperPlan } from "../world/types.ts";
import { nextTaperDose } from "./taper-classes.ts";

/**
 * Walks along a plan without making states: `advanceTo` moves to a day, the fields tell dose and last reduction there.
 * One walker is reused for many medications.
 */
export class TaperWalker {
  dosePerDay = 0;
  previousDosePerDay = 0;
  lastReductionDay = 0;
  /** Day of the next reduction; infinite when none is due. */
  nextReductionDay = Number.POSITIVE_INFINITY;
  reductions = 0;
  #grid: readonly number[] = [];
  #startDosePerDay = 0;
  #stepPct = 0;
  #intervalDays = 0;

  /** Takes a medication at the place its plan has reached; without a running plan nothing will be due. */
  begin(kb: KnowledgeBase, patient: Patient, medication: Medication): void {
    const plan = medication.taperPlan;
    this.dosePerDay = medication.dosePerDay;
    this.#startDosePerDay = medication.referenceDosePerDay;
    this.reductions = plan?.reductions ?? 0;
    this.previousDosePerDay = plan?.previousDosePerDay ?? medication.dosePerDay;
    this.lastReductionDay = plan?.lastReductionDay ?? medication.startDay;
    const isRunning = plan !== null && !plan.isPaused && medication.dosePerDay > 0;
    this.nextReductionDay = isRunning ? plan.nextReductionDay : Number.POSITIVE_INFINITY;
    if (plan === null) return;
    this.#grid = doseGrid(drugAt(kb, medication.drugIndex), patient);
    this.#stepPct = plan.stepPct;
    this.#intervalDays = plan.intervalDays;
  }

  /** Makes the reduction that is due next. */
  reduce(): void {
    const day = this.nextReductionDay;
    const dose = nextTaperDose(this.#grid, {
      dosePerDay: this.dosePerDay,
      startDosePerDay: this.#startDosePerDay,
      stepPct: this.#stepPct,
    });
    this.previousDosePerDay = this.dosePerDay;
    this.dosePerDay = dose;
    this.lastReductionDay = day;
    this.nextReductionDay = dose <= 0 ? Number.POSITIVE_INFINITY : day + this.#intervalDays;
    this.reductions++;
  }

  /** Makes all reductions that fall due on or before a day. */
  advanceTo(day: number): void {
    while (this.nextReductionDay <= day) this.reduce();
  }
}

/** The medication with a new plan whose first reduction is made at once; dose 0 = the plan is the stop. */
export function beginTaper(
  kb: KnowledgeBase,
  patient: Patient,
  medication: Medication,
  pace: TaperPace,
  day: number,
): Medication {
  const plan: TaperPlan = {
    stepPct: pace.stepPct,
    intervalDays: pace.intervalDays,
    startDay: day,
    lastReductionDay: day,
    nextReductionDay: day,
    previousDosePerDay: medication.dosePerDay,
    reductions: 0,
    isPaused: false,
  };
  const planned = copyMedication(medication);
  planned.taperPlan = plan;
  return runTaper(kb, patient, planned, day);
}

/** The medication with all reductions made that fall due on or before `day`; dose 0 = it has come to the stop. */
export function runTaper(kb: KnowledgeBase, patient: Patient, medication: Medication, day: number): Medication {
  const plan = medication.taperPlan;
  if (plan === null || plan.isPaused || medication.dosePerDay <= 0 || plan.nextReductionDay > day) return medication;
  const walker = new TaperWalker();
  walker.begin(kb, patient, medication);
  const doseHistory: DosePoint[] = [...medication.doseHistory];
  while (walker.nextReductionDay <= day) {
    walker.reduce();
    doseHistory.push({ day: walker.lastReductionDay, dosePerDay: walker.dosePerDay });
  }
  const reduced = copyMedication(medication);
  reduced.dosePerDay = walker.dosePerDay;
  reduced.lastDoseChangeDay = walker.lastReductionDay;
  reduced.doseHistory = doseHistory;
  reduced.taperPlan = {
    ...plan,
    reductions: walker.reductions,
    lastReductionDay: walker.lastReductionDay,
    // After the stop nothing is due; the medication leaves the list.
    nextReductionDay: walker.lastReductionDay + plan.intervalDays,
    previousDosePerDay: walker.previousDosePerDay,
  };
  return reduced;
}
