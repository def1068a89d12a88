import { PraxisError, Rng } from "@praxis/env";
import { describe, expect, test } from "vitest";
import type { WireAction } from "../src/actions/schema.ts";
import { ACTION_TYPES } from "../src/actions/types.ts";
import { definePolyGuard } from "../src/definition.ts";
import { encodeFeatures } from "../src/features/features.ts";
import { CANDIDATE_FIELDS } from "../src/features/layout.ts";
import { loadBundledKnowledgeBase } from "../src/kb/node.ts";
import { ARM_ROW_LENGTH, ARM_ROWS_VERSION, armRows } from "../src/policies/contextual-bandit/arm-rows.ts";
import {
  type ArmLearner,
  makeLinearThompson,
  makeLinUcb,
  makeNeuralThompson,
} from "../src/policies/contextual-bandit/learner.ts";
import { bestOf, makeArmPolicy } from "../src/policies/contextual-bandit/policy.ts";
import { trainArms } from "../src/policies/contextual-bandit/train.ts";
import { parseArmWeights } from "../src/policies/contextual-bandit/weights.ts";

const kb = loadBundledKnowledgeBase();
const definition = definePolyGuard(kb);

function observe(seed: number) {
  return definition.makeEnv({}).reset({ seed, options: { difficulty: "medium" } }).observation;
}

describe("rows", () => {
  test("each candidate has one row inside the length, with its type and its fields", () => {
    const observation = observe(1);
    const rows = armRows(encodeFeatures(kb, observation));
    expect(rows).toHaveLength(observation.candidates.length);
    rows.forEach(({ indexes, values }, arm) => {
      expect(indexes).toHaveLength(values.length);
      expect(new Set(indexes).size).toBe(indexes.length);
      expect(Math.max(...indexes)).toBeLessThan(ARM_ROW_LENGTH);
      const type = ACTION_TYPES.indexOf(observation.candidates[arm]!.action_type);
      expect(values[indexes.indexOf(1 + type)]).toBe(1);
      const hasTarget = indexes.includes(1 + CANDIDATE_FIELDS.length);
      const target = observation.candidates[arm]!.target;
      expect(hasTarget).toBe(observation.medications.some(({ med_ref: medRef }) => medRef === target));
    });
  });
});

/** Arm 1 pays .12 where field 5 is set and costs .08 elsewhere, arm 0 always pays .04: gains of the size of a step's. */
function playToy(learner: ArmLearner, rng: Rng): number {
  let late = 0;
  for (let round = 0; round < 400; round++) {
    const isSet = rng.bernoulli(0.5);
    const arms = [
      { indexes: [0, 2], values: [1, 1] },
      { indexes: isSet ? [0, 3, 5] : [0, 3], values: isSet ? [1, 1, 1] : [1, 1] },
    ];
    const choice = bestOf(learner.explore(arms));
    const gain = (choice === 0 ? 0.04 : isSet ? 0.12 : -0.08) + rng.normal(0, 0.02);
    learner.learn(arms[choice]!, gain);
    if (round >= 300) late += Number(choice === (isSet ? 1 : 0)) / 100;
  }
  return late;
}

describe("learning", () => {
  const mirror = {
    hidden: ARM_ROW_LENGTH,
    fit: () => {},
    represent: (rows: Float32Array) => rows.slice(),
  };
  const learners: readonly (readonly [string, () => ArmLearner])[] = [
    ["LinUCB", () => makeLinUcb(1, Rng.fromSeed(1))],
    ["linear Thompson sampling", () => makeLinearThompson(Rng.fromSeed(2))],
    ["neural Thompson sampling", () => makeNeuralThompson(mirror, Rng.fromSeed(3))],
  ];

  test.each(learners)(
    "%s learns which arm pays in which situation",
    (_name, make) => {
      expect(playToy(make(), Rng.fromSeed(9))).toBeGreaterThan(0.9);
    },
    60_000,
  );

  test("training plays sub-environments and tiers in turn, and the same run gives the same weights", () => {
    const run = () => {
      const rng = Rng.fromSeed(4);
      const learner = makeLinUcb(1, rng.split("learner"));
      const env = definition.makeEnv({});
      const subEnvironments = ["DDI", "PRECISION_DOSING"] as const;
      const episodes = [...trainArms({ kb, env, learner, subEnvironments, episodes: 6, rng: rng.split("play") })];
      return { episodes, weights: learner.weights() };
    };
    const first = run();
    expect(first.episodes.map(({ subEnvironment }) => subEnvironment)).toEqual([
      ...["DDI", "PRECISION_DOSING", "DDI", "PRECISION_DOSING", "DDI", "PRECISION_DOSING"],
    ]);
    expect(first.weights.some((weight) => weight !== 0)).toBe(true);
    expect(run()).toEqual(first);
  }, 60_000);
});

describe("policy", () => {
  const score = makeLinUcb(1, Rng.fromSeed(5)).explore;

  test("it picks a legal candidate, and the same one whatever the order they stand in", () => {
    for (let seed = 0; seed < 10; seed++) {
      const observation = observe(seed);
      const choose = (candidates: typeof observation.candidates): string => {
        const policy = makeArmPolicy("arms", kb, score);
        policy.reset(Rng.fromSeed(1));
        return (policy.act({ ...observation, candidates }, {}) as WireAction).candidate_id;
      };
      const [first, ...others] = observation.candidates;
      expect(choose([...others, first!])).toBe(choose(observation.candidates));
    }
  });
});

describe("weights", () => {
  const good = {
    version: ARM_ROWS_VERSION,
    features: "polyguard-f1",
    algorithm: "LinUCB, alpha 1",
    episodes: 10,
    sub_environments: ["DDI"],
    weights: new Array<number>(ARM_ROW_LENGTH).fill(0.5),
  };

  test("weights of this version are read", () => {
    expect(parseArmWeights(JSON.stringify(good))).toEqual(new Float64Array(ARM_ROW_LENGTH).fill(0.5));
  });

  test.each([
    ["another version", { ...good, version: "polyguard-f0/arms-1" }, "version"],
    ["another length", { ...good, weights: [1, 2] }, "weights"],
    ["a field too many", { ...good, reward: 1 }, "reward"],
  ])("weights of %s are refused with the field named", (_what, document, field) => {
    const read = () => parseArmWeights(JSON.stringify(document));
    expect(read).toThrow(PraxisError);
    expect(read).toThrow(field);
  });

  test("what is no JSON is refused", () => {
    expect(() => parseArmWeights("{")).toThrow("not JSON");
  });
});
