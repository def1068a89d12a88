import { hashText, Rng } from "@praxis/env";
import type { KnowledgeBase } from "./kb/types.ts";
import type { Observation } from "./observation/schema.ts";
import { VALUE } from "./pharmacology/dosing-model.ts";
import { drawEffects, estimateEffects } from "./pharmacology/estimate.ts";
import { estimationModel } from "./pharmacology/models.ts";
import { ChartReader } from "./policies/chart.ts";
import { dosingChartOf, dosingHistory, factorsAhead } from "./policies/dosing/dosing-chart.ts";

/** Draws around the estimate. assumption: enough for the edges of a 90 % interval to lie still. */
const DRAWS = 80;
/** Days shown beyond the present, at most. assumption: two weeks, as far as a next visit. */
const AHEAD_DAYS = 14;

/** Expected level of one day of the course, in the unit of the block. */
export interface LevelDay {
  readonly day: number;
  readonly median: number;
  /** 5th and 95th percentile over the draws. */
  readonly low: number;
  readonly high: number;
}

/**
 * What the dosing model expects of the level on each day so far and ahead on the present dose: the estimate from the levels
 * reported, with its uncertainty. On the observation alone; null where no drug is dosed by level.
 */
export function levelOutlook(kb: KnowledgeBase, observation: Observation): readonly LevelDay[] | null {
  const view = dosingChartOf(new ChartReader(kb).read(observation));
  if (view === null) return null;
  const model = estimationModel(view.model);
  const history = dosingHistory(view);
  const rng = Rng.fromSeed(0, hashText(JSON.stringify(view.block)));
  const draws = drawEffects(estimateEffects(model, history), DRAWS, rng);
  const ahead = factorsAhead(view, AHEAD_DAYS).map((factors) => ({ ...view.current, ...factors }));
  const all = [...history.days, ...ahead];
  const values = all.map(() => new Float64Array(DRAWS));
  for (const [i, draw] of draws.entries()) {
    const parameters = model.individual(history.covariates, draw);
    const state = model.start(parameters);
    for (const [at, day] of all.entries()) {
      model.advanceDay(state, parameters, day);
      values[at]![i] = state[VALUE]!;
    }
  }
  const at = (sorted: Float64Array, share: number): number => sorted[Math.round(share * (DRAWS - 1))]!;
  return values.map((unsorted, index) => {
    const sorted = unsorted.sort();
    return { day: index + 1, median: at(sorted, 0.5), low: at(sorted, 0.05), high: at(sorted, 0.95) };
  });
}
