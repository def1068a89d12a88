import { PraxisError, type SyncEnv } from "@praxis/env";
import { canonicalPayload } from "../../actions/canonical.ts";
import type { DoseOption } from "../../pharmacology/dose-options.ts";
import { bestCourse } from "../../sub-environments/precision-dosing/best-course.ts";
import { asModel } from "../../sub-environments/precision-dosing/content.ts";
import { shareMended } from "../../sub-environments/precision-dosing/renal-case.ts";
import type { ChartOffer } from "../chart.ts";
import type { PolicyRule } from "../decision.ts";
import { latentEpisode } from "../latent-episode.ts";

const CONFIDENCE = 0.95;

function latentOf(env: SyncEnv | null): ReturnType<typeof latentEpisode> {
  if (env === null)
    throw new PraxisError(
      "NOT_SUPPORTED",
      "An oracle needs its environment in this process; use 'map_planner' over a wire.",
    );
  return latentEpisode(env);
}

/** Knows the patient's parameters: takes the first step of the best course that beam search finds over the steps left. */
export function makeOracleDose(env: SyncEnv | null): PolicyRule {
  return (chart) => {
    const dosing = asModel(latentOf(env));
    const keep = chart.offers.find(({ payload }) => payload.type === "KEEP_REGIMEN");
    if (dosing === null || keep === undefined) return null;
    const { content, special, context, world } = dosing;
    const choices: { readonly offer: ChartOffer; readonly option: DoseOption | null }[] = [
      { offer: keep, option: null },
    ];
    for (const offer of chart.offers) {
      const { payload, isLegal } = offer;
      if (!isLegal) continue;
      if (payload.type === "HOLD_DOSE" && payload.medRef === content.medRef)
        choices.push({ offer, option: { dosePerDay: 0, intervalH: 24 } });
      if (payload.type === "ADJUST_DOSE" && payload.medRef === content.medRef)
        choices.push({
          offer,
          option: { dosePerDay: payload.dosePerDay, intervalH: Math.round(24 / payload.dosesPerDay) },
        });
    }
    const first = bestCourse(
      context,
      content,
      special,
      world,
      choices.map(({ option }) => option),
    );
    return { offer: choices[first]!.offer, reason: "The parameters are known.", confidence: CONFIDENCE };
  };
}

/** Knows the true kidneys and doses: takes the legal change that puts most of the wrong doses right at once. */
export function makeOracleMend(env: SyncEnv | null): PolicyRule {
  return (chart) => {
    const episode = latentOf(env);
    const { context, sub, offered } = episode;
    let most = shareMended(context.kb, context.scenario, episode.world) + 1e-9;
    let best: ChartOffer | null = null;
    for (const offer of chart.offers) {
      // A held dose is back at the next visit: nothing is put right by it.
      if (!offer.isLegal || offer.payload.type === "HOLD_DOSE") continue;
      const text = canonicalPayload(offer.payload);
      const candidate = offered.find(({ canonical }) => canonical === text);
      if (candidate === undefined) continue;
      const after = sub.apply(episode, candidate.payload).applied.state;
      const share = shareMended(context.kb, context.scenario, after);
      if (share <= most) continue;
      most = share;
      best = offer;
    }
    return best === null ? null : { offer: best, reason: "The kidneys are known.", confidence: CONFIDENCE };
  };
}
