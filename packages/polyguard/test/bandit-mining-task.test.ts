import { Rng } from "@praxis/env";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { getDrug } from "../src/kb/lookup.ts";
import { loadBundledKnowledgeBase } from "../src/kb/node.ts";
import { isHeldOutDrug, isHeldOutRule } from "../src/scenario/splits.ts";
import { DIFFICULTIES } from "../src/scenario/types.ts";
import { fBeta, readFinding, scoreFindings, writeFinding } from "../src/sub-environments/bandit-mining/findings.ts";
import { drawInstance, type MiningInstance } from "../src/sub-environments/bandit-mining/instance.ts";
import { listKnownPairs } from "../src/sub-environments/bandit-mining/known-pairs.ts";
import { containing, populationOf, riskRank } from "../src/sub-environments/bandit-mining/population.ts";
import { meanRisk, patternExcess } from "../src/sub-environments/bandit-mining/risk.ts";
import { MINING_TIERS } from "../src/sub-environments/bandit-mining/tiers.ts";
import { dangerousSubsets, trueFindings } from "../src/sub-environments/bandit-mining/truth.ts";

const kb = loadBundledKnowledgeBase();
const easy = drawInstance(kb, "easy", "train", Rng.fromSeed(1));
const medium = drawInstance(kb, "medium", "train", Rng.fromSeed(2));

/** Three drugs in one pattern of relative risk 2.5 and a pair of risk 2, on the drugs of the easy task. */
const small: MiningInstance = {
  ...easy,
  patterns: [
    { drugs: [0, 1, 2], risk: 2.5, ruleIds: [] },
    { drugs: [2, 3], risk: 2, ruleIds: [] },
  ],
};

describe("risk", () => {
  test("a pattern is without danger up to half of its drugs and reaches its risk when all are taken", () => {
    expect([1, 2, 3].map((shared) => patternExcess(2.5, 3, shared))).toEqual([0, 0.4999999999999999, 1.5]);
    expect([2, 3, 4].map((shared) => patternExcess(2, 4, shared))).toEqual([0, 0.5, 1]);
    expect([2, 3].map((shared) => patternExcess(2, 5, shared))).toEqual([0, 0.19999999999999996]);
  });

  test("the worst pattern alone decides the risk of a combination", () => {
    expect(meanRisk(small, [0, 1])).toBeCloseTo(1.5, 12);
    expect(meanRisk(small, [2, 3])).toBeCloseTo(2, 12);
    expect(meanRisk(small, [0, 1, 2, 3])).toBeCloseTo(2.5, 12);
  });

  test("adding a drug never makes a dangerous combination less dangerous", () => {
    const drug = fc.integer({ min: 0, max: medium.drugIds.length - 1 });
    fc.assert(
      fc.property(fc.uniqueArray(drug, { minLength: 2, maxLength: 7 }), drug, (combination, other) => {
        const dangerous = medium.patterns.some(({ drugs, risk }) => {
          const shared = drugs.filter((each) => combination.includes(each)).length;
          return patternExcess(risk, drugs.length, shared) > 0;
        });
        fc.pre(dangerous);
        const before = meanRisk(
          medium,
          [...combination].sort((a, b) => a - b),
        );
        const more = [...new Set([...combination, other])].sort((a, b) => a - b);
        expect(meanRisk(medium, more)).toBeGreaterThanOrEqual(before);
      }),
      { numRuns: 300 },
    );
  });

  test("safe combinations have frozen risks around .92 with a spread of .06", () => {
    const population = populationOf(medium);
    const safe = Array.from(population.means).filter((mean) => mean < 1);
    const mean = safe.reduce((sum, each) => sum + each, 0) / safe.length;
    const spread = Math.sqrt(safe.reduce((sum, each) => sum + (each - mean) ** 2, 0) / safe.length);
    // Cut at 1, which is 1.3 deviations up: a truncated normal has mean .906 and spread .050.
    expect(mean).toBeCloseTo(0.906, 2);
    expect(spread).toBeCloseTo(0.05, 2);
    expect(meanRisk(medium, [3, 9, 20])).toBe(meanRisk(medium, [3, 9, 20]));
  });
});

