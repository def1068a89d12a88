import { expect, test } from "vitest";
import { BankIndex } from "../src/bank/bank-index.ts";
import { playShift } from "../src/baselines/evaluate.ts";
import { makeScript } from "../src/baselines/index.ts";
import { makeWordBank } from "./support/word-bank.ts";

const parts = {
  index: new BankIndex(makeWordBank({ tasksPerDesk: 120, specialists: 256 })),
  settings: { spawn: { enabled: false }, reward: { consistencyWeight: 0 } },
};
const shifts = 30;
const means = new Map<string, number>();

/** Mean R per task over the same shifts. */
function meanOf(name: string): number {
  const known = means.get(name);
  if (known !== undefined) return known;
  let sum = 0;
  let tasks = 0;
  for (let seed = 0; seed < shifts; seed++)
    for (const { reward } of playShift(parts, makeScript(name), seed)) {
      sum += reward;
      tasks++;
    }
  means.set(name, sum / tasks);
  return sum / tasks;
}

test("truthStep, which knows the people, is far above every rule, and random is at the bottom", () => {
  for (const rule of ["alwaysOne", "greedyKPar", "greedyMediate", "cueGreedySla", "cascade"]) {
    expect(meanOf(rule)).toBeLessThan(meanOf("truthStep") - 0.05);
    expect(meanOf(rule)).toBeGreaterThan(meanOf("random"));
  }
});

test("rules that ignore the SLA end under the best rule", () => {
  const best = Math.max(meanOf("greedyMediate"), meanOf("cueGreedySla"));
  for (const rule of ["greedyIter", "cueGreedy", "callAllSeq"]) expect(meanOf(rule)).toBeLessThan(best - 0.05);
});

test("equal seeds make equal play, planners included", () => {
  for (const name of ["random", "beliefPlan"])
    expect(playShift(parts, makeScript(name), 3)).toEqual(playShift(parts, makeScript(name), 3));
});
