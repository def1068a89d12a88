import { nextRaise } from "../actions/course-candidates.ts";
import type { MappedMedication } from "../actions/legality-context.ts";
import { knownOmissions } from "../actions/omission-candidates.ts";
import { WITHDRAWAL_SIGN } from "../actions/taper-candidates.ts";
import { untreatedConditions } from "../actions/untreated.ts";
import { relativeEffect } from "../engine/benefit-table.ts";
import { isOneOf } from "../interactions/cascades.ts";
import { CONDITION_BURDENS } from "../kb/conditions.ts";
import { severityRank } from "../kb/domains.ts";
import { isTitrated, targetDose } from "../kb/dose-grid.ts";
import { judgeRenalRule } from "../kb/renal-dose.ts";
import type { Drug } from "../kb/types.ts";
import type { KnownAlert } from "../observation/types.ts";
import { type AlertAnswer, answersTo, codesOf, harmOf, isFalseAlarm, needsRemoval } from "./alert-management.ts";
import type { Chart, ChartOffer } from "./chart.ts";
import type { Decision } from "./decision.ts";
import { fitOf, worthOf } from "./drug-worth.ts";
import { alertInWords, nameInWords } from "./explain.ts";

/** Withdrawal score from which a taper rests. Source: severe events of the model begin above .5; the score is rough. */
const PAUSE_ABOVE = 0.65;
/** Cost beyond the harm of the hit that its end may have: an open major or contraindicated hit is no result. assumption: sizes. */
const TOLERANCE = { moderate: -0.004, major: 0.04, contraindicated: 1 };
/** Share of the target dose from which a last raise is not worth a change of its own. */
const NEAR_TARGET = 0.7;
/** Least yearly benefit for which a missing therapy is started (assumption: above what a change costs). */
const LEAST_BENEFIT = 0.015;
function find(chart: Chart, fits: (offer: ChartOffer) => boolean): ChartOffer | undefined {
  return chart.offers.find((offer) => offer.isLegal && fits(offer));
}

/** Running tapers: back when withdrawal shows, on again when it is over. */
export function steerTapers(chart: Chart): Decision | null {
  for (const { medRef, taper } of chart.legality.listed) {
    if (taper === null) continue;
    const score = taper.withdrawalScore ?? 0;
    if (score > PAUSE_ABOVE && !taper.isPaused) {
      const offer = find(chart, ({ payload }) => payload.type === "PAUSE_TAPER" && payload.medRef === medRef);
      if (offer !== undefined)
        return {
          offer,
          reason: `The taper of ${nameInWords(chart, medRef)} shows withdrawal (score ${score}); the dose rests.`,
          confidence: 0.6,
        };
    }
    if (taper.isPaused && score <= WITHDRAWAL_SIGN) {
      const offer = find(chart, ({ payload }) => payload.type === "CONTINUE_TAPER" && payload.medRef === medRef);
      if (offer !== undefined)
        return {
          offer,
          reason: `Withdrawal from ${nameInWords(chart, medRef)} has settled (score ${score}); the taper goes on.`,
          confidence: 0.7,
        };
    }
  }
  return null;
}

/** The second half of a declared switch, as soon as its washout is over. */
export function completeSwitch(chart: Chart): Decision | null {
  const { switch: declared } = chart.observation.course;
  if (declared === null) return null;
  const offer = find(chart, ({ payload, wire }) => payload.type === "ADD_DRUG" && wire.target === declared.to);
  if (offer === undefined) return null;
  return {
    offer,
    reason: `The washout is over; the drug that the switch was declared for is started.`,
    confidence: 0.85,
  };
}

/** Open alerts that count, the worst first; a running plan, hold or cross-over of a member answers one already. */
export function openAlerts(chart: Chart): readonly KnownAlert[] {
  return chart.known.alerts
    .filter((alert) => !alert.isManaged && !isFalseAlarm(chart, alert) && !isUnderWay(chart, alert))
    .sort((x, y) => severityRank(y.severity) - severityRank(x.severity) || harmOf(chart, y) - harmOf(chart, x));
}

