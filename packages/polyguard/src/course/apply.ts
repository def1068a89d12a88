import { assertNever } from "@praxis/env";
import { BISPHOSPHONATE_MIN_CRCL, PROTECTION_DRUGS } from "../actions/protections.ts";
import { type ActionPayload, isInformationAction, usesChange } from "../actions/types.ts";
import { startDose } from "../kb/dose-grid.ts";
import { drugAt, getDrug } from "../kb/lookup.ts";
import type { Drug } from "../kb/types.ts";
import { copyClock, copyMedication, copyState } from "../world/copies.ts";
import type { ActiveOrder, Medication, WorldState } from "../world/types.ts";
import type { CourseContext } from "./context.ts";
import {
  courseEndDay,
  findMedication,
  indicationFor,
  isHeld,
  startMedication,
  stopMedication,
  withDose,
  withMedication,
} from "./regimen.ts";
import { beginTaper, runTaper } from "./taper-run.ts";
import { INR_BELOW_FOR_DOAC, washoutDays } from "./washout.ts";

/** What became of an action. */
export interface ActionOutcome {
  /** Neither regimen, plans, orders, budgets of reviews and evidence nor information changed. */
  readonly isNoEffect: boolean;
  /** The visit closes: events are drawn and `days` pass. */
  readonly closesVisit: boolean;
  readonly days: number;
  /** One change of the budget was used. */
  readonly usedChange: boolean;
}

/** A state after an action. */
export interface Applied {
  readonly state: WorldState;
  readonly outcome: ActionOutcome;
}

/** Days an information action takes. */
const INFORMATION_DAYS = 1;
/** A review counts as completed for this many steps. */
const REVIEW_VALID_STEPS = 2;
/** The true state after an action whose change is not booked yet: what judging an action needs. No time passes. */
export function previewAction(
  context: CourseContext,
  state: WorldState,
  payload: ActionPayload,
): { readonly state: WorldState; readonly usedChange: boolean } {
  const after = regimenAfter(context, state, payload);
  return { state: after, usedChange: after !== state && usesChange(payload.type) && !isContinuedHold(state, payload) };
}

/** True for a hold that goes on from the last visit: the run of holds was paid for when it began. */
function isContinuedHold(state: WorldState, payload: ActionPayload): boolean {
  return payload.type === "HOLD_DOSE" && findMedication(state, payload.medRef)?.heldUntilDay === state.clock.day;
}

/**
 * Carries out an action on the true state; no time passes. An action on a medication that is not there, or that changes
 * nothing, has no effect. The change budget and the list of changes are kept up to date; steps and visits are the caller's.
 */
export function applyAction(context: CourseContext, state: WorldState, payload: ActionPayload): Applied {
  const isInformation = isInformationAction(payload.type);
  const { state: changed, usedChange } = previewAction(context, state, payload);
  return {
    state: usedChange ? countChange(state, changed, payload.type) : changed,
    outcome: {
      isNoEffect: changed === state && payload.type !== "KEEP_REGIMEN" && payload.type !== "FINISH",
      closesVisit: !isInformation && payload.type !== "FINISH",
      days: isInformation ? INFORMATION_DAYS : context.scenario.stepDays,
      usedChange,
    },
  };
}

