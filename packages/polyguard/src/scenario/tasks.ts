import type { TaskProvider, TaskSplit } from "@praxis/env";
import { scenarioId } from "./key.ts";
import { checkName, keyAt, type ScenarioSource, taskCount } from "./source.ts";
import { SPLITS, type Split } from "./types.ts";

/** The kind of each split as the task API names it. */
const SPLIT_TYPES: Readonly<Record<Split, TaskSplit["type"]>> = {
  train: "train",
  val: "validation",
  test_iid: "test",
  test_pair: "test",
  test_template: "test",
  test_drug: "test",
  test_combo: "test",
  stress: "test",
};

/** The task set: every entry is worked out when it is asked for. Test splits don't tell their hazard families. */
export function makeTaskProvider(source: ScenarioSource): TaskProvider {
  return {
    splits: () => SPLITS.map((name) => ({ name, type: SPLIT_TYPES[name] })),
    count: (split) => taskCount(checkName("split", split, SPLITS)),
    get: (split, index) => {
      const name = checkName("split", split, SPLITS);
      const key = keyAt(name, index);
      const { scenario } = source.get(key);
      return {
        id: scenarioId(key),
        task: key.task,
        sub_environment: scenario.subEnvironment,
        families: SPLIT_TYPES[name] === "test" ? [] : scenario.hazards.map((hazard) => hazard.family).sort(),
        difficulty: key.difficulty,
        split: name,
        seed: key.seed,
        goal: scenario.goal,
        success: scenario.successCriteria,
      };
    },
  };
}
