import type { MappedMedication } from "../actions/legality-context.ts";
import { severityRank } from "../kb/domains.ts";
import type { KnownAlert } from "../observation/types.ts";
import { codesOf, harmOf, isFalseAlarm, needsRemoval } from "./alert-harm.ts";
import { type AlertAnswer, answersTo } from "./alert-management.ts";
import type { Chart } from "./chart.ts";
import type { Decision } from "./decision.ts";
import { worthOf } from "./drug-worth.ts";
import { alertInWords, nameInWords } from "./explain.ts";

/** Cost beyond the harm of the hit that its end may have: an open major or contraindicated hit is no result. assumption: sizes. */
const TOLERANCE = { moderate: -0.004, major: 0.04, contraindicated: 1 };
/** Open alerts that count, the worst first; a running plan, hold or cross-over of a member answers one already. */
function openAlerts(chart: Chart): readonly KnownAlert[] {
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
  // A moderate hit is no reason to change to another drug, with all that a new drug brings.
  if (alert.severity === "moderate" && removal?.replacement != null) return managed;
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

function confidenceIn({ kind, cost, replacement, offer }: AlertAnswer): number {
  if (kind === "management") return offer.payload.type === "SEPARATE_TIMING" ? 0.75 : 0.35;
  if (replacement === null) return cost > 0.02 ? 0.6 : 0.85;
  return cost > 0.02 ? 0.55 : 0.65;
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

/** Moderate warnings that cost little to answer: protection of the stomach, a laxative beside an opioid. */
export function addProtection(chart: Chart): Decision | null {
  for (const alert of openAlerts(chart)) {
    if (alert.ruleId !== "RG7" && alert.ruleId !== "RG8") continue;
    const answer = answersTo(chart, alert).find(({ kind }) => kind === "management");
    if (answer === undefined) continue;
    const what = alert.ruleId === "RG7" ? "the stomach is protected with a PPI" : "a laxative is ordered";
    return { offer: answer.offer, reason: `${alertInWords(chart, alert)}; ${what}.`, confidence: 0.2 };
  }
  return null;
}
