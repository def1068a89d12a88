import type { Policy, Rng } from "@praxis/env";
import type { StepAction } from "../actions/schema.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import type { Observation } from "../observation/schema.ts";
import { type Chart, type ChartOffer, ChartReader } from "./chart.ts";
import { actionOf } from "./explain.ts";

/** Confidence of policies that do not weigh anything. */
const NO_OPINION = 0.5;

/** Picks one of the chart's offers, which are never empty. */
type Pick = (chart: Chart, rng: Rng) => ChartOffer;

function makePolicy(kb: KnowledgeBase, name: string, reason: string, pick: Pick): Policy<StepAction, Observation> {
  let reader = new ChartReader(kb);
  let rng: Rng | null = null;
  return {
    name,
    reset: (episodeRng) => {
      reader = new ChartReader(kb);
      rng = episodeRng;
    },
    act: (observation) => {
      if (rng === null) throw new Error("reset the policy before it acts");
      const chart = reader.read(observation);
      if (chart.offers.length === 0) return { raw: "" };
      const offer = pick(chart, rng);
      reader.choose(chart, offer.payload);
      return actionOf(chart, { offer, reason, confidence: NO_OPINION });
    },
  };
}

const ofType =
  (...types: readonly ChartOffer["payload"]["type"][]) =>
  ({ payload }: ChartOffer): boolean =>
    types.includes(payload.type);

function keepOf(chart: Chart): ChartOffer {
  return chart.offers.find(ofType("KEEP_REGIMEN")) ?? chart.offers[0]!;
}

/** All candidates, equally likely. */
export function makeRandomAnyPolicy(kb: KnowledgeBase): Policy<StepAction, Observation> {
  return makePolicy(kb, "random_any", "", (chart, rng) => rng.choice(chart.offers));
}

/** KEEP at every step. */
export function makeKeepAlwaysPolicy(kb: KnowledgeBase): Policy<StepAction, Observation> {
  return makePolicy(kb, "keep_always", "The list is kept.", keepOf);
}

/** Stops whatever may be stopped, tapers what may be tapered, then keeps. */
export function makeStopAllPolicy(kb: KnowledgeBase): Policy<StepAction, Observation> {
  return makePolicy(kb, "stop_all", "Fewer drugs are better.", (chart) => {
    const legal = chart.offers.filter(({ isLegal }) => isLegal);
    return legal.find(ofType("STOP_DRUG")) ?? legal.find(ofType("START_TAPER")) ?? keepOf(chart);
  });
}

/** Asks for a review at every step; without reviews left the request is refused or has no effect. */
export function makeReviewAlwaysPolicy(kb: KnowledgeBase): Policy<StepAction, Observation> {
  return makePolicy(
    kb,
    "review_always",
    "A specialist should look at this.",
    (chart) => chart.offers.find(ofType("REQUEST_REVIEW")) ?? keepOf(chart),
  );
}
