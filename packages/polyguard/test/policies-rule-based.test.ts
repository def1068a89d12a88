import { Rng } from "@praxis/env";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { actionSchema } from "../src/actions/schema.ts";
import { definePolyGuard } from "../src/definition.ts";
import type { Observation } from "../src/observation/schema.ts";
import { ChartReader } from "../src/policies/chart.ts";
import { makeObservationPolicy, makePolyguardPolicy } from "../src/policies/index.ts";
import { type EpisodeScore, scoreEpisode } from "../src/score-episode.ts";
import { kb } from "./policy-fixtures.ts";

const definition = definePolyGuard(kb);
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

async function scoresOf(
  name: string,
  seeds: readonly number[],
  options: Readonly<Record<string, unknown>>,
): Promise<EpisodeScore[]> {
  const env = definition.makeEnv();
  const policy = makePolyguardPolicy(name, env);
  const scores: EpisodeScore[] = [];
  for (const seed of seeds)
    scores.push(await scoreEpisode(env, policy, { seed, options, rng: Rng.fromSeed(seed, name) }));
  return scores;
}

const seedsFrom = (first: number, count: number): number[] => Array.from({ length: count }, (_, i) => first + i);

describe("against the degenerate policies, 30 medium scenarios", () => {
  const scores: Record<string, EpisodeScore[]> = {};
  beforeAll(async () => {
    const names = ["rule_based", "stop_all", "keep_always", "review_always", "random_legal", "random_any"];
    for (const name of names) scores[name] = await scoresOf(name, seedsFrom(300, 30), { difficulty: "medium" });
  }, 240_000);

  test.each(["stop_all", "keep_always", "review_always", "random_legal", "random_any"])(
    "%s has a lower mean task score",
    (name) => {
      const other = mean(scores[name]!.map(({ taskScore }) => taskScore!));
      expect(mean(scores.rule_based!.map(({ taskScore }) => taskScore!))).toBeGreaterThan(other + 0.1);
    },
  );

  test("it solves more tasks, and earns more reward a step", () => {
    for (const [name, others] of Object.entries(scores)) {
      if (name === "rule_based") continue;
      expect(mean(others.map(({ isSuccess }) => Number(isSuccess))), name).toBeLessThan(
        mean(scores.rule_based!.map(({ isSuccess }) => Number(isSuccess))),
      );
      expect(mean(others.map(({ meanStepReward }) => meanStepReward)), name).toBeLessThan(
        mean(scores.rule_based!.map(({ meanStepReward }) => meanStepReward)),
      );
    }
  });

  test("regret is never far below zero: the oracle's course is hard to beat", () => {
    const regrets = Object.values(scores).flatMap((each) => each.map(({ regret }) => regret!));
    expect(mean(regrets)).toBeGreaterThan(0);
    expect(regrets.filter((regret) => regret < -0.001).length).toBeLessThanOrEqual(0.03 * regrets.length);
  });
});

describe("its conduct", () => {
  test.each(["easy", "medium", "hard"])("it ends every %s scenario without a hard flag", async (difficulty) => {
    const scores = await scoresOf("rule_based", seedsFrom(500, 20), { difficulty, score_task: false });
    expect(scores.map(({ hardFlags }) => hardFlags)).toEqual(scores.map(() => 0));
    expect(scores.filter(({ terminationReason }) => terminationReason === "invalid_action_limit")).toEqual([]);
    // What the wire rounds can turn a verdict at a threshold, once in a long while.
    expect(scores.reduce((sum, { invalidSteps }) => sum + invalidSteps, 0)).toBeLessThanOrEqual(1);
  });

  test("it acts the same way on the same observations", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5000 }), (seed) => {
        expect(actionsOf(seed)).toEqual(actionsOf(seed));
      }),
      { numRuns: 4 },
    );
  });

  test("its actions fit the schema, cite only what was shown and give a reason", () => {
    for (const seed of [1, 2, 3]) {
      const env = definition.makeEnv();
      const policy = makeObservationPolicy("rule_based", kb);
      policy.reset(Rng.fromSeed(seed, "rule"));
      let result: { observation: Observation; info: object } = env.reset({ seed });
      for (;;) {
        const action = policy.act(result.observation, {});
        if (action instanceof Promise || !("action_type" in action)) throw new Error("a typed action, at once");
        expect(actionSchema.safeParse(action).success).toBe(true);
        expect(action.rationale.length).toBeGreaterThan(20);
        const step = env.step(action);
        expect(step.info.rewardComponents?.explanation_grounding_score).toBeGreaterThanOrEqual(0.4);
        expect((step.info.flags as { id: string }[]).map(({ id }) => id)).not.toContain("A09");
        if (step.terminated || step.truncated) break;
        result = step;
      }
    }
  });

  test("its confidence is worth more than saying .5 every time", () => {
    let calibrated = 0;
    let undecided = 0;
    for (let seed = 700; seed < 712; seed++) {
      const env = definition.makeEnv();
      const policy = makeObservationPolicy("rule_based", kb);
      policy.reset(Rng.fromSeed(seed, "rule"));
      let result = env.reset({ seed }) as { observation: Observation };
      for (;;) {
        const action = policy.act(result.observation, {});
        if (action instanceof Promise || !("action_type" in action)) throw new Error("a typed action, at once");
        const snapshot = env.snapshot();
        undecided += env.step({ ...action, confidence: 0.5 }).info.rewardComponents!.uncertainty_calibration_score!;
        env.restore(snapshot);
        const step = env.step(action);
        calibrated += step.info.rewardComponents!.uncertainty_calibration_score!;
        if (step.terminated || step.truncated) break;
        result = step;
      }
    }
    expect(calibrated).toBeGreaterThan(undecided);
  });

  test("it finishes only when no major alert that counts is open", () => {
    for (let seed = 800; seed < 820; seed++) {
      const { actions, observations } = playthrough(seed, "easy");
      const last = actions.at(-1)!;
      if (!("action_type" in last) || last.action_type !== "FINISH") continue;
      const { known } = new ChartReader(kb).read(observations.at(-1)!);
      const open = known.alerts.filter((alert) => alert.severity === "contraindicated");
      expect(open).toEqual([]);
    }
  });
});

