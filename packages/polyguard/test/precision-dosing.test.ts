import { checkEnv } from "@praxis/env";
import { describe, expect, test } from "vitest";
import { isWithinStepLimit } from "../src/actions/dose-limits.ts";
import { isLegalPayload } from "../src/actions/legality.ts";
import { CourseEvaluator } from "../src/course/evaluator.ts";
import { actionFor, definePolyGuard } from "../src/definition.ts";
import { drugAt } from "../src/kb/lookup.ts";
import type { Observation } from "../src/observation/schema.ts";
import { latentEpisode } from "../src/policies/latent-episode.ts";
import { asModel } from "../src/sub-environments/precision-dosing/content.ts";
import { precisionDosing } from "../src/sub-environments/precision-dosing/index.ts";
import { shareMended, wrongDoses } from "../src/sub-environments/precision-dosing/renal-case.ts";
import { definitionFor, playEpisode } from "./sub-environment-fixtures.ts";
import { kb } from "./world-fixtures.ts";

const evaluator = new CourseEvaluator(kb);
const definition = definePolyGuard(kb);
const TIERS = ["easy", "medium", "hard"] as const;
type Tier = (typeof TIERS)[number];

const draw = (difficulty: Tier, seed: number) =>
  precisionDosing.draw({ kb, evaluator }, { task: "precision_dosing", difficulty, split: "train", seed });
const options = (difficulty: Tier) => ({ sub_environment: "PRECISION_DOSING", difficulty });
/** Seed of medium whose drug is that of the table's number. */
const mediumSeed = (drug: number, patient = 0): number => 2 * (7 * patient + drug);
const offer = (observation: Observation, type: string): Observation["candidates"][number] =>
  observation.candidates.find((each) => each.action_type === type)!;
const scoreOf = (policy: string, seed: number, difficulty: Tier): number =>
  Number(playEpisode(policy, seed, options(difficulty)).info.task_score);
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

describe("contract", () => {
  test.each(TIERS)(
    "every check of the environment contract holds at %s",
    async (difficulty) => {
      const checks = await checkEnv(definitionFor("PRECISION_DOSING", difficulty), { steps: 30 });
      expect(checks.filter((check) => !check.ok)).toEqual([]);
    },
    240_000,
  );

  test("equal seeds give equal episodes", () => {
    for (const [seed, difficulty] of [
      [4, "medium"],
      [5, "medium"],
      [3, "easy"],
    ] as const) {
      const [first, second] = [1, 2].map(() => playEpisode("map_planner", seed, options(difficulty)));
      expect(second!.observations).toEqual(first!.observations);
      expect(second!.info).toEqual(first!.info);
    }
  });
});

describe("scenarios of drugs dosed by level", () => {
  test("the seven drugs come in turn, each started today for its indication with the label dose", () => {
    const drugs = new Set<string>();
    for (let seed = 0; seed < 7; seed++) {
      const { scenario, content } = draw("easy", seed);
      if (content.kind !== "model") throw new Error("easy has dosing models only");
      drugs.add(content.model.drugId);
      const medication = scenario.initial.medications.find(({ medRef }) => medRef === content.medRef)!;
      expect(Math.abs(medication.startDay)).toBe(0);
      expect(drugAt(kb, medication.drugIndex).indications).toContain(medication.indication);
      expect(scenario.initial.conditions.map(({ code }) => code)).toContain(medication.indication);
      expect(scenario.stepDays).toBe(content.model.stepDays);
      expect(scenario.mask.values[content.model.levelCode]).toBeUndefined();
    }
    expect(drugs.size).toBe(7);
  });

  test("half of the medium and hard scenarios are in renal-dose mode, none of the easy ones", () => {
    const kinds = (difficulty: Tier) => [0, 1, 2, 3].map((seed) => draw(difficulty, seed).content.kind);
    expect(kinds("medium")).toEqual(["model", "renal", "model", "renal"]);
    expect(kinds("hard")).toEqual(["model", "renal", "model", "renal"]);
    expect(kinds("easy")).toEqual(["model", "model", "model", "model"]);
  }, 120_000);

  test("known clearance is wrong by a quarter in some patients and right in most", () => {
    const ratios = Array.from({ length: 60 }, (_, i) => {
      const { scenario } = draw("easy", i);
      return scenario.initial.physiology.serumCreatinineMgPerDl / scenario.mask.values.CREAT!.value;
    });
    const isRight = (ratio: number): boolean => Math.abs(ratio - 1) < 0.02;
    expect(ratios.filter(isRight).length).toBeGreaterThan(40);
    expect(ratios.some((ratio) => !isRight(ratio))).toBe(true);
    for (const ratio of ratios)
      expect([0.75, 1, 1.25].some((expected) => Math.abs(ratio / expected - 1) < 0.02)).toBe(true);
  });

  test("random effects grow with the tier", () => {
    const spreadOf = (difficulty: Tier): number => {
      const etas = Array.from({ length: 35 }, (_, i) => draw(difficulty, 2 * i).content).flatMap((content) =>
        content.kind === "model"
          ? content.eta.map((eta, k) => (eta / content.model.spread(content.covariates)[k]!) ** 2)
          : [],
      );
      return Math.sqrt(mean(etas));
    };
    expect(spreadOf("easy")).toBeLessThan(0.8);
    expect(spreadOf("hard")).toBeGreaterThan(1.05);
  });

  test("what is shown of the patient behind the drug are levels only", () => {
    const { observations } = playEpisode("keep_always", mediumSeed(2), options("medium"));
    const block = observations.at(-1)!.dosing!;
    expect(Object.keys(block).sort()).toEqual([
      "doses",
      "drug_id",
      "genotype",
      "level_code",
      "level_included",
      "levels",
      "med_ref",
      "step_days",
      "target",
      "unit",
    ]);
    expect(block.genotype).toBeNull();
  });
});

