import { drugAt } from "../kb/lookup.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import { copyMedication, copyState, type MutableMedication, withMedications } from "../world/copies.ts";
import type { Medication, StoppedDrug, WorldState } from "../world/types.ts";
import { adaptationTauDays } from "./taper-classes.ts";
import { carryOverAfterStop, onsetAfterStop, timingOf } from "./time-constants.ts";

/** A medication of the state, or undefined. */
export function findMedication(state: WorldState, medRef: string): Medication | undefined {
  return state.medications.find((medication) => medication.medRef === medRef);
}

/** True while a hold of the medication runs on that day. */
export function isHeld(medication: Medication, day: number): boolean {
  return medication.heldUntilDay !== null && day < medication.heldUntilDay;
}

/** The state with one medication replaced by `next`. */
export function withMedication(state: WorldState, next: Medication): WorldState {
  return withMedications(
    state,
    state.medications.map((medication) => (medication.medRef === next.medRef ? next : medication)),
  );
}

/** The state without that medication, which moves to the stopped drugs as of `day`. */
export function stopMedication(
  state: WorldState,
  medication: Medication,
  how: { readonly day: number; readonly reason: StoppedDrug["reason"]; readonly wasAbrupt: boolean },
): WorldState {
  const next = copyState(state);
  next.medications = state.medications.filter((each) => each.medRef !== medication.medRef);
  if (!medication.isTaken) return next;
  const stopped: StoppedDrug = {
    drugIndex: medication.drugIndex,
    drugId: medication.drugId,
    medRef: medication.medRef,
    dosePerDay: medication.dosePerDay,
    dosesPerDay: medication.dosesPerDay,
    startDay: medication.startDay,
    stopDay: how.day,
    indication: medication.indication,
    adherence: medication.adherence,
    responseFactor: medication.responseFactor,
    carryOverAtStop: medication.carryOver,
    onsetShareAtStop: medication.onsetShare,
    adaptation: medication.adaptation,
    adaptationTauDays: medication.adaptationTauDays,
    wasAbrupt: how.wasAbrupt,
    reason: how.reason,
  };
  next.stopped = [...state.stopped, stopped];
  return next;
}

/** What a new medication is begun with. */
export interface NewMedication {
  readonly dosePerDay: number;
  readonly dosesPerDay: number;
  readonly indication: string | null;
  readonly crossOverFromDrugIndex: number | null;
  /** Adaptation taken over from a drug of the same taper class; null = none. */
  readonly adaptation: number | null;
  /** Day a course ends by itself, else null. */
  readonly endDay: number | null;
}

/** Days a course drug (ANTIBIOTIC, ANTIFUNGAL short courses) is given when it is started in the episode. */
const COURSE_DRUG_DAYS = 10;

/** Group whose members are given as short courses. */
const COURSE_GROUP = "ANTIBIOTIC";

/** Last day of a drug started on `day` for INFECTION or UTI, or null when it is meant to go on. */
export function courseEndDay(drug: Drug, indication: string | null, day: number): number | null {
  const isCourse = drug.groups.includes(COURSE_GROUP) && (indication === "INFECTION" || indication === "UTI");
  return isCourse ? day + COURSE_DRUG_DAYS : null;
}

/**
 * The state with a drug started now. A drug stopped earlier in the episode goes on from the carry-over, benefit and
 * adaptation that are left of it.
 */
export function startMedication(state: WorldState, drug: Drug, start: NewMedication): WorldState {
  const day = state.clock.day;
  const past = state.stopped.find((each) => each.drugIndex === drug.index);
  const timing = timingOf(drug);
  const medication: Medication = {
    medRef: `m${state.nextMedRef}`,
    drugIndex: drug.index,
    drugId: drug.drugId,
    dosePerDay: start.dosePerDay,
    dosesPerDay: start.dosesPerDay,
    route: drug.route,
    startDay: day,
    endDay: start.endDay,
    indication: start.indication,
    isPrn: false,
    source: "episode",
    isListed: true,
    isTaken: true,
    isUnreconciled: false,
    heldUntilDay: null,
    adherence: state.hidden.adherence,
    referenceDosePerDay: start.dosePerDay,
    adaptation: start.adaptation ?? past?.adaptation ?? 0,
    adaptationTauDays: past?.adaptationTauDays ?? adaptationTauDays(drug),
    taperPlan: null,
    doseHistory: [{ day, dosePerDay: start.dosePerDay }],
    lastDoseChangeDay: day,
    exposureReference: null,
    lastInRangeLevelDay: null,
    responseFactor: past?.responseFactor ?? 1,
    crossOverFromDrugIndex: start.crossOverFromDrugIndex,
    carryOver: past === undefined ? 0 : carryOverAfterStop(timing, past.carryOverAtStop, day - past.stopDay),
    onsetShare: past === undefined ? 0 : onsetAfterStop(timing, past.onsetShareAtStop, day - past.stopDay),
  };
  const next = copyState(state);
  next.medications = [...state.medications, medication];
  if (past !== undefined) next.stopped = state.stopped.filter((each) => each !== past);
  next.nextMedRef = state.nextMedRef + 1;
  if (state.declaredSwitch?.toDrugIndex === drug.index) next.declaredSwitch = null;
  return next;
}

/** The medication at another dose from `day` on. A higher dose is what the body adapts to from then on. */
export function withDose(
  medication: Medication,
  dosePerDay: number,
  dosesPerDay: number,
  day: number,
): MutableMedication {
  const isAboveReference = dosePerDay > medication.referenceDosePerDay;
  const changed = copyMedication(medication);
  changed.dosePerDay = dosePerDay;
  changed.dosesPerDay = dosesPerDay;
  if (isAboveReference) {
    changed.referenceDosePerDay = dosePerDay;
    changed.adaptation = (medication.adaptation * medication.referenceDosePerDay) / dosePerDay;
  }
  changed.doseHistory = [...medication.doseHistory, { day, dosePerDay }];
  changed.lastDoseChangeDay = day;
  return changed;
}

/** The most severe active condition that the drug treats, or null. Ties: the first in the list. */
export function indicationFor(kb: KnowledgeBase, state: WorldState, drugIndex: number): string | null {
  const { indications } = drugAt(kb, drugIndex);
  let best: string | null = null;
  let severity = 0;
  for (const condition of state.conditions) {
    if (condition.severity > severity && indications.includes(condition.code)) {
      best = condition.code;
      severity = condition.severity;
    }
  }
  return best;
}
