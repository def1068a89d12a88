import { describe, expect, test } from "vitest";
import { CHECK_NAMES, checkEnv } from "../src/check-env.ts";
import type { EnvDefinition } from "../src/env.ts";
import { brokenEnvs, counterEnv, gridEnv, makeSleepEnv, toolEnv } from "../src/testing/index.ts";

/** What the check of each rule says of the environment that breaks it. */
const MESSAGES: Readonly<Record<string, string>> = {
  metadata: "'description' is empty.",
  "schemas-publishable": "The schema 'reset' has no JSON Schema: Date cannot be represented in JSON Schema.",
  "action-strict": "The action schema takes an unknown field; make it a strict object.",
  "tool-names": "A tool may not be named 'reset'.",
  "tool-descriptions": "Tool 'up' has no description.",
  tasks: 'Task 0 of split \'corners\' is {"task":0}, then {"task":1}.',
  "seed-repeats": "step 1, info.instance: 1 instead of 0",
  "seed-differs": "Seed 1 and 8 others give equal episodes; set isDeterministic if they should.",
  "seed-sequence": "A reset without a seed repeats the seeded episode.",
  "reset-repeats": "reset, info.episode: 1 instead of 0",
  "instances-apart": "step 2, info.stepsOfAll: 3 instead of 2",
  "snapshot-restores":
    'The state {"episodeId":"Grid-v0-1","stepCount":6} came back as {"episodeId":"Grid-v0-2","stepCount":0}.',
  "snapshot-survives": "It threw RESET_NEEDED: Episode 'Grid-v0-1' ended at step 12. Call reset to begin another.",
  "snapshot-forks": "It threw VALIDATION_ERROR: This snapshot is of another instance.",
  "tool-read-only":
    'Tool \'look\' changed the state {"episodeId":"Grid-v0-1","stepCount":0} to {"episodeId":"Grid-v0-1","stepCount":1}.',
  "step-before-reset": "It returned instead of throwing RESET_NEEDED.",
  "step-after-end": "It returned instead of throwing RESET_NEEDED.",
  "bad-seed": "Seed 0.5: It returned instead of throwing VALIDATION_ERROR.",
  "failed-call":
    'After a failed step with undefined: the state {"episodeId":"Grid-v0-1","stepCount":6} became {"episodeId":"Grid-v0-1","stepCount":7}.',
  "state-schema": "state.lives: Invalid input: expected number, received undefined.",
  "state-any-time": "Before the first reset it threw: There is no episode.",
  "step-count": "stepCount is 2 after 1 steps.",
  "episode-id": "episodeId is \"Grid-v0-1\", not 'episode given by checkEnv'.",
  "max-episode-steps": "Step 1 was neither terminated nor truncated.",
  "close-twice": "The second close threw: It is closed already.",
  "sample-action": '{"direction":3,"note":"for myself"} does not fit: Unrecognized key: "note".',
  "sample-action-repeats": "Equal random streams gave different actions.",
  "observation-schema": 'step 1: observation: Unrecognized key: "z".',
  "observation-plain": "step 1: observation.seen is of class Date.",
  "observation-names": "step 1: the observation has a field 'reward'.",
  "observation-space": "reset: observation[0] is 3, outside [0, 1].",
  "observation-kept": "The observation of step 0 was changed by a later step.",
  "action-kept": 'The action {"direction":3} became {"direction":3,"used":true}.',
  "reward-finite": "step 1: the reward is NaN.",
  "reward-range": "step 1: the reward 5 is outside [-0.1, 1].",
  "reward-components": "step 1: the reward component 'goal' is NaN.",
  "info-plain": "step 1: info.takenMs is Infinity.",
  "flags-boolean": "step 1: terminated is 0.",
  "termination-reason": "step 12: the episode ended without a terminationReason.",
  "illegal-action": 'step 1: the illegal action {"direction":1} earned no violation.',
};

