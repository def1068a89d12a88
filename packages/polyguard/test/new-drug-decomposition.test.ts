import { checkEnv, Rng } from "@praxis/env";
import { describe, expect, test } from "vitest";
import { CourseEvaluator } from "../src/course/evaluator.ts";
import { actionFor, definePolyGuard } from "../src/definition.ts";
import type { PolyGuardEnv } from "../src/env.ts";
import { exposureRatio } from "../src/new-drug/exposure.ts";
import { planPercent } from "../src/new-drug/plan.ts";
import type { Observation } from "../src/observation/schema.ts";
import { makePolyguardPolicy } from "../src/policies/index.ts";
import { scoreEpisode } from "../src/score-episode.ts";
import type { NewDrugContent } from "../src/sub-environments/new-drug-decomposition/draw.ts";
import { factFromWire, factToWire } from "../src/sub-environments/new-drug-decomposition/facts-wire.ts";
import { type NewDrugProgress, newDrugDecomposition } from "../src/sub-environments/new-drug-decomposition/index.ts";
import { definitionFor, playEpisode } from "./sub-environment-fixtures.ts";
import { kb } from "./world-fixtures.ts";

const evaluator = new CourseEvaluator(kb);
const TIERS = ["easy", "medium", "hard"] as const;
const definition = definePolyGuard(kb);

function draw(seed: number, difficulty: (typeof TIERS)[number] = "medium") {
  return newDrugDecomposition.draw({ kb, evaluator }, { task: "new_drug", difficulty, split: "train", seed });
}

const contentOf = (env: PolyGuardEnv): NewDrugContent => env.latentState()!.content as NewDrugContent;
const progressOf = (env: PolyGuardEnv): NewDrugProgress => env.latentState()!.special as NewDrugProgress;

function reset(env: PolyGuardEnv, fits: (content: NewDrugContent) => boolean = () => true): Observation {
  for (let seed = 0; seed < 80; seed++) {
    const { observation } = env.reset({ options: { scenario_id: `new_drug/easy/train/${seed}` } });
    if (fits(contentOf(env))) return observation;
  }
  throw new Error("no scenario fits");
}

function step(env: PolyGuardEnv, observation: Observation, type: string, more: Record<string, unknown> = {}) {
  const wire = observation.candidates.find(({ action_type: each }) => each === type)!;
  return env.step({ ...actionFor(observation, wire, { confidence: 0.5, rationale: "as planned" }), ...more } as never);
}

function decompose(env: PolyGuardEnv, observation: Observation, decomposition: Record<string, number>, plan: string) {
  return env.step({
    schema_version: "1.0",
    step_nonce: observation.step_nonce,
    candidate_id: "c_decompose",
    action_type: "DECOMPOSE_NEW_DRUG",
    decomposition,
    plan,
    rationale: "judged",
    evidence_ids: [],
    confidence: 0.5,
  } as never);
}

const isStarted = ({ bestPlan }: NewDrugContent): boolean => bestPlan !== "none";

describe("scenarios", () => {
  test("the same key gives an equal scenario and drug", () => {
    expect(draw(3)).toEqual(draw(3));
    expect(draw(3).content.identity).not.toEqual(draw(4).content.identity);
  });

  test("the true row carries the components, and the row that may be known none of them", () => {
    const { content, kb: tables } = draw(5);
    const known = tables!.known.drugs[content.drugIndex]!;
    const truth = tables!.truth.drugs[content.drugIndex]!;
    expect(known.drugId).toBe(content.identity.drugId);
    expect(known.substrates).toEqual([]);
    expect(known.feRenal).toBeNull();
    for (const { enzyme, fraction } of truth.substrates)
      expect(content.components.fm[enzyme as keyof typeof content.components.fm]).toBe(fraction);
    expect(truth.pgpSensitivity).toBe(content.components.pgp);
    expect(kb.drugs.some(({ drugId }) => drugId === known.drugId)).toBe(false);
  });

  test("E is the exposure model's ratio for the drug with the patient's kidneys, genotype and list", () => {
    for (let seed = 0; seed < 10; seed++) {
      const { content, scenario } = draw(seed);
      expect(content.exposure).toBe(exposureRatio(content.components, content.setting));
      expect(content.setting.patient.crClMlPerMin).toBe(scenario.initial.physiology.creatinineClearanceMlPerMin);
      expect(content.probes).toHaveLength(2);
    }
  });

  test("in most scenarios the usual dose is not the right one", () => {
    const plans = Array.from({ length: 40 }, (_, seed) => draw(seed, "easy").content.bestPlan);
    expect(plans.filter((plan) => planPercent(plan) !== 100).length).toBeGreaterThan(16);
    expect(plans.some((plan) => planPercent(plan) === 100)).toBe(true);
  });
});