describe("tasks", () => {
  test("equal keys draw equal tasks and populations, other seeds draw others", () => {
    const again = drawInstance(kb, "easy", "train", Rng.fromSeed(1));
    expect(again).toEqual(easy);
    expect(populationOf(again).means).toEqual(populationOf(easy).means);
    expect(drawInstance(kb, "easy", "train", Rng.fromSeed(3))).not.toEqual(easy);
  });

  test.each(DIFFICULTIES)("a task of tier %s has the drugs, patterns and combinations of its tier", (difficulty) => {
    const instance = drawInstance(kb, difficulty, "train", Rng.fromSeed(7));
    const tier = MINING_TIERS[difficulty];
    const population = populationOf(instance);
    expect(new Set(instance.drugIds).size).toBe(tier.drugs);
    expect([...instance.drugIds].sort()).toEqual(instance.drugIds);
    expect(instance.patterns).toHaveLength(tier.patterns);
    expect(population.combinations).toHaveLength(tier.population);
    expect(new Set(population.combinations.map((each) => each.join())).size).toBe(tier.population);
    const share = population.dangerous.length / tier.population;
    expect(share).toBeGreaterThan(0.02);
    expect(share).toBeLessThan(0.3);
  });

  test("two thirds of the patterns have three or four drugs and hold a known major or contraindicated pair", () => {
    for (let seed = 0; seed < 10; seed++) {
      const { drugIds, patterns } = drawInstance(kb, "medium", "train", Rng.fromSeed(seed));
      const known = listKnownPairs(
        kb,
        drugIds.map((id) => getDrug(kb, id).index),
      );
      const built = patterns.filter(({ ruleIds }) => ruleIds.length > 0);
      expect(built).toHaveLength(5);
      for (const { drugs } of built) {
        expect([3, 4]).toContain(drugs.length);
        expect(known.some(({ a, b }) => drugs.includes(a) && drugs.includes(b))).toBe(true);
      }
      for (const { risk, drugs } of patterns) {
        expect(risk).toBeGreaterThanOrEqual(1.8);
        expect(risk).toBeLessThan(3);
        expect(drugs.length).toBeGreaterThanOrEqual(2);
        expect(drugs.length).toBeLessThanOrEqual(6);
      }
    }
  });

  test("train tasks hold no held-out drug or rule, and the test splits have one in a pattern", () => {
    for (let seed = 0; seed < 20; seed++) {
      const train = drawInstance(kb, "medium", "train", Rng.fromSeed(seed));
      expect(train.drugIds.filter((id) => isHeldOutDrug(kb, getDrug(kb, id)))).toEqual([]);
      expect(train.patterns.flatMap(({ ruleIds }) => ruleIds.filter(isHeldOutRule))).toEqual([]);
      const byPair = drawInstance(kb, "medium", "test_pair", Rng.fromSeed(seed));
      expect(byPair.patterns.some(({ ruleIds }) => ruleIds.some(isHeldOutRule))).toBe(true);
      const byDrug = drawInstance(kb, "medium", "test_drug", Rng.fromSeed(seed));
      const inPatterns = byDrug.patterns.flatMap(({ drugs }) => drugs.map((at) => byDrug.drugIds[at]!));
      expect(inPatterns.some((id) => isHeldOutDrug(kb, getDrug(kb, id)))).toBe(true);
    }
  });

  test("a risk above all of the population ranks 1, one below all ranks 0", () => {
    const population = populationOf(easy);
    expect(riskRank(population, 9)).toBe(1);
    expect(riskRank(population, 0)).toBe(0);
    expect(riskRank(population, population.sortedMeans[1000]!)).toBeCloseTo(1000.5 / 2000, 12);
  });
});

