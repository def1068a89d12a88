import { checkEnv, type StepResult } from "@praxis/env";
import { describe, expect, test } from "vitest";
import type { StepAction, WireAction } from "../src/actions/schema.ts";
import { definePolyGuard } from "../src/definition.ts";
import type { PolyGuardEnv } from "../src/env.ts";
import { loadBundledKnowledgeBase } from "../src/kb/node.ts";
import { type Observation, observationSchema } from "../src/observation/schema.ts";
import { meanRisk } from "../src/sub-environments/bandit-mining/risk.ts";
import { isMining, type LatentMining } from "../src/sub-environments/bandit-mining/state.ts";
import { trueFindings } from "../src/sub-environments/bandit-mining/truth.ts";
import { definitionFor, playEpisode } from "./sub-environment-fixtures.ts";

const definition = definePolyGuard(loadBundledKnowledgeBase());
const OPTIONS = { sub_environment: "BANDIT_MINING", difficulty: "easy" };

function begin(seed: number, more: Record<string, unknown> = {}) {
  const env = definition.makeEnv({});
  const { observation } = env.reset({ seed, options: { ...OPTIONS, ...more } });
  return { env, observation, task: taskOf(env), drugs: observation.bandit!.drugs };
}

function taskOf(env: PolyGuardEnv): LatentMining {
  const state = env.latentState()!;
  if (!isMining(state)) throw new Error("no mining task");
  return state;
}

function act(observation: Observation, fields: Partial<WireAction>): StepAction {
  return {
    schema_version: "1.0",
    step_nonce: observation.step_nonce,
    candidate_id: fields.action_type === "DECLARE_FINDINGS" ? "c_declare" : "c_probe",
    action_type: "PROBE_COMBINATION",
    rationale: "",
    evidence_ids: [],
    confidence: 0.5,
    ...fields,
  };
}

function componentsOf(result: StepResult<Observation>): Record<string, number> {
  return result.info.rewardComponents as Record<string, number>;
}

function probe(env: PolyGuardEnv, observation: Observation, combinations: readonly (readonly string[])[]) {
  return env.step(act(observation, { combinations: combinations.map((each) => [...each]) }));
}

describe("contract", () => {
  test("every check of the environment contract holds in BANDIT_MINING", async () => {
    const checks = await checkEnv(definitionFor("BANDIT_MINING", "easy"), { seed: 3, steps: 20 });
    expect(checks.filter((check) => !check.ok)).toEqual([]);
  }, 180_000);

  test("the observation shows drugs and budget, and the population only at first and on request", () => {
    const hidden = begin(3);
    expect(hidden.observation.bandit).toMatchObject({ population_size: 2000, probes_left: 200, probes: [] });
    expect(hidden.observation.bandit!.population).toBeUndefined();
    const { env, observation, drugs } = begin(3, { show_population: true });
    expect(observation.bandit!.population).toHaveLength(2000);
    expect(observationSchema.safeParse(observation).success).toBe(true);
    const next = probe(env, observation, [drugs.slice(0, 4)]);
    expect(next.observation.bandit!.population).toBeUndefined();
    expect(next.observation.bandit).toMatchObject({ probes_left: 199, probes: [{ combination: drugs.slice(0, 4) }] });
  });

  test("nothing latent of the task is in observation or info before the end", () => {
    const { env, observation, drugs } = begin(5);
    const result = probe(env, observation, [drugs.slice(0, 2)]);
    const text = JSON.stringify([observation, result.observation, result.info]);
    for (const key of ["patterns", "ruleIds", "risk", "means", "seed", "declared"])
      expect(text).not.toContain(`"${key}":`);
  });
});

