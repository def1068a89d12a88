import { PraxisError } from "@praxis/env";
import { CATALOGUE, scenarioId } from "../scenario/key.ts";
import { parseScenarioId, tasksOf } from "../scenario/source.ts";
import { SPLIT_SEEDS } from "../scenario/splits.ts";
import type { Difficulty, Split, SubEnvironment } from "../scenario/types.ts";

/** Which scenarios an evaluation is about. */
export interface EvaluationSet {
  readonly subEnvironments: readonly SubEnvironment[];
  readonly split: Split;
  readonly difficulty: Difficulty;
  /** Scenarios of each sub-environment. */
  readonly n: number;
}

/**
 * Ids of the first `n` scenarios of each sub-environment, its tasks in turns, seeds from the first of the split. Sub-environments
 * without a task in the split are left out; throws VALIDATION_ERROR when none is left or the split holds fewer.
 */
export function evaluationScenarios({ subEnvironments, split, difficulty, n }: EvaluationSet): readonly string[] {
  const ids = subEnvironments.flatMap((sub) => {
    const tasks = CATALOGUE.filter((entry) => entry.subEnvironment === sub && tasksOf(split).includes(entry.task));
    if (tasks.length === 0) return [];
    return Array.from({ length: n }, (_, i) =>
      scenarioId({
        task: tasks[i % tasks.length]!.task,
        difficulty,
        split,
        seed: SPLIT_SEEDS[split][0] + Math.floor(i / tasks.length),
      }),
    );
  });
  if (ids.length === 0)
    throw new PraxisError("VALIDATION_ERROR", `Split '${split}' has no tasks of ${subEnvironments.join(", ")}.`);
  for (const id of ids) parseScenarioId(id);
  return ids;
}
