import { Rng } from "@praxis/env";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BayesLinear } from "../src/policies/mining/bayes-linear.ts";
import { calibrateThreshold, findingsAbove } from "../src/policies/mining/calibrated-findings.ts";
import { CombinationFeatures } from "../src/policies/mining/combination-features.ts";
import { differentialEvolution } from "../src/policies/mining/differential-evolution.ts";
import { Growth } from "../src/policies/mining/growth.ts";
import { Localisation } from "../src/policies/mining/localise.ts";
import { knownPairsOf, type MiningProblem } from "../src/policies/mining/miner.ts";
import { choose, expectedPatterns, triggerSize } from "../src/policies/mining/risk-model.ts";
import { Suspicion } from "../src/policies/mining/suspicion.ts";
import { Verification } from "../src/policies/mining/verification.ts";

/** Thirty drugs of which the pair 0-1 is contraindicated, 2-3 major and 4-5 moderate. */
function problem(more: Partial<MiningProblem> = {}): MiningProblem {
  const drugs = 30;
  const pairRanks = new Uint8Array(drugs * drugs);
  for (const [a, b, rank] of [
    [0, 1, 3],
    [2, 3, 2],
    [4, 5, 1],
  ] as const) {
    pairRanks[a * drugs + b] = rank;
    pairRanks[b * drugs + a] = rank;
  }
  const anticholinergic = Array.from({ length: drugs }, (_, i) => (i === 0 ? 3 : 0));
  return { drugs, pairRanks, anticholinergic, patterns: 3, noise: 0.1, probes: 200, population: null, ...more };
}

/** Mean risk with one pattern: 0.92 unless more than half of it is there. */
function riskOf(pattern: readonly number[], risk: number, combination: readonly number[]): number {
  const shared = pattern.filter((drug) => combination.includes(drug)).length;
  const excess = (risk - 1) * Math.max(0, (2 * shared) / pattern.length - 1);
  return excess > 0 ? 1 + excess : 0.92;
}

describe("expectations", () => {
  test("pairs from major on count as known", () => {
    expect(knownPairsOf(problem())).toEqual([
      { a: 0, b: 1 },
      { a: 2, b: 3 },
    ]);
  });

  test("expected patterns sum to the number of patterns", () => {
    const { onKnownPair, random } = expectedPatterns(problem({ patterns: 8 }));
    const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0);
    expect(sum(onKnownPair)).toBeCloseTo(5, 12);
    expect(sum(random)).toBeCloseTo(3, 12);
  });

  test("more than half of a pattern is dangerous", () => {
    expect([2, 3, 4, 5, 6].map(triggerSize)).toEqual([2, 2, 3, 3, 4]);
    expect([choose(8, 2), choose(5, 5), choose(4, 5)]).toEqual([28, 1, 0]);
  });
});

describe("suspicion", () => {
  test("known pairs are more suspicious than others, and lie in the first set", () => {
    const suspicion = new Suspicion(problem());
    expect(suspicion.chance([0, 1])).toBeGreaterThan(5 * suspicion.chance([10, 11]));
    const set = suspicion.mostSuspicious(0);
    expect(set).toHaveLength(8);
    expect([0, 1, 2, 3].every((drug) => set.includes(drug))).toBe(true);
  });

  test("a low outcome lowers the chance of a set, a high one raises it", () => {
    const suspicion = new Suspicion(problem());
    const set = [0, 1, 2, 3, 6, 7, 8, 9];
    const before = suspicion.chance(set);
    expect(suspicion.chanceAfter(set, 0.9)).toBeLessThan(before);
    expect(suspicion.chanceAfter(set, 1.5)).toBeGreaterThan(0.9);
    suspicion.learn(set, 0.9);
    expect(suspicion.chance(set)).toBeLessThan(before);
  });

  test("what was found innocent or dangerous is not looked for again", () => {
    const suspicion = new Suspicion(problem());
    suspicion.block([0, 1]);
    expect(suspicion.mostSuspicious(0).includes(1)).toBe(false);
    suspicion.clear([2, 3, 10]);
    expect(suspicion.evidence([2, 3, 10], 3)).toBeCloseTo(0.02, 6);
    expect(suspicion.evidence([2, 4, 10], 3)).toBeCloseTo(0.02, 6);
    expect(suspicion.evidence([6, 7, 8], 3)).toBe(1);
  });
});

