import { checkEnv, Rng } from "@praxis/env";
import { describe, expect, test } from "vitest";
import { CourseEvaluator } from "../src/course/evaluator.ts";
import { definePolyGuard } from "../src/definition.ts";
import { makePolyguardPolicy } from "../src/policies/index.ts";
import type { Task } from "../src/scenario/key.ts";
import type { Difficulty, Scenario } from "../src/scenario/types.ts";
import { scoreEpisode } from "../src/score-episode.ts";
import { hasOpenHit } from "../src/sub-environments/ddi/success.ts";
import { regimenRisk } from "../src/sub-environments/regimen-risk/index.ts";
import { isTherapySupplied } from "../src/sub-environments/regimen-risk/supplied.ts";
import { definitionFor, playEpisode } from "./sub-environment-fixtures.ts";
import { kb, makeWorld } from "./world-fixtures.ts";

const evaluator = new CourseEvaluator(kb);
const TIERS = ["easy", "medium", "hard"] as const;

function draw(task: Task, difficulty: Difficulty, seed: number): Scenario {
  return regimenRisk.draw({ kb, evaluator }, { task, difficulty, split: "train", seed }).scenario;
}

describe("regimen_optimisation", () => {
  test("has two to five hazards of different families, at least half of which need several visits", () => {
    for (const tier of TIERS)
      for (let seed = 0; seed < 8; seed++) {
        const { hazards } = draw("regimen_optimisation", tier, seed);
        expect(hazards.length).toBeGreaterThanOrEqual(2);
        expect(hazards.length).toBeLessThanOrEqual(5);
        expect(new Set(hazards.map(({ family }) => family)).size).toBe(hazards.length);
        expect(2 * hazards.filter(({ needsSeveralVisits }) => needsSeveralVisits).length).toBeGreaterThanOrEqual(
          hazards.length,
        );
      }
  });

  test.each([
    [0.85, 0, true],
    [0.8, 0, true],
    [0.79, 0, false],
    [1.2, 0, true],
  ])("a course that reaches %d of the best gain succeeds: %s", (share, keepJ, isEnough) => {
    const { context, state } = makeWorld({ scenario: { task: "regimen_optimisation" } });
    const at = {
      ...{ context, evaluator, content: null, special: null, world: state, memory: {} as never, segments: [] },
      hadIllegalAction: false,
      hasSevereEvent: false,
      uselessChanges: 0,
    };
    expect(regimenRisk.criteria(at, () => ({ j: keepJ + share, keepJ, bestJ: keepJ + 1 }))).toEqual([isEnough, true]);
    expect(regimenRisk.criteria(at, () => ({ j: keepJ + share, keepJ, bestJ: null }))[0]).toBe(false);
  });

  test("success is judged against the best course even if the reset does not ask for the score, unless it forbids it", () => {
    const { info } = playEpisode("keep_always", 1, { scenario_id: "regimen_optimisation/easy/train/1" });
    expect(info.best_j).not.toBeNull();
    const forbidden = playEpisode("keep_always", 1, {
      scenario_id: "regimen_optimisation/easy/train/1",
      score_task: false,
    });
    expect(forbidden.info.best_j).toBeNull();
    expect(forbidden.info.success).toBe(false);
  });
});

describe("safe_add", () => {
  const missing = { condition: "HFREF", options: ["BB"] };

  test("scenarios have no open dangerous hit and one or two missing therapies, none of them there", () => {
    for (const tier of TIERS)
      for (let seed = 0; seed < 8; seed++) {
        const scenario = draw("safe_add", tier, seed);
        const context = { kb, scenario };
        expect(hasOpenHit(context, scenario.initial)).toBe(false);
        expect([1, 2]).toContain(scenario.hazards.length);
        for (const hazard of scenario.hazards) {
          expect(hazard.missing).not.toBeNull();
          expect(isTherapySupplied(context, scenario.initial, hazard.missing!)).toBe(false);
        }
      }
  });

  test("a therapy counts within a fifth of its target dose and with its monitoring, not below and not without", () => {
    const supplied = (dosePerDay: number, orderedOn: number | null) => {
      const { context, state } = makeWorld({
        drugs: [{ id: "bisoprolol", dosePerDay, startDay: 14 }],
        conditions: { HFREF: 0.6 },
      });
      const codes = kb.drugs.find(({ drugId }) => drugId === "bisoprolol")!.monitoring;
      const orders =
        orderedOn === null ? [] : codes.map((code) => ({ code, drugIndex: null, startDay: orderedOn, endDay: null }));
      return isTherapySupplied(context, { ...state, orders }, missing);
    };
    const { state } = makeWorld({ drugs: ["bisoprolol"] });
    const target = state.medications[0]!.dosePerDay;
    expect(supplied(target, 14)).toBe(true);
    expect(supplied(0.8 * target, 0)).toBe(true);
    expect(supplied(0.7 * target, 14)).toBe(false);
    expect(supplied(target, null)).toBe(false);
    expect(supplied(target, 28)).toBe(false);
  });

  test("an order that stands for the therapy supplies it", () => {
    const { context, state } = makeWorld({ conditions: { CONSTIPATION: 0.5 } });
    const laxative = { condition: "CONSTIPATION", options: ["LAXATIVE"] };
    expect(isTherapySupplied(context, state, laxative)).toBe(false);
    const orders = [{ code: "LAXATIVE", drugIndex: null, startDay: 0, endDay: null }];
    expect(isTherapySupplied(context, { ...state, orders }, laxative)).toBe(true);
  });

  test("forbidden starts stand beside the right one", () => {
    let wrong = 0;
    for (let seed = 0; seed < 10; seed++) {
      const env = definePolyGuard(kb).makeEnv();
      env.reset({ options: { scenario_id: `safe_add/hard/train/${seed}` } });
      const { assessment } = env.latentState()!;
      wrong += assessment.candidates.filter(
        ({ candidate, isLegal }) => !isLegal && candidate.payload.type === "ADD_DRUG",
      ).length;
    }
    expect(wrong).toBeGreaterThan(5);
  });
});

describe("episodes", () => {
  test("keep the environment contract", async () => {
    const checks = await checkEnv(definitionFor("REGIMEN_RISK", "easy"), { seed: 5 });
    expect(checks.filter((check) => !check.ok)).toEqual([]);
  }, 240_000);

  test.each(["regimen_optimisation", "safe_add"])(
    "rule_based gains more in %s than keep_always, stop_all, review_always and random",
    async (task) => {
      const env = definePolyGuard(kb).makeEnv();
      const meanOf = async (name: string): Promise<number> => {
        let sum = 0;
        for (const tier of TIERS)
          for (let seed = 0; seed < 8; seed++) {
            const { taskScore } = await scoreEpisode(env as never, makePolyguardPolicy(name, env as never) as never, {
              options: { scenario_id: `${task}/${tier}/train/${seed}` },
              rng: Rng.fromSeed(seed, name),
            });
            sum += taskScore ?? 0;
          }
        return sum / (8 * TIERS.length);
      };
      const ruled = await meanOf("rule_based");
      for (const name of ["keep_always", "stop_all", "review_always", "random_legal"])
        expect(ruled - (await meanOf(name)), name).toBeGreaterThan(0.05);
    },
    400_000,
  );
});