/** The state after the action, or `state` itself when nothing changed. */
function regimenAfter(context: CourseContext, state: WorldState, payload: ActionPayload): WorldState {
  const { kb } = context;
  const day = state.clock.day;
  switch (payload.type) {
    case "KEEP_REGIMEN":
    case "FINISH":
    case "RECOMMEND_ALTERNATIVE":
    case "DECOMPOSE_NEW_DRUG":
    case "PROBE_COMBINATION":
    case "DECLARE_FINDINGS":
      return state;
    case "STOP_DRUG": {
      const medication = findMedication(state, payload.medRef);
      if (medication === undefined) return state;
      const isSwitch = payload.switchToDrugIndex !== null;
      const stopped = stopMedication(state, medication, {
        day,
        reason: isSwitch ? "switch" : "agent",
        wasAbrupt: true,
      });
      const ordered = withOrders(stopped, payload.orders, null);
      if (payload.switchToDrugIndex === null) return ordered;
      const from = drugAt(kb, medication.drugIndex);
      const to = drugAt(kb, payload.switchToDrugIndex);
      const isInrLow = from.groups.includes("VKA") && (state.labs.INR ?? Number.POSITIVE_INFINITY) < INR_BELOW_FOR_DOAC;
      const declared = copyState(ordered);
      declared.declaredSwitch = {
        fromDrugIndex: from.index,
        toDrugIndex: to.index,
        declaredDay: day,
        earliestDay: day + (isInrLow ? 0 : Math.ceil(washoutDays(from, to))),
      };
      return declared;
    }
    case "SUBSTITUTE_DRUG": {
      const old = findMedication(state, payload.medRef);
      if (old === undefined) return state;
      const drug = drugAt(kb, payload.drugIndex);
      const isSameTaperClass = drug.taperClass !== "NONE" && drugAt(kb, old.drugIndex).taperClass === drug.taperClass;
      const adaptation = isSameTaperClass ? old.adaptation : null;
      const stopped = stopMedication(state, isSameTaperClass ? withoutAdaptation(old) : old, {
        day,
        reason: "agent",
        wasAbrupt: !isSameTaperClass,
      });
      const indication =
        old.indication !== null && drug.indications.includes(old.indication)
          ? old.indication
          : indicationFor(kb, state, drug.index);
      return withOrders(
        started(stopped, drug, {
          dosePerDay: payload.dosePerDay,
          dosesPerDay: payload.dosesPerDay,
          indication,
          adaptation,
          crossOverFromDrugIndex: null,
        }),
        payload.orders,
        drug.index,
      );
    }
    case "ADD_DRUG": {
      const drug = drugAt(kb, payload.drugIndex);
      if (state.medications.some((each) => each.drugIndex === drug.index && each.isListed)) return state;
      const crossOverFrom =
        payload.crossOverFromMedRef === null ? undefined : findMedication(state, payload.crossOverFromMedRef);
      const indication = indicationFor(kb, state, drug.index) ?? declaredIndication(state, drug);
      return withOrders(
        started(state, drug, {
          dosePerDay: payload.dosePerDay,
          dosesPerDay: payload.dosesPerDay,
          indication,
          adaptation: null,
          crossOverFromDrugIndex: crossOverFrom?.drugIndex ?? null,
        }),
        payload.orders,
        drug.index,
      );
    }
    case "ADJUST_DOSE": {
      const medication = findMedication(state, payload.medRef);
      if (medication === undefined) return state;
      const isSame = medication.dosePerDay === payload.dosePerDay && medication.dosesPerDay === payload.dosesPerDay;
      return withOrders(isSame ? state : adjusted(state, medication, payload), payload.orders, medication.drugIndex);
    }
    case "HOLD_DOSE": {
      const medication = findMedication(state, payload.medRef);
      if (medication === undefined || isHeld(medication, day)) return state;
      const held = copyMedication(medication);
      held.heldUntilDay = day + context.scenario.stepDays;
      return withMedication(state, held);
    }
    case "START_TAPER": {
      const medication = findMedication(state, payload.medRef);
      if (medication === undefined) return state;
      const tapering = beginTaper(kb, context.scenario.patient, medication, payload.taper, day);
      return withOrders(settleTaper(state, tapering, day), payload.orders, medication.drugIndex);
    }
    case "CONTINUE_TAPER": {
      const medication = findMedication(state, payload.medRef);
      const plan = medication?.taperPlan;
      if (medication === undefined || plan === null || plan === undefined) return state;
      const pace = payload.taper ?? plan;
      const isSamePace = pace.stepPct === plan.stepPct && pace.intervalDays === plan.intervalDays;
      if (!plan.isPaused && isSamePace) return state;
      const resumed = copyMedication(medication);
      resumed.taperPlan = {
        ...plan,
        stepPct: pace.stepPct,
        intervalDays: pace.intervalDays,
        isPaused: false,
        nextReductionDay: Math.max(day, plan.lastReductionDay + pace.intervalDays),
      };
      return settleTaper(state, runTaper(kb, context.scenario.patient, resumed, day), day);
    }
    case "PAUSE_TAPER":
    case "REVERT_TAPER": {
      const medication = findMedication(state, payload.medRef);
      const plan = medication?.taperPlan;
      if (medication === undefined || plan === null || plan === undefined) return state;
      if (payload.type === "PAUSE_TAPER") {
        if (plan.isPaused) return state;
        const paused = copyMedication(medication);
        paused.taperPlan = { ...plan, isPaused: true };
        return withMedication(state, paused);
      }
      if (plan.reductions === 0 || medication.dosePerDay >= plan.previousDosePerDay) return state;
      const reverted = withDose(medication, plan.previousDosePerDay, medication.dosesPerDay, day);
      reverted.taperPlan = { ...plan, reductions: plan.reductions - 1, isPaused: true };
      return withMedication(state, reverted);
    }
    case "ORDER_MONITORING": {
      const drugIndex = payload.medRef === null ? null : (findMedication(state, payload.medRef)?.drugIndex ?? null);
      // A standing order that is placed again is drawn again: the sample is the effect.
      return payload.orders.length === 0 ? state : copyState(withOrders(state, payload.orders, drugIndex));
    }
    case "ADD_PROTECTION":
      return protectedState(context, state, payload.protection);
    case "SEPARATE_TIMING": {
      const medication = findMedication(state, payload.medRef);
      return medication === undefined ? state : withOrders(state, ["TIMING"], medication.drugIndex);
    }
    case "RECONCILE_ITEM":
      return reconciled(state, payload.target);
    case "FETCH_EXTERNAL_EVIDENCE": {
      if (state.clock.evidenceLeft <= 0) return state;
      const fetched = copyState(state);
      const clock = copyClock(state.clock);
      clock.evidenceLeft--;
      fetched.clock = clock;
      return fetched;
    }
    case "REQUEST_REVIEW": {
      if (state.clock.reviewsLeft <= 0) return state;
      const drugIndex = payload.target === null ? null : (findMedication(state, payload.target)?.drugIndex ?? null);
      const reviewed = copyState(state);
      const clock = copyClock(state.clock);
      clock.reviewsLeft--;
      reviewed.clock = clock;
      reviewed.reviews = [
        ...state.reviews,
        { reviewTo: payload.reviewTo, drugIndex, day, validUntilStep: state.clock.step + REVIEW_VALID_STEPS },
      ];
      return reviewed;
    }
    default:
      return assertNever(payload);
  }
}