describe("levels", () => {
  test("easy and medium include one at the end of each step, with the assay's error around the true value", () => {
    const env = definition.makeEnv();
    let { observation } = env.reset({ seed: mediumSeed(5), options: options("medium") });
    const errors: number[] = [];
    for (;;) {
      const result = env.step(actionFor(observation, offer(observation, "KEEP_REGIMEN"), { confidence: 0.5 }));
      observation = result.observation;
      const { levels } = observation.dosing!;
      const { special, content } = asModel(latentEpisode(env))!;
      errors.push((levels.at(-1)!.value / special.state[0]! - 1) / content.model.assayCv);
      expect(observation.labs.LI_LEVEL).toMatchObject({ value: levels.at(-1)!.value, age_days: 0 });
      if (result.terminated) break;
    }
    expect(errors).toHaveLength(14);
    expect(Math.max(...errors.map(Math.abs))).toBeLessThan(4);
    expect(Math.max(...errors.map(Math.abs))).toBeGreaterThan(0.3);
  });

  test("hard shows none until it is ordered; the order takes a day and leaves the visit open", () => {
    const env = definition.makeEnv();
    let { observation } = env.reset({ seed: 10, options: options("hard") });
    observation = env.step(actionFor(observation, offer(observation, "KEEP_REGIMEN"), { confidence: 0.5 })).observation;
    expect(observation.dosing!.levels).toEqual([]);
    const { day } = observation.course;
    const order = observation.candidates.find(
      (each) => each.action_type === "ORDER_MONITORING" && each.orders?.[0] === observation.dosing!.level_code,
    )!;
    observation = env.step(actionFor(observation, order, { confidence: 0.5 })).observation;
    expect(observation.course.day).toBe(day + 1);
    expect(observation.dosing!.levels).toHaveLength(1);
  });

  test("a genotype is known once it was ordered", () => {
    const env = definition.makeEnv();
    let { observation } = env.reset({ seed: mediumSeed(2), options: options("medium") });
    const order = observation.candidates.find((each) => each.orders?.[0] === "GENOTYPE")!;
    observation = env.step(actionFor(observation, order, { confidence: 0.5 })).observation;
    const { covariates } = asModel(latentEpisode(env))!.content;
    expect(observation.dosing!.genotype).toEqual({
      cyp2c9: covariates.genotype!.cyp2c9,
      vkorc1: covariates.genotype!.vkorc1,
    });
    expect(observation.candidates.some((each) => each.orders?.[0] === "GENOTYPE")).toBe(false);
  });
});

