import { PraxisError } from "@praxis/env";
import { describe, expect, test } from "vitest";
import { resolveReset } from "../src/reset-options.ts";
import { keyAt, keyOfSeed, parseScenarioId, taskCount } from "../src/scenario/source.ts";

function refusal(act: () => unknown): PraxisError {
  try {
    act();
  } catch (error) {
    if (error instanceof PraxisError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("reset options", () => {
  test("without options the seed is a medium train scenario", () => {
    expect(resolveReset({}, 17).wanted).toEqual({
      kind: "scenario",
      key: { task: "ddi_risk", difficulty: "medium", split: "train", seed: 17 },
    });
  });

  test("a seed belongs to the split whose range holds it; others are folded into train", () => {
    expect(keyOfSeed(100_005, "easy")).toMatchObject({ split: "val", seed: 100_005 });
    expect(keyOfSeed(209_999, "easy")).toMatchObject({ split: "test_iid", seed: 209_999 });
    expect(keyOfSeed(4_000_000_123, "easy")).toMatchObject({ split: "train", seed: 123 });
  });

  test("a scenario id is task, tier, split and seed", () => {
    expect(parseScenarioId("ddi_risk/hard/val/100000")).toEqual({
      task: "ddi_risk",
      difficulty: "hard",
      split: "val",
      seed: 100_000,
    });
  });

  test("split and index count tasks in the order of the catalogue, then tiers, then seeds", () => {
    expect(taskCount("train")).toBe(2_700_000);
    expect(keyAt("val", 0)).toMatchObject({ task: "ddi_risk", difficulty: "easy", seed: 100_000 });
    expect(keyAt("val", 10_000)).toMatchObject({ task: "ddi_risk", difficulty: "medium", seed: 100_000 });
    expect(keyAt("val", 29_999)).toMatchObject({ task: "ddi_risk", difficulty: "hard", seed: 109_999 });
    expect(keyAt("val", 30_000)).toMatchObject({ task: "dangerous_combinations", difficulty: "easy", seed: 100_000 });
    expect(keyAt("val", 269_999)).toMatchObject({ task: "new_drug", difficulty: "hard", seed: 109_999 });
  });

  test("a split that holds something out has the tasks whose scenarios can hold it", () => {
    expect(keyAt("test_pair", 30_000)).toMatchObject({ task: "regimen_optimisation", difficulty: "easy" });
    expect(() => parseScenarioId("precision_dosing/easy/test_combo/200000")).toThrow(PraxisError);
  });

  test("a sub-environment plays its main task unless the reset names another of its own", () => {
    const taskOf = (options: Record<string, unknown>) => {
      const { wanted } = resolveReset(options, 17);
      return wanted.kind === "scenario" ? wanted.key.task : null;
    };
    expect(taskOf({ sub_environment: "REGIMEN_RISK" })).toBe("regimen_optimisation");
    expect(taskOf({ sub_environment: "REGIMEN_RISK", task: "safe_add" })).toBe("safe_add");
    expect(taskOf({ task: "taper_sequence" })).toBe("taper_sequence");
  });

  test.each([
    [{ difficulty: "medum" }, "UNKNOWN_NAME", "Did you mean 'medium'?"],
    [{ split: "trian" }, "UNKNOWN_NAME", "Did you mean 'train'?"],
    [{ sub_environment: "DDDI" }, "UNKNOWN_NAME", "Did you mean 'DDI'?"],
    [{ sub_environment: "DDI", task: "safe_add" }, "VALIDATION_ERROR", "sub_environment"],
    [{ sub_environment: "DDI", scenario_id: "safe_add/easy/train/1" }, "VALIDATION_ERROR", "sub_environment"],
    [{ task: "safe_ad" }, "UNKNOWN_NAME", "Did you mean 'safe_add'?"],
    [{ task: "new_drug", split: "test_pair" }, "VALIDATION_ERROR", "no scenarios in split"],
    [{ scenario_id: "ddi_risk/medium/train" }, "VALIDATION_ERROR", "ddi_risk/medium/train/17"],
    [{ scenario_id: "ddi_rsik/medium/train/1" }, "UNKNOWN_NAME", "ddi_risk"],
    [{ scenario_id: "ddi_risk/medium/train/100000" }, "VALIDATION_ERROR", "from 0 to 99999"],
    [{ scenario_id: "ddi_risk/medium/train/1", difficulty: "hard" }, "VALIDATION_ERROR", "difficulty"],
    [{ split: "val", index: 270_000 }, "VALIDATION_ERROR", "0 to 269999"],
    [{ index: -1 }, "VALIDATION_ERROR", "index"],
    [{ index: 0, difficulty: "hard" }, "VALIDATION_ERROR", "easy"],
    [{ expose_legality: "yes" }, "VALIDATION_ERROR", "expose_legality"],
  ])("%j is refused as %s and says what to do", (options, code, text) => {
    const error = refusal(() => resolveReset(options, 1));
    expect(error.code).toBe(code);
    expect(error.message).toContain(text);
  });

  test("a key that is not known is passed over with the nearest name", () => {
    expect(resolveReset({ dificulty: "hard" }, 1).warnings).toEqual([
      "Reset option 'dificulty' is not known and was ignored. Did you mean 'difficulty'?",
    ]);
  });
});
