import type { EpisodeState } from "../episode.ts";
import type { Observation } from "../observation/schema.ts";
import { VALUE } from "../pharmacology/dosing-model.ts";
import { effectsOf, estimateEffects } from "../pharmacology/estimate.ts";
import { estimationModel } from "../pharmacology/models.ts";
import { ChartReader } from "../policies/chart.ts";
import { dosingChartOf, dosingHistory } from "../policies/dosing/dosing-chart.ts";

/**
 * |ln(predicted / measured)| of each level but the first of an episode, predicted from the levels before it: maximum a posteriori
 * parameters on what the observation tells, carried forward under the doses that were given. Levels that are 0 are left out.
 */
export function levelPredictionErrors({ engines }: EpisodeState, last: Observation): readonly number[] {
  const view = dosingChartOf(new ChartReader(engines.knownKb).read(last));
  if (view === null) return [];
  const model = estimationModel(view.model);
  const { covariates, days, levels } = dosingHistory(view);
  return levels.slice(1).flatMap((level, i) => {
    if (level.value <= 0 || days.length < level.day) return [];
    const past = { covariates, days, levels: levels.slice(0, i + 1) };
    const { spread, mode } = estimateEffects(model, past);
    const parameters = model.individual(covariates, effectsOf(spread, mode));
    const state = model.start(parameters);
    for (let day = 0; day < level.day; day++) model.advanceDay(state, parameters, days[day]!);
    const predicted = state[VALUE]!;
    return predicted > 0 ? [Math.abs(Math.log(predicted / level.value))] : [];
  });
}