function isUnderWay({ legality }: Chart, alert: KnownAlert): boolean {
  return alert.medRefs.some((medRef) => {
    const medication = legality.byRef.get(medRef);
    if (medication === undefined) return false;
    const isLeaving = medication.taper !== null && !medication.taper.isPaused;
    return isLeaving || medication.status === "held" || isReplaced(legality.listed, medication);
  });
}

function isReplaced(listed: readonly MappedMedication[], medication: MappedMedication): boolean {
  return listed.some(({ crossOverFromDrugIndex }) => crossOverFromDrugIndex === medication.drugIndex);
}

/** The worst open alert that something can be done about: stop or replace a drug, adjust, protect, separate, monitor. */
export function answerWorstAlert(chart: Chart): Decision | null {
  return answerFirst(chart, openAlerts(chart), () => true);
}

/** Warnings that are answered by watching: the order comes before single values are asked for, and costs no change. */
export function watchMajorAlerts(chart: Chart): Decision | null {
  const major = openAlerts(chart).filter(({ severity }) => severity === "major");
  return answerFirst(chart, major, ({ offer }) => offer.payload.type === "ORDER_MONITORING");
}

function answerFirst(
  chart: Chart,
  alerts: readonly KnownAlert[],
  fits: (answer: AlertAnswer) => boolean,
): Decision | null {
  for (const alert of alerts) {
    const answer = chooseAnswer(chart, alert);
    if (answer === null || !fits(answer)) continue;
    return { offer: answer.offer, reason: answerInWords(chart, alert, answer), confidence: confidenceIn(answer) };
  }
  return null;
}

function chooseAnswer(chart: Chart, alert: KnownAlert): AlertAnswer | null {
  const answers = answersTo(chart, alert);
  const harm = harmOf(chart, alert);
  const removal = answers.find(({ kind }) => kind === "removal") ?? null;
  const management = answers.filter(({ kind }) => kind === "management");
  const managed = management.sort((x, y) => rankOf(x) - rankOf(y) || x.cost - y.cost)[0] ?? null;
  const isWorthwhile = ({ cost }: AlertAnswer): boolean => cost <= harm + TOLERANCE[alert.severity];
  if (alert.severity === "contraindicated") return removal;
  // A warning that only asks for monitoring may be watched already; an order costs no change.
  if (!needsRemoval(alert) && codesOf(alert).includes("MONITOR")) {
    const order = management.find(({ offer }) => offer.payload.type === "ORDER_MONITORING");
    if (order !== undefined) return order;
  }
  if (removal !== null && isWorthwhile(removal) && (managed === null || removal.cost < managed.cost)) return removal;
  return managed !== null && (managed.medication === null || isWorthwhile(managed)) ? managed : null;
}

/** Order of management: adjust, protect, separate, monitor. */
function rankOf({ offer }: AlertAnswer): number {
  return ["ADJUST_DOSE", "ADD_PROTECTION", "SEPARATE_TIMING", "ORDER_MONITORING"].indexOf(offer.payload.type);
}

function confidenceIn({ kind, cost, replacement }: AlertAnswer): number {
  if (kind === "management") return 0.65;
  return cost > 0.02 ? 0.6 : replacement === null ? 0.85 : 0.75;
}

function answerInWords(chart: Chart, alert: KnownAlert, { medication, replacement, offer, kind }: AlertAnswer): string {
  const problem = `${alertInWords(chart, alert)}.`;
  const { payload } = offer;
  if (kind === "management") {
    switch (payload.type) {
      case "ADJUST_DOSE":
        return `${problem} The dose of ${nameInWords(chart, medication!.medRef)} is lowered to what the interaction leaves room for.`;
      case "ADD_PROTECTION":
        return `${problem} Both drugs are needed, so the patient is protected instead.`;
      case "SEPARATE_TIMING":
        return `${problem} Taking them apart in time is enough.`;
      default:
        return `${problem} It is watched with ${payload.type === "ORDER_MONITORING" ? payload.orders.join(", ") : "orders"}.`;
    }
  }
  const name = nameInWords(chart, medication!.medRef);
  const others = alert.medRefs
    .filter((medRef) => medRef !== medication!.medRef)
    .map((medRef) => nameInWords(chart, medRef));
  const rest = others.length === 0 ? "" : ` ${others.join(" and ")} can stay.`;
  const how =
    payload.type === "START_TAPER"
      ? `${name} has been used too long to stop at once and is tapered at the pace of its class.`
      : replacement === null
        ? `${name} is the one that can go${worthOf(chart, medication!) === 0 ? ", as no active condition needs it" : ""}.`
        : payload.type === "ADD_DRUG"
          ? `${replacement.genericName} is started to take the place of ${name}, which is then tapered.`
          : payload.type === "STOP_DRUG"
            ? `${name} is stopped, and ${replacement.genericName} follows once the washout is over.`
            : `${replacement.genericName} does the same for the patient without this interaction and replaces ${name}.`;
  return `${problem} ${how}${rest}`;
}

