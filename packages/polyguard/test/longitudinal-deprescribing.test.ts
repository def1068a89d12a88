import { checkEnv, Rng } from "@praxis/env";
import { beforeAll, describe, expect, test } from "vitest";
import { applyAction } from "../src/course/apply.ts";
import { CourseEvaluator } from "../src/course/evaluator.ts";
import { actionFor, definePolyGuard } from "../src/definition.ts";
import { drugAt } from "../src/kb/lookup.ts";
import { makePolyguardPolicy } from "../src/policies/index.ts";
import type { Difficulty, Scenario } from "../src/scenario/types.ts";
import { scoreEpisode } from "../src/score-episode.ts";
import { longitudinalDeprescribing } from "../src/sub-environments/longitudinal-deprescribing/index.ts";
import { NO_PROGRESS, progressThrough } from "../src/sub-environments/longitudinal-deprescribing/progress.ts";
import { deprescribingScore } from "../src/sub-environments/longitudinal-deprescribing/score.ts";
import { recommendedOutlook, SAFE_PEAK } from "../src/sub-environments/longitudinal-deprescribing/targets.ts";
import { definitionFor, playEpisode } from "./sub-environment-fixtures.ts";
import { kb, makeWorld } from "./world-fixtures.ts";

const evaluator = new CourseEvaluator(kb);
const TIERS = ["easy", "medium", "hard"] as const;
const SEEDS = 12;

function draw(difficulty: Difficulty, seed: number): Scenario {
  return longitudinalDeprescribing.draw({ kb, evaluator }, { task: "taper_sequence", difficulty, split: "train", seed })
    .scenario;
}

describe("scenarios with targets", () => {
  const scenarios: Scenario[] = [];
  beforeAll(() => {
    for (const tier of TIERS) for (let seed = 0; seed < SEEDS; seed++) scenarios.push(draw(tier, seed));
  });

  test("name one to three targets and up to two drugs that must stay, none of them a target", () => {
    for (const { targets = [], mustStay = [], initial } of scenarios) {
      expect(targets.length).toBeGreaterThanOrEqual(1);
      expect(targets.length).toBeLessThanOrEqual(3);
      expect(mustStay.length).toBeLessThanOrEqual(2);
      for (const { medRef } of targets) {
        expect(mustStay).not.toContain(medRef);
        expect(initial.medications.map((each) => each.medRef)).toContain(medRef);
      }
    }
  });

  test("set a floor of nothing where the recommended plan ends safely in time, else of half the dose", () => {
    for (const { targets = [], initial, patient } of scenarios)
      for (const { medRef, floorDosePerDay } of targets) {
        const medication = initial.medications.find((each) => each.medRef === medRef)!;
        const outlook = recommendedOutlook(kb, patient, medication);
        const isReachable =
          outlook === null || (outlook.days <= initial.clock.stepsLeft * 14 && outlook.peak <= SAFE_PEAK);
        expect(floorDosePerDay).toBe(isReachable ? 0 : medication.dosePerDay / 2);
      }
  });

  test("say in the goal what is to come down", () => {
    for (const { targets = [], goal, initial } of scenarios)
      for (const { medRef } of targets) {
        const { drugIndex } = initial.medications.find((each) => each.medRef === medRef)!;
        expect(goal).toContain(drugAt(kb, drugIndex).genericName);
      }
  });

  test("are equal for equal keys", () => {
    expect(JSON.stringify(draw("hard", 3))).toBe(JSON.stringify(scenarios[2 * SEEDS + 3]));
  });
});