describe("search", () => {
  const patterns: readonly (readonly number[])[] = [
    [0, 1],
    [0, 1, 7],
    [2, 3, 9, 20],
    [0, 4, 6, 21, 25],
  ];

  test.each(patterns)(
    "the members of a pattern in a set are found, and the whole pattern is grown from them",
    (...pattern) => {
      const task = problem();
      const rng = Rng.fromSeed(5);
      const suspicion = new Suspicion(task);
      const set = [0, 1, 2, 3, 4, 6, 7, 9];
      const localisation = new Localisation(task, suspicion, set, 0.5);
      const observe = (combination: readonly number[]): number =>
        riskOf(pattern, 2.4, combination) + rng.normal(0, task.noise);
      let members = localisation.result();
      for (let i = 0; i < 30 && members === null; i++) {
        const subset = localisation.propose();
        expect(subset.every((drug) => set.includes(drug))).toBe(true);
        localisation.learn(subset, observe(subset));
        members = localisation.result();
      }
      expect(members).toEqual(pattern.filter((drug) => set.includes(drug)));
      const growth = new Growth(task, suspicion, { members: members!, set, sizes: localisation.sizesOf(members!) });
      let found = growth.result();
      for (let i = 0; i < 60 && found === null; i++) {
        const combination = growth.propose();
        expect(combination.length).toBeLessThanOrEqual(8);
        growth.learn(combination, observe(combination));
        found = growth.result();
      }
      expect(found).toMatchObject({ drugs: pattern, size: pattern.length, isWhole: true });
      expect(found!.risk).toBeCloseTo(2.4, 0);
    },
  );

  test("a set without danger is cleared", () => {
    const task = problem();
    const rng = Rng.fromSeed(6);
    const localisation = new Localisation(task, new Suspicion(task), [0, 1, 2, 3, 4, 6, 7, 9], 0.6);
    for (let i = 0; i < 30 && localisation.result() === null; i++)
      localisation.learn(localisation.propose(), 0.92 + rng.normal(0, task.noise));
    expect(localisation.result()).toEqual([]);
  });

  test("a verification confirms what is dangerous and refutes what is not", () => {
    const rng = Rng.fromSeed(7);
    const subsets = [
      [0, 1],
      [0, 7],
      [1, 7],
    ];
    const verification = new Verification([0, 1, 7], { subsets, noise: 0.15, excess: 0.4 });
    while (!verification.isDone) {
      const subset = verification.propose();
      verification.learn((subset.includes(0) ? 1.4 : 0.92) + rng.normal(0, 0.15));
    }
    expect(verification.confirmed).toEqual([
      [0, 1],
      [0, 7],
    ]);
    expect(verification.refuted).toEqual([[1, 7]]);
  });
});

