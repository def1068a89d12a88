import { canonicalPayload } from "../actions/canonical.ts";
import type { EpisodeState } from "../episode.ts";
import { drugAt } from "../kb/lookup.ts";
import { isResolvedTopic, type MissingDataContent } from "../sub-environments/web-search-missing-data/index.ts";
import type { Topic } from "../sub-environments/web-search-missing-data/topics.ts";
import { type Chart, type ChartOffer, ChartReader } from "./chart.ts";
import { actionOf } from "./explain.ts";
import { latentEpisode } from "./latent-episode.ts";
import { makeLookaheadPlanner } from "./oracle-planners.ts";
import { makeOraclePolicy } from "./oracle-policy.ts";
import type { PolicyMaker } from "./own-play.ts";

/** Near certainty, as of all oracles. */
const CONFIDENCE = 0.95;

/** The lookahead oracle that settles every hidden topic first, each with one action: the upper end of the task score. */
export const makeResolvingOracle: PolicyMaker = ({ kb, env }) => {
  if (env === null) throw new Error("an oracle needs the environment it plays in");
  const reader = new ChartReader(kb);
  const asked = new Set<string>();
  const planned = makeOraclePolicy("oracle_lookahead", env, () => makeLookaheadPlanner());
  return {
    name: planned.name,
    reset: (rng) => {
      asked.clear();
      planned.reset(rng);
    },
    act: (observation, info) => {
      const episode = latentEpisode(env);
      const chart = reader.read(observation);
      for (const topic of (episode.content as MissingDataContent).topics) {
        if (isResolvedTopic(episode, topic)) continue;
        // A label that others contradict needs a second source.
        for (const source of ["label", "guideline"]) {
          const offer = settling(chart, episode, topic, source);
          const isDone = offer === undefined || asked.has(canonicalPayload(offer.payload));
          if (isDone) continue;
          asked.add(canonicalPayload(offer.payload));
          return actionOf(chart, { offer, reason: `${topic.name} is settled first.`, confidence: CONFIDENCE });
        }
      }
      return planned.act(observation, info);
    },
  };
};

/** The action that settles a topic, if it is offered. */
function settling(chart: Chart, episode: EpisodeState, { name, pair }: Topic, source: string): ChartOffer | undefined {
  const { kb } = chart;
  if (pair !== null || name.startsWith("renal:")) {
    const fetch = chart.offers.find(({ payload }) => payload.type === "FETCH_EXTERNAL_EVIDENCE");
    const query =
      pair === null
        ? `${drugIdOf(episode, name)} ${source} renal dose kidneys`
        : `${drugAt(kb, pair[0]).drugId} ${drugAt(kb, pair[1]).drugId} ${source} interactions`;
    return fetch === undefined || chart.known.clock.evidenceLeft < 1
      ? undefined
      : { ...fetch, payload: { type: "FETCH_EXTERNAL_EVIDENCE", query } };
  }
  const target = name.startsWith("allergy:") ? name.slice("allergy:".length) : name.replace(/^(indication|start):/, "");
  return chart.offers.find(
    ({ payload, isLegal }) =>
      isLegal &&
      ((payload.type === "RECONCILE_ITEM" && payload.target === target) ||
        (payload.type === "ORDER_MONITORING" && payload.orders.includes(name === "weight" ? "WEIGHT" : name))),
  );
}

function drugIdOf({ world }: EpisodeState, name: string): string {
  const medRef = name.slice(name.indexOf(":") + 1);
  return world.medications.find((each) => each.medRef === medRef)?.drugId ?? "";
}
