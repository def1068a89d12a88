import { withdrawalOf } from "../../course/withdrawal.ts";
import { latentEpisode } from "../latent-episode.ts";
import type { PlayTools, PolicyMaker, PolyGuardPolicy } from "../own-play.ts";
import { byTaskScore, makePlayAheadPolicy } from "../play-ahead.ts";
import { CHART_INSIGHT, type Insight } from "./outlook.ts";

/** Limits of the expected W that are tried: lower ones are felt less and take longer. */
const LIMITS = [0.15, 0.2, 0.25, 0.3, 0.4, 0.5];

/** The truth about the patient's adaptation, read from the environment that is played. */
function latentInsight({ kb, env }: PlayTools, most: number): Insight {
  const medicationOf = (medRef: string) =>
    env === null ? undefined : latentEpisode(env).world.medications.find((each) => each.medRef === medRef);
  return {
    tauDays: (chart, medication) =>
      medicationOf(medication.medRef)?.adaptationTauDays ?? CHART_INSIGHT.tauDays(chart, medication),
    withdrawal: (chart, medication) => {
      const truth = medicationOf(medication.medRef);
      return truth === undefined ? CHART_INSIGHT.withdrawal(chart, medication) : withdrawalOf(kb, truth);
    },
    most,
  };
}

/**
 * The oracle of the sub-environment: plays the episode ahead by the chart and by the truth at several limits, and follows the way
 * of the highest task score.
 * @param makeRuled the rule-based policy with an insight
 */
export function makeDeprescribingOracle(
  makeRuled: (tools: PlayTools, insight: Insight) => PolyGuardPolicy,
): PolicyMaker {
  return (tools) => {
    const insights = [CHART_INSIGHT, ...LIMITS.map((most) => latentInsight(tools, most))];
    const ways = insights.map((insight) => makeRuled(tools, insight));
    return makePlayAheadPolicy("oracle_lookahead", tools.env, ways, byTaskScore);
  };
}
