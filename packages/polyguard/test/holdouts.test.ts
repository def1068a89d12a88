import { describe, expect, test } from "vitest";
import { CourseEvaluator } from "../src/course/evaluator.ts";
import { heldOutCombinations } from "../src/scenario/held-out-combinations.ts";
import { brokenHoldouts } from "../src/scenario/holdout-audit.ts";
import { CATALOGUE, type ScenarioKey } from "../src/scenario/key.ts";
import { isHeldOutCombination, SPLIT_SEEDS } from "../src/scenario/splits.ts";
import { TASK_FAMILIES } from "../src/scenario/task-families.ts";
import { DIFFICULTIES, type Scenario, SPLITS } from "../src/scenario/types.ts";
import { SUB_ENVIRONMENT_TABLE } from "../src/sub-environments/index.ts";
import { kb } from "./policy-fixtures.ts";

const evaluator = new CourseEvaluator(kb);
// The mining task has neither a regimen nor hazard families.
const TASKS = CATALOGUE.filter(({ task }) => task !== "dangerous_combinations");

function draw(key: ScenarioKey): Scenario {
  const { subEnvironment } = CATALOGUE.find(({ task }) => task === key.task)!;
  return SUB_ENVIRONMENT_TABLE[subEnvironment]!.draw({ kb, evaluator }, key).scenario;
}

describe("holdouts", () => {
  test.each(TASKS)("no train scenario of $task touches what is held out", ({ task }) => {
    for (const difficulty of DIFFICULTIES)
      for (let seed = 300; seed < 305; seed++) {
        const scenario = draw({ task, difficulty, split: "train", seed });
        expect(brokenHoldouts(kb, scenario), scenario.id).toEqual([]);
      }
  });

  test.each(TASKS)("a test split of $task touches nothing that another one stands for", ({ task }) => {
    for (const split of SPLITS.filter((name) => name.startsWith("test")))
      for (const difficulty of DIFFICULTIES) {
        const scenario = draw({ task, difficulty, split, seed: SPLIT_SEEDS[split][0] + 7 });
        expect(brokenHoldouts(kb, scenario), scenario.id).toEqual([]);
      }
  });

  test("the audit finds a held-out family, drug, rule and combination where they must not be", () => {
    const names = { test_template: "family", test_drug: "drug", test_pair: "rule", test_combo: "combination" } as const;
    for (const split of ["test_template", "test_drug", "test_pair", "test_combo"] as const) {
      const scenario = draw({ task: "ddi_risk", difficulty: "medium", split, seed: 200_001 });
      const [first] = brokenHoldouts(kb, { ...scenario, split: "train" });
      expect(first, split).toContain(`held_out_${names[split]}:`);
    }
  });

  test("held-out combinations are sets of that size whose hash says so", () => {
    const pairs = heldOutCombinations(TASK_FAMILIES.ddi_risk, 2)!;
    expect(pairs.length).toBeGreaterThan(5);
    for (const pair of pairs) {
      expect(new Set(pair).size).toBe(2);
      expect(isHeldOutCombination(pair)).toBe(true);
    }
    expect(heldOutCombinations(TASK_FAMILIES.ddi_risk, 4)).toBeNull();
  });
});
