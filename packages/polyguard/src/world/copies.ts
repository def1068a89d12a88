import type { Clock, Medication, Physiology, WorldState } from "./types.ts";

/** A medication that its maker may still change. */
export type MutableMedication = { -readonly [K in keyof Medication]: Medication[K] };

/** A state that its maker may still change. */
export type MutableWorldState = { -readonly [K in keyof WorldState]: WorldState[K] };

/** A clock that its maker may still change. */
export type MutableClock = { -readonly [K in keyof Clock]: Clock[K] };

/** A physiology that its maker may still change. */
export type MutablePhysiology = { -readonly [K in keyof Physiology]: Physiology[K] };

// Key by key: a spread of objects of this size and of mixed origin costs V8 five times as much, and leaves objects of many
// hidden classes that are slow to read. Copies are what judging actions is made of.

/** A copy to be changed by its maker; its parts are shared. */
export function copyState(state: WorldState): MutableWorldState {
  return {
    clock: state.clock,
    medications: state.medications,
    stopped: state.stopped,
    conditions: state.conditions,
    physiology: state.physiology,
    labs: state.labs,
    orders: state.orders,
    declaredSwitch: state.declaredSwitch,
    reviews: state.reviews,
    truthGaps: state.truthGaps,
    changes: state.changes,
    events: state.events,
    hazardMultipliers: state.hazardMultipliers,
    hidden: state.hidden,
    nextMedRef: state.nextMedRef,
  };
}

/** A copy to be changed by its maker; its parts are shared. */
export function copyMedication(medication: Medication): MutableMedication {
  return {
    medRef: medication.medRef,
    drugIndex: medication.drugIndex,
    drugId: medication.drugId,
    dosePerDay: medication.dosePerDay,
    dosesPerDay: medication.dosesPerDay,
    route: medication.route,
    startDay: medication.startDay,
    endDay: medication.endDay,
    indication: medication.indication,
    isPrn: medication.isPrn,
    source: medication.source,
    isListed: medication.isListed,
    isTaken: medication.isTaken,
    isUnreconciled: medication.isUnreconciled,
    heldUntilDay: medication.heldUntilDay,
    adherence: medication.adherence,
    referenceDosePerDay: medication.referenceDosePerDay,
    adaptation: medication.adaptation,
    adaptationTauDays: medication.adaptationTauDays,
    taperPlan: medication.taperPlan,
    doseHistory: medication.doseHistory,
    lastDoseChangeDay: medication.lastDoseChangeDay,
    exposureReference: medication.exposureReference,
    lastInRangeLevelDay: medication.lastInRangeLevelDay,
    responseFactor: medication.responseFactor,
    crossOverFromDrugIndex: medication.crossOverFromDrugIndex,
    carryOver: medication.carryOver,
    onsetShare: medication.onsetShare,
  };
}

/** A copy to be changed by its maker. */
export function copyClock(clock: Clock): MutableClock {
  return {
    day: clock.day,
    step: clock.step,
    visit: clock.visit,
    stepsLeft: clock.stepsLeft,
    visitsLeft: clock.visitsLeft,
    changesLeft: clock.changesLeft,
    evidenceLeft: clock.evidenceLeft,
    reviewsLeft: clock.reviewsLeft,
  };
}

/** A copy to be changed by its maker. */
export function copyPhysiology(physiology: Physiology): MutablePhysiology {
  return {
    serumCreatinineMgPerDl: physiology.serumCreatinineMgPerDl,
    creatinineClearanceMlPerMin: physiology.creatinineClearanceMlPerMin,
    egfrMlPerMin: physiology.egfrMlPerMin,
    albuminGPerDl: physiology.albuminGPerDl,
    potassiumMmolPerL: physiology.potassiumMmolPerL,
    sodiumMmolPerL: physiology.sodiumMmolPerL,
    magnesiumMgPerDl: physiology.magnesiumMgPerDl,
    hemoglobinGPerDl: physiology.hemoglobinGPerDl,
    qtcMs: physiology.qtcMs,
    heartRatePerMin: physiology.heartRatePerMin,
    systolicBpMmHg: physiology.systolicBpMmHg,
    systolicDropMmHg: physiology.systolicDropMmHg,
  };
}

/** The state with other medications. */
export function withMedications(state: WorldState, medications: WorldState["medications"]): WorldState {
  const next = copyState(state);
  next.medications = medications;
  return next;
}

/** The state with another physiology. */
export function withPhysiology(state: WorldState, physiology: Physiology): WorldState {
  const next = copyState(state);
  next.physiology = physiology;
  return next;
}
