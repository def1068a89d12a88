import { describe, expect, it } from "vitest";
import { CourseEvaluator } from "../src/course/evaluator.ts";
import { loadBundledKnowledgeBase } from "../src/kb/node.ts";
import { CATALOGUE, type ScenarioKey } from "../src/scenario/key.ts";
import { ScenarioSource } from "../src/scenario/source.ts";
import type { KeptValue } from "../src/scenario/store.ts";
import { gradesOf } from "../src/sub-environments/alternative-suggestion/grades.ts";
import type { Replacement } from "../src/sub-environments/alternative-suggestion/options.ts";

const kb = loadBundledKnowledgeBase();
const sourceWith = (store: Map<string, KeptValue>): ScenarioSource =>
  new ScenarioSource(kb, new CourseEvaluator(kb), null, {
    get: (key) => store.get(key),
    set: (key, value) => void store.set(key, value),
  });
const easy = (task: ScenarioKey["task"]): ScenarioKey => ({ task, difficulty: "easy", split: "val", seed: 100_001 });

describe("a store of what was worked out about scenarios", () => {
  it("changes no scenario of any task, whether it is empty or filled", () => {
    for (const { task } of CATALOGUE) {
      const store = new Map<string, KeptValue>();
      const plain = new ScenarioSource(kb, new CourseEvaluator(kb)).get(easy(task));
      const first = sourceWith(store).get(easy(task));
      const again = sourceWith(store).get(easy(task));
      expect(first.scenario).toEqual(plain.scenario);
      expect(again.scenario).toEqual(plain.scenario);
      expect(again.content).toEqual(plain.content);
    }
  });

  it("is passed over where it holds something else than the number of a draft", () => {
    const store = new Map<string, KeptValue>();
    const { scenario } = sourceWith(store).get(easy("ddi_risk"));
    const [key] = [...store.keys()];
    for (const value of [[1, 2], -1]) {
      store.set(key!, value);
      expect(sourceWith(store).get(easy("ddi_risk")).scenario).toEqual(scenario);
    }
  });

  it("gives the grades of options as they were worked out", () => {
    const store = new Map<string, KeptValue>();
    const grade = () => {
      const { scenario, content } = sourceWith(store).get(easy("safe_substitution"));
      return gradesOf({ kb, scenario }, content as Replacement);
    };
    const first = grade();
    expect([...store.keys()].some((key) => key.startsWith("grades|"))).toBe(true);
    expect(grade()).toEqual(first);
  });
});
