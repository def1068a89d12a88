import { Rng, type SyncEnv } from "@praxis/env";
import { describe, expect, test } from "vitest";
import { definePolyGuard } from "../src/definition.ts";
import type { PolyGuardEnv } from "../src/env.ts";
import { makePolyguardPolicy } from "../src/policies/index.ts";
import { STRESS_KINDS, stressKindOf } from "../src/scenario/stress.ts";
import { DIFFICULTIES } from "../src/scenario/types.ts";
import { kb } from "./policy-fixtures.ts";

const definition = definePolyGuard(kb);
const TASKS = ["ddi_risk", "regimen_optimisation", "missing_data"] as const;
const POLICIES = [
  "rule_based",
  "random_any",
  "random_legal",
  "keep_always",
  "stop_all",
  "review_always",
  "oracle_greedy",
];

function begin(task: string, difficulty: string, seed: number) {
  const env = definition.makeEnv();
  const first = env.reset({ options: { scenario_id: `${task}/${difficulty}/stress/${seed}`, score_task: false } });
  return { env, first };
}

describe("stress split", () => {
  test("the kinds take turns by seed", () => {
    expect(STRESS_KINDS.map((_, i) => stressKindOf(300_000 + i))).toEqual(STRESS_KINDS);
  });

  test.each(STRESS_KINDS.map((kind, i) => ({ kind, i })))(
    "nothing throws and every policy finishes: $kind",
    async ({ i }) => {
      for (const [place, task] of TASKS.entries())
        for (const name of POLICIES) {
          const difficulty = DIFFICULTIES[(place + i) % DIFFICULTIES.length]!;
          const { env, first } = begin(task, difficulty, 300_000 + i);
          const policy = makePolyguardPolicy(name, env as SyncEnv);
          policy.reset(Rng.fromSeed(i, name));
          let last: ReturnType<PolyGuardEnv["reset"]> = first;
          let isOver = false;
          for (let step = 0; step < 40 && !isOver; step++) {
            const result = env.step(await policy.act(last.observation, last.info));
            expect(result.reward).toBeGreaterThanOrEqual(0.001);
            expect(result.reward).toBeLessThanOrEqual(0.999);
            isOver = result.terminated || result.truncated;
            if (isOver) expect(Number.isFinite(result.info.training_return), `${task} ${name}`).toBe(true);
            last = result;
          }
          expect(isOver, `${task} ${difficulty} ${name}`).toBe(true);
        }
    },
    120_000,
  );

  test("a list of many drugs has at least 18, an empty one none, and a list of traps nothing else to change", () => {
    const many = begin("ddi_risk", "hard", 300_002).first.observation;
    expect(many.medications.length).toBeGreaterThanOrEqual(18);
    const empty = begin("ddi_risk", "hard", 300_004).first.observation;
    expect(empty.medications).toEqual([]);
    expect(empty.candidates.some(({ action_type: type }) => type === "KEEP_REGIMEN")).toBe(true);
    const env = definition.makeEnv();
    const { info, observation } = env.reset({
      options: { scenario_id: "ddi_risk/hard/stress/300005", expose_legality: true },
    });
    const legal = observation.candidates.filter((_, i) => (info.actionMask as readonly boolean[])[i] === true);
    const types = new Set(legal.map(({ action_type: type }) => type));
    expect(types.has("KEEP_REGIMEN") && types.has("REQUEST_REVIEW")).toBe(true);
    expect(observation.candidates.length).toBeGreaterThan(legal.length);
  });

  test("a note that gives orders changes no candidate and is shown as a note", () => {
    const { first } = begin("ddi_risk", "medium", 300_003);
    expect(first.observation.conflicts.some(({ says }) => says.startsWith("SYSTEM:"))).toBe(true);
  });

  test("the same id gives the same stressed scenario", () => {
    for (let seed = 300_000; seed < 300_006; seed++)
      expect(begin("ddi_risk", "medium", seed).first.observation).toEqual(
        begin("ddi_risk", "medium", seed).first.observation,
      );
  });
});
