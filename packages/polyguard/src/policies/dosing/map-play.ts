import { hashText, Rng } from "@praxis/env";
import { indexOfBest, scoreDoses } from "../../pharmacology/choose-dose.ts";
import { drawEffects, estimateEffects } from "../../pharmacology/estimate.ts";
import { estimationModel } from "../../pharmacology/models.ts";
import type { PolicyRule } from "../decision.ts";
import { doseOffers, dosingChartOf, dosingHistory, factorsAhead } from "./dosing-chart.ts";
import { levelInWords } from "./proportional-play.ts";

/** Draws around the estimate that a dose is judged by. */
const DRAWS = 20;

/**
 * Estimates the patient's parameters from the levels so far (maximum a posteriori) and takes the dose with the highest attainment
 * averaged over draws around the estimate. KEEP is one of the choices.
 */
export const doseByEstimate: PolicyRule = (chart) => {
  const view = dosingChartOf(chart);
  if (view === null) return null;
  const keep = chart.offers.find(({ payload }) => payload.type === "KEEP_REGIMEN");
  if (keep === undefined) return null;
  const choices = [{ offer: keep, option: view.current }, ...doseOffers(view)];
  const model = estimationModel(view.model);
  const history = dosingHistory(view);
  const estimate = estimateEffects(model, history);
  // The same chart gives the same draws: the policy has no randomness of its own.
  const rng = Rng.fromSeed(0, hashText(JSON.stringify(view.block)));
  const scores = scoreDoses(
    {
      model,
      covariates: history.covariates,
      draws: drawEffects(estimate, DRAWS, rng),
      days: history.days,
      ahead: factorsAhead(view, model.effectDays),
    },
    choices.map(({ option }) => option),
  );
  const best = indexOfBest(scores);
  const { offer, option } = choices[best]!;
  const share = Math.round(100 * scores[best]!);
  return {
    offer,
    reason: `${levelInWords(view)}: ${best === 0 ? "the dose stays" : `change to ${option.dosePerDay} ${view.drug.doseUnit}`}, expected attainment ${share} %.`,
    confidence: Math.min(0.95, Math.max(0.5, scores[best]!)),
  };
};
