import { findMeasurement } from "../observation/measurements.ts";
import { unitInWords } from "../observation/unit-words.ts";
import type { Chart, ChartOffer } from "./chart.ts";
import type { Decision } from "./decision.ts";
import { nameInWords } from "./explain.ts";

/**
 * Stated confidence of asking first: it is seldom among the best choices of its step while a hazard waits, more often once
 * none is open. assumption: shares measured over 180 generated scenarios, as all confidences of the rules.
 */
const WHILE_OTHERS_WAIT = 0.15;
const LOOKING_UP = 0.5;

/** Steps beyond those that the visits need: what may be spent on information. */
function spareSteps({ known }: Chart): number {
  return known.clock.stepsLeft - known.clock.visitsLeft;
}

function wasTried(chart: Chart, offer: ChartOffer): boolean {
  const { action_type: type, target } = offer.wire;
  return chart.known.history.some((entry) => entry.actionType === type && entry.target === (target ?? null));
}

/** Items of the list that are not reconciled come first: what is not taken as written can't be judged. */
export function reconcileItems(chart: Chart): Decision | null {
  if (spareSteps(chart) < 1) return null;
  for (const { id, text } of chart.observation.discrepancies) {
    const offer = chart.offers.find(({ payload }) => payload.type === "RECONCILE_ITEM" && payload.target === id);
    if (offer === undefined || !offer.isLegal || wasTried(chart, offer)) continue;
    return {
      offer,
      reason: `The record disagrees with itself (${text}); it is settled before anything is changed.`,
      confidence: WHILE_OTHERS_WAIT,
    };
  }
  for (const { med_ref: medRef, status } of chart.observation.medications) {
    if (status !== "unreconciled") continue;
    const offer = chart.offers.find(({ payload }) => payload.type === "RECONCILE_ITEM" && payload.target === medRef);
    if (offer === undefined || !offer.isLegal || wasTried(chart, offer)) continue;
    return {
      offer,
      reason: `${nameInWords(chart, medRef)} is not reconciled; what is really taken is asked before it is acted on.`,
      confidence: WHILE_OTHERS_WAIT,
    };
  }
  return null;
}

/** Values behind the decisions of this step that are missing or old, one order at a time. */
export function orderMissingValues(chart: Chart): Decision | null {
  if (spareSteps(chart) < 1) return null;
  const { missing_fields: missing } = chart.observation.uncertainty;
  const worries = chart.known.alerts.some(({ isManaged }) => !isManaged) || chart.observation.dosing_flags.length > 0;
  if (!worries) return null;
  for (const offer of chart.offers) {
    const { payload } = offer;
    if (payload.type !== "ORDER_MONITORING" || payload.medRef !== null || !offer.isLegal) continue;
    const code = payload.orders.find((order) => missing.includes(order === "WEIGHT" ? "weight" : order));
    if (code === undefined || payload.orders.length > 1 || wasOrdered(chart, code)) continue;
    const old = chart.known.values[code];
    const reason =
      code === "WEIGHT"
        ? "The weight is not known; kidney function and doses can't be judged without it."
        : old === undefined
          ? `No ${code} is known, and a decision of this step hangs on it.`
          : `The last ${code} (${old.value}${unitInWords(findMeasurement(code)?.unit ?? "")}) is ${chart.known.clock.day - old.measuredDay} d old, and a decision of this step hangs on it.`;
    return { offer, reason, confidence: WHILE_OTHERS_WAIT };
  }
  return null;
}

function wasOrdered({ known }: Chart, code: string): boolean {
  return known.orders.some((order) => order.code === code);
}

/** Indication and duration of the drugs in the worst open alert, where they are not known. */
export function askHistory(chart: Chart): Decision | null {
  if (spareSteps(chart) < 2) return null;
  const open = chart.known.alerts.filter(({ isManaged, severity }) => !isManaged && severity !== "moderate");
  for (const alert of open) {
    for (const medRef of alert.medRefs) {
      const medication = chart.legality.byRef.get(medRef);
      if (medication === undefined || (medication.indication !== null && medication.startDay !== null)) continue;
      const offer = chart.offers.find(({ payload }) => payload.type === "RECONCILE_ITEM" && payload.target === medRef);
      if (offer === undefined || !offer.isLegal || wasTried(chart, offer)) continue;
      const what = medication.indication === null ? "what it is for" : "how long it has been used";
      return {
        offer,
        reason: `Before ${nameInWords(chart, medRef)} is changed: ${what} is not on the record.`,
        confidence: WHILE_OTHERS_WAIT,
      };
    }
  }
  return null;
}

/** Specialists who disagree about the list are asked. */
export function settleConflict(chart: Chart): Decision | null {
  if (spareSteps(chart) < 1 || chart.known.clock.reviewsLeft < 1) return null;
  const conflict = chart.known.conflicts[0];
  if (conflict === undefined) return null;
  const offer = chart.offers.find(({ payload }) => payload.type === "REQUEST_REVIEW");
  if (offer === undefined || !offer.isLegal) return null;
  const target = offer.wire.target ?? null;
  if (target !== conflict.medRef && target !== conflict.id) return null;
  return {
    offer,
    reason: `${conflict.says} This is settled with the specialist first.`,
    confidence: WHILE_OTHERS_WAIT,
  };
}

/** Steps that have to be left for a look-up, so that what it shows can still be answered. */
const LOOK_UP_STEPS = 3;

/**
 * Where the decision support covers only part of the interactions, drugs that no alert names are looked up while look-ups
 * are left: what is found is shown as an alert.
 */
export function lookUpUncovered(chart: Chart): Decision | null {
  const { known, observation } = chart;
  if (observation.safety.alert_coverage >= 1 || known.clock.evidenceLeft < 1) return null;
  if (known.clock.stepsLeft < LOOK_UP_STEPS) return null;
  const offer = chart.offers.find(({ payload }) => payload.type === "FETCH_EXTERNAL_EVIDENCE");
  if (offer === undefined || !offer.isLegal) return null;
  const next = chart.legality.listed
    .map(({ drugIndex }) => chart.kb.drugs[drugIndex]!)
    .filter(({ drugId }) => !chart.asked.has(`look up ${drugId}`))
    .slice(0, 3);
  if (next.length === 0) return null;
  const query = `${next.map(({ drugId }) => drugId).join(" ")} interactions`;
  return {
    offer: { ...offer, payload: { type: "FETCH_EXTERNAL_EVIDENCE", query } },
    reason: `Alerts cover only part of the interactions; the labels of ${next.map(({ genericName }) => genericName).join(", ")} are looked up.`,
    confidence: LOOKING_UP,
  };
}
