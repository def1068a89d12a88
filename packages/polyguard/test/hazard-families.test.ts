import { describe, expect, test } from "vitest";
import { findAllergy } from "../src/actions/allergies.ts";
import { CourseEvaluator } from "../src/course/evaluator.ts";
import { findCascades } from "../src/interactions/cascades.ts";
import { usualDoseMax } from "../src/kb/dose-grid.ts";
import { drugAt } from "../src/kb/lookup.ts";
import { searchPlan } from "../src/policies/beam-search.ts";
import { PlanningModel } from "../src/policies/planning-model.ts";
import { gainBounds } from "../src/scenario/bounds.ts";
import { generateScenario } from "../src/scenario/generate.ts";
import { familiesOf, HAZARD_FAMILIES } from "../src/scenario/hazard-families.ts";
import type { ScenarioPlan } from "../src/scenario/plan.ts";
import { HELD_OUT_FAMILIES } from "../src/scenario/splits.ts";
import { TASK_FAMILIES } from "../src/scenario/task-families.ts";
import { TIERS } from "../src/scenario/tiers.ts";
import { DIFFICULTIES, type Difficulty, type Scenario } from "../src/scenario/types.ts";
import { kb } from "./policy-fixtures.ts";

const evaluator = new CourseEvaluator(kb);

function planOf(families: readonly string[], difficulty: Difficulty): ScenarioPlan {
  return {
    subEnvironment: "REGIMEN_RISK",
    goal: "",
    successCriteria: [],
    families,
    hazards: families.length === 0 ? [0, 0] : [1, 1],
    tier: { ...TIERS[difficulty], severalVisitsShare: 0.5 },
    stepDays: 14,
  };
}

/** A scenario with one hazard of that family, in a split where the family may be. */
function scenarioWith(family: string, seed: number): Scenario {
  // The only methotrexate row is a held-out drug.
  const split = HELD_OUT_FAMILIES.includes(family) ? "test_template" : family === "H18" ? "test_drug" : "train";
  const key = {
    task: "regimen_optimisation",
    difficulty: "medium",
    split,
    seed: seed + (split === "train" ? 0 : 200_000),
  } as const;
  return generateScenario({ kb, evaluator }, key, planOf([family], "medium"));
}

const namesOf = (scenario: Scenario): readonly string[] =>
  scenario.initial.medications.map(({ drugIndex }) => drugAt(kb, drugIndex).drugId);

describe("hazard families", () => {
  test("H01 to H45 are all there, in order, each with a title and a source", () => {
    const expected = Array.from({ length: 45 }, (_, i) => `H${String(i + 1).padStart(2, "0")}`);
    expect(HAZARD_FAMILIES.map(({ family }) => family)).toEqual(expected);
    for (const { title, source, forms } of HAZARD_FAMILIES) {
      expect(title.length).toBeGreaterThan(5);
      expect(source.length).toBeGreaterThan(3);
      expect(forms.length).toBeGreaterThan(0);
    }
  });

  test("a name that is no family is refused by name", () => {
    expect(() => familiesOf(["H46"])).toThrow(/H46/);
  });

  test("every task names families that exist", () => {
    for (const names of Object.values(TASK_FAMILIES)) expect(familiesOf(names)).toHaveLength(names.length);
  });

  test.each(HAZARD_FAMILIES.map(({ family }) => family))(
    "%s is injected, and the same seed gives the same one",
    (family) => {
      const scenario = scenarioWith(family, 3);
      expect(scenario.hazards.map((hazard) => hazard.family)).toEqual([family]);
      expect(JSON.stringify(scenarioWith(family, 3))).toBe(JSON.stringify(scenario));
    },
  );
});