/** A cross-over goes on: the new drug is raised, then the old one leaves. */
export function carryOn(chart: Chart): Decision | null {
  for (const medication of chart.legality.listed) {
    const raised = nextRaise(chart.legality, medication);
    const isNearTarget = medication.dosePerDay >= NEAR_TARGET * targetDose(chart.kb.drugs[medication.drugIndex]!);
    if (raised !== null && !isNearTarget) {
      const offer = find(
        chart,
        ({ payload }) =>
          payload.type === "ADJUST_DOSE" &&
          payload.medRef === medication.medRef &&
          payload.dosePerDay > medication.dosePerDay,
      );
      if (offer !== undefined)
        return {
          offer,
          reason: `${nameInWords(chart, medication.medRef)} was started low and is raised towards its usual dose.`,
          confidence: 0.75,
        };
      continue;
    }
    const old = chart.legality.listed.find(({ drugIndex }) => drugIndex === medication.crossOverFromDrugIndex);
    if (old === undefined || old.taper !== null) continue;
    const offer = find(
      chart,
      ({ payload }) =>
        (payload.type === "START_TAPER" || payload.type === "STOP_DRUG") && payload.medRef === old.medRef,
    );
    if (offer !== undefined)
      return {
        offer,
        reason: `${nameInWords(chart, medication.medRef)} has taken over; ${nameInWords(chart, old.medRef)} leaves now.`,
        confidence: 0.8,
      };
  }
  return null;
}

/** Doses above what the kidneys allow, and levels out of range. */
export function fixDoses(chart: Chart): Decision | null {
  for (const flag of chart.observation.dosing_flags) {
    const medication = chart.legality.listed.find(({ drugId }) => drugId === flag.drug_id);
    if (medication === undefined || medication.taper !== null) continue;
    const drug = chart.kb.drugs[medication.drugIndex]!;
    const adjustments = chart.offers.filter(
      (offer) => offer.isLegal && offer.payload.type === "ADJUST_DOSE" && offer.payload.medRef === medication.medRef,
    );
    const doseOf = ({ payload }: ChartOffer): number => (payload.type === "ADJUST_DOSE" ? payload.dosePerDay : 0);
    const lower = adjustments
      .filter((offer) => doseOf(offer) < medication.dosePerDay)
      .sort((x, y) => doseOf(y) - doseOf(x));
    const name = nameInWords(chart, medication.medRef);
    if (flag.flag === "above_renal_limit") {
      const { doseCap } = judgeRenalRule(drug, chart.legality.renal);
      const crCl = chart.known.crClMlPerMin;
      const because = crCl === null ? "" : ` at a CrCl of ${crCl} mL/min`;
      const fitting = lower.find((offer) => doseCap !== null && doseCap > 0 && doseOf(offer) <= doseCap * (1 + 1e-9));
      if (fitting !== undefined)
        return {
          offer: fitting,
          reason: `${name} is above its renal limit${because}; the dose is lowered to fit.`,
          confidence: 0.75,
        };
      const swap = doseCap === 0 ? bestSwap(chart, medication) : undefined;
      if (swap !== undefined)
        return {
          offer: swap,
          reason: `${name} should not be used${because}; another drug takes its place.`,
          confidence: 0.7,
        };
      continue;
    }
    if (flag.flag !== "level_high" && flag.flag !== "level_low") continue;
    const isInverse = medication.lastLevel?.code === "TSH";
    const isTooHigh = (flag.flag === "level_high") !== isInverse;
    const offer = isTooHigh
      ? lower[0]
      : adjustments.filter((each) => doseOf(each) > medication.dosePerDay).sort((x, y) => doseOf(x) - doseOf(y))[0];
    if (offer === undefined || !isOverdue(chart, medication)) continue;
    const level = flag.level === null ? "" : ` (${medication.lastLevel?.code ?? "level"} ${flag.level.value})`;
    return {
      offer,
      reason: `The level of ${name} is ${isTooHigh ? "above" : "below"} its range${level}; the dose moves one step.`,
      confidence: 0.65,
    };
  }
  return null;
}

