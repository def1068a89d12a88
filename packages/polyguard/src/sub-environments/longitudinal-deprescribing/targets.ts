import type { CourseContext } from "../../course/context.ts";
import type { CourseEvaluator } from "../../course/evaluator.ts";
import { stopMedication, withMedication } from "../../course/regimen.ts";
import { adaptationTauDays, effectShare, nextTaperDose, recommendedTaper } from "../../course/taper-classes.ts";
import { beginTaper } from "../../course/taper-run.ts";
import { relaxAdaptation } from "../../course/withdrawal.ts";
import { doseGrid } from "../../kb/dose-grid.ts";
import { drugAt } from "../../kb/lookup.ts";
import type { Drug, KnowledgeBase } from "../../kb/types.ts";
import type { Scenario, TaskTarget } from "../../scenario/types.ts";
import type { Medication, Patient, WorldState } from "../../world/types.ts";

/** W that a taper is not to pass; severe events begin above it. */
export const SAFE_PEAK = 0.5;
/** Floor of a target whose plan does not end safely within the episode, as a share of the starting dose. */
const HALF = 0.5;
/** Least gain in the 365-day value that carrying a target's plan out brings. */
const LEAST_GAIN = 0.003;

/** What the recommended plan of a drug comes to when it is followed from day 0. */
export interface PlanOutlook {
  /** Day of the last dose. */
  readonly days: number;
  /** Highest W on the way for a typical patient. */
  readonly peak: number;
}

/** Follows the class's recommended pace, looked up anew at every reduction; null for a drug that needs no taper. */
export function recommendedOutlook(kb: KnowledgeBase, patient: Patient, medication: Medication): PlanOutlook | null {
  const drug = drugAt(kb, medication.drugIndex);
  const startDosePerDay = medication.dosePerDay;
  if (!isDependence(drug, medication)) return null;
  const grid = doseGrid(drug, patient);
  const tau = adaptationTauDays(drug);
  let dosePerDay = startDosePerDay;
  let adaptation = 1;
  let peak = 0;
  let day = 0;
  while (dosePerDay > 0) {
    const pace = recommendedTaper(drug, { startDosePerDay, dosePerDay, daysOfUse: day - medication.startDay });
    if (pace === null) return null;
    dosePerDay = nextTaperDose(grid, { dosePerDay, startDosePerDay, stepPct: pace.stepPct });
    const effect = effectShare(drug, dosePerDay, startDosePerDay);
    peak = Math.max(peak, adaptation - effect);
    if (dosePerDay <= 0) break;
    adaptation = relaxAdaptation(adaptation, effect, tau, pace.intervalDays);
    day += pace.intervalDays;
  }
  return { days: day, peak };
}

/** True when the body has adapted to the drug after this use, so that stopping it is felt. */
function isDependence(drug: Drug, medication: Medication): boolean {
  return drug.taperIfDaysGt !== null && -medication.startDay > drug.taperIfDaysGt;
}

/** The floor of a target: 0 where the recommended plan ends safely within the days of the episode, else half its dose. */
function floorOf(kb: KnowledgeBase, patient: Patient, medication: Medication, days: number): number {
  const outlook = recommendedOutlook(kb, patient, medication);
  const isReachable = outlook === null || (outlook.days <= days && outlook.peak <= SAFE_PEAK);
  return isReachable ? 0 : HALF * medication.dosePerDay;
}

/** Targets of a scenario: the drugs of its hazards that should go, causes of cascades before what is given for them. */
export function targetsOf(kb: KnowledgeBase, scenario: Scenario): readonly TaskTarget[] {
  const { initial, hazards, patient, stepDays } = scenario;
  const days = initial.clock.stepsLeft * stepDays;
  const targets: TaskTarget[] = [];
  for (const drugIndex of hazards.flatMap((hazard) => hazard.targetIndexes)) {
    const medication = initial.medications.find((each) => each.drugIndex === drugIndex);
    if (medication === undefined || targets.some(({ medRef }) => medRef === medication.medRef)) continue;
    targets.push({ medRef: medication.medRef, floorDosePerDay: floorOf(kb, patient, medication, days) });
  }
  return targets;
}

