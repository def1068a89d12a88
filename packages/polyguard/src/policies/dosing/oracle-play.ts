import { PraxisError } from "@praxis/env";
import { isLegalPayload } from "../../actions/legality.ts";
import type { OfferedCandidate } from "../../actions/types.ts";
import type { EpisodeState } from "../../episode.ts";
import type { DoseOption } from "../../pharmacology/dose-options.ts";
import { shareMended } from "../../sub-environments/precision-dosing/renal-case.ts";
import { bestCourse } from "../../sub-environments/precision-dosing/best-course.ts";
import { asModel } from "../../sub-environments/precision-dosing/content.ts";
import { ChartReader } from "../chart.ts";
import { actionOf } from "../explain.ts";
import { latentEpisode } from "../latent-episode.ts";
import type { PolicyMaker } from "../own-play.ts";

/**
 * Knows the patient's parameters and the true doses and kidneys: carries out the first step of the best course found by beam
 * search, or mends the doses of a list one by one.
 */
export const oracleDosing: PolicyMaker = ({ kb, env }) => {
  let reader = new ChartReader(kb);
  return {
    name: "oracle_lookahead",
    reset: () => {
      reader = new ChartReader(kb);
    },
    act: (observation) => {
      if (env === null)
        throw new PraxisError("NOT_SUPPORTED", "An oracle needs the environment it plays in; use 'map_planner' over a wire.");
      const chart = reader.read(observation);
      const episode = latentEpisode(env);
      const { id, payload } = chooseOffer(episode);
      const wire = observation.candidates.find(({ candidate_id: candidateId }) => candidateId === id);
      if (wire === undefined) return { raw: "" };
      reader.choose(chart, payload);
      return actionOf(chart, { offer: { wire, payload, isLegal: true }, reason: "Known parameters.", confidence: 0.95 });
    },
  };
};

function chooseOffer(episode: EpisodeState): OfferedCandidate {
  const legal = episode.offered.filter(({ payload }) => isLegalPayload(episode.legality, payload));
  const keep = legal.find(({ payload }) => payload.type === "KEEP_REGIMEN")!;
  const dosing = asModel(episode);
  if (dosing === null) {
    const valueOf = ({ payload }: OfferedCandidate): number =>
      shareMended(episode.context.kb, episode.context.scenario, episode.sub.apply(episode, payload).applied.state);
    let best = keep;
    let most = valueOf(keep);
    for (const each of legal) {
      const value = valueOf(each);
      if (value <= most + 1e-9) continue;
      best = each;
      most = value;
    }
    return best;
  }
  const { content, special, context, world } = dosing;
  if (!content.isLevelIncluded && world.clock.day > 0 && special.levels.at(-1)?.day !== world.clock.day) {
    const order = legal.find(
      ({ payload }) => payload.type === "ORDER_MONITORING" && payload.orders[0] === content.model.levelCode,
    );
    if (order !== undefined) return order;
  }
  const offers = [
    { candidate: keep, option: null },
    ...legal.flatMap((candidate) => {
      const { payload } = candidate;
      if (payload.type === "HOLD_DOSE") return [{ candidate, option: { dosePerDay: 0, intervalH: 24 } }];
      if (payload.type !== "ADJUST_DOSE" || payload.medRef !== content.medRef) return [];
      return [{ candidate, option: { dosePerDay: payload.dosePerDay, intervalH: Math.round(24 / payload.dosesPerDay) } }];
    }),
  ] satisfies readonly { candidate: OfferedCandidate; option: DoseOption | null }[];
  const first = bestCourse(context, content, special, world, offers.map(({ option }) => option));
  return offers[first]!.candidate;
}
