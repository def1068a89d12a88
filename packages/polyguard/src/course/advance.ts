import { drugAt } from "../kb/lookup.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import { copyClock, copyMedication, copyState, type MutableMedication } from "../world/copies.ts";
import type { Condition, Medication, Patient, WorldState } from "../world/types.ts";
import type { CourseContext } from "./context.ts";
import { advanceLabs } from "./labs.ts";
import { isHeld, stopMedication } from "./regimen.ts";
import { effectShare } from "./taper-classes.ts";
import { runTaper } from "./taper-run.ts";
import { carryOverAfterStop, carryOverAfterUse, onsetAfterStop, onsetAfterUse, timingOf } from "./time-constants.ts";
import { relaxAdaptation, relaxStopped } from "./withdrawal.ts";

/** Time constants of caused conditions, days (assumption: directions from the cascade literature). */
const CASCADE_DAYS: Readonly<Record<string, number>> = { OEDEMA: 14, UI_F: 21, OAB: 21, PARKINSON: 28, GOUT: 60 };
const OTHER_CASCADE_DAYS = 14;

/**
 * The state `days` later when nobody acts: doses by running plans, carry-over, onset, adaptation, cascades, labs, and
 * course drugs that end. No events are drawn and a declared switch stays declared.
 */
export function advance(context: CourseContext, state: WorldState, days: number): WorldState {
  if (days <= 0) return state;
  const { kb } = context;
  const { patient } = context.scenario;
  const day = state.clock.day + days;
  const { physiology, labs } = advanceLabs(context, state, days);
  const conditions = conditionsAt(state, day);
  const later = copyState(state);
  const clock = copyClock(state.clock);
  clock.day = day;
  later.clock = clock;
  later.medications = state.medications.map((medication) =>
    advanceMedication(kb, patient, medication, state.clock.day, days),
  );
  if (state.stopped.length > 0) later.stopped = state.stopped.map((stopped) => relaxStopped(stopped, days));
  later.conditions = conditions;
  later.physiology = physiology;
  later.labs = labs;
  let next: WorldState = later;
  for (const medication of next.medications) {
    if (medication.dosePerDay <= 0) {
      const last = medication.taperPlan?.previousDosePerDay ?? medication.referenceDosePerDay;
      const stopDay = medication.taperPlan?.lastReductionDay ?? day;
      next = stopMedication(
        next,
        { ...medication, dosePerDay: last },
        { day: stopDay, reason: "taper_end", wasAbrupt: false },
      );
    } else if (medication.endDay !== null && medication.endDay <= day)
      next = stopMedication(next, medication, { day: medication.endDay, reason: "course_end", wasAbrupt: false });
  }
  return next;
}

/** One medication `days` later: plan, adaptation by day, carry-over and onset (fading while held). */
function advanceMedication(
  kb: KnowledgeBase,
  patient: Patient,
  medication: Medication,
  today: number,
  days: number,
): Medication {
  const drug = drugAt(kb, medication.drugIndex);
  const timing = timingOf(drug);
  const until = today + days;
  const takenUntil = medication.endDay === null ? until : Math.min(until, medication.endDay);
  const heldDays = isHeld(medication, today) ? Math.min(days, (medication.heldUntilDay ?? today) - today) : 0;
  const usedDays = takenUntil - today - heldDays;
  let { carryOver, onsetShare } = medication;
  if (heldDays > 0) {
    carryOver = carryOverAfterStop(timing, carryOver, heldDays);
    onsetShare = onsetAfterStop(timing, onsetShare, heldDays);
  }
  carryOver = carryOverAfterUse(timing, carryOver, usedDays);
  onsetShare = onsetAfterUse(timing, onsetShare, usedDays);
  const plan = medication.taperPlan;
  const isPlanned = plan !== null && !plan.isPaused;
  const isSteady = !isPlanned && medication.dosePerDay >= medication.referenceDosePerDay && medication.adaptation >= 1;
  if (medication.adaptationTauDays <= 0 || isSteady) {
    const isUnchanged = !isPlanned && carryOver === medication.carryOver && onsetShare === medication.onsetShare;
    if (isUnchanged) return medication;
    return withUse(isPlanned ? runTaper(kb, patient, medication, until) : medication, carryOver, onsetShare);
  }
  let current = medication;
  let adaptation = medication.adaptation;
  if (!isPlanned) {
    const effect = effectShare(drug, medication.dosePerDay, medication.referenceDosePerDay);
    adaptation = relaxAdaptation(adaptation, effect, medication.adaptationTauDays, days);
  } else {
    for (let day = today; day < until; day++) {
      const effect = effectShare(drug, current.dosePerDay, current.referenceDosePerDay);
      adaptation = relaxAdaptation(adaptation, effect, medication.adaptationTauDays, 1);
      current = runTaper(kb, patient, current, day + 1);
    }
  }
  const later = withUse(current, carryOver, onsetShare);
  later.adaptation = adaptation;
  return later;
}

function withUse(medication: Medication, carryOver: number, onsetShare: number): MutableMedication {
  const used = copyMedication(medication);
  used.carryOver = carryOver;
  used.onsetShare = onsetShare;
  return used;
}

/** Indications that are over when their course is. */
const CURED_BY_COURSE = ["INFECTION", "UTI"];

/**
 * Conditions on a day of the state's future when nobody acts: caused ones move, an infection is over when its course
 * ends. The state's own list when none differs.
 */
export function conditionsAt(state: WorldState, day: number): WorldState["conditions"] {
  const days = day - state.clock.day;
  if (days <= 0) return state.conditions;
  if (!isAnyMoving(state, day)) return state.conditions;
  return state.conditions.map((condition) =>
    state.medications.some((each) => each.indication === condition.code && cures(each, day))
      ? { ...condition, severity: 0 }
      : advanceCascade(state, condition, days),
  );
}

/** Plain loops: most states have no such condition, and every judged action asks. */
function isAnyMoving({ conditions, medications }: WorldState, day: number): boolean {
  for (const condition of conditions) if (condition.cascade !== null) return true;
  for (const medication of medications) if (cures(medication, day)) return true;
  return false;
}

/** True when the medication's course is over on that day and its indication with it. */
function cures({ endDay, isTaken, indication }: Medication, day: number): boolean {
  return endDay !== null && endDay <= day && isTaken && indication !== null && CURED_BY_COURSE.includes(indication);
}

/** A caused condition `days` later: it moves to base + (1 - base) * min(1, dose share of its cause). */
function advanceCascade(state: WorldState, condition: Condition, days: number): Condition {
  const { cascade } = condition;
  if (cascade === null) return condition;
  const cause = state.medications.find((each) => each.drugIndex === cascade.causeDrugIndex && each.isTaken);
  const share = cause === undefined ? 0 : Math.min(1, cause.dosePerDay / cause.referenceDosePerDay);
  const goal = cascade.baseSeverity + (1 - cascade.baseSeverity) * share;
  const tau = CASCADE_DAYS[condition.code] ?? OTHER_CASCADE_DAYS;
  return { ...condition, severity: goal + (condition.severity - goal) * Math.exp(-days / tau) };
}
