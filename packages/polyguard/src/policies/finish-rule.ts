import { canonicalPayload } from "../actions/canonical.ts";
import { isInformationAction } from "../actions/types.ts";
import { isDangerVisible } from "../reward/assessment.ts";
import { isFalseAlarm } from "./alert-harm.ts";
import type { Chart, ChartOffer } from "./chart.ts";
import type { Decision } from "./decision.ts";
import { alertInWords, nameInWords } from "./explain.ts";

/** KEEPs among the last steps after which something else is done. */
const KEEP_WINDOW = 6;
const MOST_KEEPS = 3;

/** Ends the review when nothing dangerous is open and nothing runs; else waits, and asks while a danger stands. */
export function finishOrWait(chart: Chart): Decision | null {
  const running = whatRuns(chart);
  const isDangerous = isDangerVisible(chart.legality);
  const finish = offerOf(chart, "FINISH");
  const keep = offerOf(chart, "KEEP_REGIMEN");
  if (!isDangerous && running === null && finish !== undefined)
    return {
      offer: finish,
      reason: "No major or contraindicated interaction is open and nothing is under way; the review is finished.",
      confidence: 0.7,
    };
  if (isDangerous) {
    const asked = askAboutDanger(chart) ?? (hasKeptEnough(chart) ? askAnything(chart) : null);
    if (asked !== null) return asked;
  }
  if (keep === undefined) return null;
  const reason = isDangerous
    ? "What is still open has no legal answer on what is known; the list is kept and watched."
    : `${running ?? "Nothing is left to change"}; the list is kept until the next visit.`;
  return { offer: keep, reason, confidence: isDangerous ? 0.3 : 0.7 };
}

function offerOf(chart: Chart, type: ChartOffer["payload"]["type"]): ChartOffer | undefined {
  return chart.offers.find(({ payload, isLegal }) => isLegal && payload.type === type);
}

/** What is under way and has to be seen through, in words; null = nothing. */
function whatRuns(chart: Chart): string | null {
  const { legality, known } = chart;
  for (const { medRef, taper, crossOverFromDrugIndex } of legality.listed) {
    if (taper !== null && !taper.isPaused) return `The taper of ${nameInWords(chart, medRef)} runs`;
    if (crossOverFromDrugIndex !== null) return `${nameInWords(chart, medRef)} is taking over`;
  }
  if (known.declaredSwitch !== null) return "The washout of a switch runs";
  return null;
}

/** True when one more KEEP in a row would look like doing nothing about a danger that stands. */
export function hasKeptEnough({ known }: Chart): boolean {
  const recent = known.history.slice(-KEEP_WINDOW).filter(({ actionType }) => actionType === "KEEP_REGIMEN");
  const all = known.history.filter(({ actionType }) => actionType === "KEEP_REGIMEN");
  return recent.length >= MOST_KEEPS || (all.length + 1) * 10 >= 7 * (known.history.length + 1);
}

/** Values of the drugs on the list are taken while nothing else can be done. */
export function askAnything(chart: Chart): Decision | null {
  const offer = chart.offers.find(
    ({ payload, isLegal }) =>
      isLegal && isInformationAction(payload.type) && !chart.asked.has(canonicalPayload(payload)),
  );
  if (offer === undefined) return null;
  return {
    offer,
    reason: "A danger stands that has no legal answer on what is known; more is asked about it.",
    confidence: 0.3,
  };
}

/** A review or look-up of the drugs in an open danger, while there are any left. */
function askAboutDanger(chart: Chart): Decision | null {
  const { known } = chart;
  if (known.clock.stepsLeft <= known.clock.visitsLeft) return null;
  const alert = known.alerts.find(
    (each) => each.severity !== "moderate" && !each.isManaged && !isFalseAlarm(chart, each),
  );
  const review = chart.offers.find(({ payload, isLegal }) => isLegal && payload.type === "REQUEST_REVIEW");
  if (alert === undefined || review === undefined || known.clock.reviewsLeft < 1) return null;
  return {
    offer: review,
    reason: `${alertInWords(chart, alert)}, and no answer is open to me; a specialist is asked.`,
    confidence: 0.3,
  };
}
