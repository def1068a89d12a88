import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Simulator, SimulatorEnv } from "../src/simulator.ts";

type Number_ = { readonly value: number };

/** Draws a number each step; the action adds to it, and some actions misbehave. */
const simulator: Simulator<Number_, string, Number_> = {
  begin(_start, streams) {
    const state = { value: streams.stream("start").integer(0, 1000) };
    return { state, observation: state, info: { hint: "go" } };
  },
  transition({ value }, action, streams, stepCount) {
    const drawn = streams.stream("noise").integer(0, 1000);
    if (action === "throw") throw new Error("The simulator failed.");
    const state = { value: value + drawn };
    const numbers = { NaN: Number.NaN, Infinity: Number.POSITIVE_INFINITY, "-Infinity": Number.NEGATIVE_INFINITY };
    const [place, name] = action.split(" ") as [string, keyof typeof numbers];
    const bad = numbers[name];
    return {
      state,
      observation: place === "observation" ? { value: bad } : state,
      reward: place === "reward" ? bad : stepCount,
      terminated: action === "terminate",
      truncated: action === "truncate",
      info: place === "info" ? { rewardComponents: { a: bad } } : {},
    };
  },
  view: ({ value }) => ({ value }),
};
const make = (seed?: number) => new SimulatorEnv("Number-v0", simulator, seed);
const play = (env: SimulatorEnv<Number_, string, Number_>, steps: number) =>
  Array.from({ length: steps }, () => env.step("go").observation.value);

describe("seeds", () => {
  test("a reset without a seed goes on in the sequence of the last seed, and is not that seed's episode again", () => {
    const episodes = () => {
      const env = make();
      return [env.reset({ seed: 7 }), env.reset(), env.reset()].map((begun) => begun.observation.value);
    };
    expect(episodes()).toEqual(episodes());
    expect(new Set(episodes()).size).toBe(3);
  });

  test("the info tells the seed, and that seed gives the same episode", () => {
    const env = make();
    env.reset({ seed: 7 });
    const begun = env.reset();
    const other = make();
    expect(other.reset({ seed: begun.info.seed as number }).observation).toEqual(begun.observation);
    expect(play(other, 5)).toEqual(play(env, 5));
    expect(begun.info).toEqual({ hint: "go", seed: expect.any(Number) });
  });

  test("instances made with different seeds begin different sequences", () => {
    expect(make(1).reset().info.seed).toBe(make(1).reset().info.seed);
    expect(make(1).reset().info.seed).not.toBe(make(2).reset().info.seed);
  });

  test("two sessions of one seed whose steps alternate play as one alone", () => {
    const alone = make();
    alone.reset({ seed: 7 });
    const expected = play(alone, 6);
    const [a, b] = [make(), make()];
    a.reset({ seed: 7 });
    b.reset({ seed: 7 });
    const both = Array.from({ length: 6 }, () => [...play(a, 1), ...play(b, 1)]);
    expect(both).toEqual(expected.map((value) => [value, value]));
  });

  test.each([-1, 0.5, Number.NaN, 2 ** 53])("the seed %s is refused and changes nothing", (seed) => {
    const env = make();
    env.reset({ seed: 3, episodeId: "e" });
    play(env, 1);
    expect(() => env.reset({ seed })).toThrow(
      expect.objectContaining({ code: "VALIDATION_ERROR", fields: [expect.objectContaining({ loc: ["seed"] })] }),
    );
    expect(env.state()).toMatchObject({ episodeId: "e", stepCount: 1 });
  });
});

