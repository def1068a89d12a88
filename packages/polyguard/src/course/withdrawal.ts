import { CONDITION_BURDENS } from "../kb/conditions.ts";
import { drugAt } from "../kb/lookup.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import type { Medication, Patient, StoppedDrug, WorldState } from "../world/types.ts";
import { effectShare } from "./taper-classes.ts";
import { TaperWalker } from "./taper-run.ts";

/** Expected utility lost to withdrawal. */
export interface WithdrawalLoss {
  /** Discomfort and severe events. */
  readonly ade: number;
  /** Relapse of the indication. */
  readonly dis: number;
}

/** No withdrawal. */
const NO_WITHDRAWAL: WithdrawalLoss = { ade: 0, dis: 0 };

/** Utility lost per day at W = 1. assumption: small, as its sum over a taper is tau whatever the speed. */
const DISCOMFORT_PER_DAY = 0.0001;
/** Severe event: rate .04 max(0, W - .5)^2 a day, utility .4 (assumption:). */
const SEVERE_RATE_PER_DAY = 0.04;
const SEVERE_ABOVE = 0.5;
const SEVERE_LOSS = 0.4;
/** Relapse: rate .002 + .02 W a day while E < 1; its severity is 1 for 28 days (assumption:). */
const RELAPSE_RATE_PER_DAY = 0.002;
const RELAPSE_RATE_PER_W = 0.02;
export const RELAPSE_DAYS = 28;
/** Support orders multiply the effects of W by .8 (assumption:). */
const SUPPORT_FACTOR = 0.8;
const SUPPORT_ORDERS = ["CBT_I", "COUNSELLING"];
/** What eases the withdrawal of a class, drug or group: clonidine for opioids, an H2 blocker for the rebound after a PPI. */
const EASED_BY: Readonly<Partial<Record<Drug["taperClass"], string>>> = { OPIOID: "clonidine", PPI: "H2RA" };
/** An adrenal crisis needs intercurrent stress, p .02 a day (assumption:). */
const STRESS_PER_DAY = 0.02;
/** Below this gap between adaptation and effect the body has settled; what is left is the untreated condition. */
export const SETTLED_GAP = 0.05;

/** Adaptation A one day later under effect E. */
export function relaxAdaptation(adaptation: number, effect: number, tauDays: number, days: number): number {
  return tauDays <= 0 ? adaptation : effect + (adaptation - effect) * Math.exp(-days / tauDays);
}

/** Withdrawal W of a medication now, 0-1. */
export function withdrawalOf(kb: KnowledgeBase, medication: Medication): number {
  if (medication.adaptation <= 0) return 0;
  const effect = effectShare(drugAt(kb, medication.drugIndex), medication.dosePerDay, medication.referenceDosePerDay);
  return Math.max(0, medication.adaptation - effect);
}

/** Rate of severe withdrawal events per day at W; 0 for classes without one. */
export function severeWithdrawalRate(drug: Drug, withdrawal: number, conditions: WorldState["conditions"]): number {
  const excess = withdrawal - SEVERE_ABOVE;
  if (excess <= 0) return 0;
  const rate = SEVERE_RATE_PER_DAY * excess * excess;
  switch (drug.taperClass) {
    case "BZD":
    case "BACLOFEN":
    case "AED":
    case "CLONIDINE":
    case "OPIOID":
      return rate;
    case "STEROID":
      return rate * STRESS_PER_DAY;
    case "BB":
      return conditions.some((each) => each.code === "CAD" && each.severity > 0) ? rate : 0;
    default:
      return 0;
  }
}

/** Rate of a relapse of the indication per day at W, while the effect is not whole. */
export function relapseRate(withdrawal: number, support: number): number {
  return RELAPSE_RATE_PER_DAY + RELAPSE_RATE_PER_W * support * withdrawal;
}

