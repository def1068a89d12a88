import { ACTION_TYPES } from "../../actions/types.ts";
import type { Observation } from "../../observation/schema.ts";
import { makeBeliefRanker } from "../alternative/belief-ranking.ts";
import { estimateOption } from "../alternative/estimate.ts";
import { readOption } from "../alternative/own-play.ts";
import type { Chart } from "../chart.ts";
import type { Advice } from "./advice.ts";
import type { SceneOffer } from "./scene-offer.ts";

type Block = NonNullable<Observation["alternative"]>;

/** Places of a recommendation. */
const PLACES = 3;

/**
 * The recommendation as one candidate for each option: that option first, then the best of the others by the expected course. In
 * place of the offered one, which carries no ranking of its own.
 */
export function withRecommendations(
  chart: Chart,
  block: Block,
  advice: Advice | null,
  offers: readonly SceneOffer[],
): readonly SceneOffer[] {
  const isBare = ({ payload }: SceneOffer): boolean => payload?.type === "RECOMMEND_ALTERNATIVE";
  const bare = offers.find(isBare);
  const target = chart.legality.byRef.get(block.med_ref);
  if (bare === undefined || target === undefined || block.options.length === 0) return offers;
  const options = block.options
    .map(({ candidate_id: id, option }) => ({
      id,
      worth: estimateOption(chart.legality, target, readOption(chart.kb, option)),
    }))
    .sort((a, b) => b.worth - a.worth || (a.id < b.id ? -1 : 1));
  const best = options[0]!.worth;
  // The expected course on what is believed: dearer than the estimate, and asked for at this one step only.
  const expected = makeBeliefRanker(chart.kb)(chart, block).map(
    (key) => block.options.find(({ option }) => option === key)!.candidate_id,
  );
  const advised = advice?.payload?.type === "RECOMMEND_ALTERNATIVE" ? advice.action.ranking?.[0] : undefined;
  const recommendations = options.map(({ id, worth }): SceneOffer => {
    const own = offers.find(({ candidateId }) => candidateId === id);
    const others = expected.filter((each) => each !== id);
    const place = expected.indexOf(id);
    const ranking = [id, ...others].slice(0, PLACES);
    const values = own === undefined ? bare.row.values : withType(own.row.values, bare.row.values);
    return {
      candidateId: null,
      row: { values, targetRef: block.med_ref, replacement: own?.row.replacement ?? -1 },
      hints: {
        ...bare.hints,
        advised: Number(advised !== undefined && place === 0),
        "advised by the rules": Number(id === advised),
        "free payload": 1,
        "worth of the option": 10 * worth,
        "worth below the best option": 10 * (best - worth),
        "first by the expected course": Number(place === 0),
        "place by the expected course": 1 - place / Math.max(1, expected.length - 1),
      },
      abstains: false,
      payload: bare.payload,
      matches: (action) => action.action_type === "RECOMMEND_ALTERNATIVE" && (action.ranking?.[0] ?? advised) === id,
      act: (confidence) => ({ ...bare.act(confidence), ranking }),
    };
  });
  return [...offers.filter((offer) => !isBare(offer)), ...recommendations];
}

/** What the option would do, marked as a recommendation as well. */
function withType(option: readonly number[], recommendation: readonly number[]): readonly number[] {
  return option.map((value, i) => (i < TYPES ? Math.max(value, recommendation[i]!) : value));
}

/** Action types come first in a row. */
const TYPES = ACTION_TYPES.length;
