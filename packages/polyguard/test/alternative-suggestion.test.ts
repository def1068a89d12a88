import { checkEnv, Rng, type SyncEnv } from "@praxis/env";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CourseEvaluator } from "../src/course/evaluator.ts";
import { definePolyGuard } from "../src/definition.ts";
import type { PolyGuardEnv } from "../src/env.ts";
import { drugAt } from "../src/kb/lookup.ts";
import type { Observation } from "../src/observation/schema.ts";
import { makePolyguardPolicy } from "../src/policies/index.ts";
import { DIFFICULTIES, type Difficulty } from "../src/scenario/types.ts";
import { gradesOf } from "../src/sub-environments/alternative-suggestion/grades.ts";
import { alternativeSuggestion } from "../src/sub-environments/alternative-suggestion/index.ts";
import { alternativeScore, ndcg, regretShare } from "../src/sub-environments/alternative-suggestion/score.ts";
import { kb } from "./policy-fixtures.ts";

const definition = definePolyGuard(kb);
const OPTIONS = { sub_environment: "ALTERNATIVE_SUGGESTION", score_task: true };

/** Plays one episode and gives the last step's info. */
async function play(name: string, difficulty: Difficulty, seed: number): Promise<Record<string, unknown>> {
  const env = definition.makeEnv();
  const policy = makePolyguardPolicy(name, env as SyncEnv);
  let last: ReturnType<PolyGuardEnv["reset"]> = env.reset({ seed, options: { ...OPTIONS, difficulty } });
  policy.reset(Rng.fromSeed(seed, name));
  for (;;) {
    const result = env.step(await policy.act(last.observation, last.info));
    if (result.terminated || result.truncated) return result.info;
    last = result;
  }
}

async function meanScore(name: string, difficulty: Difficulty, count: number): Promise<number> {
  let sum = 0;
  for (let seed = 500; seed < 500 + count; seed++) sum += Number((await play(name, difficulty, seed)).task_score);
  return sum / count;
}

/** The definition with every reset that names no task in this sub-environment. */
const fixedDefinition = {
  ...definition,
  makeEnv: () => {
    const env = definition.makeEnv();
    return new Proxy(env, {
      get: (target, name) => {
        if (name === "reset")
          return ({ options = {}, ...request }: { options?: Record<string, unknown> } = {}) => {
            const namesTask = "scenario_id" in options || "index" in options;
            const sub = namesTask ? {} : { sub_environment: OPTIONS.sub_environment };
            return target.reset({ ...request, options: { ...sub, ...options } });
          };
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  },
};

describe("scores", () => {
  const grades = {
    worth: [-0.3, -0.1, -0.2, -0.5],
    styles: ["swap", "swap", null, "swap"],
    best: -0.1,
    worst: -0.5,
  } as const;

  test("the best order scores 1, no recommendation 0", () => {
    expect(alternativeScore(grades, [1, 2, 0])).toBeCloseTo(1, 12);
    expect(alternativeScore(grades, [])).toBe(0);
  });

  test("regret is a share of the range, NDCG discounts by log2 of the place", () => {
    expect(regretShare(grades, [0])).toBeCloseTo(0.5, 12);
    // gains 1/3, 1, 2/3, 0: ideal 1 + (2/3)/log2(3) + (1/3)/2
    const ideal = 1 + 2 / 3 / Math.log2(3) + 1 / 6;
    expect(ndcg(grades.worth, [0, 1])).toBeCloseTo((1 / 3 + 1 / Math.log2(3)) / ideal, 12);
    expect(ndcg(grades.worth, [3])).toBe(0);
  });

  test("scores stay within 0 and 1, and the order of the options does not matter", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -1, max: 0, noNaN: true }), { minLength: 6, maxLength: 12 }),
        fc.integer({ min: 0, max: 5 }),
        fc.integer({ min: 0, max: 5 }),
        (worth, first, second) => {
          const of = (values: readonly number[]) => ({
            worth: values,
            styles: values.map(() => null),
            best: Math.max(...values),
            worst: Math.min(...values),
          });
          const ranking = [...new Set([first, second])];
          const score = alternativeScore(of(worth), ranking);
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(1 + 1e-12);
          const last = worth.length - 1;
          const mirrored = ranking.map((option) => last - option);
          expect(alternativeScore(of([...worth].reverse()), mirrored)).toBeCloseTo(score, 12);
        },
      ),
    );
  });
});

describe("scenarios", () => {
  test("6 to 12 options hold the non-drug order and nothing, none is on the list, and the goal names drug and reason", () => {
    const evaluator = new CourseEvaluator(kb);
    for (const difficulty of DIFFICULTIES)
      for (let seed = 0; seed < 12; seed++) {
        const key = { task: "safe_substitution", difficulty, split: "train", seed } as const;
        const { scenario, content } = alternativeSuggestion.draw({ kb, evaluator }, key);
        expect(content.options.length).toBeGreaterThanOrEqual(6);
        expect(content.options.length).toBeLessThanOrEqual(12);
        const kinds = content.options.map(({ kind }) => kind);
        expect(kinds.filter((kind) => kind === "order")).toHaveLength(1);
        expect(kinds.filter((kind) => kind === "nothing")).toHaveLength(1);
        const listed = scenario.initial.medications.map(({ drugIndex }) => drugIndex);
        for (const option of content.options)
          if (option.kind === "drug") expect(listed).not.toContain(option.drugIndex);
        expect(scenario.goal).toContain(drugAt(kb, content.drugIndex).drugId);
        expect(scenario.goal).toContain(content.reason);
      }
  });

  test("some option can be carried out legally, and equal draws have equal grades", () => {
    const evaluator = new CourseEvaluator(kb);
    for (let seed = 0; seed < 6; seed++) {
      const key = { task: "safe_substitution", difficulty: "medium", split: "train", seed } as const;
      const [one, other] = [0, 1].map(() => alternativeSuggestion.draw({ kb, evaluator }, key));
      const grades = gradesOf({ kb, scenario: one!.scenario }, one!.content);
      expect(grades.styles.some((style) => style !== null)).toBe(true);
      expect(gradesOf({ kb, scenario: other!.scenario }, other!.content)).toEqual(grades);
    }
  });
});