describe("probes", () => {
  test("a batch of probes takes one step, no day, and each probe off the budget", () => {
    const { env, observation, drugs } = begin(7);
    const { observation: after } = probe(env, observation, [drugs.slice(0, 2), drugs.slice(2, 6), drugs.slice(0, 8)]);
    expect(after.step).toBe(1);
    expect(after.course.day).toBe(0);
    expect(after.bandit!.probes_left).toBe(197);
    expect(after.budget.steps_left).toBe(200);
  });

  test("probes scatter around the true risk with the noise of the tier", () => {
    const { env, observation, task, drugs } = begin(7);
    let last = observation;
    for (let i = 0; i < 12; i++)
      last = probe(env, last, new Array<readonly string[]>(16).fill(drugs.slice(0, 5))).observation;
    const values = last.bandit!.probes.map(({ rr }) => rr);
    const mean = values.reduce((sum, each) => sum + each, 0) / values.length;
    const spread = Math.sqrt(values.reduce((sum, each) => sum + (each - mean) ** 2, 0) / values.length);
    expect(mean).toBeCloseTo(meanRisk(task.content, [0, 1, 2, 3, 4]), 1);
    expect(spread).toBeGreaterThan(0.085);
    expect(spread).toBeLessThan(0.115);
  });

  test.each([
    ["an unknown drug", (drugs: readonly string[]) => [[drugs[0]!, "no_such_drug"]], "no drug 'no_such_drug'"],
    ["one drug twice", (drugs: readonly string[]) => [[drugs[0]!, drugs[0]!]], "names a drug twice"],
    ["nine drugs", (drugs: readonly string[]) => [drugs.slice(0, 9)], "2 to 8 drugs, not 9"],
  ])("a probe of %s is refused in words and changes nothing", (_what, combinationsOf, message) => {
    const { env, observation, drugs } = begin(9);
    const result = probe(env, observation, combinationsOf(drugs));
    expect(result.info.violations).toMatchObject([{ kind: "V02" }]);
    expect(JSON.stringify(result.info.violations)).toContain(message);
    expect(result.observation.bandit).toEqual(observation.bandit);
    expect(result.reward).toBeLessThanOrEqual(0.15);
  });

  test("more probes than are left are refused", () => {
    const { env, observation, drugs } = begin(9);
    let last = observation;
    for (let i = 0; i < 12; i++)
      last = probe(env, last, new Array<readonly string[]>(16).fill([drugs[i]!, drugs[i + 1]!])).observation;
    expect(last.bandit!.probes_left).toBe(8);
    const refused = probe(env, last, new Array<readonly string[]>(9).fill(drugs.slice(0, 2)));
    expect(JSON.stringify(refused.info.violations)).toContain("9 probes asked for, 8 left");
    expect(refused.observation.bandit!.probes_left).toBe(8);
  });

  test("probing what is more dangerous earns more, and the fourth probe of a combination earns no safety", () => {
    const { env, observation, task, drugs } = begin(11);
    const pattern = task.content.patterns[0]!.drugs.map((at) => drugs[at]!);
    const rewards: number[] = [];
    let last = observation;
    for (let i = 0; i < 4; i++) {
      const result = probe(env, last, [pattern]);
      rewards.push(componentsOf(result).safety_delta_score!);
      last = result.observation;
    }
    expect(rewards.slice(0, 3).every((each) => each > 0.9)).toBe(true);
    expect(rewards[3]).toBe(0.001);
  });

  test("probing again and again is no idle loop, as every probe tells something", () => {
    const { env, observation, drugs } = begin(11);
    let last = observation;
    const flags: unknown[] = [];
    for (let i = 0; i < 8; i++) {
      const result = probe(env, last, [drugs.slice(0, 3)]);
      flags.push(...(result.info.flags as unknown[]));
      last = result.observation;
    }
    expect(flags).toEqual([]);
  });
});