describe("episodes", () => {
  test("keep the environment contract", { timeout: 180_000 }, async () => {
    const failed = (await checkEnv(definitionFor("NEW_DRUG_DECOMPOSITION", "easy"), { seed: 4 })).filter(
      ({ ok }) => !ok,
    );
    expect(failed).toEqual([]);
  });

  test("a study costs one unit and shows its fact; the same one again, or no study, tells and costs nothing", () => {
    const env = definition.makeEnv();
    const first = reset(env);
    const bought = step(env, first, "FETCH_EXTERNAL_EVIDENCE", { query: "phenotyping" }).observation;
    expect(bought.new_drug!.facts.map(({ kind }) => kind)).toEqual(["phenotyping"]);
    expect(bought.budget.evidence_left).toBe(first.budget.evidence_left - 1);
    const again = step(env, bought, "FETCH_EXTERNAL_EVIDENCE", { query: "phenotyping" }).observation;
    expect(again.new_drug!.facts).toHaveLength(1);
    const nothing = step(env, again, "FETCH_EXTERNAL_EVIDENCE", { query: "is it safe?" }).observation;
    expect(nothing.budget.evidence_left).toBe(bought.budget.evidence_left);
  });

  test("a fact that was sent is read back as it was", () => {
    const env = definition.makeEnv();
    let observation = reset(env);
    for (const query of ["class", "ddi:paroxetine", "renal"])
      observation = step(env, observation, "FETCH_EXTERNAL_EVIDENCE", { query }).observation;
    const { facts } = progressOf(env);
    expect(facts).toHaveLength(3);
    for (const fact of facts) expect(factFromWire(factToWire(fact))).toEqual(fact);
  });

  test("a plan starts the drug at its dose, two visits follow, each shows the exposure with noise", () => {
    const env = definition.makeEnv();
    const first = reset(env, isStarted);
    const content = contentOf(env);
    const started = decompose(env, first, { fe: 0.5 }, "50").observation;
    const row = started.medications.find(({ label }) => label === content.identity.name)!;
    expect(row.dose_per_day).toBe(50);
    expect(started.course.visits_left).toBe(2);
    const one = step(env, started, "KEEP_REGIMEN");
    expect(one.terminated).toBe(false);
    const two = step(env, one.observation, "KEEP_REGIMEN");
    expect(two.terminated).toBe(true);
    const { levels } = progressOf(env);
    expect(levels).toHaveLength(2);
    for (const level of levels) expect(Math.abs(Math.log(level / content.exposure))).toBeLessThan(1);
  });

  test("one correction is allowed, and the plan then counts the mean of first and last", () => {
    const env = definition.makeEnv();
    const first = reset(env, ({ bestPlan }) => bestPlan === "50");
    const started = decompose(env, first, {}, "100").observation;
    const scoreOf = (): number =>
      newDrugDecomposition.taskScore(env.latentState() as never, { j: 0, keepJ: 0, bestJ: null })!;
    const before = scoreOf();
    const wire = started.candidates.find(
      ({ action_type: type, dose_per_day: dose }) => type === "ADJUST_DOSE" && dose === 50,
    )!;
    const corrected = env.step(actionFor(started, wire, { confidence: 0.5, rationale: "lower" })).observation;
    // 100 for 50 is two steps away: 0, then (0 + 1)/2 of .4.
    expect(scoreOf() - before).toBeCloseTo(0.2, 12);
    expect(corrected.course.changes_left).toBe(0);
    const { candidates } = env.latentState()!.assessment;
    expect(candidates.some(({ candidate, isLegal }) => isLegal && candidate.payload.type === "ADJUST_DOSE")).toBe(
      false,
    );
  });

  test("the plan none ends the episode at once", () => {
    const env = definition.makeEnv();
    const result = decompose(env, reset(env), {}, "none");
    expect(result.terminated).toBe(true);
  });

  test("a decomposition outside its keys, or a second one, is illegal and changes nothing", () => {
    const env = definition.makeEnv();
    const first = reset(env, isStarted);
    const bad = decompose(env, first, { fm_CYP3A4: 0.9, fe: 0.9 }, "50");
    expect(bad.info.violations).toContainEqual(expect.objectContaining({ kind: "V01" }));
    expect(progressOf(env).decomposition).toBeNull();
    const good = decompose(env, bad.observation, { fe: 0.4 }, "50");
    const second = decompose(env, good.observation, { fe: 0.1 }, "100");
    expect(second.info.violations).toContainEqual(expect.objectContaining({ kind: "V03" }));
    expect(progressOf(env).decomposition).toEqual({ fe: 0.4 });
  });

  test("until the drug is judged a study pays more than waiting", () => {
    const rewardOf = (type: string, more: Record<string, unknown> = {}): number => {
      const env = definition.makeEnv();
      return step(env, reset(env), type, more).reward;
    };
    expect(rewardOf("FETCH_EXTERNAL_EVIDENCE", { query: "class" })).toBeGreaterThan(rewardOf("KEEP_REGIMEN"));
  });

  test("the right plan pays more than a wrong one", () => {
    const rewardOf = (planOf: (content: NewDrugContent) => string): number => {
      const env = definition.makeEnv();
      const first = reset(env, ({ bestPlan }) => bestPlan === "25");
      return decompose(env, first, {}, planOf(contentOf(env))).reward;
    };
    expect(rewardOf(({ bestPlan }) => bestPlan)).toBeGreaterThan(rewardOf(() => "100"));
  });
});