describe("what proves a hazard", () => {
  test("a cascade's condition is brought on by the first drug, and the second was started after it", () => {
    for (const family of TASK_FAMILIES.taper_sequence.slice(1, 8)) {
      const scenario = scenarioWith(family, 11);
      const [hazard] = scenario.hazards;
      const [cause, treatment] = hazard!.drugIndexes;
      const caused = scenario.initial.conditions.filter((condition) => condition.cascade !== null);
      expect(
        caused.map((condition) => condition.cascade?.causeDrugIndex),
        family,
      ).toEqual([cause]);
      const found = findCascades(kb, scenario.initial.medications);
      expect(
        found.some((hit) => hit.rule.family === family && hit.causeIndex === cause && hit.treatmentIndex === treatment),
        family,
      ).toBe(true);
    }
  });

  test("a therapy that is missing is given by no drug of the list", () => {
    for (const family of ["H28", "H44", "UNTREATED"])
      for (let seed = 0; seed < 6; seed++) {
        const { hazards, initial } = scenarioWith(family, seed);
        const { condition, options } = hazards[0]!.missing!;
        expect(initial.conditions.some(({ code, severity }) => code === condition && severity > 0)).toBe(true);
        for (const { drugIndex } of initial.medications) {
          const drug = drugAt(kb, drugIndex);
          const gives =
            options === null
              ? drug.indications.includes(condition)
              : options.some((option) => option === drug.drugId || drug.groups.includes(option));
          expect(gives, `${condition} ${drug.drugId}`).toBe(false);
        }
      }
  });

  test("the end or change of a drug past its time, or at a wrong dose, gains at least .003", () => {
    for (const { family } of HAZARD_FAMILIES.filter(({ sign }) => sign === "gain")) {
      const scenario = scenarioWith(family, 5);
      const { byDrug } = gainBounds({ kb, scenario }, evaluator, new Set(), () => true);
      const gains = scenario.hazards[0]!.drugIndexes.map((index) => byDrug.get(index)!);
      expect(Math.max(...gains), family).toBeGreaterThanOrEqual(0.003);
    }
  });

  test("H37 puts a drug beside the list that is really taken, and tells only that there may be one", () => {
    const { initial } = scenarioWith("H37", 2);
    const unlisted = initial.medications.filter(({ isListed }) => !isListed);
    expect(unlisted).toHaveLength(1);
    expect(unlisted[0]!.isTaken).toBe(true);
    expect(initial.truthGaps.find(({ kind }) => kind === "otc_unlisted")?.medRef).toBe(unlisted[0]!.medRef);
  });

  test("H38 records an allergy that forbids its target and no other drug of the list", () => {
    const { patient, hazards, initial } = scenarioWith("H38", 1);
    const forbidden = initial.medications.filter(
      ({ drugIndex }) => findAllergy(kb, patient.allergies, drugAt(kb, drugIndex))?.bearing === "hard",
    );
    expect(forbidden.map(({ drugIndex }) => drugIndex)).toEqual(hazards[0]!.targetIndexes);
  });

  test("H43 hides that the symptom does not answer to the drug", () => {
    const { hazards, initial } = scenarioWith("H43", 1);
    const target = initial.medications.find(({ drugIndex }) => drugIndex === hazards[0]!.targetIndexes[0])!;
    expect(initial.hidden.responses[`${target.indication}:${target.drugId}`]).toBe(0.35);
  });

  test("H18 is a week's dose on every day, H35 and H13 are doses that the kidneys or the label do not allow", () => {
    const daily = scenarioWith("H18", 1);
    const methotrexate = daily.initial.medications.find(({ drugId }) => drugId === "methotrexate_oral_weekly")!;
    const drug = drugAt(kb, methotrexate.drugIndex);
    expect(methotrexate.dosePerDay).toBeGreaterThan(drug.maxDaily!);
    const metformin = scenarioWith("H13", 1);
    expect(metformin.initial.physiology.egfrMlPerMin).toBeLessThan(30);
    expect(namesOf(metformin)).toContain("metformin");
    const doac = scenarioWith("H35", 4);
    const target = doac.initial.medications.find(({ drugIndex }) => drugIndex === doac.hazards[0]!.targetIndexes[0])!;
    const { doseMin } = drugAt(kb, target.drugIndex);
    const isLow = target.dosePerDay < doseMin;
    expect(isLow || target.dosePerDay === usualDoseMax(drugAt(kb, target.drugIndex))).toBe(true);
  });

  test("a hazard that is over leaves its condition as history only", () => {
    const { initial } = scenarioWith("H34", 1);
    expect(initial.conditions.find(({ code }) => code === "PMR")?.severity).toBe(0);
  });
});

describe("scenarios without a hazard", () => {
  test.each(DIFFICULTIES)("on a %s list KEEP is within .010 of the best course", (difficulty) => {
    for (let seed = 40; seed < 48; seed++) {
      const key = { task: "new_drug", difficulty, split: "train", seed } as const;
      const drawn = generateScenario({ kb, evaluator }, key, planOf([], difficulty));
      expect(drawn.hazards).toEqual([]);
      const model = new PlanningModel(kb, { ...drawn, eventUniforms: drawn.eventUniforms.map(() => 1) });
      const { initial } = model.context.scenario;
      const gap = searchPlan(model, initial).value + model.remainingLoss(initial);
      expect(gap, drawn.id).toBeLessThanOrEqual(0.01);
    }
  });
});
