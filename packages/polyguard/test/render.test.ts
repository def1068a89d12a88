import { Rng } from "@praxis/env";
import { describe, expect, test } from "vitest";
import { definePolyGuard } from "../src/definition.ts";
import { makeObservationPolicy } from "../src/policies/index.ts";
import { renderPolyguard } from "../src/render.ts";
import { kb } from "./policy-fixtures.ts";

const definition = definePolyGuard(kb);

/** Text of an episode of the rule-based policy: the patient, then one text a step. */
function episodeText(
  seed: number,
  difficulty: string,
): { readonly patient: string; readonly steps: readonly string[] } {
  const env = definition.makeEnv();
  const renderer = renderPolyguard();
  const policy = makeObservationPolicy("rule_based", kb);
  policy.reset(Rng.fromSeed(seed, "render"));
  const reset = env.reset({ seed, options: { difficulty, score_task: true } });
  const patient = renderer.reset(reset);
  const steps: string[] = [];
  let { observation } = reset;
  for (let step = 0; ; step++) {
    const action = policy.act(observation, {});
    if (action instanceof Promise) throw new Error("an action at once");
    const result = env.step(action);
    steps.push(renderer.step({ step, action, reward: result.reward }, result));
    if (result.terminated || result.truncated) return { patient, steps };
    observation = result.observation;
  }
}

describe("text for a terminal", () => {
  const { patient, steps } = episodeText(3, "easy");
  const observation = definition.makeEnv().reset({ seed: 3, options: { difficulty: "easy" } }).observation;

  test("the patient comes with the notice, conditions, values with unit and age, and the list with doses", () => {
    expect(patient).toContain("Research simulation, not medical advice");
    expect(patient).toContain(`${observation.patient.age} years`);
    for (const { code } of observation.conditions) expect(patient).toContain(code);
    for (const row of observation.medications)
      expect(patient).toContain(`${row.label} ${row.dose_per_day} ${row.unit}`);
    expect(patient).toMatch(/K \d\.\d mmol\/L.*\(\d+ d old\)/);
  });

  test("alerts stand in order of severity", () => {
    const { patient: text } = episodeText(1, "medium");
    const ranks = [...text.matchAll(/^ {2}(CONTRAINDICATED|MAJOR|MODERATE) /gm)].map(([, severity]) =>
      ["CONTRAINDICATED", "MAJOR", "MODERATE"].indexOf(severity!),
    );
    expect(ranks.length).toBeGreaterThan(1);
    expect(ranks).toEqual([...ranks].sort());
  });

  test("a step tells the action in words, its reason, what came of it, and the reward by channel and component", () => {
    expect(steps[0]).toMatch(/^Step 0, day 0: \S/);
    expect(steps[0]).toMatch(/Why +\S/);
    expect(steps[0]).toMatch(/Outcome +done, day \d+/);
    expect(steps[0]).toMatch(/Reward +0\.\d{3} {2}safety 0\.\d\d, clinical 0\.\d\d, dosing 0\.\d\d, process 0\.\d\d/);
    expect(steps[0]).toContain("legality 1.00");
  });

  test("the last step tells how it ended and what it was worth", () => {
    expect(steps.at(-1)).toMatch(/End: \w+, (no )?success/);
    expect(steps.at(-1)).toMatch(/task score \d\.\d{3}/);
  });

  test("a refused action is told with its rule", () => {
    const env = definition.makeEnv();
    const renderer = renderPolyguard();
    const reset = env.reset({ seed: 5, options: { difficulty: "hard", expose_legality: true } });
    renderer.reset(reset);
    const mask = reset.info.actionMask as readonly boolean[];
    const { text, ...fields } = reset.observation.candidates.find((_, i) => mask[i] === false)!;
    const { orders, ...rest } = fields;
    const action = {
      schema_version: "1.0" as const,
      step_nonce: reset.observation.step_nonce,
      ...rest,
      ...(orders === undefined ? {} : { orders: [...orders] }),
      rationale: "",
      evidence_ids: [],
      confidence: 0.5,
    };
    const result = env.step(action);
    const lines = renderer.step({ step: 0, action, reward: result.reward }, result);
    expect(lines).toContain(text);
    expect(lines).toMatch(/Refused +V\d\d: /);
  });

  test("what is no observation of PolyGuard is printed as it is", () => {
    expect(renderPolyguard().reset({ observation: { x: 1 }, info: {} })).toBe('{"x":1}');
  });
});
