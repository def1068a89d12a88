import type { EvaluationItem } from "../engine/evaluation-types.ts";
import { makeItem } from "../engine/evaluation-types.ts";
import { isTitrated } from "../kb/dose-grid.ts";
import { drugAt } from "../kb/lookup.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import type { Medication, Patient, StoppedDrug, WorldState } from "../world/types.ts";
import { raisedDose } from "./carried-out.ts";
import { isHeld } from "./regimen.ts";
import { TaperWalker } from "./taper-run.ts";
import { carryOverAfterStop, carryOverAfterUse, onsetAfterStop, onsetAfterUse, timingOf } from "./time-constants.ts";

type MutableItem = { -readonly [K in keyof EvaluationItem]: EvaluationItem[K] };

/** Share of adherence lost per change beyond the first in 28 days (assumption:). */
const ADHERENCE_LOSS_PER_CHANGE = 0.03;
const CHANGE_WINDOW_DAYS = 28;
/** A stopped drug below this share of its benefit, and without carry-over, is left out. */
const FADED_SHARE = 0.01;
/** Extra loss a year for 28 days after the start of a titrated drug; a beta-blocker in heart failure costs more (labels; assumption: sizes). */
const START_LOSS = 0.02;
const START_LOSS_BB_IN_HFREF = 0.04;
const START_LOSS_DAYS = 28;

/** Factor on adherence from many changes, on that day. @param more changes of today that are not in the state yet */
export function manyChangesFactor(state: WorldState, day: number, more = 0): number {
  let recent = more;
  for (const change of state.changes) if (change.day > day - CHANGE_WINDOW_DAYS && change.day <= day) recent++;
  return 1 - ADHERENCE_LOSS_PER_CHANGE * Math.max(0, recent - 1);
}

/** Extra LamDis on that day from drugs that were just started. */
export function startLoss(kb: KnowledgeBase, state: WorldState, day: number): number {
  let loss = 0;
  for (const medication of state.medications) {
    const age = day - medication.startDay;
    if (medication.source !== "episode" || age < 0 || age >= START_LOSS_DAYS) continue;
    const drug = drugAt(kb, medication.drugIndex);
    if (!isTitrated(drug)) continue;
    const isFirstWorse =
      drug.groups.includes("BB") && state.conditions.some((each) => each.code === "HFREF" && each.severity > 0);
    loss += isFirstWorse ? START_LOSS_BB_IN_HFREF : START_LOSS;
  }
  return loss;
}

/** A course drug or a stopped one: what an item stands for. */
type Entry = Medication | StoppedDrug;

/**
 * Turns a state into the items the engine judges on a day of its future, when nobody acts. Items are reused: the list
 * is valid until the next call. After `keep` the items of that state stand for the same drugs of states made from it.
 */
export class RegimenProjector {
  readonly #kb: KnowledgeBase;
  readonly #pool: MutableItem[] = [];
  #used = 0;
  readonly #items: EvaluationItem[] = [];
  readonly #walker = new TaperWalker();
  readonly #kept = new Map<Entry, MutableItem>();
  #keptReviews: WorldState["reviews"] | null = null;
  #keptStep = -1;
  #keptDay = Number.NaN;
  #keptFactor = Number.NaN;

  constructor(kb: KnowledgeBase) {
    this.#kb = kb;
  }

  /** Items of the state on `day` (not before the state's own day). @param factor on adherence, see {@link manyChangesFactor} */
  project(patient: Patient, state: WorldState, day: number, factor: number): readonly EvaluationItem[] {
    const items = this.#items;
    items.length = 0;
    this.#used = 0;
    const isKept =
      this.#keptDay === day &&
      this.#keptFactor === factor &&
      this.#keptReviews === state.reviews &&
      this.#keptStep === state.clock.step;
    for (const medication of state.medications) {
      const kept = isKept ? this.#kept.get(medication) : undefined;
      if (kept !== undefined) items.push(kept);
      else if (medication.isTaken) this.#addMedication(patient, state, medication, day, factor);
    }
    for (const stopped of state.stopped) {
      const kept = isKept ? this.#kept.get(stopped) : undefined;
      if (kept !== undefined) items.push(kept);
      else this.#addStopped(stopped, day, factor);
    }
    return items;
  }

  /** Projects a state and keeps its items, instead of those kept before. */
  keep(patient: Patient, state: WorldState, day: number, factor: number): readonly EvaluationItem[] {
    this.#kept.clear();
    this.#keptDay = Number.NaN;
    const items: EvaluationItem[] = [];
    const take = (entry: Entry): void => {
      const item = this.#items.at(-1);
      if (item === undefined) return;
      const own: MutableItem = { ...item };
      this.#kept.set(entry, own);
      items.push(own);
    };
    for (const medication of state.medications) {
      this.#items.length = 0;
      this.#used = 0;
      if (medication.isTaken) this.#addMedication(patient, state, medication, day, factor);
      take(medication);
    }
    for (const stopped of state.stopped) {
      this.#items.length = 0;
      this.#used = 0;
      this.#addStopped(stopped, day, factor);
      take(stopped);
    }
    this.#keptReviews = state.reviews;
    this.#keptStep = state.clock.step;
    this.#keptDay = day;
    this.#keptFactor = factor;
    return items;
  }