/** Share of the effects of W of a drug that is left under the support orders and the easing drugs of the state. */
export function supportFactor(kb: KnowledgeBase, state: WorldState, { taperClass }: Drug): number {
  for (const { code } of state.orders) if (SUPPORT_ORDERS.includes(code)) return SUPPORT_FACTOR;
  const easing = EASED_BY[taperClass];
  if (easing === undefined) return 1;
  for (const { drugIndex, isTaken } of state.medications) {
    const { drugId, groups } = drugAt(kb, drugIndex);
    if (isTaken && (drugId === easing || groups.includes(easing))) return SUPPORT_FACTOR;
  }
  return 1;
}

/** Sums the loss of one drug over days of constant effect. */
class LossSum {
  ade = 0;
  dis = 0;
  #drug: Drug | null = null;
  #relapseLoss = 0;
  #severeShare = 0;
  #support = 1;

  /** Takes a drug with its indication. */
  begin(drug: Drug, state: WorldState, indication: string | null, support: number): void {
    this.ade = 0;
    this.dis = 0;
    this.#drug = drug;
    this.#support = support;
    // The rate at W = 1.5 is that of (W - .5)^2 = 1: what the class makes of it.
    this.#severeShare = severeWithdrawalRate(drug, SEVERE_ABOVE + 1, state.conditions);
    const condition = indication === null ? undefined : state.conditions.find((each) => each.code === indication);
    const burden = indication === null ? undefined : CONDITION_BURDENS.get(indication);
    this.#relapseLoss =
      condition === undefined || burden === undefined || condition.severity <= 0
        ? 0
        : (RELAPSE_DAYS * burden.burdenPerYear * (1 - condition.severity)) / 365;
  }