describe("the course of an episode", () => {
  test("a step before the first reset, after the end or after the close throws RESET_NEEDED", () => {
    for (const end of ["terminate", "truncate"]) {
      const env = make();
      expect(() => env.step("go")).toThrow(expect.objectContaining({ code: "RESET_NEEDED" }));
      env.reset();
      env.step(end);
      expect(() => env.step("go")).toThrow(/Episode 'Number-v0-\d+' ended at step 1/);
      env.reset();
      env.close();
      env.close();
      expect(() => env.step("go")).toThrow("The environment is closed.");
      expect(() => env.reset()).toThrow(expect.objectContaining({ code: "RESET_NEEDED" }));
      expect(env.state()).toEqual({ episodeId: null, stepCount: 0 });
    }
  });

  test("the state has the id that was given or one from the seed, the exact step count and the simulator's public fields", () => {
    const env = make();
    expect(env.state()).toEqual({ episodeId: null, stepCount: 0 });
    expect(env.latentState()).toBeNull();
    env.reset({ seed: 3 });
    expect(env.state()).toEqual({ episodeId: "Number-v0-3", stepCount: 0, value: env.latentState()!.value });
    env.reset({ seed: 3, episodeId: "mine" });
    play(env, 2);
    expect(env.state()).toMatchObject({ episodeId: "mine", stepCount: 2 });
  });

  test("a failed step leaves state and random streams as before", () => {
    const bad = ["NaN", "Infinity", "-Infinity"].flatMap((name) =>
      ["reward", "observation", "info"].map((place) => `${place} ${name}`),
    );
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.constantFrom("throw", ...bad), fc.nat(4), (seed, action, steps) => {
        const [env, untouched] = [make(), make()];
        for (const each of [env, untouched]) {
          each.reset({ seed });
          play(each, steps);
        }
        const message = action === "throw" ? "The simulator failed." : `The environment returned`;
        expect(() => env.step(action)).toThrow(message);
        expect(env.state()).toEqual(untouched.state());
        expect(play(env, 3)).toEqual(play(untouched, 3));
      }),
    );
  });

  test("a failed reset leaves the running episode and the sequence of seeds as before", () => {
    const failing: typeof simulator = {
      ...simulator,
      begin: (start, streams) => {
        if (start.options.fail) throw new Error("No such scenario.");
        return simulator.begin(start, streams);
      },
    };
    const [env, untouched] = [new SimulatorEnv("Number-v0", failing), make()];
    for (const each of [env, untouched]) each.reset({ seed: 1 });
    expect(() => env.reset({ options: { fail: true } })).toThrow("No such scenario.");
    expect(play(env, 2)).toEqual(play(untouched, 2));
    expect(env.reset().info.seed).toBe(untouched.reset().info.seed);
  });
});

describe("snapshots", () => {
  test("a snapshot brings back state, streams and the sequence of seeds, as often as wanted and in any instance", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.nat(4), fc.nat(4), (seed, before, after) => {
        const env = make();
        env.reset({ seed });
        play(env, before);
        const snapshot = env.snapshot();
        const state = env.state();
        const expected = [play(env, after), env.reset().info.seed];
        const fork = make(99);
        for (const each of [env, fork, env]) {
          each.restore(snapshot);
          expect(each.state()).toEqual(state);
          expect([play(each, after), each.reset().info.seed]).toEqual(expected);
        }
      }),
    );
  });

  test("a snapshot from before the first reset and one of an ended episode bring back just that", () => {
    const env = make(4);
    const fresh = env.snapshot();
    const seed = env.reset().info.seed;
    env.step("terminate");
    const ended = env.snapshot();
    env.restore(fresh);
    expect(() => env.step("go")).toThrow("No episode has begun.");
    expect(env.reset().info.seed).toBe(seed);
    env.restore(ended);
    expect(() => env.step("go")).toThrow("ended at step 1");
  });

  test("a snapshot of another environment is refused", () => {
    const env = make();
    env.reset({ seed: 1 });
    expect(() => env.restore({ envId: "Other-v0", data: {} })).toThrow(
      "The snapshot is of 'Other-v0', this environment is 'Number-v0'.",
    );
    expect(env.state().episodeId).toBe("Number-v0-1");
  });
});