describe("episodes", () => {
  test("every check of the environment contract holds", async () => {
    const failed = (await checkEnv(fixedDefinition as never, { seed: 3 })).filter((check) => !check.ok);
    expect(failed).toEqual([]);
  }, 120_000);

  test("options are named until something is recommended, the first recommendation stands, and no grade shows", () => {
    const env = definition.makeEnv();
    const { observation } = env.reset({ seed: 4, options: { ...OPTIONS, difficulty: "easy" } });
    const block = observation.alternative!;
    expect(block.recommended).toBeNull();
    expect(block.options.length).toBeGreaterThanOrEqual(6);
    const recommend = (now: Observation, ranking: readonly string[]) => {
      const candidate = now.candidates.find(({ action_type: type }) => type === "RECOMMEND_ALTERNATIVE")!;
      return env.step({
        schema_version: "1.0",
        step_nonce: now.step_nonce,
        candidate_id: candidate.candidate_id,
        action_type: "RECOMMEND_ALTERNATIVE",
        target: block.med_ref,
        ranking: [...ranking],
        rationale: "",
        evidence_ids: [],
        confidence: 0.5,
      });
    };
    const chosen = block.options[2]!;
    const after = recommend(observation, [chosen.candidate_id, "c_00000000"]);
    expect(after.observation.alternative?.recommended).toEqual([chosen.option]);
    expect(after.observation.alternative?.options).toEqual([]);
    expect(after.observation.candidates.some(({ action_type: type }) => type === "RECOMMEND_ALTERNATIVE")).toBe(false);
    expect(JSON.stringify(after.observation)).not.toMatch(/worth|grades|styles/);
  });

  test("a recommendation of ids that are no option is no recommendation", () => {
    const env = definition.makeEnv();
    const { observation } = env.reset({ seed: 4, options: { ...OPTIONS, difficulty: "easy" } });
    const keep = observation.candidates.find(({ action_type: type }) => type === "KEEP_REGIMEN")!;
    const candidate = observation.candidates.find(({ action_type: type }) => type === "RECOMMEND_ALTERNATIVE")!;
    const { observation: after } = env.step({
      schema_version: "1.0",
      step_nonce: observation.step_nonce,
      candidate_id: candidate.candidate_id,
      action_type: "RECOMMEND_ALTERNATIVE",
      target: observation.alternative!.med_ref,
      ranking: [keep.candidate_id],
      rationale: "",
      evidence_ids: [],
      confidence: 0.5,
    });
    expect(after.alternative?.recommended).toBeNull();
  });

  test("an episode is played the same twice", async () => {
    expect(await play("rule_based", "medium", 21)).toEqual(await play("rule_based", "medium", 21));
  });

  test.each(["rule_based", "planner_critic"])(
    "%s changes no drug but the one that must go and what was recommended for it, whatever the record shows later",
    async (name) => {
      const env = definition.makeEnv() as SyncEnv;
      const policy = makePolyguardPolicy(name, env);
      for (let seed = 0; seed < 12; seed++) {
        policy.reset(Rng.fromSeed(seed));
        let last: ReturnType<SyncEnv["reset"]> = env.reset({ seed, options: { ...OPTIONS, difficulty: "medium" } });
        const first = last.observation as Observation;
        const others = first.medications
          .filter(({ med_ref: ref }) => ref !== first.alternative!.med_ref)
          .map(({ med_ref: ref }) => new RegExp(`(^|:)${ref}$`));
        for (;;) {
          const action = (await policy.act(last.observation as Observation, last.info)) as {
            action_type?: string;
            target?: string;
            orders?: string[];
          };
          const isChange = /^(STOP|SUBSTITUTE|HOLD|START_TAPER|ADD_DRUG)/.test(action.action_type ?? "");
          const changed = isChange ? [action.target, ...(action.orders ?? [])] : [];
          for (const ref of others)
            expect([seed, changed]).not.toEqual([seed, expect.arrayContaining([expect.stringMatching(ref)])]);
          const result = env.step(action);
          if (result.terminated || result.truncated) break;
          last = result;
        }
      }
      env.close();
    },
  );

  test("the oracle ranks perfectly and nearly always carries it out", async () => {
    let successes = 0;
    for (let seed = 500; seed < 520; seed++) {
      const info = await play("oracle_lookahead", "medium", seed);
      expect(info.task_score).toBeCloseTo(1, 9);
      successes += Number(info.success);
    }
    expect(successes).toBeGreaterThanOrEqual(15);
  }, 60_000);

  test.each(DIFFICULTIES)(
    "on %s rule_based beats random, keep, stop-all and review by a wide margin",
    async (difficulty) => {
      const rules = await meanScore("rule_based", difficulty, 15);
      for (const name of ["random_legal", "keep_always", "stop_all", "review_always"])
        expect(await meanScore(name, difficulty, 15), name).toBeLessThan(rules - 0.2);
    },
    120_000,
  );
});