  #next(): MutableItem {
    let item = this.#pool[this.#used];
    if (item === undefined) {
      item = { ...makeItem({ drugIndex: 0, dosePerDay: 0 }) };
      this.#pool.push(item);
    }
    this.#used++;
    this.#items.push(item);
    return item;
  }

  #addMedication(patient: Patient, state: WorldState, medication: Medication, day: number, adherence: number): void {
    if (medication.startDay > day) return;
    const today = state.clock.day;
    const drug = drugAt(this.#kb, medication.drugIndex);
    const timing = timingOf(drug);
    let dosePerDay = medication.dosePerDay;
    let stopDay = medication.endDay === null ? Number.POSITIVE_INFINITY : medication.endDay;
    const plan = medication.taperPlan;
    if (plan !== null && !plan.isPaused) {
      const walker = this.#walker;
      walker.begin(this.#kb, patient, medication);
      walker.advanceTo(day);
      dosePerDay = walker.dosePerDay;
      if (dosePerDay <= 0) {
        stopDay = walker.lastReductionDay;
        dosePerDay = walker.previousDosePerDay;
      }
    } else if (medication.crossOverFromDrugIndex !== null) dosePerDay = raisedDose(drug, medication, today, day);
    const from = Math.max(today, medication.startDay);
    const heldUntil = isHeld(medication, today) ? Math.min(day, medication.heldUntilDay!) : from;
    let { carryOver, onsetShare } = medication;
    if (heldUntil > from) {
      carryOver = carryOverAfterStop(timing, carryOver, heldUntil - from);
      onsetShare = onsetAfterStop(timing, onsetShare, heldUntil - from);
    }
    const usedUntil = Math.min(day, stopDay);
    if (usedUntil > heldUntil) {
      carryOver = carryOverAfterUse(timing, carryOver, usedUntil - heldUntil);
      onsetShare = onsetAfterUse(timing, onsetShare, usedUntil - heldUntil);
    }
    const isStopped = stopDay <= day;
    if (isStopped) {
      carryOver = carryOverAfterStop(timing, carryOver, day - stopDay);
      onsetShare = onsetAfterStop(timing, onsetShare, day - stopDay);
      if (carryOver === 0 && onsetShare < FADED_SHARE) return;
    }
    const item = this.#next();
    item.drugIndex = medication.drugIndex;
    item.dosePerDay = dosePerDay;
    item.dosesPerDay = medication.dosesPerDay;
    item.isPrn = medication.isPrn;
    item.isActive = !isStopped && !(medication.heldUntilDay !== null && day < medication.heldUntilDay);
    item.carryOver = carryOver;
    item.effectFactor = medication.adherence * adherence * medication.responseFactor * onsetShare;
    item.daysOfUse = day - medication.startDay;
    item.startDay = medication.startDay;
    item.doseHistory = medication.doseHistory;
    item.lastInRangeLevelDay = medication.lastInRangeLevelDay;
    item.exposureReference = medication.exposureReference;
    item.isTapering = plan !== null && !plan.isPaused;
    item.isReviewed = isReviewed(state, medication.drugIndex);
    item.crossOverFromDrugIndex = medication.crossOverFromDrugIndex;
  }

  #addStopped(stopped: StoppedDrug, day: number, adherence: number): void {
    const timing = timingOf(drugAt(this.#kb, stopped.drugIndex));
    const carryOver = carryOverAfterStop(timing, stopped.carryOverAtStop, day - stopped.stopDay);
    const onsetShare = onsetAfterStop(timing, stopped.onsetShareAtStop, day - stopped.stopDay);
    if (carryOver === 0 && onsetShare < FADED_SHARE) return;
    const item = this.#next();
    item.drugIndex = stopped.drugIndex;
    item.dosePerDay = stopped.dosePerDay;
    item.dosesPerDay = stopped.dosesPerDay;
    item.isPrn = false;
    item.isActive = false;
    item.carryOver = carryOver;
    item.effectFactor = stopped.adherence * adherence * stopped.responseFactor * onsetShare;
    item.daysOfUse = day - stopped.startDay;
    item.startDay = stopped.startDay;
    item.doseHistory = NO_HISTORY;
    item.lastInRangeLevelDay = null;
    item.exposureReference = null;
    item.isTapering = false;
    item.isReviewed = false;
    item.crossOverFromDrugIndex = null;
  }
}

const NO_HISTORY: EvaluationItem["doseHistory"] = [];

/** True while a finished review of the drug (or of the whole list) is valid. */
export function isReviewed(state: WorldState, drugIndex: number): boolean {
  for (const review of state.reviews)
    if (review.validUntilStep >= state.clock.step && (review.drugIndex === null || review.drugIndex === drugIndex))
      return true;
  return false;
}
