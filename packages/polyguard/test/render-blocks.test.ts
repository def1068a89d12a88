import { Rng } from "@praxis/env";
import { expect, test } from "vitest";
import { definePolyGuard } from "../src/definition.ts";
import { unitInWords } from "../src/observation/unit-words.ts";
import { makePolyguardPolicy } from "../src/policies/index.ts";
import { renderPolyguard } from "../src/render.ts";
import { freeActionText } from "../src/render-blocks.ts";
import { kb } from "./world-fixtures.ts";

/** Text of the first steps of an episode. */
function textOf(scenarioId: string, steps: number): string {
  const env = definePolyGuard(kb).makeEnv();
  const policy = makePolyguardPolicy("rule_based", env);
  policy.reset(Rng.fromSeed(1));
  const renderer = renderPolyguard();
  let last: ReturnType<typeof env.reset> = env.reset({ options: { scenario_id: scenarioId, score_task: false } });
  const lines = [renderer.reset(last)];
  for (let step = 0; step < steps; step++) {
    const action = policy.act(last.observation, last.info) as Parameters<typeof env.step>[0];
    const result = env.step(action);
    lines.push(renderer.step({ step, action, reward: result.reward }, result));
    if (result.terminated || result.truncated) break;
    last = result;
  }
  return lines.join("\n");
}

test("a new drug is introduced, its studies are told and its judgement is read as a plan", () => {
  const text = textOf("new_drug/easy/train/1", 6);
  expect(text).toMatch(/New drug {5}\S+, .*usual dose 100 mg\/d/);
  expect(text).toMatch(/Look up "phenotyping"/);
  expect(text).toMatch(/Told {7}phenotyping: fm_CYP3A4/);
  expect(text).toMatch(/Judge the new drug: (start|do not)/);
});

test("a look-up shows its own query and what was read with source and year", () => {
  const text = textOf("missing_data/easy/train/1", 4);
  expect(text).toMatch(/Look up "[a-z_]+ label /);
  expect(text).toMatch(/Told {7}.* label: .*\(label, 2023\)/);
});

test("free actions say how much they hold, and others are left to their candidate", () => {
  expect(freeActionText({ action_type: "PROBE_COMBINATION", combinations: [["a", "b"]] })).toBe("Probe 1 combination");
  expect(freeActionText({ action_type: "DECLARE_FINDINGS", findings: [] })).toBe("Declare 0 findings");
  expect(freeActionText({ action_type: "STOP_DRUG" })).toBeNull();
  expect(
    freeActionText({ action_type: "DECOMPOSE_NEW_DRUG", decomposition: { fe: 0.2, qt: 0 }, plan: "monitored" }),
  ).toBe("Judge the new drug: start the usual dose with monitoring; fe 0.2");
});

test("mining shows each probe with its relative risk, and what is declared", () => {
  const text = textOf("dangerous_combinations/easy/train/1", 200);
  expect(text).toMatch(/Told {7}[a-z_]+ \+ [a-z_+ ]+: relative risk \d\.\d\d/);
  expect(text).toMatch(/Declare \d+ findings: [a-z_]+\+[a-z_]+/);
});

test("the task, and the target of a drug that is dosed by its level, stand above the list", () => {
  const text = textOf("precision_dosing/easy/train/2", 0);
  expect(text).toMatch(/^Task {9}Bring /m);
  const env = definePolyGuard(kb).makeEnv();
  const seeds = Array.from({ length: 12 }, (_, i) => `precision_dosing/easy/train/${i}`);
  const id = seeds.find((each) => env.reset({ options: { scenario_id: each } }).observation.dosing !== undefined)!;
  expect(textOf(id, 0)).toMatch(/^Target {7}\w+.* by \w+: [\d.]+ to [\d.]+.*, toxic above [\d.]+/m);
});

test("a recommendation is told with its options in order", () => {
  expect(textOf("safe_substitution/easy/train/1", 12)).toMatch(/: Recommend in place of .+ \(m\d+\): 1\. .+, 2\. /);
});

test("what two rules say in the same words stands once among the alerts, and harms are told in words", () => {
  const text = textOf("ddi_risk/hard/train/2", 0);
  const alerts = text.split("\n").filter((line) => /^ {2}(CONTRAINDICATED|MAJOR|MODERATE) /.test(line));
  expect(alerts.length).toBeGreaterThan(1);
  expect(new Set(alerts).size).toBe(alerts.length);
  for (const line of alerts) expect(line).not.toMatch(/[A-Z]_[A-Z]/);
});

test("an annotation is no unit", () => {
  expect(["{INR}", "mmol/L", "m[IU]/L"].map(unitInWords)).toEqual(["", " mmol/L", " mIU/L"]);
});

test("steps that only probe are told together, and what the fold says is what was probed", () => {
  const text = textOf("dangerous_combinations/easy/train/1", 60);
  const folds = [...text.matchAll(/^Steps? ([0-9-]+): (\d+) combinations probed, (\d+) above/gm)];
  expect(folds.length).toBeGreaterThan(0);
  expect(folds[0]![1]).toBe("0-24");
  for (const [, , probed, above] of folds) expect(Number(above)).toBeLessThanOrEqual(Number(probed));
  expect(text).not.toMatch(/Probe \d+ combination/);
});