/** True when the level was taken since the dose was last changed, so that it speaks of this dose. */
function isOverdue({ known }: Chart, { lastDoseChangeDay, lastLevel }: MappedMedication): boolean {
  if (lastLevel === null) return false;
  return lastDoseChangeDay === null || known.clock.day - lastLevel.ageDays > lastDoseChangeDay;
}

function bestSwap(chart: Chart, medication: MappedMedication): ChartOffer | undefined {
  const swaps = chart.offers.filter(
    ({ isLegal, payload }) => isLegal && payload.type === "SUBSTITUTE_DRUG" && payload.medRef === medication.medRef,
  );
  return swaps.find(({ payload }) => {
    if (payload.type !== "SUBSTITUTE_DRUG") return false;
    const fit = fitOf(chart, chart.kb.drugs[payload.drugIndex]!, medication);
    return fit.worstRank < 1 && !fit.isDiscouraged;
  });
}

/** Missing therapies: what the START rules ask for, then conditions that nothing treats. */
export function fillOmissions(chart: Chart): Decision | null {
  const omissions = knownOmissions(chart.legality);
  // Conditions that only follow from the list (low potassium under a diuretic) are no reason to add a drug.
  const untreated = untreatedConditions(chart.legality).filter((code) => chart.known.conditions.has(code));
  for (const offer of chart.offers) {
    const { payload } = offer;
    if (!offer.isLegal || payload.type !== "ADD_DRUG" || payload.crossOverFromMedRef !== null) continue;
    const drug = chart.kb.drugs[payload.drugIndex]!;
    const omission = omissions.find(({ options }) => isOneOf(drug, options));
    const condition = omission?.condition ?? untreated.find((code) => drug.indications.includes(code));
    if (condition === undefined) continue;
    const fit = fitOf(chart, drug, null);
    if (fit.worstRank >= 1 || fit.isDiscouraged || benefitOf(drug, condition) < LEAST_BENEFIT) continue;
    if (isTitrated(drug) && (chart.known.clock.visitsLeft < 3 || chart.known.clock.changesLeft < 2)) continue;
    const need = omission?.text ?? `${condition} is active and nothing on the list treats it`;
    return {
      offer,
      reason: `${need[0]!.toUpperCase()}${need.slice(1)}; ${drug.genericName} is started.`,
      confidence: 0.65,
    };
  }
  return null;
}

/** Yearly utility that a drug saves in an untreated condition; conditions without a burden count as worth it. */
function benefitOf(drug: Drug, condition: string): number {
  const burden = CONDITION_BURDENS.get(condition);
  if (burden === undefined) return LEAST_BENEFIT;
  return burden.burdenPerYear * burden.bestReduction * burden.control * relativeEffect(drug, condition);
}

/** Moderate warnings that cost little to answer: protection of the stomach, a laxative beside an opioid. */
export function addProtection(chart: Chart): Decision | null {
  for (const alert of openAlerts(chart)) {
    if (alert.ruleId !== "RG7" && alert.ruleId !== "RG8") continue;
    const answer = answersTo(chart, alert).find(({ kind }) => kind === "management");
    if (answer === undefined) continue;
    const what = alert.ruleId === "RG7" ? "the stomach is protected with a PPI" : "a laxative is ordered";
    return { offer: answer.offer, reason: `${alertInWords(chart, alert)}; ${what}.`, confidence: 0.6 };
  }
  return null;
}