describe("sound environments", () => {
  test.each<[string, EnvDefinition]>([
    ["counterEnv", counterEnv],
    ["gridEnv", gridEnv],
    ["toolEnv", toolEnv],
    ["makeSleepEnv", makeSleepEnv(async () => undefined)],
  ])("%s passes every check", async (_name, definition) => {
    const checks = await checkEnv(definition);
    expect(checks.map((check) => check.name)).toEqual(CHECK_NAMES);
    expect(checks.filter((check) => !check.ok)).toEqual([]);
    for (const check of checks) expect(check.message).toMatch(/^\w.*\.$/);
  });

  test.each([0, 7, 2 ** 53 - 1])("the grid passes from seed %s too", async (seed) => {
    expect((await checkEnv(gridEnv, { seed, steps: 20 })).filter((check) => !check.ok)).toEqual([]);
  });
});

describe("broken environments", () => {
  test("there is one for every check", () => {
    expect(Object.keys(brokenEnvs).sort()).toEqual([...CHECK_NAMES].sort());
    expect(Object.keys(MESSAGES).sort()).toEqual([...CHECK_NAMES].sort());
  });

  test.each(Object.keys(brokenEnvs))("the one that breaks '%s' fails that check alone", async (name) => {
    const failed = (await checkEnv(brokenEnvs[name]!)).filter((check) => !check.ok && !check.skipped);
    expect(failed.map((check) => check.name)).toEqual([name]);
    // Counts of the instances made so far are the one thing that depends on what ran before.
    expect(
      failed[0]!.message.replace(
        /(instance): (\d+) instead of (\d+)/,
        (_, what: string, a: string, b: string) => `${what}: ${Number(a) - Number(b)} instead of 0`,
      ),
    ).toBe(MESSAGES[name]);
  });
});

describe("outcomes", () => {
  test("what builds on a failed check is not judged, and does not pass", async () => {
    const checks = await checkEnv(brokenEnvs["snapshot-restores"]!);
    expect(checks.find((check) => check.name === "snapshot-forks")).toEqual({
      name: "snapshot-forks",
      ok: false,
      skipped: true,
      message: "Not judged, since 'snapshot-restores' failed.",
    });
  });

  test("single checks run with what they need, and an unknown one is refused", async () => {
    const checks = await checkEnv(gridEnv, { only: ["seed-sequence"] });
    expect(checks.map((check) => check.name)).toEqual(["seed-repeats", "seed-sequence"]);
    await expect(checkEnv(gridEnv, { only: ["seed-repaets"] })).rejects.toThrow("Did you mean 'seed-repeats'?");
    await expect(checkEnv(gridEnv, { seed: -1 })).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
  });

  test("times are there only with a clock", async () => {
    let now = 0;
    const [timed] = await checkEnv(gridEnv, { only: ["metadata"], now: () => (now += 5) });
    expect(timed!.ms).toBe(5);
    const [untimed] = await checkEnv(gridEnv, { only: ["metadata"] });
    expect(untimed).not.toHaveProperty("ms");
  });

  test("an environment that can't be made fails checks instead of ending them", async () => {
    const definition: EnvDefinition = {
      ...gridEnv,
      makeEnv() {
        throw new Error("No data.");
      },
    };
    const checks = await checkEnv(definition);
    expect(checks).toHaveLength(CHECK_NAMES.length);
    expect(checks.find((check) => check.name === "seed-repeats")!.message).toBe("It threw ENVIRONMENT_ERROR: No data.");
  });

  test("an illegal action of the definition's own must earn a violation", async () => {
    const definition: EnvDefinition = { ...counterEnv, illegalAction: () => ({ message: "forbidden" }) };
    const checks = await checkEnv(definition, { only: ["illegal-action"] });
    expect(checks.at(-1)).toMatchObject({
      ok: false,
      message: 'step 1: the illegal action {"message":"forbidden"} earned no violation.',
    });
  });
});
