import { describe, expect, test } from "vitest";
import { CourseEvaluator } from "../src/course/evaluator.ts";
import { stopMedication } from "../src/course/regimen.ts";
import { getDrug } from "../src/kb/lookup.ts";
import { loadBundledKnowledgeBase } from "../src/kb/node.ts";
import { gainBounds } from "../src/scenario/bounds.ts";
import { HAZARD_FAMILIES } from "../src/scenario/hazard-families.ts";
import { slotDrugs } from "../src/scenario/inject.ts";
import { type ScenarioKey, scenarioId } from "../src/scenario/key.ts";
import {
  HELD_OUT_FAMILIES,
  isHeldOutCombination,
  isHeldOutDrug,
  isHeldOutRule,
  SPLIT_SEEDS,
  touchedHoldouts,
} from "../src/scenario/splits.ts";
import { TIERS } from "../src/scenario/tiers.ts";
import { DIFFICULTIES, type Difficulty, type Scenario, type Split } from "../src/scenario/types.ts";
import { ddi } from "../src/sub-environments/ddi/index.ts";
import { hasOpenHit } from "../src/sub-environments/ddi/success.ts";

const kb = loadBundledKnowledgeBase();
const evaluator = new CourseEvaluator(kb);
const HAZARDS = { easy: 1, medium: 2, hard: 3 };
const generate = (key: ScenarioKey, engine = evaluator): Scenario => ddi.draw({ kb, evaluator: engine }, key).scenario;
const cache = new Map<string, Scenario[]>();

function sample(split: Split, difficulty: Difficulty, count: number): readonly Scenario[] {
  const id = `${split}/${difficulty}/${count}`;
  let scenarios = cache.get(id);
  if (scenarios === undefined) {
    const first = SPLIT_SEEDS[split][0];
    scenarios = Array.from({ length: count }, (_, i) =>
      generate({ task: "ddi_risk", difficulty, split, seed: first + i }),
    );
    cache.set(id, scenarios);
  }
  return scenarios;
}

const drugsOf = (scenario: Scenario) => scenario.initial.medications.map((each) => kb.drugs[each.drugIndex]!);
const factsOf = (scenario: Scenario) => ({
  families: scenario.hazards.map((hazard) => hazard.family),
  ruleIds: scenario.hazards.flatMap((hazard) => hazard.ruleIds),
  drugs: drugsOf(scenario),
});

