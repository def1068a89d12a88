import { PraxisError } from "@praxis/env";
import type { TrainingSeries } from "@praxis/eval";
import { readMetrics, readRunConfig } from "@praxis/train";

/** Metrics of a training run that a report shows, with their words. */
const SHOWN: Readonly<Record<string, string>> = {
  "charts/episodic_return": "return G of an episode",
  "charts/completion_return": "return of a completion",
  "evaluation/mean_return": "return G in evaluations",
  "episodes/legality": "legality, share of legal steps",
  "episodes/exploit": "exploit rate, share of episodes",
  "episodes/success": "success, share of episodes",
};

/**
 * What training runs tell of their progress, from their `metrics.jsonl`. Throws VALIDATION_ERROR for a folder that is no run
 * or tells nothing that is shown.
 */
export function readTrainingSeries(folders: readonly string[]): readonly TrainingSeries[] {
  return folders.flatMap((folder) => {
    const { env, algorithm, seed } = readRunConfig(folder);
    const rows = readMetrics(folder);
    const series = Object.entries(SHOWN).flatMap(([metric, label]): readonly TrainingSeries[] => {
      const points = rows.flatMap((row) => {
        const value = row[metric];
        const at = row.steps ?? row.iteration;
        return value === undefined || at === undefined ? [] : [[at, value] as const];
      });
      const isBySteps = rows.some(({ steps }) => steps !== undefined);
      const xLabel = isBySteps ? "environment steps" : "iterations";
      return points.length === 0 ? [] : [{ name: `${env} ${algorithm}`, seed, metric, label, xLabel, points }];
    });
    if (series.length === 0)
      throw new PraxisError(
        "VALIDATION_ERROR",
        `--run: '${folder}' has none of ${Object.keys(SHOWN).join(", ")} in its metrics.jsonl; name the folder of a training run.`,
      );
    return series;
  });
}