describe("actions", () => {
  test("offered doses are legal changes inside the step limit; before the first level none is higher", () => {
    for (let drug = 0; drug < 7; drug++) {
      const env = definition.makeEnv();
      let { observation } = env.reset({ seed: mediumSeed(drug), options: options("medium") });
      for (let step = 0; step < 3; step++) {
        const { legality, offered } = latentEpisode(env);
        const { med_ref: medRef } = observation.dosing!;
        const medication = legality.byRef.get(medRef)!;
        const changes = offered.flatMap(({ payload, source }) =>
          payload.type === "ADJUST_DOSE" && source === "dose" ? [payload] : [],
        );
        expect(changes.length).toBeGreaterThan(0);
        for (const payload of changes) {
          expect(payload.medRef).toBe(medRef);
          expect(
            isWithinStepLimit(drugAt(kb, medication.drugIndex), {
              from: medication.dosePerDay,
              to: payload.dosePerDay,
              level: medication.lastLevel?.value ?? null,
              hasCad: legality.facts.conditions.has("CAD"),
            }),
          ).toBe(true);
          if (step === 0) expect(payload.dosePerDay).toBeLessThanOrEqual(medication.dosePerDay);
        }
        expect(changes.some((payload) => isLegalPayload(legality, payload))).toBe(true);
        observation = env.step(
          actionFor(observation, offer(observation, "KEEP_REGIMEN"), { confidence: 0.5 }),
        ).observation;
      }
    }
  });

  test("a held dose lets the level fall and comes back at the next step", () => {
    const env = definition.makeEnv();
    let { observation } = env.reset({ seed: mediumSeed(1), options: options("medium") });
    observation = env.step(actionFor(observation, offer(observation, "KEEP_REGIMEN"), { confidence: 0.5 })).observation;
    const before = asModel(latentEpisode(env))!.special.state[0]!;
    observation = env.step(actionFor(observation, offer(observation, "HOLD_DOSE"), { confidence: 0.5 })).observation;
    expect(asModel(latentEpisode(env))!.special.state[0]).toBeLessThan(before);
    observation = env.step(actionFor(observation, offer(observation, "KEEP_REGIMEN"), { confidence: 0.5 })).observation;
    expect(observation.dosing!.doses.map(({ dose_per_day: dose }) => dose > 0)).toEqual([true, false, true]);
  });

  test("c7 is the expected attainment when the step ends, and a step away from the target costs .3 of it", () => {
    const env = definition.makeEnv();
    let { observation } = env.reset({ seed: mediumSeed(5), options: options("medium") });
    for (let step = 0; step < 6; step++) {
      const result = env.step(actionFor(observation, offer(observation, "KEEP_REGIMEN"), { confidence: 0.5 }));
      observation = result.observation;
      const { special } = asModel(latentEpisode(env))!;
      const c7 = (result.info.rewardComponents as Record<string, number>).dosing_quality_score!;
      expect(c7).toBeCloseTo(Math.min(0.999, Math.max(0.001, special.lastAttainment!)), 2);
    }
  });
});

describe("reward", () => {
  /** First components of two choices in the same state. */
  const componentsOf = (seed: number, pick: (observation: Observation) => Observation["candidates"][number]) => {
    const env = definition.makeEnv();
    let { observation } = env.reset({ seed, options: options("medium") });
    for (let step = 0; step < 2; step++)
      observation = env.step(
        actionFor(observation, offer(observation, "KEEP_REGIMEN"), { confidence: 0.5 }),
      ).observation;
    const { info } = env.step(actionFor(observation, pick(observation), { confidence: 0.9 }));
    return info.rewardComponents as Record<string, number>;
  };
  const highest = (observation: Observation): Observation["candidates"][number] =>
    observation.candidates
      .filter((each) => each.action_type === "ADJUST_DOSE" && each.target === observation.dosing!.med_ref)
      .reduce((most, each) => (each.dose_per_day! > most.dose_per_day! ? each : most));

  test("far below the target a raise is rewarded in c6, c8 and c13, and waiting is not", () => {
    const low = Array.from({ length: 30 }, (_, patient) => mediumSeed(0, patient)).find((seed) => {
      const { observations } = playEpisode("keep_always", seed, options("medium"));
      const { levels } = observations.at(-1)!.dosing!;
      return levels.at(-1)!.value < 200;
    })!;
    const raise = componentsOf(low, highest);
    const wait = componentsOf(low, (observation) => offer(observation, "KEEP_REGIMEN"));
    expect(raise.abstention_quality_score).toBeGreaterThan(0.9);
    expect(wait.abstention_quality_score).toBe(0.1);
    expect(raise.disease_stability_score).toBeGreaterThan(wait.disease_stability_score!);
    expect(raise.uncertainty_calibration_score).toBeGreaterThan(wait.uncertainty_calibration_score!);
  });

  test("honest dosing earns a higher return than keeping, reviewing and chance", () => {
    const seeds = Array.from({ length: 14 }, (_, i) => 2 * i);
    const returnOf = (policy: string): number =>
      mean(seeds.map((seed) => Number(playEpisode(policy, seed, options("medium")).info.training_return)));
    const honest = returnOf("rule_based");
    for (const other of ["keep_always", "review_always", "random_legal"])
      expect(honest - returnOf(other)).toBeGreaterThan(0.1);
  }, 240_000);
});