describe("policies", () => {
  test("buying every study and never judging returns less than judging", () => {
    for (let seed = 0; seed < 3; seed++) {
      const env = definition.makeEnv();
      let { observation } = env.reset({ options: { scenario_id: `new_drug/medium/train/${seed}` } });
      for (const query of ["phenotyping", "class", "renal", "qt"])
        observation = step(env, observation, "FETCH_EXTERNAL_EVIDENCE", { query }).observation;
      const left = step(env, observation, "FINISH").info.training_return as number;
      const honest = playEpisode("rule_based", seed, { scenario_id: `new_drug/medium/train/${seed}` }).info;
      expect(honest.training_return as number).toBeGreaterThan(left);
    }
  });

  test("the oracle scores 1, and success with it", () => {
    for (const tier of TIERS)
      for (let seed = 0; seed < 4; seed++) {
        const { info } = playEpisode("oracle_lookahead", seed, { scenario_id: `new_drug/${tier}/train/${seed}` });
        expect(info.task_score).toBeCloseTo(1, 9);
        expect(info.success).toBe(true);
      }
  });

  test("rule_based scores above .7 and far above random, keep_always, stop_all and review_always", {
    timeout: 240_000,
  }, async () => {
    const env = definition.makeEnv();
    const meanOf = async (name: string): Promise<number> => {
      let sum = 0;
      for (const tier of TIERS)
        for (let seed = 0; seed < 8; seed++) {
          const { taskScore } = await scoreEpisode(env as never, makePolyguardPolicy(name, env as never) as never, {
            options: { scenario_id: `new_drug/${tier}/train/${seed}` },
            rng: Rng.fromSeed(seed, name),
          });
          sum += taskScore ?? 0;
        }
      return sum / (8 * TIERS.length);
    };
    const ruled = await meanOf("rule_based");
    expect(ruled).toBeGreaterThan(0.7);
    for (const name of ["keep_always", "stop_all", "review_always", "random_legal", "random_any"])
      expect(ruled - (await meanOf(name)), name).toBeGreaterThan(0.3);
  });
});