function adjusted(
  state: WorldState,
  medication: Medication,
  { dosePerDay, dosesPerDay }: { readonly dosePerDay: number; readonly dosesPerDay: number },
): WorldState {
  const next = withDose(medication, dosePerDay, dosesPerDay, state.clock.day);
  next.taperPlan = null;
  return withMedication(state, next);
}

/** A drug whose place another one of its taper class takes: the body misses nothing. */
function withoutAdaptation(medication: Medication): Medication {
  const settled = copyMedication(medication);
  settled.adaptation = 0;
  return settled;
}

/** What a start needs beside the drug. */
interface Start {
  readonly dosePerDay: number;
  readonly dosesPerDay: number;
  readonly indication: string | null;
  readonly adaptation: number | null;
  readonly crossOverFromDrugIndex: number | null;
}

function started(state: WorldState, drug: Drug, start: Start): WorldState {
  return startMedication(state, drug, {
    dosePerDay: start.dosePerDay,
    dosesPerDay: start.dosesPerDay,
    indication: start.indication,
    crossOverFromDrugIndex: start.crossOverFromDrugIndex,
    adaptation: start.adaptation,
    endDay: courseEndDay(drug, start.indication, state.clock.day),
  });
}

/** Indication of a drug that was stopped for a declared switch to this one. */
function declaredIndication(state: WorldState, drug: Drug): string | null {
  if (state.declaredSwitch?.toDrugIndex !== drug.index) return null;
  const from = state.stopped.find((each) => each.drugIndex === state.declaredSwitch?.fromDrugIndex);
  return from?.indication ?? null;
}

