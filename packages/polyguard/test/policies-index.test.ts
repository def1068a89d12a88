import { PraxisError, Rng, type SyncEnv } from "@praxis/env";
import { describe, expect, test } from "vitest";
import { definePolyGuard } from "../src/definition.ts";
import {
  makeObservationPolicy,
  makePolyguardPolicy,
  OBSERVATION_POLICY_NAMES,
  POLYGUARD_POLICIES,
} from "../src/policies/index.ts";
import { kb } from "./policy-fixtures.ts";

const definition = definePolyGuard(kb);

function messageOf(act: () => unknown): { readonly code: string; readonly message: string } {
  try {
    act();
  } catch (error) {
    if (error instanceof PraxisError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("names", () => {
  test("the names are those of the published baselines", () => {
    expect(POLYGUARD_POLICIES).toEqual([
      "random_legal",
      "random_any",
      "keep_always",
      "stop_all",
      "review_always",
      "rule_based",
      "planner_critic",
      "contextual_bandit",
      "map_planner",
      "oracle_greedy",
      "oracle_settled",
      "oracle_year",
      "oracle_lookahead",
      "open_loop",
      "closed_loop",
      "oracle_known",
    ]);
  });

  test("an unknown name is refused with the nearest one", () => {
    expect(messageOf(() => makePolyguardPolicy("oracle_lokahead", definition.makeEnv()))).toMatchObject({
      code: "UNKNOWN_NAME",
      message: expect.stringContaining("Did you mean 'oracle_lookahead'?"),
    });
    expect(messageOf(() => makeObservationPolicy("toString", kb)).code).toBe("UNKNOWN_NAME");
  });

  test("an oracle is no observation policy", () => {
    expect(messageOf(() => makeObservationPolicy("oracle_year", kb)).code).toBe("UNKNOWN_NAME");
  });
});

describe("every policy", () => {
  test.each(POLYGUARD_POLICIES)("%s plays an easy scenario to its end", (name) => {
    const env = definition.makeEnv();
    const policy = makePolyguardPolicy(name, env);
    expect(policy.name).toBe(name);
    for (const seed of [1, 2]) {
      let result = env.reset({ seed, options: { difficulty: "easy" } }) as Pick<
        ReturnType<typeof env.step>,
        "observation" | "info"
      >;
      policy.reset(Rng.fromSeed(seed, name));
      for (let steps = 0; ; steps++) {
        const action = policy.act(result.observation, result.info);
        if (action instanceof Promise) throw new Error("an action at once");
        const step = env.step(action);
        result = step;
        if (step.terminated || step.truncated) break;
        expect(steps).toBeLessThan(20);
      }
    }
  });

  test.each(OBSERVATION_POLICY_NAMES)("%s needs nothing but observations", (name) => {
    const policy = makeObservationPolicy(name, kb);
    policy.reset(Rng.fromSeed(1, name));
    const wire = JSON.parse(JSON.stringify(definition.makeEnv().reset({ seed: 4 }).observation));
    expect(policy.act(wire, {})).toMatchObject({ step_nonce: wire.step_nonce });
  });

  test("random_legal never picks what the verifier refuses", () => {
    const env = definition.makeEnv();
    const policy = makePolyguardPolicy("random_legal", env);
    for (let seed = 0; seed < 10; seed++) {
      let result = env.reset({ seed }) as Pick<ReturnType<typeof env.step>, "observation" | "info">;
      policy.reset(Rng.fromSeed(seed, "legal"));
      for (;;) {
        const action = policy.act(result.observation, result.info);
        if (action instanceof Promise) throw new Error("an action at once");
        const step = env.step(action);
        expect(step.info.violations).toEqual([]);
        if (step.terminated || step.truncated) break;
        result = step;
      }
    }
  });

  test("an oracle refuses an environment whose latent state it can't read", () => {
    const remote = { reset: () => {}, step: () => {} } as unknown as SyncEnv;
    const policy = makePolyguardPolicy("oracle_year", remote);
    const { observation } = definition.makeEnv().reset({ seed: 1 });
    expect(messageOf(() => policy.act(observation, {})).code).toBe("NOT_SUPPORTED");
    expect(messageOf(() => makePolyguardPolicy("oracle_year", definition.makeEnv()).act(observation, {})).code).toBe(
      "RESET_NEEDED",
    );
  });

  test("the lookahead oracle reaches nearly all of what can be reached, within what an agent is offered", () => {
    const env = definition.makeEnv();
    const policy = makePolyguardPolicy("oracle_lookahead", env);
    let share = 0;
    for (let seed = 40; seed < 46; seed++) {
      let result = env.reset({ seed, options: { difficulty: "easy", score_task: true } }) as Pick<
        ReturnType<typeof env.step>,
        "observation" | "info"
      >;
      policy.reset(Rng.fromSeed(seed, "oracle"));
      for (;;) {
        const action = policy.act(result.observation, result.info);
        if (action instanceof Promise) throw new Error("an action at once");
        const step = env.step(action);
        result = step;
        if (step.terminated || step.truncated) break;
      }
      share += (result.info.task_score as number) / 6;
    }
    expect(share).toBeGreaterThan(0.8);
  });
});
