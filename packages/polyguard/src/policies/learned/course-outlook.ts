import { canonicalPayload } from "../../actions/canonical.ts";
import { type ActionPayload, isInformationAction } from "../../actions/types.ts";
import { TEAM_PLAYS } from "../../agents/plays.ts";
import type { CourseEvaluator } from "../../course/evaluator.ts";
import { beliefScenario } from "../belief/belief-scenario.ts";
import type { Chart, ChartOffer } from "../chart.ts";
import { judge, judgeKeep, KEEP, type PlanNode } from "../plan-node.ts";
import { PlanningModel } from "../planning-model.ts";
import { typicalState } from "../typical-patient.ts";
import type { Advice } from "./advice.ts";

/** What the expected course says of the offers of a chart. */
export interface CourseOutlook {
  /** Gain in J over keeping the list when nothing follows, by offer; offers whose worth the course does not tell are left out. */
  readonly gains: ReadonlyMap<ChartOffer, number>;
  /** The offer of the highest gain; null: none. */
  readonly best: ChartOffer | null;
  /** What the rules advise, unless the course promises clearly more of another. */
  readonly chosen: ChartOffer | null;
}

/** Visits that the rest of the year is reckoned over at most: as far as the team's planner looks. */
const DEPTH = 3;
/** assumption: gain in J above which the course outranks the rules; the team's planner asks for as much. */
const LEAST_GAIN = 0.003;

/**
 * Judges each legal therapy action on the patient that the chart lets believe, one step ahead: where J is asked for, in some two
 * milliseconds, against a hundred for the plans of the team's planner. null in sub-environments where another score is asked for.
 */
export function courseOutlook(chart: Chart, advice: Advice | null, evaluator: CourseEvaluator): CourseOutlook | null {
  const play = TEAM_PLAYS[chart.observation.sub_environment];
  if (play.kind !== "course" || !play.isPlanned) return null;
  const scenario = beliefScenario(chart);
  const state = typicalState(chart.kb, scenario.initial);
  const near = { ...state, clock: { ...state.clock, visitsLeft: Math.min(DEPTH, state.clock.visitsLeft) } };
  const model = new PlanningModel(chart.kb, scenario, evaluator);
  const root: PlanNode = { state: near, loss: 0, plan: [], value: 0 };
  const keep = judgeKeep(model, root).value;
  const gains = new Map<ChartOffer, number>();
  for (const offer of chart.offers) {
    if (!offer.isLegal || !isJudged(chart, offer.payload)) continue;
    const judged = offer.payload.type === "KEEP_REGIMEN" ? { value: keep } : judge(model, root, offer.payload);
    if (judged !== null) gains.set(offer, judged.value - keep);
  }
  let best: ChartOffer | null = null;
  for (const [offer, gain] of gains) if (best === null || gain > gains.get(best)!) best = offer;
  return { gains, best, chosen: chooseBy(chart, advice, gains, best) };
}

function chooseBy(
  { offers }: Chart,
  advice: Advice | null,
  gains: ReadonlyMap<ChartOffer, number>,
  best: ChartOffer | null,
): ChartOffer | null {
  if (advice === null) return best;
  const byText = offers.find(({ wire }) => advice.action.query !== undefined && wire.text === advice.action.query);
  const advised = byText ?? offers.find(({ wire }) => wire.candidate_id === advice.action.candidate_id);
  if (advised === undefined || best === null) return advised ?? null;
  const { payload } = advised;
  // What informs comes first: the course is only as good as what is known.
  if (isInformationAction(payload.type)) return advised;
  const asJudged = canonicalPayload(payload.type === "FINISH" ? KEEP : payload);
  const own = [...gains].find(([{ payload: each }]) => canonicalPayload(each) === asJudged)?.[1];
  return own !== undefined && gains.get(best)! > own + LEAST_GAIN ? best : advised;
}

/** Actions whose worth the course tells; an order tells what it tells once. */
function isJudged({ asked }: Chart, payload: ActionPayload): boolean {
  switch (payload.type) {
    case "ORDER_MONITORING":
      return !asked.has(canonicalPayload(payload));
    case "FINISH":
    case "RECOMMEND_ALTERNATIVE":
    case "DECOMPOSE_NEW_DRUG":
    case "PROBE_COMBINATION":
    case "DECLARE_FINDINGS":
      return false;
    default:
      return !isInformationAction(payload.type);
  }
}
