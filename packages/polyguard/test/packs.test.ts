import { readdirSync, readFileSync } from "node:fs";
import { PraxisError, Rng, type SyncEnv } from "@praxis/env";
import { describe, expect, test } from "vitest";
import { CourseEvaluator } from "../src/course/evaluator.ts";
import { definePolyGuard, NOTICE } from "../src/definition.ts";
import { makePolyguardPolicy } from "../src/policies/index.ts";
import { CATALOGUE, type Task } from "../src/scenario/key.ts";
import { packScenario, unpackScenario } from "../src/scenario/pack-codec.ts";
import { PackShelf, parsePack } from "../src/scenario/packs.ts";
import { DIFFICULTIES } from "../src/scenario/types.ts";
import { SUB_ENVIRONMENT_TABLE } from "../src/sub-environments/index.ts";
import { kb } from "./policy-fixtures.ts";

const folder = new URL("../scenarios/", import.meta.url);
const readPack = (task: Task): string => readFileSync(new URL(`${task}.yaml`, folder), "utf8");
const definition = definePolyGuard(kb, { readPack });
const TASKS = CATALOGUE.map(({ task }) => task);

describe("scenario packs", () => {
  test("there is a pack for every task, with ten scenarios a tier, a notice and a reading for each", () => {
    expect(readdirSync(folder).sort()).toEqual(TASKS.map((task) => `${task}.yaml`).sort());
    for (const task of TASKS) {
      const entries = parsePack(readPack(task));
      const expected = DIFFICULTIES.flatMap((tier) =>
        Array.from({ length: 10 }, (_, i) => `pack/${task}/${tier}/${i + 1}`),
      );
      expect(entries.map(({ id }) => id)).toEqual(expected);
      for (const { reading } of entries) expect(reading.length).toBeGreaterThan(40);
      expect(readPack(task)).toContain(NOTICE);
    }
  });

  test.each(TASKS)(
    "every packed scenario of %s is read and begun, under its own id",
    (task) => {
      for (const { id } of parsePack(readPack(task))) {
        const { info, observation } = definition.makeEnv().reset({ seed: 1, options: { scenario_id: id } });
        expect(info.scenario_id).toBe(id);
        expect(observation.candidates.length).toBeGreaterThan(2);
      }
    },
    120_000,
  );

  test.each(TASKS)(
    "a packed scenario of %s is played to its end by the rules",
    async (task) => {
      for (const tier of DIFFICULTIES) {
        const env = definition.makeEnv();
        const policy = makePolyguardPolicy("rule_based", env as SyncEnv);
        policy.reset(Rng.fromSeed(1, task));
        const options = { scenario_id: `pack/${task}/${tier}/4`, score_task: false };
        let last: { observation: never; info: never } = env.reset({ seed: 1, options }) as never;
        let isOver = false;
        for (let step = 0; step < 2000 && !isOver; step++) {
          const result = env.step(await policy.act(last.observation, last.info));
          isOver = result.terminated || result.truncated;
          last = result as never;
        }
        expect(isOver, `${task} ${tier}`).toBe(true);
      }
    },
    120_000,
  );

  test("what is packed comes back: the same list, hazards and mask, numbers to six digits", () => {
    const evaluator = new CourseEvaluator(kb);
    for (const difficulty of DIFFICULTIES) {
      const key = { task: "ddi_risk", difficulty, split: "train", seed: 12 } as const;
      const { scenario } = SUB_ENVIRONMENT_TABLE.DDI!.draw({ kb, evaluator }, key);
      const back = unpackScenario(kb, packScenario(kb, scenario));
      expect(packScenario(kb, back)).toEqual(packScenario(kb, scenario));
      expect(back.hazards).toEqual(scenario.hazards);
      expect([...back.mask.hidden]).toEqual([...scenario.mask.hidden]);
      expect(Object.keys(back.initial.medications[0]!).sort()).toEqual(
        Object.keys(scenario.initial.medications[0]!).sort(),
      );
      for (const [i, medication] of back.initial.medications.entries())
        expect(medication.drugIndex).toBe(scenario.initial.medications[i]!.drugIndex);
    }
  });

  test("an id that no pack has, packs that are not there, and options against the id are refused by name", () => {
    const begin = (options: Record<string, unknown>, made = definition) => made.makeEnv().reset({ seed: 1, options });
    expect(() => begin({ scenario_id: "pack/ddi_risk/easy/11" })).toThrow(/pack\/ddi_risk\/easy\/1/);
    expect(() => begin({ scenario_id: "pack/ddi/easy/1" })).toThrow(PraxisError);
    expect(() => begin({ scenario_id: "pack/ddi_risk/easy/1" }, definePolyGuard(kb))).toThrow(/packs/);
    expect(() => begin({ scenario_id: "pack/ddi_risk/easy/1", difficulty: "hard" })).toThrow(/difficulty/);
    expect(() => begin({ scenario_id: "pack/ddi_risk/easy/1", sub_environment: "REGIMEN_RISK" })).toThrow(
      /sub_environment/,
    );
  });

  test("a pack with a fault is refused with its place, and one that no longer fits the generator is named", () => {
    expect(() => parsePack("notice: x\ntask: ddi_risk\nscenarios:\n  - id: 3\n")).toThrow(/scenarios\.0\.id/);
    const stale =
      "notice: x\ntask: new_drug\nscenarios:\n  - id: pack/new_drug/easy/1\n    reading: r\n    drawn: {scenario_id: new_drug/easy/val/100001, digest: '0'}\n";
    const shelf = new PackShelf(kb, () => stale);
    const { scenario } = SUB_ENVIRONMENT_TABLE.DDI!.draw(
      { kb, evaluator: new CourseEvaluator(kb) },
      { task: "ddi_risk", difficulty: "easy", split: "train", seed: 1 },
    );
    expect(() => shelf.get("pack/new_drug/easy/1", () => ({ scenario, content: null }))).toThrow(/make-packs/);
  });
});