/** The state with every target on its way: tapered by the recommended pace, or stopped where no taper is needed. */
function carriedOutPlans(context: CourseContext, state: WorldState, targets: readonly TaskTarget[]): WorldState {
  const { kb, scenario } = context;
  let next = state;
  for (const { medRef } of targets) {
    const medication = next.medications.find((each) => each.medRef === medRef)!;
    const drug = drugAt(kb, medication.drugIndex);
    const pace = recommendedTaper(drug, {
      startDosePerDay: medication.dosePerDay,
      dosePerDay: medication.dosePerDay,
      daysOfUse: -medication.startDay,
    });
    if (pace === null || !isDependence(drug, medication))
      next = stopMedication(next, medication, { day: 0, reason: "agent", wasAbrupt: false });
    else next = withMedication(next, beginTaper(kb, scenario.patient, medication, pace, 0));
  }
  return next;
}

/** True when the drug's strengths lead down to a floor in reductions that a settled body does not feel too much. */
function canComeDown(kb: KnowledgeBase, patient: Patient, medication: Medication, floor: number): boolean {
  const drug = drugAt(kb, medication.drugIndex);
  if (!isDependence(drug, medication)) return true;
  const startDosePerDay = medication.dosePerDay;
  const grid = doseGrid(drug, patient);
  let dosePerDay = startDosePerDay;
  while (dosePerDay > floor * (1 + 1e-9)) {
    const next = nextTaperDose(grid, { dosePerDay, startDosePerDay, stepPct: 1 });
    const drop = effectShare(drug, dosePerDay, startDosePerDay) - effectShare(drug, next, startDosePerDay);
    if (drop > SAFE_PEAK) return false;
    dosePerDay = next;
  }
  return true;
}

/** True when each hazard's targets are worth their plan, and there are one to `most` of them. */
export function areTargetsWorthwhile(context: CourseContext, evaluator: CourseEvaluator, most: number): boolean {
  const { kb, scenario } = context;
  const targets = targetsOf(kb, scenario);
  if (targets.length === 0 || targets.length > most) return false;
  const keep = evaluator.valueOfState(context, scenario.initial).utility;
  return scenario.hazards.every(({ targetIndexes }) => {
    const own = targets.filter(({ medRef }) =>
      scenario.initial.medications.some((each) => each.medRef === medRef && targetIndexes.includes(each.drugIndex)),
    );
    const isPossible = own.every(({ medRef, floorDosePerDay }) => {
      const medication = scenario.initial.medications.find((each) => each.medRef === medRef)!;
      return canComeDown(kb, scenario.patient, medication, floorDosePerDay);
    });
    if (own.length === 0 || !isPossible) return false;
    const after = carriedOutPlans(context, scenario.initial, own);
    return evaluator.valueOfState(context, after).utility - keep >= LEAST_GAIN;
  });
}

/** Up to `count` indicated drugs that are harmful to stop and belong to no hazard: those that must stay, by medRef. */
export function mustStayOf(kb: KnowledgeBase, scenario: Scenario, count: number): readonly string[] {
  const { initial, hazards } = scenario;
  const isActive = (code: string | null): boolean =>
    code !== null && initial.conditions.some((each) => each.code === code && each.severity > 0);
  return initial.medications
    .filter(
      ({ drugIndex, indication, isListed }) =>
        isListed &&
        isActive(indication) &&
        drugAt(kb, drugIndex).stopHarm >= 2 &&
        !hazards.some((hazard) => hazard.drugIndexes.includes(drugIndex)),
    )
    .slice(0, count)
    .map(({ medRef }) => medRef);
}
