import { canonicalPayload } from "../actions/canonical.ts";
import { type ActionPayload, isInformationAction } from "../actions/types.ts";
import { type SearchOptions, searchPlan } from "../policies/beam-search.ts";
import type { Belief } from "../policies/belief/belief.ts";
import type { Chart, ChartOffer } from "../policies/chart.ts";
import type { Decision } from "../policies/decision.ts";
import { follow, judge, judgeKeep, KEEP, type PlanNode } from "../policies/plan-node.ts";

/** An action with the J that is expected when the best known plan follows it. */
export interface Proposal {
  readonly offer: ChartOffer;
  readonly expectedJ: number;
  /** {@link expectedJ} less what may be wrong about it. */
  readonly lowerJ: number;
  /** Actions after it, in order. */
  readonly plan: readonly ActionPayload[];
}

/** Visits looked ahead, the first included. */
const DEPTH = 3;
/** assumption: a narrow beam; the belief is coarser than what a wider one would tell apart. */
const SEARCH: SearchOptions = { width: 2, branching: 3, macroNodes: 1, macroStarts: 1 };
/** First actions that are looked at to the full depth. */
const FOLLOWED = 4;
/** Share of a gain over KEEP that may be wrong (assumption:). */
const DOUBT = 0.3;

/**
 * Ranks the legal therapy actions of a chart and KEEP by expected J over the visits that are left, two or three looked ahead on
 * the belief, the best first. An action among `wanted` is always looked at.
 */
export function propose(chart: Chart, { model, state }: Belief, wanted: readonly ActionPayload[]): readonly Proposal[] {
  const near = { ...state, clock: { ...state.clock, visitsLeft: Math.min(DEPTH, state.clock.visitsLeft) } };
  const root: PlanNode = { state: near, loss: 0, plan: [], value: -model.remainingLoss(near) };
  const asked = new Set(wanted.map(canonicalPayload));
  const judged = chart.offers
    .filter(({ payload, isLegal }) => isLegal && isJudged(payload) && !isRepeatedOrder(chart, payload))
    .flatMap((offer) => {
      const choice = judge(model, root, offer.payload);
      return choice === null ? [] : [{ offer, choice, isWanted: asked.has(canonicalPayload(offer.payload)) }];
    })
    .sort((a, b) => b.choice.value - a.choice.value);
  const followed = judged.filter(({ isWanted }, rank) => isWanted || rank < FOLLOWED);
  const keep = chart.offers.find(({ payload }) => payload.type === "KEEP_REGIMEN");
  const choices = [
    ...followed.map(({ offer, choice }) => ({ offer, choice })),
    ...(keep === undefined ? [] : [{ offer: keep, choice: judgeKeep(model, root) }]),
  ];
  const keepJ = -model.remainingLoss(near);
  return choices
    .map(({ offer, choice }): Proposal => {
      const child = follow(model, root, choice);
      const best = searchPlan(model, child.state, SEARCH);
      const expectedJ = best.value - child.loss;
      return { offer, expectedJ, lowerJ: expectedJ - DOUBT * Math.max(0, expectedJ - keepJ), plan: best.plan };
    })
    .sort((a, b) => b.expectedJ - a.expectedJ);
}

/** Orders tell what they tell once. */
function isRepeatedOrder({ asked }: Chart, payload: ActionPayload): boolean {
  return payload.type === "ORDER_MONITORING" && asked.has(canonicalPayload(payload));
}

/** Actions whose worth the course tells. */
function isJudged({ type }: ActionPayload): boolean {
  if (type === "ORDER_MONITORING" || type === "RECOMMEND_ALTERNATIVE") return type === "ORDER_MONITORING";
  return !isInformationAction(type) && type !== "KEEP_REGIMEN" && type !== "FINISH" && !isFree(type);
}

function isFree(type: ActionPayload["type"]): boolean {
  return type === "PROBE_COMBINATION" || type === "DECLARE_FINDINGS";
}

/** Gain in J above which a plan is preferred to what the rules would do (assumption:). */
const LEAST_GAIN = 0.003;

/** What the planner would do: the rules' decision, unless the course promises clearly more of another. */
export function choosePlan(proposals: readonly Proposal[], rules: Decision): Proposal | null {
  const [best] = proposals;
  if (best === undefined) return null;
  const { type } = rules.offer.payload;
  const asRules = type === "FINISH" ? canonicalPayload(KEEP) : canonicalPayload(rules.offer.payload);
  const own = proposals.find(({ offer }) => canonicalPayload(offer.payload) === asRules);
  if (own === undefined || best === own) return null;
  return best.expectedJ > own.expectedJ + LEAST_GAIN ? best : null;
}
