import { checkEnv, PraxisError, Rng, type StepResult } from "@praxis/env";
import { describe, expect, test } from "vitest";
import type { StepAction } from "../src/actions/schema.ts";
import { actionFor, definePolyGuard, NOTICE } from "../src/definition.ts";
import type { PolyGuardEnv } from "../src/env.ts";
import { loadBundledKnowledgeBase } from "../src/kb/node.ts";
import { type Observation, observationSchema } from "../src/observation/schema.ts";

const definition = definePolyGuard(loadBundledKnowledgeBase());

/** Plays an episode; `choose` picks one of the offered candidates. */
function play(
  env: PolyGuardEnv,
  reset: { readonly seed: number; readonly options?: Record<string, unknown>; readonly episodeId?: string },
  choose: (env: PolyGuardEnv, observation: Observation) => Observation["candidates"][number],
): { readonly results: readonly StepResult<Observation>[]; readonly first: Observation } {
  const first = env.reset(reset).observation;
  const results: StepResult<Observation>[] = [];
  let observation = first;
  for (let i = 0; i < 25; i++) {
    const result = env.step(
      actionFor(observation, choose(env, observation), { confidence: 0.8, rationale: "reviewed" }),
    );
    results.push(result);
    observation = result.observation;
    if (result.terminated || result.truncated) break;
  }
  return { results, first };
}

const keep = (_env: PolyGuardEnv, observation: Observation) => byType(observation, "KEEP_REGIMEN");

function byType(observation: Observation, type: string) {
  const found = observation.candidates.find((each) => each.action_type === type);
  if (found === undefined) throw new Error(`no ${type} offered`);
  return found;
}

/** Best legal candidate on the true state; FINISH when none gains. */
function greedy(env: PolyGuardEnv, observation: Observation) {
  const { assessment } = env.latentState()!;
  const best = assessment.candidates.filter((each) => each.isLegal).reduce((a, b) => (b.utility > a.utility ? b : a));
  if (best.utility <= assessment.keep.utility + 0.001) return byType(observation, "FINISH");
  return observation.candidates.find((each) => each.candidate_id === best.candidate.id)!;
}

describe("contract", () => {
  test("every check of the environment contract holds", async () => {
    const failed = (await checkEnv(definition, { seed: 3 })).filter((check) => !check.ok);
    expect(failed).toEqual([]);
  }, 240_000);

  test("metadata tell the notice, the reward weights and the hash of the knowledge base", () => {
    expect(definition.notice).toBe(NOTICE);
    expect(definition.metadata).toMatchObject({ notice: NOTICE, reward_weights: { total: { safety_legality: 0.4 } } });
    expect(JSON.stringify(definition.metadata)).toMatch(/"hash":"[0-9a-f]{16}"/);
  });

  test("weights that don't sum to one are refused", () => {
    const weights = {
      total: { safety_legality: 0.5, clinical_improvement: 0.25, dosing_quality: 0.15, process_integrity: 0.2 },
      channels: {},
    };
    expect(() => definePolyGuard(loadBundledKnowledgeBase(), { weights: weights as never })).toThrow(PraxisError);
  });
});