describe("linear models", () => {
  test("the posterior mean is that of ridge regression, and deviations shrink with data", () => {
    const rng = Rng.fromSeed(3);
    const model = new BayesLinear({ noise: 0.5, spreads: [2, 2], members: 0 }, rng);
    const rows = [
      [1, 0.5, 1.2],
      [1, -1, 0.1],
      [1, 2, 2.4],
    ] as const;
    const probe = { indexes: [0, 1], values: [1, 1] };
    const before = model.deviation(probe);
    for (const [a, b, y] of rows) model.learn({ indexes: [0, 1], values: [a, b] }, y);
    // Normal equations: (X'X / .25 + I / 4) w = X'y / .25.
    const [s11, s12, s22] = [3 * 4 + 0.25, 1.5 * 4, (0.25 + 1 + 4) * 4 + 0.25];
    const [t1, t2] = [4 * 3.7, 4 * (0.6 - 0.1 + 4.8)];
    const det = s11 * s22 - s12 * s12;
    expect(model.weights()[0]).toBeCloseTo((s22 * t1 - s12 * t2) / det, 10);
    expect(model.weights()[1]).toBeCloseTo((s11 * t2 - s12 * t1) / det, 10);
    expect(model.deviation(probe)).toBeCloseTo(Math.sqrt((s22 - 2 * s12 + s11) / det), 10);
    expect(model.deviation(probe)).toBeLessThan(before);
  });

  test("draws of the ensemble scatter around the mean by the posterior deviation", () => {
    const model = new BayesLinear({ noise: 0.5, spreads: [1, 1, 1], members: 3000 }, Rng.fromSeed(4));
    for (let i = 0; i < 5; i++) model.learn({ indexes: [0, 1 + (i % 2)], values: [1, 1] }, 0.3 * i);
    const probe = { indexes: [0, 1, 2], values: [1, 0.5, -1] };
    const draws = Array.from({ length: 3000 }, (_, member) => model.drawn(member, probe));
    const mean = draws.reduce((sum, each) => sum + each, 0) / draws.length;
    const deviation = Math.sqrt(draws.reduce((sum, each) => sum + (each - mean) ** 2, 0) / draws.length);
    expect(Math.abs(mean - model.mean(probe))).toBeLessThan(4 * (model.deviation(probe) / Math.sqrt(3000)));
    expect(deviation / model.deviation(probe)).toBeGreaterThan(0.95);
    expect(deviation / model.deviation(probe)).toBeLessThan(1.05);
  });

  test("features of a combination name its drugs, known pairs, severities, size and burden", () => {
    const features = new CombinationFeatures(problem());
    expect(features.length).toBe(1 + 30 + 2 + 5);
    expect(features.row([0, 1, 4, 5])).toEqual({
      indexes: [0, 1, 31, 2, 5, 6, 33, 35, 36, 37],
      values: [1, 1, 1, 1, 1, 1, 0.25, 0.25, 0.5, 3 / 9],
    });
    const dense = new Float32Array(features.length);
    features.writeDense([2, 3], dense, 0);
    expect([dense[3], dense[4], dense[32], dense[34], dense[36]]).toEqual([1, 1, 1, 0.25, 0.25]);
  });
});

describe("evolution", () => {
  test("it finds combinations of two to eight drugs near the best of a score by drug", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1000 }), (seed) => {
        const wanted = [3, 8, 15, 20];
        const score = (combination: readonly number[]): number =>
          combination.filter((drug) => wanted.includes(drug)).length - 0.2 * combination.length;
        const found = differentialEvolution(score, 30, Rng.fromSeed(seed));
        expect(found.length).toBeGreaterThanOrEqual(2);
        expect(found.length).toBeLessThanOrEqual(8);
        expect([...found].sort((a, b) => a - b)).toEqual(found);
        expect(score(found)).toBeGreaterThan(0.5);
      }),
      { numRuns: 10 },
    );
  });
});

describe("calibration", () => {
  test("the threshold rises until nine of ten held-out probes above it are dangerous", () => {
    const sure = Array.from({ length: 20 }, () => ({ mean: 1.5, deviation: 0.1, observed: 1.6 }));
    const unsure = Array.from({ length: 20 }, () => ({ mean: 1.2, deviation: 0.1, observed: 0.9 }));
    expect(calibrateThreshold(sure, 0.15)).toBe(0);
    expect(calibrateThreshold([...sure, ...unsure], 0.15)).toBe(1);
    expect(calibrateThreshold(unsure, 0.15)).toBe(Number.POSITIVE_INFINITY);
  });

  test("findings above a threshold come surest first, and none above an infinite one", () => {
    const shown = [Uint8Array.of(0, 1), Uint8Array.of(2, 3), Uint8Array.of(4, 5)];
    const beliefOf = ([a]: Uint8Array) => ({ mean: 1 + a! / 4, deviation: 0.1 });
    expect(findingsAbove(shown, beliefOf, 1).map(({ drugs }) => drugs)).toEqual([
      [4, 5],
      [2, 3],
    ]);
    expect(findingsAbove(shown, beliefOf, Number.POSITIVE_INFINITY)).toEqual([]);
  });
});
