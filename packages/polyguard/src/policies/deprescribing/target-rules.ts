import type { MappedMedication } from "../../actions/legality-context.ts";
import { WITHDRAWAL_SIGN } from "../../actions/taper-candidates.ts";
import { targetMedRef } from "../../actions/types.ts";
import { isDangerVisible } from "../../reward/assessment.ts";
import type { Chart, ChartOffer } from "../chart.ts";
import type { Decision, PolicyRule } from "../decision.ts";
import { nameInWords } from "../explain.ts";
import { type Insight, lookAhead } from "./outlook.ts";

/** Expected W until the next visit at a start, where no score is in doubt: severe events begin above. */
const SAFE_START = 0.5 + 1e-9;
/** What a pace counts more that does not come to the stop in time. */
const LATE = 0.3;
/** Days of a visit. */
const VISIT_DAYS = 14;

/** A target with its floor. */
interface Target {
  readonly medication: MappedMedication;
  readonly floor: number;
}

/** Targets that are still above their floor, in the order of the task. */
function openTargets(chart: Chart): readonly Target[] {
  const targets: Target[] = [];
  for (const { med_ref: medRef, floor_dose_per_day: floor } of chart.observation.task.targets ?? []) {
    const medication = chart.legality.byRef.get(medRef);
    if (medication !== undefined && medication.dosePerDay > floor * (1 + 1e-9)) targets.push({ medication, floor });
  }
  return targets;
}

function find(chart: Chart, fits: (offer: ChartOffer) => boolean): ChartOffer | undefined {
  return chart.offers.find((offer) => offer.isLegal && fits(offer));
}

/** Running and resting plans of targets: rest at the floor and before a reduction that would be felt too much, then go on. */
export function steerTargets(insight: Insight, chart: Chart): Decision | null {
  const floors = new Map(
    (chart.observation.task.targets ?? []).map((each) => [each.med_ref, each.floor_dose_per_day] as const),
  );
  for (const medication of chart.legality.listed) {
    const { medRef, taper, dosePerDay } = medication;
    const floor = floors.get(medRef);
    if (taper === null || floor === undefined) continue;
    const name = nameInWords(chart, medRef);
    const isAtFloor = dosePerDay <= floor * (1 + 1e-9);
    const sinceLast = chart.known.clock.day - taper.lastReductionDay;
    const nextInDays = taper.isPaused
      ? Math.max(0, taper.intervalDays - sinceLast)
      : Math.max(0, taper.nextReductionDay - chart.known.clock.day);
    const { peak } = lookAhead(insight, chart, medication, { pace: { ...taper, nextInDays }, days: VISIT_DAYS });
    if (!taper.isPaused) {
      if (!isAtFloor && peak <= insight.most) continue;
      const offer = find(chart, ({ payload }) => payload.type === "PAUSE_TAPER" && payload.medRef === medRef);
      if (offer === undefined) continue;
      const reason = isAtFloor
        ? `${name} is at the dose that the task asks for; the plan rests.`
        : `The next reduction of ${name} would be felt too much; the dose rests.`;
      return { offer, reason, confidence: 0.7 };
    }
    if (isAtFloor) continue;
    const offer = safeContinuation(insight, chart, medication, nextInDays);
    if (offer === undefined) continue;
    return { offer, reason: `Withdrawal from ${name} has settled; the taper goes on.`, confidence: 0.7 };
  }
  return null;
}

/** Of the ways to go on that are safe until the next visit, the one with the largest step. */
function safeContinuation(
  insight: Insight,
  chart: Chart,
  medication: MappedMedication,
  nextInDays: number,
): ChartOffer | undefined {
  const { taper } = medication;
  if (taper === null) return undefined;
  let best: ChartOffer | undefined;
  let largest = 0;
  for (const offer of chart.offers) {
    const { payload, isLegal } = offer;
    if (!isLegal || payload.type !== "CONTINUE_TAPER" || payload.medRef !== medication.medRef) continue;
    const pace = payload.taper ?? taper;
    const isSafe =
      lookAhead(insight, chart, medication, { pace: { ...pace, nextInDays }, days: VISIT_DAYS }).peak <= insight.most;
    if (isSafe && pace.stepPct > largest) {
      best = offer;
      largest = pace.stepPct;
    }
  }
  return best;
}

/** Starts the next target that may be started: its taper at the pace that is felt least of those in time, or a plain stop. */
export function startTarget(insight: Insight, chart: Chart): Decision | null {
  for (const { medication } of openTargets(chart)) {
    const { medRef, taper } = medication;
    if (taper !== null) continue;
    const offer =
      bestPace(insight, chart, medication) ?? (isTapered(chart, medication) ? undefined : plainStop(chart, medRef));
    if (offer === undefined) continue;
    return {
      offer,
      reason: `${nameInWords(chart, medRef)} is to be brought down; it is the next of the task's drugs.`,
      confidence: 0.7,
    };
  }
  return null;
}

function isTapered(chart: Chart, { medRef }: MappedMedication): boolean {
  return chart.offers.some(({ payload }) => payload.type === "START_TAPER" && payload.medRef === medRef);
}

function plainStop(chart: Chart, medRef: string): ChartOffer | undefined {
  return find(
    chart,
    ({ payload }) => payload.type === "STOP_DRUG" && payload.medRef === medRef && payload.switchToDrugIndex === null,
  );
}

/**
 * Of the paces that are safe until the next visit, the one felt least over the days that this target may take; those that
 * don't come to the stop in that time count as if felt by as much more. Undefined where none is safe.
 */
function bestPace(insight: Insight, chart: Chart, medication: MappedMedication): ChartOffer | undefined {
  const waiting = openTargets(chart).filter(({ medication: { taper } }) => taper === null).length;
  const days = (chart.known.clock.stepsLeft * VISIT_DAYS) / Math.max(1, waiting);
  let best: ChartOffer | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const offer of chart.offers) {
    const { payload, isLegal } = offer;
    if (!isLegal || payload.type !== "START_TAPER" || payload.medRef !== medication.medRef) continue;
    const pace = { ...payload.taper, nextInDays: 0 };
    if (lookAhead(insight, chart, medication, { pace, days: VISIT_DAYS }).peak > SAFE_START) continue;
    const { peak, stopInDays } = lookAhead(insight, chart, medication, { pace, days });
    const felt = Math.min(1, peak) + (stopInDays <= days ? 0 : LATE);
    if (felt < least) {
      best = offer;
      least = felt;
    }
  }
  return best;
}

/** A rule that leaves the drugs alone that the task names as those that must stay. */
export function sparing(rule: PolicyRule): PolicyRule {
  return (chart) => {
    const decision = rule(chart);
    if (decision === null) return null;
    const { payload } = decision.offer;
    const medRef = targetMedRef(payload);
    return medRef !== null && chart.known.mustStay.includes(medRef) && payload.type !== "ORDER_MONITORING"
      ? null
      : decision;
  };
}

/** Waits while a target's plan runs, or rests until the withdrawal of it is over. */
export function waitForTargets(chart: Chart): Decision | null {
  const isUnderWay = openTargets(chart).some(
    ({ medication: { taper } }) =>
      taper !== null && (!taper.isPaused || (taper.withdrawalScore ?? 0) > WITHDRAWAL_SIGN),
  );
  if (!isUnderWay || isDangerVisible(chart.legality)) return null;
  const offer = find(chart, ({ payload }) => payload.type === "KEEP_REGIMEN");
  if (offer === undefined) return null;
  return { offer, reason: "The tapers of the task run and are watched until the next visit.", confidence: 0.7 };
}