describe("single observations", () => {
  const observation = definition.makeEnv().reset({ seed: 3, options: { difficulty: "easy" } }).observation;

  function answerTo(changed: Observation) {
    const policy = makeObservationPolicy("rule_based", kb);
    policy.reset(Rng.fromSeed(1, "rule"));
    return policy.act(changed, {});
  }

  test("an item that is not mapped to the knowledge base is left alone and changes nothing else", () => {
    const herbal = { med_ref: "m99", drug_id: null, label: "Herbal tea 3 g", status: "unreconciled" as const };
    const medications = [...observation.medications, { ...observation.medications[0]!, ...herbal }];
    expect(answerTo({ ...observation, medications })).toEqual(answerTo(observation));
  });

  test("a record without any value, weight, indication or start still gets an answer from its list", () => {
    const { patient } = observation;
    const bare: Observation = {
      ...observation,
      patient: { ...patient, weight_kg: null, height_cm: null, smoker: null, frailty_cfs: null, life_expectancy: null },
      organ: { scr: null, crcl: null, egfr: null, child_pugh: null },
      labs: {},
      vitals: {},
      conditions: [],
      medications: observation.medications.map((row) => ({ ...row, indication: null, started_days_ago: null })),
    };
    const ids = bare.candidates.map(({ candidate_id: id }) => id);
    expect(ids).toContain((answerTo(bare) as { candidate_id: string }).candidate_id);
  });

  test("with nothing offered it says nothing", () => {
    expect(answerTo({ ...observation, candidates: [] })).toEqual({ raw: "" });
  });

  test("an action that was refused is not tried again", () => {
    const reader = new ChartReader(kb);
    const chart = reader.read(observation);
    const refused = chart.offers.find(({ isLegal, payload }) => isLegal && payload.type === "SUBSTITUTE_DRUG")!;
    reader.choose(chart, refused.payload);
    const history = [
      { step: 0, action_type: "SUBSTITUTE_DRUG", target: refused.wire.target ?? null, outcome: "refused: V07" },
    ];
    const next = reader.read({ ...observation, step: 1, history });
    expect(next.offers.find(({ wire }) => wire.candidate_id === refused.wire.candidate_id)!.isLegal).toBe(false);
  });
});

function actionsOf(seed: number): readonly unknown[] {
  return playthrough(seed, "medium").actions;
}

function playthrough(seed: number, difficulty: string) {
  const env = definition.makeEnv();
  const policy = makeObservationPolicy("rule_based", kb);
  policy.reset(Rng.fromSeed(seed, "rule"));
  let { observation } = env.reset({ seed, options: { difficulty } });
  const observations = [observation];
  const actions = [];
  for (;;) {
    const action = policy.act(observation, {});
    if (action instanceof Promise) throw new Error("an action at once");
    actions.push(action);
    const step = env.step(action);
    if (step.terminated || step.truncated) return { actions, observations };
    observation = step.observation;
    observations.push(observation);
  }
}
