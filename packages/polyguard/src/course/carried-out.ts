import { doseGrid, isTitrated, startDose, targetDose } from "../kb/dose-grid.ts";
import { drugAt } from "../kb/lookup.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import { copyMedication, withMedications } from "../world/copies.ts";
import type { Medication, Patient, WorldState } from "../world/types.ts";
import { indicationFor, startMedication } from "./regimen.ts";
import { recommendedTaper } from "./taper-classes.ts";

/** Days between two raises of a titrated drug: one visit. */
const RAISE_INTERVAL_DAYS = 14;

/** Dose at which a drug joins the list when nobody names one: low for titrated drugs, else the target dose. */
export function firstDose(drug: Drug): number {
  return isTitrated(drug) ? startDose(drug) : targetDose(drug);
}

/** Day on which a titrated drug, doubled at each visit, reaches its target dose. */
function targetReachedDay(drug: Drug, medication: Medication, today: number): number {
  const target = targetDose(drug);
  if (!isTitrated(drug) || medication.dosePerDay >= target) return today + RAISE_INTERVAL_DAYS;
  return today + RAISE_INTERVAL_DAYS * Math.ceil(Math.log2(target / medication.dosePerDay) - 1e-9);
}

/** Dose on `day` of a drug that crosses over: doubled at each visit up to the target dose. */
export function raisedDose(drug: Drug, medication: Medication, today: number, day: number): number {
  const target = targetDose(drug);
  if (!isTitrated(drug) || medication.dosePerDay >= target) return medication.dosePerDay;
  return Math.min(target, medication.dosePerDay * 2 ** Math.floor((day - today) / RAISE_INTERVAL_DAYS));
}

/**
 * The state with a declared switch and running cross-overs written into it as plans: the new drug starts on its earliest
 * legal day, the old one leaves by its class's recommended taper once the new one has reached its target dose. A switch
 * that stayed open past its earliest day is not carried out. Returns `state` itself when there is none.
 */
export function carriedOut(kb: KnowledgeBase, patient: Patient, state: WorldState): WorldState {
  const today = state.clock.day;
  const { declaredSwitch } = state;
  let next = state;
  if (declaredSwitch !== null && today <= declaredSwitch.earliestDay) {
    const drug = drugAt(kb, declaredSwitch.toDrugIndex);
    const from = state.stopped.find((each) => each.drugIndex === declaredSwitch.fromDrugIndex);
    next = startMedication(state, drug, {
      dosePerDay: firstDose(drug),
      dosesPerDay: drug.dosesPerDay,
      indication: indicationFor(kb, state, drug.index) ?? from?.indication ?? null,
      crossOverFromDrugIndex: null,
      adaptation: null,
      endDay: null,
    });
    next = withLast(next, declaredSwitch.earliestDay);
  }
  for (const medication of next.medications)
    if (medication.crossOverFromDrugIndex !== null) next = withLeaving(kb, patient, next, medication, today);
  return next;
}

/** The state with its last medication begun on another day. */
function withLast(state: WorldState, startDay: number): WorldState {
  const last = copyMedication(state.medications.at(-1)!);
  last.startDay = startDay;
  return withMedications(state, [...state.medications.slice(0, -1), last]);
}

/** The state in which the drug that `medication` crosses over from leaves once the new one has reached its target dose. */
function withLeaving(
  kb: KnowledgeBase,
  patient: Patient,
  state: WorldState,
  medication: Medication,
  today: number,
): WorldState {
  const old = state.medications.find((each) => each.drugIndex === medication.crossOverFromDrugIndex);
  if (old === undefined || old.taperPlan !== null || old.endDay !== null) return state;
  const day = targetReachedDay(drugAt(kb, medication.drugIndex), medication, today);
  const leaving = leavingFrom(kb, patient, old, day);
  return withMedications(
    state,
    state.medications.map((each) => (each === old ? leaving : each)),
  );
}

// The same drug leaves in the same way whatever else an action changes, and as the same object it is judged once.
const leavings = new WeakMap<
  Medication,
  { readonly patient: Patient; readonly day: number; readonly leaving: Medication }
>();

/** The old drug of a cross-over with the plan by which it leaves from `day` on. */
function leavingFrom(kb: KnowledgeBase, patient: Patient, old: Medication, day: number): Medication {
  const kept = leavings.get(old);
  if (kept !== undefined && kept.patient === patient && kept.day === day) return kept.leaving;
  const leaving = makeLeaving(kb, patient, old, day);
  leavings.set(old, { patient, day, leaving });
  return leaving;
}

function makeLeaving(kb: KnowledgeBase, patient: Patient, old: Medication, day: number): Medication {
  const drug = drugAt(kb, old.drugIndex);
  const daysOfUse = day - old.startDay;
  const pace =
    drug.taperIfDaysGt !== null && daysOfUse > drug.taperIfDaysGt
      ? recommendedTaper(drug, { startDosePerDay: old.referenceDosePerDay, dosePerDay: old.dosePerDay, daysOfUse })
      : null;
  const leaving = copyMedication(old);
  if (pace === null || doseGrid(drug, patient).length === 0) leaving.endDay = day;
  else
    leaving.taperPlan = {
      stepPct: pace.stepPct,
      intervalDays: pace.intervalDays,
      startDay: day,
      lastReductionDay: day,
      nextReductionDay: day,
      previousDosePerDay: old.dosePerDay,
      reductions: 0,
      isPaused: false,
    };
  return leaving;
}
