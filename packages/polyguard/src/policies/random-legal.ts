import type { Policy, Rng, SyncEnv } from "@praxis/env";
import { isLegalPayload } from "../actions/legality.ts";
import type { StepAction } from "../actions/schema.ts";
import type { Observation } from "../observation/schema.ts";
import { ChartReader } from "./chart.ts";
import { actionOf } from "./explain.ts";
import { latentEpisode } from "./latent-episode.ts";

/** Legal candidates, equally likely; legality is read from the environment, as the verifier judges it. */
export function makeRandomLegalPolicy(env: SyncEnv): Policy<StepAction, Observation> {
  let rng: Rng | null = null;
  let reader: ChartReader | null = null;
  return {
    name: "random_legal",
    reset: (episodeRng) => {
      rng = episodeRng;
      reader = null;
    },
    act: (observation) => {
      if (rng === null) throw new Error("reset the policy before it acts");
      const { context, offered, legality } = latentEpisode(env);
      reader ??= new ChartReader(context.kb);
      const chart = reader.read(observation);
      const legal = offered.filter(({ payload }) => isLegalPayload(legality, payload));
      if (legal.length === 0) return { raw: "" };
      const { id, payload } = rng.choice(legal);
      const wire = observation.candidates.find(({ candidate_id: candidateId }) => candidateId === id);
      if (wire === undefined) return { raw: "" };
      reader.choose(chart, payload);
      return actionOf(chart, { offer: { wire, payload, isLegal: true }, reason: "", confidence: 0.5 });
    },
  };
}