describe("scenario generator", () => {
  test("the same key gives an equal scenario, another seed another one", () => {
    const key = { task: "ddi_risk", difficulty: "medium", split: "train", seed: 7 } as const;
    const first = generate(key);
    expect(JSON.stringify(generate(key, new CourseEvaluator(kb)))).toBe(JSON.stringify(first));
    expect(JSON.stringify(generate({ ...key, seed: 8 }))).not.toBe(JSON.stringify(first));
    expect(scenarioId(key)).toBe("ddi_risk/medium/train/7");
  });

  test("a specialist disagrees about a drug of their own field", () => {
    const fields: Record<string, (atc: string, feRenal: number) => boolean> = {
      cardiologist: (atc) => atc.startsWith("C") || atc.startsWith("B01"),
      psychiatrist: (atc) => /^N0[356]/.test(atc),
      nephrologist: (_, feRenal) => feRenal >= 0.3,
      geriatrician: () => true,
    };
    const heard = new Set<string>();
    for (const scenario of sample("train", "hard", 60))
      for (const { from, says, medRef } of scenario.mask.conflicts) {
        const medication = scenario.initial.medications.find((each) => each.medRef === medRef)!;
        const drug = kb.drugs[medication.drugIndex]!;
        expect(fields[from]!(drug.atc ?? "", drug.feRenal ?? 0), says).toBe(true);
        heard.add(from);
      }
    expect(heard.size).toBe(4);
  });

  test.each(DIFFICULTIES)("a %s scenario keeps the sizes of its tier", (difficulty) => {
    const tier = TIERS[difficulty];
    for (const scenario of sample("train", difficulty, 60)) {
      expect(scenario.initial.medications.length).toBeGreaterThanOrEqual(tier.drugs[0]);
      expect(scenario.initial.medications.length).toBeLessThanOrEqual(tier.drugs[1]);
      expect(scenario.hazards).toHaveLength(HAZARDS[difficulty]);
      expect(scenario.decoys.length).toBeGreaterThanOrEqual(tier.decoys[0]);
      expect(scenario.decoys.length).toBeLessThanOrEqual(tier.decoys[1]);
      expect(scenario.mask.conflicts).toHaveLength(tier.conflicts);
      const unreconciled = scenario.initial.medications.filter((each) => each.isUnreconciled).length;
      expect(unreconciled).toBeGreaterThanOrEqual(tier.unreconciled[0]);
      expect(unreconciled).toBeLessThanOrEqual(tier.unreconciled[1]);
      expect(scenario.initial.clock).toMatchObject({
        stepsLeft: tier.steps,
        visitsLeft: tier.visits,
        changesLeft: tier.changes,
      });
    }
  });

  test.each([
    ["easy", 0.3],
    ["medium", 0.6],
    ["hard", 0.6],
  ] as const)("the share of %s hazards that need several visits is near %d", (difficulty, expected) => {
    const hazards = sample("train", difficulty, 60).flatMap((scenario) => scenario.hazards);
    const share = hazards.filter((hazard) => hazard.needsSeveralVisits).length / hazards.length;
    expect(Math.abs(share - expected)).toBeLessThan(0.25);
  });

  test("every scenario begins with an open dangerous interaction that the success criterion sees", () => {
    for (const difficulty of DIFFICULTIES)
      for (const scenario of sample("train", difficulty, 60))
        expect(hasOpenHit({ kb, scenario }, scenario.initial), scenario.id).toBe(true);
  });

  test("something can be gained, stopping everything gains at most half of it, and outside the hazards KEEP is within .010", () => {
    for (const scenario of sample("train", "medium", 60)) {
      const context = { kb, scenario };
      const focus = new Set(scenario.hazards.flatMap((hazard) => hazard.drugIndexes));
      const { best, elsewhere, stopAll } = gainBounds(context, evaluator, focus, (drug) => !isHeldOutDrug(kb, drug));
      expect(best, scenario.id).toBeGreaterThanOrEqual(0.004);
      expect(elsewhere, scenario.id).toBeLessThanOrEqual(0.01);
      expect(stopAll, scenario.id).toBeLessThanOrEqual(0.5 * best);
      const empty = scenario.initial.medications.reduce(
        (rest, each) => stopMedication(rest, each, { day: 0, reason: "agent", wasAbrupt: true }),
        scenario.initial,
      );
      expect(evaluator.valueOfState(context, empty).utility).toBeLessThan(
        evaluator.valueOfState(context, scenario.initial).utility + best,
      );
    }
  });

  test("no drug of the list is forbidden by the kidneys it is given with, and doses are on the grid's side of the limit", () => {
    for (const scenario of sample("train", "hard", 30)) {
      for (const medication of scenario.initial.medications) {
        const drug = kb.drugs[medication.drugIndex]!;
        if (drug.maxDaily !== null && !drug.isMaxPerKg)
          expect(medication.dosePerDay, drug.drugId).toBeLessThanOrEqual(drug.maxDaily);
      }
    }
  });

  test("values are missing and stale about as often as the tier says", () => {
    for (const difficulty of ["medium", "hard"] as const) {
      const tier = TIERS[difficulty];
      const shown = sample("train", difficulty, 60).map((scenario) =>
        Object.entries(scenario.mask.values).filter(([code]) => ["K", "NA", "MG", "HB", "HR"].includes(code)),
      );
      const count = shown.length * 5;
      const present = shown.flat();
      expect(Math.abs(1 - present.length / count - tier.missing)).toBeLessThan(0.08);
      const stale = present.filter(([, value]) => value.measuredDay < -14).length / present.length;
      expect(Math.abs(stale - tier.stale)).toBeLessThan(0.1);
    }
  });
});

