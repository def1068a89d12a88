import { canonicalPayload } from "../../actions/canonical.ts";
import { isInformationAction } from "../../actions/types.ts";
import { candidateRow } from "../../features/candidate-features.ts";
import type { Chart, ChartOffer } from "../chart.ts";
import { doseByEstimate } from "../dosing/map-play.ts";
import { actionOf, alertInWords } from "../explain.ts";
import type { Advice } from "./advice.ts";
import type { CourseOutlook } from "./course-outlook.ts";
import { courseHints } from "./hints.ts";
import type { Hints, SceneOffer } from "./scene-offer.ts";

/**
 * The offered candidates of a chart that the verifier allows on what is known, all of them when it allows none. What the rules
 * advise is carried out in their words, with their query and citations; everything else by templates.
 */
export function courseOffers(
  chart: Chart,
  advice: Advice | null,
  outlook: CourseOutlook | null,
): readonly SceneOffer[] {
  const isShown = ({ wire, isLegal }: ChartOffer): boolean =>
    isLegal || wire.candidate_id === advice?.action.candidate_id;
  const shown = chart.offers.filter(isShown);
  const advised = advice === null ? -1 : advisedAmong(shown, advice);
  // null where no drug is dosed by level.
  const estimated = chart.observation.dosing === undefined ? null : doseByEstimate(chart);
  const team = outlook?.chosen ?? byEstimate(advice, estimated?.offer ?? null) ?? shown[advised];
  return (shown.length > 0 ? shown : chart.offers).map((offer, i) =>
    courseOffer(chart, offer, {
      advice: i === advised ? advice : null,
      isTeams: offer.wire === team?.wire,
      outlook,
      isEstimated: estimated !== null && offer.wire.candidate_id === estimated.offer.wire.candidate_id,
    }),
  );
}

/** The dose by estimated parameters, once the rules ask for nothing more to be known. */
function byEstimate(advice: Advice | null, estimated: ChartOffer | null): ChartOffer | null {
  return advice?.payload != null && isInformationAction(advice.payload.type) ? null : estimated;
}

/** The offer that an advice is about: a look-up by its own text where one is offered with it. */
function advisedAmong(offers: readonly ChartOffer[], { action }: Advice): number {
  const byText = offers.findIndex(({ wire }) => action.query !== undefined && wire.text === action.query);
  return byText >= 0 ? byText : offers.findIndex(({ wire }) => wire.candidate_id === action.candidate_id);
}

function courseOffer(
  chart: Chart,
  offer: ChartOffer,
  {
    advice,
    isTeams,
    outlook,
    isEstimated,
  }: {
    readonly advice: Advice | null;
    readonly isTeams: boolean;
    readonly outlook: CourseOutlook | null;
    readonly isEstimated: boolean;
  },
): SceneOffer {
  const { wire, payload } = offer;
  return {
    candidateId: wire.candidate_id,
    row: candidateRow(chart, wire),
    hints: {
      ...courseHints(chart, offer),
      ...outlookHints(outlook, offer),
      advised: Number(isTeams),
      "dose by the estimate": Number(isEstimated),
      "done before": Number(chart.asked.has(canonicalPayload(payload))),
      ...(advice === null ? {} : { "advised by the rules": 1, "confidence of the advice": advice.action.confidence }),
    },
    abstains: wire.action_type === "REQUEST_REVIEW",
    payload: advice?.payload ?? payload,
    matches: (action) =>
      action.query !== undefined && wire.action_type === action.action_type && wire.text === action.query
        ? true
        : wire.candidate_id === action.candidate_id,
    act: (confidence) =>
      advice === null
        ? actionOf(chart, { offer, reason: reasonFor(chart, offer), confidence })
        : { ...advice.action, candidate_id: wire.candidate_id, confidence },
  };
}

/** Gains in J are hundredths; so scaled they are as large as other fields. */
const GAIN_SCALE = 20;

function outlookHints(outlook: CourseOutlook | null, offer: ChartOffer): Hints {
  if (outlook === null) return {};
  const { gains, best } = outlook;
  const gain = gains.get(offer);
  if (gain === undefined) return {};
  return {
    "judged by the course": 1,
    "20 × gain by the course": GAIN_SCALE * gain,
    "20 × gain below the best course": best === null ? 0 : GAIN_SCALE * (gains.get(best)! - gain),
  };
}

/** Why an offer was chosen, in words and numbers that the observation has: the worst alert that it touches, then what is done. */
function reasonFor(chart: Chart, { wire }: ChartOffer): string {
  const { target } = wire;
  const alert =
    target === undefined
      ? undefined
      : chart.known.alerts.find(({ medRefs, isManaged }) => !isManaged && medRefs.includes(target));
  return alert === undefined ? `${wire.text}.` : `${alertInWords(chart, alert)}. ${wire.text}.`;
}