describe("findings", () => {
  const [a, b] = easy.drugIds as [string, string];

  test("a text and its finding are each other's inverse", () => {
    const drug = fc.integer({ min: 0, max: easy.drugIds.length - 1 });
    fc.assert(
      fc.property(fc.uniqueArray(drug, { minLength: 2, maxLength: 8 }), fc.boolean(), (drugs, isStar) => {
        const finding = { drugs: [...drugs].sort((x, y) => x - y), isPattern: isStar && drugs.length <= 4 };
        expect(readFinding(easy.drugIds, writeFinding(easy.drugIds, finding))).toEqual({ finding, problem: null });
      }),
    );
  });

  test.each([
    ["one drug", `${a}*`, "at least two drugs"],
    ["ids out of order", `${b}+${a}*`, "ascending order"],
    ["a drug twice", `${a}+${a}`, "ascending order"],
    ["a pattern of five", `${easy.drugIds.slice(0, 5).join("+")}*`, "2 to 4 drugs"],
    ["an unknown drug", `${a}x+${b}`, `Did you mean '${a}'`],
    ["nothing", "", "no drug ''"],
  ])("a finding of %s is refused in words", (_what, text, problem) => {
    expect(readFinding(easy.drugIds, text).problem).toContain(problem);
  });

  test("a star declares every combination that holds its drugs, a plain finding that combination alone", () => {
    const population = populationOf(easy);
    const first = Array.from(population.combinations[0]!);
    const plain = scoreFindings(easy, [{ drugs: first, isPattern: false }]);
    expect(plain.declared).toBe(1);
    const star = scoreFindings(easy, [{ drugs: [0, 1], isPattern: true }]);
    expect(star.declared).toBe(population.combinations.filter((each) => each.includes(0) && each.includes(1)).length);
    expect(star.declared).toBe(containing(population, [0, 1]).length);
  });

  test("declaring the truth scores 1, nothing scores 0, everything has the base rate as precision", () => {
    const { drugIds } = easy;
    const truth = trueFindings(easy).map((text) => readFinding(drugIds, text).finding!);
    expect(scoreFindings(easy, truth)).toMatchObject({ precision: 1, recall: 1, fHalf: 1 });
    expect(scoreFindings(easy, [])).toMatchObject({ precision: 0, recall: 0, fHalf: 0, declared: 0 });
    const pairs = drugIds.flatMap((_, x) => drugIds.slice(x + 1).map((__, i) => [x, x + 1 + i]));
    const all = scoreFindings(
      easy,
      pairs.map((drugs) => ({ drugs, isPattern: true })),
    );
    const { dangerous, combinations } = populationOf(easy);
    expect(all.recall).toBe(1);
    expect(all.precision).toBeCloseTo(dangerous.length / combinations.length, 12);
  });

  test("the smallest dangerous subsets are the pairs of a pattern of three and the triples of one of four", () => {
    const four: MiningInstance = { ...easy, patterns: [{ drugs: [1, 4, 6, 9], risk: 2, ruleIds: [] }] };
    expect(dangerousSubsets(small).map(({ drugs }) => drugs.join())).toEqual(["0,1", "0,2", "1,2", "2,3"]);
    expect(dangerousSubsets(four).map(({ drugs }) => drugs.join())).toEqual(["1,4,6", "1,4,9", "1,6,9", "4,6,9"]);
  });

  test("F0.5 weighs precision more than recall", () => {
    expect(fBeta(0.9, 0.3, 0.5)).toBeCloseTo(0.6428571428571429, 12);
    expect(fBeta(0.3, 0.9, 0.5)).toBeCloseTo(0.34615384615384615, 12);
    expect(fBeta(0, 0, 0.5)).toBe(0);
    expect(fBeta(1, 1, 0.5)).toBe(1);
  });
});