describe("determinism", () => {
  test("nonce and candidate ids depend on scenario and step, not on the episode id", () => {
    const a = definition.makeEnv().reset({ seed: 5, episodeId: "a" }).observation;
    const b = definition.makeEnv().reset({ seed: 5, episodeId: "b" }).observation;
    expect(b.step_nonce).toBe(a.step_nonce);
    expect(b.candidates).toEqual(a.candidates);
    expect(b.episode_id).toBe("b");
  });

  test("candidate ids change every step", () => {
    const env = definition.makeEnv();
    const { first, results } = play(env, { seed: 5 }, keep);
    const ids = new Set(first.candidates.map((each) => each.candidate_id));
    expect(results[0]!.observation.candidates.some((each) => ids.has(each.candidate_id))).toBe(false);
  });

  test("two environments that share the definition don't disturb each other", () => {
    const alone = play(definition.makeEnv(), { seed: 9 }, greedy).results.map((result) => result.reward);
    const x = definition.makeEnv();
    const y = definition.makeEnv();
    let ox = x.reset({ seed: 9 }).observation;
    let oy = y.reset({ seed: 10, options: { difficulty: "hard" } }).observation;
    const rewards: number[] = [];
    for (let i = 0; i < alone.length; i++) {
      const rx = x.step(actionFor(ox, greedy(x, ox), { confidence: 0.8, rationale: "reviewed" }));
      rewards.push(rx.reward);
      ox = rx.observation;
      if (!y.latentState()!.hasSevereEvent && i < 3)
        oy = y.step(actionFor(oy, byType(oy, "KEEP_REGIMEN"), { confidence: 0.5 })).observation;
    }
    expect(rewards).toEqual(alone);
  });

  test("a fork goes on exactly as the original would", () => {
    const env = definition.makeEnv();
    const start = env.reset({ seed: 12 }).observation;
    env.step(actionFor(start, byType(start, "KEEP_REGIMEN"), { confidence: 0.5 }));
    const snapshot = env.snapshot();
    const other = definition.makeEnv();
    other.restore(snapshot);
    const nonce = env.latentState()!.nonce;
    const candidate = env.latentState()!.offered.find((each) => each.payload.type === "KEEP_REGIMEN")!;
    const action: StepAction = {
      schema_version: "1.0",
      step_nonce: nonce,
      candidate_id: candidate.id,
      action_type: "KEEP_REGIMEN",
      rationale: "wait",
      evidence_ids: [],
      confidence: 0.4,
    };
    expect(other.step(action)).toEqual(env.step(action));
  });
});

describe("observation", () => {
  test("fits its schema in every tier at every step", () => {
    for (const difficulty of ["easy", "medium", "hard"]) {
      const { first, results } = play(definition.makeEnv(), { seed: 21, options: { difficulty } }, greedy);
      for (const observation of [first, ...results.map((result) => result.observation)])
        expect(observationSchema.safeParse(observation).error?.issues ?? []).toEqual([]);
    }
  });

  test("holds nothing latent: no legality, no values of candidates, no hidden values", () => {
    const env = definition.makeEnv();
    const { task: _task, ...shown } = env.reset({ seed: 21, options: { difficulty: "hard" } }).observation;
    const text = JSON.stringify(shown);
    for (const word of ["legal", "utility", "genotype", "adherence", "hidden", "hazard", "decoy", "oracle", "uniform"])
      expect(text).not.toContain(word);
  });

  test("a masked value is absent until it is ordered, then it is there with age 0", () => {
    for (let seed = 0; seed < 40; seed++) {
      const env = definition.makeEnv();
      const { observation } = env.reset({ seed });
      const order = observation.candidates.find(
        (each) => each.action_type === "ORDER_MONITORING" && each.orders?.length === 1 && each.orders[0] === "CREAT",
      );
      if (observation.organ.scr !== null || order === undefined) continue;
      expect(observation.organ.crcl).toBeNull();
      const next = env.step(actionFor(observation, order, { confidence: 0.5 })).observation;
      expect(next.organ.scr).toMatchObject({ age_days: 0, unit: "mg/dL" });
      expect(next.course.day).toBe(observation.course.day + 1);
      expect(next.course.visits_left).toBe(observation.course.visits_left);
      return;
    }
    throw new Error("no scenario hides the creatinine");
  });

  test("the legality mask is told only when it is asked for", () => {
    const env = definition.makeEnv();
    expect(env.reset({ seed: 1 }).info.actionMask).toBeUndefined();
    const { observation, info } = env.reset({ seed: 1, options: { expose_legality: true } });
    expect(info.actionMask).toHaveLength(observation.candidates.length);
  });
});

