import { Rng } from "@praxis/env";
import { describe, expect, test } from "vitest";
import { loadBundledKnowledgeBase } from "../src/kb/node.ts";
import { type Exploration, LinearMiner } from "../src/policies/mining/linear-miner.ts";
import type { Miner, MiningProblem } from "../src/policies/mining/miner.ts";
import { NeuralMiner, type RiskNetwork } from "../src/policies/mining/neural-miner.ts";
import { PairsMiner } from "../src/policies/mining/pairs-miner.ts";
import { miningProblem } from "../src/policies/mining/problem.ts";
import { runMiner } from "../src/policies/mining/run-miner.ts";
import { StructuredMiner } from "../src/policies/mining/structured-miner.ts";
import type { Difficulty } from "../src/scenario/types.ts";
import { drawInstance, type MiningInstance } from "../src/sub-environments/bandit-mining/instance.ts";
import { populationOf } from "../src/sub-environments/bandit-mining/population.ts";

const kb = loadBundledKnowledgeBase();

function taskOf(
  difficulty: Difficulty,
  seed: number,
): { readonly instance: MiningInstance; readonly problem: MiningProblem } {
  const instance = drawInstance(kb, difficulty, "val", Rng.fromSeed(seed));
  const population = populationOf(instance).combinations;
  return { instance, problem: miningProblem(kb, { drugIds: instance.drugIds, difficulty, population }) };
}

/** A miner whose proposals are checked as they come. */
function watched(miner: Miner): Miner {
  return {
    propose: (probesLeft) => {
      const proposed = miner.propose(probesLeft);
      expect(proposed.length).toBeLessThanOrEqual(Math.min(16, probesLeft));
      for (const combination of proposed) {
        expect(combination.length).toBeGreaterThanOrEqual(2);
        expect(combination.length).toBeLessThanOrEqual(8);
        expect([...new Set(combination)].sort((a, b) => a - b)).toEqual(combination);
      }
      return proposed;
    },
    learn: (combination, relativeRisk) => miner.learn(combination, relativeRisk),
    declare: () => miner.declare(),
  };
}

/** A network that learns nothing: its last layer is a fifth of its input. */
const mirror = (inputs: number): RiskNetwork => ({
  hidden: inputs,
  fit: () => {},
  represent: (rows) => rows.map((value) => value / 5),
});

describe("structured mining", () => {
  test("it finds nine tenths of the danger at a precision above .97 within the budget, without the population", () => {
    let recall = 0;
    let precision = 0;
    for (let seed = 0; seed < 3; seed++) {
      const { instance, problem } = taskOf("medium", seed);
      const miner = watched(new StructuredMiner({ ...problem, population: null }, Rng.fromSeed(seed, "miner")));
      const last = runMiner(instance, miner, { rng: Rng.fromSeed(seed, "noise") }).at(-1)!;
      expect(last.probes).toBe(instance.tier.probes);
      recall += last.recall / 3;
      precision += last.precision / 3;
    }
    expect(recall).toBeGreaterThan(0.9);
    expect(precision).toBeGreaterThan(0.97);
  }, 60_000);

  test("recall grows with the probes and precision is there from the start", () => {
    const { instance, problem } = taskOf("easy", 4);
    const points = runMiner(instance, new StructuredMiner(problem, Rng.fromSeed(4)), {
      rng: Rng.fromSeed(4, "noise"),
      checkpoints: [60, 120],
    });
    expect(points.map(({ probes }) => probes)).toEqual([60, 120, 200]);
    expect(points[2]!.recall).toBeGreaterThanOrEqual(points[0]!.recall);
    for (const { recall, precision } of points) if (recall > 0) expect(precision).toBeGreaterThan(0.9);
  });

  test("before a pattern is confirmed nothing is declared", () => {
    const { problem } = taskOf("easy", 5);
    expect(new StructuredMiner(problem, Rng.fromSeed(5)).declare()).toEqual([]);
  });

  test("equal seeds mine alike", () => {
    const { instance, problem } = taskOf("easy", 6);
    const run = () =>
      runMiner(instance, new StructuredMiner(problem, Rng.fromSeed(6)), { rng: Rng.fromSeed(6, "noise") });
    expect(run()).toEqual(run());
  });
});

test("pairs and then growth finds patterns of two and three drugs at high precision, and no others", () => {
  let declared = 0;
  let truePositives = 0;
  for (let seed = 0; seed < 3; seed++) {
    const { instance, problem } = taskOf("easy", seed);
    const miner = watched(new PairsMiner(problem, Rng.fromSeed(seed, "miner")));
    const last = runMiner(instance, miner, { rng: Rng.fromSeed(seed, "noise") }).at(-1)!;
    declared += last.declared;
    truePositives += last.truePositives;
    for (const { drugs } of miner.declare()) expect(drugs).toHaveLength(2);
  }
  expect(declared).toBeGreaterThan(0);
  expect(truePositives / declared).toBeGreaterThan(0.9);
});

describe("learned mining", () => {
  const explorations: readonly Exploration[] = [
    { kind: "uniform" },
    { kind: "epsilon_greedy", epsilon: 0.2 },
    { kind: "linucb", alpha: 1 },
    { kind: "thompson" },
  ];

  test.each(explorations)(
    "a linear miner that explores by $kind keeps the rules and declares with calibrated precision",
    (exploration) => {
      let declared = 0;
      let truePositives = 0;
      for (let seed = 0; seed < 3; seed++) {
        const { instance, problem } = taskOf("easy", seed);
        const miner = watched(new LinearMiner(problem, exploration, Rng.fromSeed(seed, "miner")));
        const last = runMiner(instance, miner, { rng: Rng.fromSeed(seed, "noise") }).at(-1)!;
        declared += last.declared;
        truePositives += last.truePositives;
      }
      expect(declared).toBeGreaterThan(0);
      // A fifth of the combinations is dangerous; what is declared is so three times as often at least.
      expect(truePositives / declared).toBeGreaterThan(0.6);
    },
    60_000,
  );

  test("without the population a linear miner searches by evolution and declares nothing", () => {
    const { instance, problem } = taskOf("easy", 1);
    const miner = watched(new LinearMiner({ ...problem, population: null }, { kind: "thompson" }, Rng.fromSeed(1)));
    expect(runMiner(instance, miner, { rng: Rng.fromSeed(1, "noise") }).at(-1)).toMatchObject({
      declared: 0,
      probes: 200,
    });
  }, 60_000);

  test("neural Thompson sampling works on any network that is handed in", () => {
    let declared = 0;
    let truePositives = 0;
    for (let seed = 0; seed < 3; seed++) {
      const { instance, problem } = taskOf("easy", seed);
      const miner = watched(new NeuralMiner(problem, mirror, Rng.fromSeed(seed)));
      const last = runMiner(instance, miner, { rng: Rng.fromSeed(seed, "noise") }).at(-1)!;
      declared += last.declared;
      truePositives += last.truePositives;
    }
    expect(declared).toBeGreaterThan(0);
    expect(truePositives / declared).toBeGreaterThan(0.6);
  }, 60_000);
});
