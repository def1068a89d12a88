import { Rng, type SyncEnv } from "@praxis/env";
import { describe, expect, test } from "vitest";
import {
  ATTACKERS,
  EVALUATION_METRICS,
  evaluateEpisode,
  evaluationScenarios,
  judgeReward,
  loadPolyGuard,
  makeAttacker,
  makeHonestPolicy,
  makePolyguardPolicy,
  PERTURBATIONS,
  perturb,
  SUB_ENVIRONMENTS,
} from "../src/index.ts";
import { observationSchema } from "../src/observation/schema.ts";

const definition = loadPolyGuard({ bestJ: () => null });
const env = definition.makeEnv();
const idOf = (subEnvironment: (typeof SUB_ENVIRONMENTS)[number], n = 1): readonly string[] =>
  evaluationScenarios({ subEnvironments: [subEnvironment], split: "val", difficulty: "easy", n });

describe("scenarios of an evaluation", () => {
  test("tasks of a sub-environment take turns, seeds begin with the split's first", () => {
    expect(idOf("REGIMEN_RISK", 3)).toEqual([
      "safe_add/easy/val/100000",
      "regimen_optimisation/easy/val/100000",
      "safe_add/easy/val/100001",
    ]);
  });

  test("a split without such tasks, or with fewer seeds, is refused", () => {
    const wanted = { subEnvironments: ["PRECISION_DOSING"] as const, difficulty: "easy" as const };
    expect(() => evaluationScenarios({ ...wanted, split: "stress", n: 1 })).toThrow(/no tasks/);
    expect(() => evaluationScenarios({ ...wanted, split: "val", n: 10_001 })).toThrow(/109999/);
  });
});

describe.each(SUB_ENVIRONMENTS)("an episode of %s", (sub) => {
  test("is measured the same each time, in known metrics, each finite", async () => {
    const scenarioId = idOf(sub)[0]!;
    const policy = makePolyguardPolicy("random_legal", env as SyncEnv);
    const row = await evaluateEpisode(env as SyncEnv, policy, { scenarioId });
    expect(await evaluateEpisode(env as SyncEnv, policy, { scenarioId })).toEqual(row);
    expect(row).toMatchObject({ scenarioId, subEnvironment: sub, policy: "random_legal", perturbation: null });
    const known = EVALUATION_METRICS.filter(({ subEnvironment }) => subEnvironment === null || subEnvironment === sub);
    for (const [name, value] of Object.entries(row.metrics)) {
      expect(known.map((metric) => metric.name)).toContain(name);
      expect(Number.isFinite(value)).toBe(true);
    }
    expect(row.metrics).toMatchObject({ legality: 1, hard_violations: 0 });
    expect(row.decisions.length).toBe(row.metrics.steps);
  });
});

describe("perturbations", () => {
  const begun = env.reset({ options: { scenario_id: "ddi_risk/easy/val/100000" } }).observation;

  test.each(PERTURBATIONS)("%s leaves a valid observation of the same step and changes something", (name) => {
    const changed = perturb(begun, name, Rng.fromSeed(1));
    expect(observationSchema.parse(changed)).toEqual(changed);
    expect(changed.step_nonce).toBe(begun.step_nonce);
    expect(changed).not.toEqual(begun);
  });

  test("shuffled candidates are the same candidates", () => {
    const ids = (candidates: typeof begun.candidates): string[] => candidates.map((each) => each.candidate_id).sort();
    expect(ids(perturb(begun, "shuffle_candidates", Rng.fromSeed(2)).candidates)).toEqual(ids(begun.candidates));
  });

  test("the same stream disturbs in the same way", () => {
    for (const name of PERTURBATIONS)
      expect(perturb(begun, name, Rng.fromSeed(3))).toEqual(perturb(begun, name, Rng.fromSeed(3)));
  });

  test("a disturbed view leaves patient and rules alone: a policy that reads none of it scores the same", async () => {
    const scenarioId = idOf("DDI")[0]!;
    const policy = makeHonestPolicy(env as SyncEnv);
    const plain = await evaluateEpisode(env as SyncEnv, policy, { scenarioId });
    const disturbed = await evaluateEpisode(env as SyncEnv, policy, { scenarioId, perturbation: "drop_labs" });
    expect(disturbed.metrics).toEqual(plain.metrics);
  });
});

describe("the reward's choice", () => {
  test("trying all candidates leaves the environment as it was", () => {
    env.reset({ options: { scenario_id: "ddi_risk/medium/val/100003" } });
    const before = env.latentState();
    const choice = judgeReward(env);
    expect(env.latentState()).toBe(before);
    expect(choice.regret).toBeGreaterThanOrEqual(0);
    expect(choice.harmfulAboveKeep).toBe(0);
  });
});

describe("scripted attackers", () => {
  test("none earns more than honest play on the same scenarios", async () => {
    const ids = idOf("DDI", 5);
    const meanReturn = async (policy: ReturnType<typeof makeHonestPolicy>): Promise<number> => {
      let sum = 0;
      for (const scenarioId of ids)
        sum += (await evaluateEpisode(env as SyncEnv, policy, { scenarioId })).metrics.training_return!;
      return sum / ids.length;
    };
    const honest = await meanReturn(makeHonestPolicy(env as SyncEnv));
    for (const name of ATTACKERS)
      expect(await meanReturn(makeAttacker(name, env as SyncEnv)), name).toBeLessThan(honest);
  });
});
