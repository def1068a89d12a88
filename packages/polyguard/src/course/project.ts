import type { EvaluationItem } from "../engine/evaluation-types.ts";
import { makeItem } from "../engine/evaluation-types.ts";
import { isTitrated } from "../kb/dose-grid.ts";
import { drugAt } from "../kb/lookup.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import type { Medication, Patient, StoppedDrug, WorldState } from "../world/types.ts";
import { raisedDose } from "./carried-out.ts";
import { isHeld } from "./regimen.ts";
import { TaperWalker } from "./taper-run.ts";
import {
  carryOverAfterStop,
  carryOverAfterUse,
  type DrugTiming,
  onsetAfterStop,
  onsetAfterUse,
  timingOf,
} from "./time-constants.ts";

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
  readonly #drugs: readonly Drug[];
  readonly #timings: readonly DrugTiming[];
  readonly #walker: TaperWalker;
  readonly #kb: KnowledgeBase;
  readonly #pool: MutableItem[] = [];
  readonly #items: EvaluationItem[] = [];
  /** Entries of the kept state in its order, and their items; null = nothing of the drug is left that day. */
  readonly #keptEntries: Entry[] = [];
  readonly #keptItems: (MutableItem | null)[] = [];
  readonly #keptPool: MutableItem[] = [];
  #keptReviews: WorldState["reviews"] | null = null;
  #keptStep = -1;
  #keptDay = Number.NaN;
  #keptFactor = Number.NaN;

  constructor(kb: KnowledgeBase) {
    this.#kb = kb;
    this.#drugs = kb.drugs;
    this.#timings = kb.drugs.map(timingOf);
    this.#walker = new TaperWalker();
  }

  /** Items of the state on `day` (not before the state's own day). @param factor on adherence, see {@link manyChangesFactor} */
  project(patient: Patient, state: WorldState, day: number, factor: number): readonly EvaluationItem[] {
    const items = this.#items;
    const isKept =
      this.#keptDay === day &&
      this.#keptFactor === factor &&
      this.#keptReviews === state.reviews &&
      this.#keptStep === state.clock.step;
    // A state made from the kept one has its entries in the same order, so each search goes on behind the last find.
    const keptEntries = this.#keptEntries;
    let from = isKept ? 0 : keptEntries.length;
    let count = 0;
    let used = 0;
    const { medications, stopped } = state;
    for (let i = 0; i < medications.length + stopped.length; i++) {
      const entry = i < medications.length ? medications[i]! : stopped[i - medications.length]!;
      let at = from;
      while (at < keptEntries.length && keptEntries[at] !== entry) at++;
      let item: EvaluationItem | null;
      if (at < keptEntries.length) {
        from = at + 1;
        item = this.#keptItems[at]!;
      } else {
        item = this.#fill(poolItem(this.#pool, used), patient, state, i, day, factor);
        if (item !== null) used++;
      }
      if (item !== null) items[count++] = item;
    }
    // Setting the length instead is a slow call.
    while (items.length > count) items.pop();
    return items;
  }

  /** Projects a state and keeps its items, instead of those kept before. */
  keep(patient: Patient, state: WorldState, day: number, factor: number): readonly EvaluationItem[] {
    const count = state.medications.length + state.stopped.length;
    const items: EvaluationItem[] = [];
    for (let i = 0; i < count; i++) {
      const item = this.#fill(poolItem(this.#keptPool, i), patient, state, i, day, factor);
      this.#keptEntries[i] = state.medications[i] ?? state.stopped[i - state.medications.length]!;
      this.#keptItems[i] = item;
      if (item !== null) items.push(item);
    }
    while (this.#keptEntries.length > count) this.#keptEntries.pop();
    this.#keptReviews = state.reviews;
    this.#keptStep = state.clock.step;
    this.#keptDay = day;
    this.#keptFactor = factor;
    return items;
  }

  /** Writes entry `i` (medications, then stopped drugs) into an item; null when nothing of the drug is left. */
  #fill(
    item: MutableItem,
    patient: Patient,
    state: WorldState,
    i: number,
    day: number,
    adherence: number,
  ): MutableItem | null {
    const { medications } = state;
    const isThere =
      i < medications.length
        ? this.#fillMedication(item, patient, state, medications[i]!, day, adherence)
        : this.#fillStopped(item, state.stopped[i - medications.length]!, day, adherence);
    return isThere ? item : null;
  }

  #fillMedication(
    item: MutableItem,
    patient: Patient,
    state: WorldState,
    medication: Medication,
    day: number,
    adherence: number,
  ): boolean {
    if (!medication.isTaken || medication.startDay > day) return false;
    const today = state.clock.day;
    const drug = this.#drugs[medication.drugIndex]!;
    const timing = this.#timings[medication.drugIndex]!;
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
      if (carryOver === 0 && onsetShare < FADED_SHARE) return false;
    }
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
    return true;
  }

  #fillStopped(item: MutableItem, stopped: StoppedDrug, day: number, adherence: number): boolean {
    const timing = this.#timings[stopped.drugIndex]!;
    const carryOver = carryOverAfterStop(timing, stopped.carryOverAtStop, day - stopped.stopDay);
    const onsetShare = onsetAfterStop(timing, stopped.onsetShareAtStop, day - stopped.stopDay);
    if (carryOver === 0 && onsetShare < FADED_SHARE) return false;
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
    return true;
  }
}

/** Item `i` of a pool that grows as needed. */
function poolItem(pool: MutableItem[], i: number): MutableItem {
  let item = pool[i];
  if (item === undefined) {
    item = makeItem({ drugIndex: 0, dosePerDay: 0 });
    pool.push(item);
  }
  return item;
}

const NO_HISTORY: EvaluationItem["doseHistory"] = [];

/** True while a finished review of the drug (or of the whole list) is valid. */
export function isReviewed(state: WorldState, drugIndex: number): boolean {
  for (const review of state.reviews)
    if (review.validUntilStep >= state.clock.step && (review.drugIndex === null || review.drugIndex === drugIndex))
      return true;
  return false;
}