describe("steps", () => {
  test("a therapy action closes the visit, an illegal one changes nothing but the step", () => {
    const env = definition.makeEnv();
    for (let seed = 0; seed < 30; seed++) {
      const { observation, info } = env.reset({ seed, options: { expose_legality: true } });
      const mask = info.actionMask as readonly boolean[];
      const illegal = observation.candidates.find((_, i) => !mask[i]);
      if (illegal === undefined) continue;
      const world = env.latentState()!.world;
      const result = env.step(actionFor(observation, illegal, { confidence: 0.5 }));
      expect(result.reward).toBeLessThanOrEqual(0.15);
      expect(result.info.violations?.length).toBeGreaterThan(0);
      expect(env.latentState()!.world).toEqual({
        ...world,
        clock: { ...world.clock, step: 1, stepsLeft: world.clock.stepsLeft - 1 },
      });
      return;
    }
    throw new Error("no illegal candidate found");
  });

  test("raw text is judged as the agent's act: nonsense is a no-op worth at most .05", () => {
    const env = definition.makeEnv();
    env.reset({ seed: 2 });
    const result = env.step({ raw: "please stop the ibuprofen" });
    expect(result.reward).toBeLessThanOrEqual(0.05);
    expect(result.info.rewardComponents?.format_compliance_score).toBe(0.001);
    expect(result.observation.history[0]).toMatchObject({ action_type: "NOOP", outcome: "not understood" });
  });

  test("the same choice as typed action and as raw JSON gives the same step", () => {
    const typed = definition.makeEnv();
    const raw = definition.makeEnv();
    const { observation } = typed.reset({ seed: 4 });
    raw.reset({ seed: 4 });
    const action = actionFor(observation, byType(observation, "KEEP_REGIMEN"), { confidence: 0.6, rationale: "wait" });
    expect(raw.step({ raw: JSON.stringify(action) })).toEqual(typed.step(action));
  });

  test.each([
    ["an agent-written reward", { reward: 1, done: true }],
    ["a breakdown of components", { breakdown: { safety_delta_score: 1 } }],
    ["private field names", { latent: {} }],
    ["a prototype key", JSON.parse('{"__proto__": {"reward": 1}}') as Record<string, unknown>],
  ])("%s in an action earns nothing and ends the episode as an exploit", (_name, extra) => {
    const env = definition.makeEnv();
    const { observation } = env.reset({ seed: 4 });
    const action = actionFor(observation, byType(observation, "KEEP_REGIMEN"), { confidence: 0.6, rationale: "wait" });
    const body = JSON.stringify(action).replace(/}$/, `,${JSON.stringify(extra).slice(1)}`);
    const result = env.step({
      raw:
        body.includes("__proto__") || JSON.stringify(extra) !== "{}"
          ? body
          : `${JSON.stringify(action).slice(0, -1)},"__proto__":{"reward":1}}`,
    });
    expect(result).toMatchObject({ reward: 0.001, terminated: true });
    expect(result.info.terminationReason).toBe("exploit_detection");
  });

  test.each(["env.reset()", "../../state", "__proto__", "constructor.prototype", "snapshot"])(
    "the text %j in a rationale reaches nothing: reward and state are those of any other word",
    (text) => {
      const step = (rationale: string) => {
        const env = definition.makeEnv();
        const { observation } = env.reset({ seed: 4 });
        const result = env.step(
          actionFor(observation, byType(observation, "KEEP_REGIMEN"), { confidence: 0.6, rationale }),
        );
        return { reward: result.reward, observation: result.observation };
      };
      expect(step(text)).toEqual(step("waiting"));
    },
  );

  test.each(["Zoë 李 👩‍⚕️", "paracétamol", "Ünïcödé"])("non-ASCII text %j in a rationale is taken as it is", (text) => {
    const env = definition.makeEnv();
    const { observation } = env.reset({ seed: 4 });
    const result = env.step({
      raw: JSON.stringify(
        actionFor(observation, byType(observation, "KEEP_REGIMEN"), { confidence: 0.6, rationale: text }),
      ),
    });
    expect(result.info.rewardComponents?.format_compliance_score).toBe(0.999);
  });

  test("an action of another step is answered with a reason and ignored; the third one ends the episode", () => {
    const env = definition.makeEnv();
    const { observation } = env.reset({ seed: 4 });
    const stale = {
      ...actionFor(observation, byType(observation, "KEEP_REGIMEN"), { confidence: 0.6 }),
      step_nonce: "0000",
    };
    const first = env.step(stale);
    expect(first.observation).toEqual(observation);
    expect(first.info.failure_reasons).toEqual(["stale_step"]);
    env.step(stale);
    const third = env.step(stale);
    expect(third).toMatchObject({ terminated: true, reward: 0.001 });
    expect(third.info.terminationReason).toBe("exploit_detection");
  });

  test("the course is complete when no visit is left, and the reason tells whether the task was solved", () => {
    // Acts while something gains, then waits the visits out instead of finishing.
    const patient = (env: PolyGuardEnv, observation: Observation) => {
      const choice = greedy(env, observation);
      return choice.action_type === "FINISH" ? byType(observation, "KEEP_REGIMEN") : choice;
    };
    const reasons = new Set<unknown>();
    for (let seed = 0; seed < 12; seed++) {
      const { results } = play(definition.makeEnv(), { seed, options: { difficulty: "easy" } }, patient);
      const last = results.at(-1)!;
      if (last.observation.course.visits_left > 0 || last.info.terminationReason === "exploit_detection") continue;
      reasons.add(last.info.terminationReason);
      expect(last.terminated).toBe(true);
      expect(last.info.terminationReason).toBe(last.info.success === true ? "success" : "course_complete");
    }
    expect(reasons.size).toBeGreaterThan(0);
  });

  test("keeping beside a visible danger ends as keep abuse, on the step that the limit names", () => {
    const { results } = play(definition.makeEnv(), { seed: 0, options: { difficulty: "easy" } }, keep);
    expect(results.at(-1)!.info.terminationReason).toBe("exploit_detection");
    expect(results).toHaveLength(4);
  });

  test("three illegal actions in a row end the episode", () => {
    const env = definition.makeEnv();
    env.reset({ seed: 2 });
    env.step({ raw: "a" });
    env.step({ raw: "b" });
    expect(env.step({ raw: "c" }).info.terminationReason).toBe("invalid_action_limit");
  });

  test("a review of true values that resolves the hazard and finishes is a success", () => {
    let successes = 0;
    for (let seed = 0; seed < 20; seed++) {
      const { results } = play(definition.makeEnv(), { seed, options: { difficulty: "easy" } }, greedy);
      const { info } = results.at(-1)!;
      if (info.success === true) {
        successes++;
        expect(info.terminationReason).toBe("success");
        expect(info.criteria).toEqual([true, true, true, true]);
      }
    }
    expect(successes).toBeGreaterThan(4);
  });

  test("the best legal choice on the true state gains over KEEP in J on average", () => {
    let gain = 0;
    for (let seed = 0; seed < 20; seed++) {
      const { results } = play(definition.makeEnv(), { seed }, greedy);
      const { info } = results.at(-1)!;
      gain += ((info.j as number) - (info.keep_j as number)) / 20;
    }
    expect(gain).toBeGreaterThan(0.02);
  });

  test("a task score is told where the reset asks for it", () => {
    const scored = definePolyGuard(loadBundledKnowledgeBase(), { bestJ: () => 0 });
    const withOracle = play(scored.makeEnv(), { seed: 3, options: { score_task: true } }, greedy).results.at(-1)!;
    const without = play(definition.makeEnv(), { seed: 3 }, greedy).results.at(-1)!;
    expect(without.info.task_score).toBeNull();
    expect(withOracle.info.task_score).toBeGreaterThanOrEqual(0);
    expect(withOracle.info.task_score).toBeLessThanOrEqual(1);
  });
});

describe("sample actions", () => {
  test("with the debugging mask only legal candidates are sampled", () => {
    const env = definition.makeEnv();
    const rng = Rng.fromSeed(1);
    const reset = env.reset({ seed: 6, options: { expose_legality: true } });
    const mask = reset.info.actionMask as readonly boolean[];
    for (let i = 0; i < 30; i++) {
      const action = definition.sampleAction(rng, reset);
      const index = reset.observation.candidates.findIndex(
        (each) => "candidate_id" in action && each.candidate_id === action.candidate_id,
      );
      expect(mask[index]).toBe(true);
    }
  });
});