describe("progress of a taper", () => {
  const target = { medRef: "m1", floorDosePerDay: 0 };
  const { context, state } = makeWorld({
    drugs: [{ id: "lorazepam", dosePerDay: 4, indication: "ANXIETY", adaptationTauDays: 21 }],
    conditions: { ANXIETY: 0.5 },
    scenario: { targets: [target] },
  });
  const stopped = applyAction(context, state, {
    type: "STOP_DRUG",
    medRef: "m1",
    switchToDrugIndex: null,
    orders: [],
  }).state;
  const through = (world: typeof state, seed: number) =>
    progressThrough(
      { ...context, scenario: { ...context.scenario, seed } },
      world,
      { world: { ...world, clock: { ...world.clock, day: 14 } }, segments: [{ state: world, fromDay: 0, toDay: 14 }] },
      NO_PROGRESS,
    );

  test("an abrupt stop is felt as the whole effect; a dose that is kept is not felt", () => {
    expect(through(stopped, 1).progress.peaks.m1).toBeCloseTo(1, 12);
    expect(through(state, 1).progress.peaks.m1).toBeUndefined();
  });

  test("severe events come after an abrupt stop and never while the dose is kept", () => {
    let severe = 0;
    for (let seed = 0; seed < 400; seed++) {
      severe += through(stopped, seed).progress.severeEvents;
      expect(through(state, seed).progress.severeEvents).toBe(0);
    }
    // Sum over 14 days of .04 (W - .5)^2, W falling from 1 with tau 21: .0545.
    expect(severe / 400).toBeGreaterThan(0.02);
    expect(severe / 400).toBeLessThan(0.1);
  });

  test("a relapse puts the condition at its worst for 28 days and then back", () => {
    const seed = Array.from({ length: 400 }, (_, i) => i).find(
      (each) => through(stopped, each).progress.relapses.length > 0,
    )!;
    const relapsed = through(stopped, seed);
    expect(relapsed.world.conditions[0]!.severity).toBe(1);
    expect(relapsed.world.events.some(({ kind }) => kind === "relapse")).toBe(true);
    const later = { ...relapsed.world, stopped: [], clock: { ...relapsed.world.clock, day: 42 } };
    const after = progressThrough(context, relapsed.world, { world: later, segments: [] }, relapsed.progress);
    expect(after.world.conditions[0]!.severity).toBe(0.5);
    expect(after.progress.relapses).toEqual([]);
  });

  test("the score is the way down times what was not felt, less a fifth per severe event", () => {
    const half = { ...state, medications: [{ ...state.medications[0]!, dosePerDay: 2 }] };
    const at = (world: typeof state, peak: number, severeEvents = 0) =>
      deprescribingScore(context, world, { peaks: { m1: peak }, relapses: [], severeEvents });
    expect(at(state, 0)).toBe(0);
    expect(at(half, 0.2)).toBeCloseTo(0.5 * 0.8, 12);
    expect(at({ ...state, medications: [] }, 0.3)).toBeCloseTo(0.7, 12);
    expect(at({ ...state, medications: [] }, 0.3, 2)).toBeCloseTo(0.3, 12);
    expect(at({ ...state, medications: [] }, 0.9, 1)).toBe(0);
  });
});

describe("episodes", () => {
  test("keep the environment contract", async () => {
    const checks = await checkEnv(definitionFor("LONGITUDINAL_DEPRESCRIBING", "medium"), { seed: 5 });
    expect(checks.filter((check) => !check.ok)).toEqual([]);
  }, 240_000);

  test("show targets with floors, drugs that must stay and the plan that runs", () => {
    const { observations } = playEpisode("rule_based", 3, { scenario_id: "taper_sequence/hard/train/5" });
    const { targets = [] } = observations[0]!.task;
    expect(targets.length).toBeGreaterThan(0);
    const running = observations.flatMap(({ taper }) => taper).filter(({ plan }) => plan !== null);
    expect(running.length).toBeGreaterThan(0);
    expect(running.some(({ plan }) => targets.some(({ med_ref }) => med_ref === plan!.med_ref))).toBe(true);
  });

  test("a plan that is left to itself by an early FINISH counts as far as it comes by the last day", () => {
    const env = definePolyGuard(kb).makeEnv();
    let compared = 0;
    for (let seed = 0; seed < 6; seed++) {
      const { observation } = env.reset({ options: { scenario_id: `taper_sequence/easy/train/${seed}` } });
      const { assessment } = env.latentState()!;
      const start = assessment.candidates.find(
        ({ candidate, isLegal }) =>
          isLegal && candidate.source === "target" && candidate.payload.type === "START_TAPER",
      );
      if (start === undefined) continue;
      const offered = observation.candidates.find(({ candidate_id }) => candidate_id === start.candidate.id)!;
      const begun = env.step(actionFor(observation, offered, { confidence: 0.5, rationale: "taper" }));
      const { context, world, special } = env.latentState()!;
      const now = deprescribingScore(context, world, special as never);
      const finish = begun.observation.candidates.find(({ action_type }) => action_type === "FINISH")!;
      const { info } = env.step(actionFor(begun.observation, finish, { confidence: 0.5, rationale: "done" }));
      expect(info.task_score).toBeGreaterThanOrEqual(0);
      if (world.medications.some(({ taperPlan }) => taperPlan !== null)) {
        expect(info.task_score).not.toBe(now);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(0);
  });

  test("rule_based brings more down, and with less withdrawal, than keep_always, stop_all, review_always and random", async () => {
    const env = definePolyGuard(kb).makeEnv();
    const meanOf = async (name: string): Promise<number> => {
      let sum = 0;
      for (const tier of TIERS)
        for (let seed = 0; seed < 20; seed++) {
          const { taskScore } = await scoreEpisode(env as never, makePolyguardPolicy(name, env as never) as never, {
            options: { scenario_id: `taper_sequence/${tier}/train/${seed}` },
            rng: Rng.fromSeed(seed, name),
          });
          sum += taskScore ?? 0;
        }
      return sum / 60;
    };
    const ruled = await meanOf("rule_based");
    for (const name of ["keep_always", "stop_all", "review_always", "random_legal"])
      expect(ruled - (await meanOf(name)), name).toBeGreaterThan(0.05);
  }, 240_000);
});