describe("hazard families", () => {
  test("every slot of every family can be filled from the knowledge base", () => {
    for (const family of HAZARD_FAMILIES)
      for (const form of family.forms)
        for (const slot of form.slots) {
          const drugs = slotDrugs(kb, slot);
          expect(drugs.length, `${family.family} ${slot.choices.join()}`).toBeGreaterThan(0);
          if (slot.conditions.length > 0)
            expect(
              drugs.some((drug) => slot.conditions.some((code) => drug.indications.includes(code))),
              family.family,
            ).toBe(true);
        }
  });

  test("a family is instantiated with many drugs", () => {
    const drugs = new Map<string, Set<number>>();
    for (const difficulty of DIFFICULTIES)
      for (const scenario of sample("train", difficulty, 60))
        for (const hazard of scenario.hazards) {
          const set = drugs.get(hazard.family) ?? new Set();
          for (const index of hazard.drugIndexes) set.add(index);
          drugs.set(hazard.family, set);
        }
    const h06 = drugs.get("H06")!;
    expect(h06.size).toBeGreaterThanOrEqual(6);
    expect(drugs.size).toBeGreaterThanOrEqual(13);
  });
});

describe("splits", () => {
  test("holdouts are decided by hash", () => {
    expect(isHeldOutRule("DDI068")).toBe(true);
    expect(isHeldOutRule("DDI001")).toBe(false);
    expect(isHeldOutDrug(kb, getDrug(kb, "metoprolol"))).toBe(true);
    expect(isHeldOutDrug(kb, getDrug(kb, "bisoprolol"))).toBe(false);
  });

  test("a drug that is alone in its class is never held out", () => {
    expect(isHeldOutDrug(kb, getDrug(kb, "levothyroxine"))).toBe(false);
    expect(isHeldOutDrug(kb, getDrug(kb, "lithium_carbonate"))).toBe(false);
  });

  test("seed ranges are those of the splits and don't overlap", () => {
    expect(SPLIT_SEEDS.train).toEqual([0, 99_999]);
    expect(SPLIT_SEEDS.val).toEqual([100_000, 109_999]);
    expect(SPLIT_SEEDS.test_iid).toEqual([200_000, 209_999]);
  });

  test.each(DIFFICULTIES)("no %s train scenario touches a holdout", (difficulty) => {
    for (const scenario of sample("train", difficulty, 60))
      expect(touchedHoldouts(kb, factsOf(scenario)), scenario.id).toEqual([]);
  });

  test("a template that needs a held-out rule loses that form only: H02 without its supplement beside an MRA", () => {
    const withSupplement = sample("train", "hard", 60).filter((scenario) => {
      const ids = drugsOf(scenario).map((drug) => drug.drugId);
      return ids.includes("potassium_chloride") && (ids.includes("spironolactone") || ids.includes("eplerenone"));
    });
    expect(withSupplement).toEqual([]);
  });

  test("a test split holds what it is named after and nothing else that is held out", () => {
    for (const scenario of sample("test_pair", "medium", 8)) {
      expect(scenario.hazards.some((hazard) => hazard.ruleIds.some(isHeldOutRule))).toBe(true);
      expect(scenario.hazards.some((hazard) => HELD_OUT_FAMILIES.includes(hazard.family))).toBe(false);
    }
    for (const scenario of sample("test_template", "medium", 8))
      expect(scenario.hazards.some((hazard) => HELD_OUT_FAMILIES.includes(hazard.family))).toBe(true);
    for (const scenario of sample("test_drug", "medium", 8))
      expect(drugsOf(scenario).some((drug) => isHeldOutDrug(kb, drug))).toBe(true);
    for (const scenario of sample("test_combo", "easy", 8)) {
      expect(isHeldOutCombination(scenario.hazards.map((hazard) => hazard.family))).toBe(true);
      expect(drugsOf(scenario).some((drug) => isHeldOutDrug(kb, drug))).toBe(false);
    }
  });
});
