import { type EnvDefinition, hashJson, PraxisError, type SyncEnv } from "@praxis/env";
import { counterEnv, gridEnv, makeSleepEnv } from "@praxis/env/testing";
import { describe, expect, test } from "vitest";
import { makeRandomPolicy, makeSyncEnv, runEpisodes } from "../src/index.ts";

const withoutTiming = (outcomes: Awaited<ReturnType<typeof runEpisodes>>): string => hashJson(outcomes);

describe("episodes", () => {
  test("the same seeds give the same traces, whatever ran before", async () => {
    const run = (seeds: number[]) => runEpisodes({ definition: gridEnv, policy: makeRandomPolicy(gridEnv), seeds });
    const together = await run([3, 4, 5]);
    const alone = await run([4]);
    expect(hashJson(together[1])).toBe(hashJson(alone[0]));
    expect(withoutTiming(await run([3, 4, 5]))).toBe(withoutTiming(together));
  });

  test("an episode that fails is counted with its error, and the others go on", async () => {
    const broken: EnvDefinition = {
      ...gridEnv,
      makeEnv() {
        const env = gridEnv.makeEnv() as SyncEnv;
        return {
          reset: (request) => env.reset(request),
          step: (action) => {
            if (env.state().episodeId?.endsWith("-2") === true)
              throw new PraxisError("ENVIRONMENT_ERROR", "the verifier is away");
            return env.step(action);
          },
          state: () => env.state(),
          snapshot: () => env.snapshot(),
          restore: (snapshot) => env.restore(snapshot),
          close: () => env.close(),
        } satisfies SyncEnv;
      },
    };
    const outcomes = await runEpisodes({ definition: broken, policy: makeRandomPolicy(broken), seeds: [1, 2, 3] });
    expect(outcomes.map((outcome) => outcome.ok)).toEqual([true, false, true]);
    expect(outcomes[1]).toMatchObject({ error: { code: "ENVIRONMENT_ERROR", message: "the verifier is away" } });
  });

  test("progress counts every episode once", async () => {
    const seen: number[] = [];
    await runEpisodes({
      definition: gridEnv,
      policy: makeRandomPolicy(gridEnv),
      seeds: [1, 2],
      onEpisode: (done) => seen.push(done),
    });
    expect(seen).toEqual([1, 2]);
  });

  test("an environment that answers with promises is refused by name", () => {
    const slow = makeSleepEnv(() => Promise.resolve());
    expect(() => makeSyncEnv(slow)).toThrow(new RegExp(slow.id));
    expect(makeSyncEnv(counterEnv).state().stepCount).toBe(0);
  });
});