describe("task score and success", () => {
  test("the score is the attainment averaged over the days", () => {
    const env = definition.makeEnv();
    let { observation } = env.reset({ seed: mediumSeed(0), options: options("medium") });
    let sum = 0;
    for (;;) {
      const result = env.step(actionFor(observation, offer(observation, "KEEP_REGIMEN"), { confidence: 0.5 }));
      observation = result.observation;
      // Steps of vancomycin are a day long.
      sum += asModel(latentEpisode(env))!.special.lastAttainment!;
      if (!result.terminated) continue;
      expect(result.info.task_score).toBeCloseTo(sum / 14, 9);
      break;
    }
  });

  test("to finish at once is judged as keeping the dose to the end", () => {
    for (const drug of [0, 3, 6]) {
      const env = definition.makeEnv();
      const { observation } = env.reset({ seed: mediumSeed(drug), options: options("medium") });
      const { info } = env.step(actionFor(observation, offer(observation, "FINISH"), { confidence: 0.5 }));
      expect(Math.abs(Number(info.task_score) - scoreOf("keep_always", mediumSeed(drug), "medium"))).toBeLessThan(0.08);
    }
  });

  test("success needs the target at the last two assessments and no toxic value before", () => {
    for (let drug = 0; drug < 7; drug++) {
      const env = definition.makeEnv();
      let { observation } = env.reset({ seed: mediumSeed(drug, 1), options: options("medium") });
      let ends: number[] = [];
      for (;;) {
        const result = env.step(actionFor(observation, offer(observation, "KEEP_REGIMEN"), { confidence: 0.5 }));
        observation = result.observation;
        const { special } = asModel(latentEpisode(env))!;
        ends = [...ends, special.lastAttainment!];
        if (!result.terminated) continue;
        const isOnTarget = ends.slice(-2).every((u) => u === 1);
        expect(result.info.success).toBe(isOnTarget && !special.wasToxic);
        break;
      }
    }
  });
});

describe("renal-dose mode", () => {
  test("each hazard shows as a wrong dose under an old creatinine", () => {
    for (const seed of [1, 3, 5, 7]) {
      const { scenario } = draw("medium", seed);
      expect(wrongDoses(kb, scenario, scenario.initial)).toBeGreaterThanOrEqual(scenario.hazards.length);
      expect(scenario.mask.values.CREAT!.measuredDay).toBeLessThanOrEqual(-100);
      expect(shareMended(kb, scenario, scenario.initial)).toBe(0);
    }
  });

  test("stopping everything mends nothing", () => {
    const { scenario } = draw("medium", 1);
    expect(shareMended(kb, scenario, { ...scenario.initial, medications: [] })).toBe(0);
  });
});

describe("policies", () => {
  /** Both modes; the models in turn. */
  const SEEDS = Array.from({ length: 28 }, (_, i) => i);

  test("the rules beat keeping, stopping, reviewing and chance on the task score", () => {
    const score = (policy: string): number => mean(SEEDS.map((seed) => scoreOf(policy, seed, "medium")));
    const rules = score("rule_based");
    for (const other of ["random_legal", "keep_always", "stop_all", "review_always"])
      expect(rules - score(other)).toBeGreaterThan(0.15);
  }, 300_000);

  test("the planner on estimated parameters beats the rules, and the oracle bounds both", () => {
    const seeds = Array.from({ length: 14 }, (_, i) => 2 * i);
    const score = (policy: string): number => mean(seeds.map((seed) => scoreOf(policy, seed, "medium")));
    const [rules, planner, oracle] = ["rule_based", "map_planner", "oracle_lookahead"].map(score);
    expect(planner! - rules!).toBeGreaterThan(0.01);
    expect(oracle!).toBeGreaterThan(planner! - 0.005);
  }, 300_000);

  test.each([
    "random_legal",
    "random_any",
    "keep_always",
    "stop_all",
    "review_always",
    "rule_based",
    "map_planner",
    "oracle_lookahead",
  ])(
    "%s plays both modes of each tier to the end",
    (policy) => {
      for (const difficulty of TIERS)
        for (const seed of [12, 13]) {
          const { info } = playEpisode(policy, seed, options(difficulty));
          expect(Number(info.task_score)).toBeGreaterThanOrEqual(0);
          expect(Number(info.task_score)).toBeLessThanOrEqual(1);
        }
    },
    60_000,
  );

  test("the planner never picks what the verifier refuses", () => {
    for (let drug = 0; drug < 7; drug++) {
      const { info } = playEpisode("map_planner", mediumSeed(drug, 2), options("medium"));
      expect(info.invalid_action_count).toBe(0);
    }
  });
});