/** Keeps a tapering medication, or stops it when its dose has come to 0. */
function settleTaper(state: WorldState, medication: Medication, day: number): WorldState {
  const replaced = withMedication(state, medication);
  if (medication.dosePerDay > 0) return replaced;
  const last = medication.taperPlan?.previousDosePerDay ?? medication.referenceDosePerDay;
  return stopMedication(replaced, { ...medication, dosePerDay: last }, { day, reason: "taper_end", wasAbrupt: false });
}

/** The state with the orders that are not active yet; `state` itself when all are. */
function withOrders(state: WorldState, codes: readonly string[], drugIndex: number | null): WorldState {
  const fresh: ActiveOrder[] = [];
  for (const code of codes) {
    if (!state.orders.some((order) => order.code === code && order.drugIndex === drugIndex && order.endDay === null))
      fresh.push({ code, drugIndex, startDay: state.clock.day, endDay: null });
  }
  if (fresh.length === 0) return state;
  const next = copyState(state);
  next.orders = [...state.orders, ...fresh];
  return next;
}

function protectedState(context: CourseContext, state: WorldState, protection: string): WorldState {
  const { kb } = context;
  if (protection === "LAXATIVE" || protection === "NALOXONE") return withOrders(state, [protection], null);
  const isBisphosphonate = state.physiology.creatinineClearanceMlPerMin >= BISPHOSPHONATE_MIN_CRCL;
  const choice =
    protection === "PPI"
      ? PROTECTION_DRUGS.PPI
      : protection === "FOLATE"
        ? PROTECTION_DRUGS.FOLATE
        : { drugId: isBisphosphonate ? "alendronate" : "colecalciferol", dosePerDay: null };
  const drug = getDrug(kb, choice.drugId);
  if (state.medications.some((each) => each.drugIndex === drug.index)) return state;
  return started(state, drug, {
    dosePerDay: choice.dosePerDay ?? startDose(drug),
    dosesPerDay: drug.dosesPerDay,
    indication: indicationFor(kb, state, drug.index) ?? (protection === "PPI" ? "GASTROPROTECTION" : null),
    adaptation: null,
    crossOverFromDrugIndex: null,
  });
}

/** Settles a discrepancy or an unreconciled item: the list then shows what is really taken. */
function reconciled(state: WorldState, target: string): WorldState {
  const gap = state.truthGaps.find((each) => each.id === target && !each.isResolved);
  const medRef = gap?.medRef ?? target;
  const medication = findMedication(state, medRef);
  if (gap === undefined && medication === undefined) return state;
  const truthGaps =
    gap === undefined
      ? state.truthGaps
      : state.truthGaps.map((each) => (each === gap ? { ...each, isResolved: true } : each));
  let medications = state.medications;
  if (medication !== undefined) {
    if (!medication.isTaken) medications = medications.filter((each) => each !== medication);
    else if (!medication.isListed || medication.isUnreconciled)
      medications = medications.map((each) =>
        each === medication ? { ...each, isListed: true, isUnreconciled: false } : each,
      );
  }
  const next = copyState(state);
  next.medications = medications;
  next.truthGaps = truthGaps;
  return next;
}

/** Books one change: budget and the record for the 28-day windows. */
function countChange(before: WorldState, after: WorldState, actionType: string): WorldState {
  const drugIndexes = new Set<number>();
  for (const medication of after.medications) {
    const old = before.medications.find((each) => each.medRef === medication.medRef);
    if (old === undefined || old.dosePerDay !== medication.dosePerDay || old.heldUntilDay !== medication.heldUntilDay)
      drugIndexes.add(medication.drugIndex);
  }
  for (const medication of before.medications)
    if (!after.medications.some((each) => each.medRef === medication.medRef)) drugIndexes.add(medication.drugIndex);
  const counted = copyState(after);
  const clock = copyClock(after.clock);
  clock.changesLeft = Math.max(0, clock.changesLeft - 1);
  counted.clock = clock;
  const { day, step } = before.clock;
  counted.changes = [...before.changes, { day, step, drugIndexes: [...drugIndexes], actionType }];
  return counted;
}