  /**
   * Adds `days` days that begin at adaptation A under effect E; W falls by r = e^(-1/tau) a day, so the sums are geometric.
   * Returns the adaptation after them.
   */
  add(adaptation: number, effect: number, tauDays: number, days: number): number {
    const gap = adaptation - effect;
    if (days <= 0 || this.#drug === null) return adaptation;
    const r = tauDays <= 0 ? 0 : Math.exp(-1 / tauDays);
    const after = effect + gap * r ** days;
    if (gap <= SETTLED_GAP) return after;
    const felt = daysAbove(gap, SETTLED_GAP, r, days);
    const sum = gap * geometric(r, felt);
    const severe = gap > SEVERE_ABOVE && this.#severeShare > 0 ? squaredExcess(gap, r, days) : 0;
    this.ade += DISCOMFORT_PER_DAY * this.#support * sum + SEVERE_LOSS * this.#support * this.#severeShare * severe;
    this.dis += this.#relapseLoss * (RELAPSE_RATE_PER_DAY * felt + RELAPSE_RATE_PER_W * this.#support * sum);
    return after;
  }
}

/** 1 + r + ... + r^(n-1). */
function geometric(r: number, n: number): number {
  return r >= 1 ? n : (1 - r ** n) / (1 - r);
}

/** Number of the first `days` days (0, 1, ...) on which gap * r^day is above a limit. */
function daysAbove(gap: number, limit: number, r: number, days: number): number {
  if (gap <= limit) return 0;
  if (r <= 0) return 1;
  return Math.min(days, Math.max(1, Math.ceil(Math.log(limit / gap) / Math.log(r) - 1e-9)));
}

/** Sum over days of max(0, gap r^day - .5)^2. */
function squaredExcess(gap: number, r: number, days: number): number {
  const n = daysAbove(gap, SEVERE_ABOVE, r, days);
  return gap * gap * geometric(r * r, n) - 2 * SEVERE_ABOVE * gap * geometric(r, n) + SEVERE_ABOVE * SEVERE_ABOVE * n;
}

/** A loss that was worked out, with all it depends on. */
interface CachedLoss extends WithdrawalLoss {
  readonly day: number;
  readonly untilDay: number;
  readonly support: number;
  readonly conditions: WorldState["conditions"];
}

// States of one episode share most of their drugs; the loss of a drug does not depend on the others.
const losses = new WeakMap<Medication | StoppedDrug, CachedLoss>();
const walker = new TaperWalker();
const lossSum = new LossSum();

/**
 * Expected utility lost to withdrawal from the state's day to `untilDay`, summed by day, plans running by themselves.
 * Discomfort and severe events are harm of the drugs, relapse is disease. Relapse counts until the body has settled;
 * what is left then is the untreated condition.
 */
export function withdrawalLoss(
  kb: KnowledgeBase,
  patient: Patient,
  state: WorldState,
  untilDay: number,
): WithdrawalLoss {
  let ade = 0;
  let dis = 0;
  let isAny = false;
  for (const medication of state.medications) {
    if (medication.adaptation <= 0 || !medication.isTaken) continue;
    const isPlanned = medication.taperPlan !== null && !medication.taperPlan.isPaused;
    if (!isPlanned && medication.dosePerDay >= medication.referenceDosePerDay) continue;
    const support = supportFactor(kb, state, drugAt(kb, medication.drugIndex));
    let loss = keptLoss(medication, state, untilDay, support);
    if (loss === null) {
      sumMedication(kb, patient, state, medication, untilDay, support);
      loss = keepSum(medication, state, untilDay, support);
    }
    isAny = true;
    ade += loss.ade;
    dis += loss.dis;
  }
  for (const stopped of state.stopped) {
    if (stopped.adaptation <= SETTLED_GAP) continue;
    const support = supportFactor(kb, state, drugAt(kb, stopped.drugIndex));
    let loss = keptLoss(stopped, state, untilDay, support);
    if (loss === null) {
      lossSum.begin(drugAt(kb, stopped.drugIndex), state, stopped.indication, support);
      lossSum.add(stopped.adaptation, 0, stopped.adaptationTauDays, untilDay - state.clock.day);
      loss = keepSum(stopped, state, untilDay, support);
    }
    isAny = true;
    ade += loss.ade;
    dis += loss.dis;
  }
  return isAny ? { ade, dis } : NO_WITHDRAWAL;
}

/** The loss of a drug that was worked out before, if all it depends on is as it was. */
function keptLoss(
  entry: Medication | StoppedDrug,
  { clock, conditions }: WorldState,
  untilDay: number,
  support: number,
): CachedLoss | null {
  const loss = losses.get(entry);
  if (loss === undefined || loss.day !== clock.day || loss.untilDay !== untilDay) return null;
  return loss.support === support && loss.conditions === conditions ? loss : null;
}

/** Keeps what was summed up for a drug. */
function keepSum(
  entry: Medication | StoppedDrug,
  { clock, conditions }: WorldState,
  untilDay: number,
  support: number,
): CachedLoss {
  const loss = { day: clock.day, untilDay, support, conditions, ade: lossSum.ade, dis: lossSum.dis };
  losses.set(entry, loss);
  return loss;
}

function sumMedication(
  kb: KnowledgeBase,
  patient: Patient,
  state: WorldState,
  medication: Medication,
  untilDay: number,
  support: number,
): void {
  const drug = drugAt(kb, medication.drugIndex);
  lossSum.begin(drug, state, medication.indication, support);
  walker.begin(kb, patient, medication);
  let adaptation = medication.adaptation;
  let day = state.clock.day;
  while (day < untilDay) {
    walker.advanceTo(day);
    const next = Math.min(untilDay, walker.nextReductionDay);
    const effect = effectShare(drug, walker.dosePerDay, medication.referenceDosePerDay);
    adaptation = lossSum.add(adaptation, effect, medication.adaptationTauDays, next - day);
    day = next;
  }
}

/** A stopped drug `days` later. */
export function relaxStopped(stopped: StoppedDrug, days: number): StoppedDrug {
  if (stopped.adaptation <= 0) return stopped;
  const adaptation = relaxAdaptation(stopped.adaptation, 0, stopped.adaptationTauDays, days);
  return { ...stopped, adaptation: adaptation < 1e-4 ? 0 : adaptation };
}