describe("declaration", () => {
  test("the truth ends the episode with success, task score 1 and G above one", () => {
    const { env, observation, task } = begin(13);
    const findings = [...trueFindings(task.content)];
    const result = env.step(act(observation, { action_type: "DECLARE_FINDINGS", findings, confidence: 1 }));
    expect(result.terminated).toBe(true);
    expect(result.info).toMatchObject({ terminationReason: "success", success: true, task_score: 1 });
    expect(componentsOf(result)).toMatchObject({
      safety_delta_score: 0.999,
      burden_improvement_score: 0.5,
      disease_stability_score: 0.6,
      dosing_quality_score: 0.999,
      uncertainty_calibration_score: 0.999,
    });
    expect(result.info.training_return).toBeGreaterThan(1.5);
  });

  test("G is F0.5, the mean of the reward over KEEP's, and half a unit for success", () => {
    const { env, observation, task, drugs } = begin(13);
    const first = probe(env, observation, [drugs.slice(0, 2)]);
    const findings = [...trueFindings(task.content)];
    const last = env.step(act(first.observation, { action_type: "DECLARE_FINDINGS", findings, confidence: 1 }));
    const gains = [first, last].map(({ reward, info }) => reward - (info.keep_reward as number));
    expect(last.info.training_return).toBeCloseTo(1 + (gains[0]! + gains[1]!) / 2 + 0.5, 12);
  });

  test("declaring everything is no success", () => {
    const { env, observation, drugs } = begin(13);
    const findings = drugs.flatMap((a, i) => drugs.slice(i + 1).map((b) => `${a}+${b}*`));
    const result = env.step(act(observation, { action_type: "DECLARE_FINDINGS", findings }));
    expect(result.info).toMatchObject({ terminationReason: "finished", success: false });
    expect(result.info.task_score).toBeLessThan(0.3);
  });

  test("confidence pays when the declaration is right and costs when it is wrong", () => {
    const calibrationOf = (
      findingsOf: (task: LatentMining, drugs: string[]) => string[],
      confidence: number,
    ): number => {
      const { env, observation, task, drugs } = begin(15);
      const findings = findingsOf(task, drugs);
      const result = env.step(act(observation, { action_type: "DECLARE_FINDINGS", findings, confidence }));
      return componentsOf(result).uncertainty_calibration_score!;
    };
    const right = ({ content }: LatentMining): string[] => [...trueFindings(content)];
    const nothing = (): string[] => [];
    expect(calibrationOf(right, 1)).toBeGreaterThan(calibrationOf(right, 0.5));
    expect(calibrationOf(nothing, 0)).toBeGreaterThan(calibrationOf(nothing, 1));
  });

  test("a finding that can't be read is refused and the episode goes on", () => {
    const { env, observation, drugs } = begin(15);
    const findings = [`${drugs[1]}+${drugs[0]}*`];
    const result = env.step(act(observation, { action_type: "DECLARE_FINDINGS", findings }));
    expect(result.terminated).toBe(false);
    expect(JSON.stringify(result.info.violations)).toContain("ascending order");
  });

  test("FINISH declares nothing", () => {
    const { env, observation } = begin(15);
    const finish = observation.candidates.find((each) => each.action_type === "FINISH")!;
    const result = env.step(act(observation, { candidate_id: finish.candidate_id, action_type: "FINISH" }));
    expect(result.info).toMatchObject({ terminationReason: "finished", success: false, task_score: 0 });
  });
});

describe("policies", () => {
  test("the team's structured mining beats the rules, and these beat random, keep, stop-all and review by far", () => {
    const seeds = Array.from({ length: 12 }, (_, i) => 300 + i);
    const meanOf = (name: string): number => {
      let sum = 0;
      for (const seed of seeds) sum += playEpisode(name, seed, OPTIONS).info.task_score as number;
      return sum / seeds.length;
    };
    const others = ["random_legal", "random_any", "keep_always", "stop_all", "review_always"].map(meanOf);
    const ruled = meanOf("rule_based");
    const planned = meanOf("planner_critic");
    expect(planned).toBeGreaterThan(0.95);
    expect(planned).toBeGreaterThan(ruled);
    expect(ruled).toBeGreaterThan(Math.max(...others) + 0.2);
  }, 120_000);

  test("the oracle scores 1 and every baseline plays to an end of its own", () => {
    for (const name of ["oracle_lookahead", "oracle_greedy", "closed_loop"])
      expect(playEpisode(name, 21, OPTIONS).info.task_score).toBe(1);
  });

  test("equal seeds give equal episodes", () => {
    const play = () => playEpisode("rule_based", 23, OPTIONS);
    expect(play()).toEqual(play());
  });
});
