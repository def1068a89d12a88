import { Rng, type Scene } from "@praxis/env";
import { describe, expect, test } from "vitest";
import {
  CANDIDATE_FIELDS,
  loadPolyGuard,
  makePolyguardPolicy,
  type Observation,
  type StepAction,
  SUB_ENVIRONMENTS,
} from "../src/index.ts";
import { AGENT_FIELDS, SCENE_SHAPE } from "../src/policies/learned/layout.ts";

const definition = loadPolyGuard();
const scenes = definition.scenes!;
const env = definition.makeEnv();
const placeOf = (field: (typeof AGENT_FIELDS)[number]): number => CANDIDATE_FIELDS.length + AGENT_FIELDS.indexOf(field);
const ADVISED = placeOf("advised");
/** What hangs on the order in which rules look at equals. */
const ADVICE = [ADVISED, placeOf("advised by the rules"), placeOf("confidence of the advice")];

function advised({ candidates, candidateCount }: Scene): number {
  for (let i = 0; i < candidateCount; i++) if (candidates[i * SCENE_SHAPE.candidates + ADVISED] === 1) return i;
  return -1;
}

const rowsOf = (values: Float32Array, width: number): string[] =>
  Array.from({ length: values.length / width }, (_, i) => values.subarray(i * width, (i + 1) * width).join()).sort();

describe.each(SUB_ENVIRONMENTS)("scenes of %s", (sub) => {
  const options = { sub_environment: sub, difficulty: "easy", score_task: false };

  test("whoever does what is advised plays a legal episode to its end, every choice judged", () => {
    const reader = scenes.begin();
    let last = env.reset({ seed: 3, options }) as { observation: Observation; info: object };
    for (let step = 0; step < 60; step++) {
      const scene = reader.read(last);
      const choice = advised(scene);
      expect(choice).toBeGreaterThanOrEqual(0);
      const result = env.step(reader.choose(choice, 0.7));
      expect(result.info.violations).toEqual([]);
      // Nothing hangs on the confidence of a probe.
      if (sub !== "BANDIT_MINING") expect(scenes.wasGood(result)).not.toBeNull();
      last = result;
      if (result.terminated || result.truncated) break;
    }
    if (sub !== "BANDIT_MINING") expect(scenes.returnOf?.(last)).toBeTypeOf("number");
  });

  test("a reader's fork reads and acts as the reader itself", () => {
    const reader = scenes.begin();
    let last = env.reset({ seed: 4, options }) as { observation: Observation; info: object };
    last = env.step(reader.choose(advised(reader.read(last)), 0.7));
    const fork = reader.fork();
    const [own, other] = [reader.read(last), fork.read(last)];
    expect(other).toEqual(own);
    const choice = Math.max(0, advised(own));
    expect(fork.choose(choice, 0.6)).toEqual(reader.choose(choice, 0.6));
  });

  test("another order of medications and candidates describes the same rows, and leads to the same advice", () => {
    const { observation, info } = env.reset({ seed: 5, options });
    const rng = Rng.fromSeed(1);
    const shuffled = {
      ...observation,
      medications: rng.shuffled(observation.medications),
      candidates: rng.shuffled(observation.candidates),
    };
    const [reader, other] = [scenes.begin(), scenes.begin()];
    const [a, b] = [reader.read({ observation, info }), other.read({ observation: shuffled, info })];
    expect(rowsOf(b.items, SCENE_SHAPE.items)).toEqual(rowsOf(a.items, SCENE_SHAPE.items));
    const withoutAdvice = (scene: Scene): Scene => {
      const candidates = scene.candidates.slice();
      for (let i = 0; i < scene.candidateCount; i++)
        for (const place of ADVICE) candidates[i * SCENE_SHAPE.candidates + place] = 0;
      return { ...scene, candidates };
    };
    // Rules that pick the first of equals may pick another one; what is described beside that is equal.
    expect(rowsOf(withoutAdvice(b).candidates, SCENE_SHAPE.candidates)).toEqual(
      rowsOf(withoutAdvice(a).candidates, SCENE_SHAPE.candidates),
    );
    expect([...b.context]).toEqual([...a.context]);
  });
});

test("where J is asked for, each action tells its gain over keeping the list, and one clearly better outranks the rules", () => {
  const fields = { judged: placeOf("judged by the course"), gain: placeOf("20 × gain by the course") };
  let outranked = 0;
  for (let seed = 0; seed < 6; seed++) {
    const last = env.reset({ seed, options: { sub_environment: "DDI", difficulty: "medium", score_task: false } });
    const { candidates, candidateCount } = scenes.begin().read(last as { observation: Observation; info: object });
    const rows = Array.from({ length: candidateCount }, (_, i) =>
      candidates.subarray(i * SCENE_SHAPE.candidates, (i + 1) * SCENE_SHAPE.candidates),
    );
    expect(rows.filter((row) => row[ADVISED] === 1)).toHaveLength(1);
    const [team, rules] = [ADVISED, placeOf("advised by the rules")].map((at) => rows.find((row) => row[at] === 1)!);
    if (team === rules) continue;
    outranked++;
    expect(team![fields.gain]).toBeGreaterThan(rules![fields.gain]!);
    expect(team![fields.gain]).toBeCloseTo(Math.max(...rows.map((row) => row[fields.gain]!)), 6);
    for (const row of rows) if (row[fields.judged] === 0) expect(row[fields.gain]).toBe(0);
  }
  expect(outranked).toBeGreaterThan(0);
});

test("an expert's play can be shown in the learner's actions, and an action of nobody's can't", async () => {
  const policy = makePolyguardPolicy("planner_critic", env);
  policy.reset(Rng.fromSeed(0));
  const reader = scenes.begin();
  const { observation, info } = env.reset({ seed: 6, options: { sub_environment: "ALTERNATIVE_SUGGESTION" } });
  reader.read({ observation, info });
  const action = await policy.act(observation, info);
  expect(reader.candidateOf(action)).not.toBeNull();
  expect(reader.candidateOf({ raw: "anything" } as StepAction)).toBeNull();
  expect(() => reader.choose(99, 0.5)).toThrow("Candidate 99 is none of the");
});

test("scenes read nothing but observation and info: without an environment they are the same", () => {
  const { observation, info } = env.reset({ seed: 7, options: { sub_environment: "DDI", difficulty: "hard" } });
  const copy = JSON.parse(JSON.stringify({ observation, info })) as { observation: Observation; info: object };
  expect(scenes.begin().read(copy)).toEqual(scenes.begin().read({ observation, info }));
});

test("episodes to learn from are of the split they are for, and harder ones come later", () => {
  const tiers = (progress: number): number[] => {
    const rng = Rng.fromSeed(2, `progress/${progress}`);
    const ids = Array.from(
      { length: 400 },
      () => definition.learningEpisode!(rng, progress, "train").options.scenario_id,
    );
    expect(ids.every((id) => String(id).includes("/train/"))).toBe(true);
    return ["easy", "hard"].map((tier) => ids.filter((id) => String(id).includes(`/${tier}/`)).length / ids.length);
  };
  const [first, last] = [tiers(0), tiers(1)];
  expect(first[0]).toBeGreaterThan(last[0]! + 0.15);
  expect(first[1]).toBeLessThan(last[1]! - 0.1);
  const validated = definition.learningEpisode!(Rng.fromSeed(3), 1, "validate");
  expect(String(validated.options.scenario_id)).toContain("/val/");
});
