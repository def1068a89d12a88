import { Rng, type SyncEnv } from "@praxis/env";
import { describe, expect, test } from "vitest";
import { makeScriptPolicy } from "../src/baselines/script-policy.ts";
import { loadSpindleFlow } from "../src/load-spindleflow.ts";
import { describeSituation, revealTruth } from "../src/situation.ts";

const definition = loadSpindleFlow();
const begin = (seed: number): SyncEnv => {
  const env = definition.makeEnv() as unknown as SyncEnv;
  env.reset({ seed });
  return env;
};

describe("a script as a policy", () => {
  test("plays a shift to its end with choices that the rules accept, and the same ones again", async () => {
    const play = async (): Promise<unknown[]> => {
      const env = definition.makeEnv() as unknown as SyncEnv;
      let last: { observation: unknown; info: Record<string, unknown>; terminated?: boolean } = env.reset({ seed: 4 });
      const policy = makeScriptPolicy("greedyMediate", env);
      policy.reset(Rng.fromSeed(1));
      const actions: unknown[] = [];
      while (last.terminated !== true) {
        const action = await policy.act(last.observation, last.info);
        actions.push(action);
        last = env.step(action);
        expect(last.info.violations).toEqual([]);
      }
      return actions;
    };
    const first = await play();
    expect(first.length).toBeGreaterThanOrEqual(10);
    expect(await play()).toEqual(first);
  });

  test("refuses an environment that it can't read, and a misspelled name", () => {
    const policy = makeScriptPolicy("random", {} as SyncEnv);
    expect(() => policy.act({}, {})).toThrow(/Only an environment of SpindleFlow-v0/);
    expect(() => makeScriptPolicy("greedyMediat", {} as SyncEnv)).toThrow(/greedyMediate/);
  });
});

describe("the situation of a task", () => {
  test("depends on nothing hidden: two episodes of equal texts and other seeds of truth read alike", () => {
    const env = begin(3);
    const { seats, readClass, slaMs } = describeSituation(env);
    expect(seats.filter((seat) => seat !== null).every((seat) => Math.abs(seat.similarity) <= 1)).toBe(true);
    const options = {
      taskText: (env.reset({ seed: 3 }).observation as { summary: { task: string } }).summary.task,
      rosterIds: env.reset({ seed: 3 }).info.slots as string[],
    };
    const other = definition.makeEnv() as unknown as SyncEnv;
    other.reset({ seed: 99, options });
    expect(describeSituation(other)).toMatchObject({ seats, readClass, slaMs });
  });

  test("the truth is refused while the shift is played and told after its end", () => {
    const env = definition.makeEnv() as unknown as SyncEnv;
    env.reset({ seed: 3, options: { tasksPerEpisode: 1 } });
    expect(() => revealTruth(env)).toThrow(/still being played/);
    env.step({ meta: "callSpecialist", slots: [0] });
    env.step({ meta: "stop" });
    const { tasks, seats } = revealTruth(env);
    expect(tasks[0]!.skills.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1);
    expect(Object.keys(seats[0]!.competence).sort()).toEqual(tasks[0]!.skills.map(({ name }) => name).sort());
  });
});
