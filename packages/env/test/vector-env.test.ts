import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SyncEnv } from "../src/env.ts";
import { GRID_MAX_STEPS, type GridAction, type GridObservation, gridEnv } from "../src/testing/index.ts";
import type { SyncEnvDefinition } from "../src/vector/env-chunk.ts";
import { LocalVectorEnv } from "../src/vector/local-vector-env.ts";
import { type AutoresetMode, envSeed, type VectorStep } from "../src/vector/vector-env.ts";

const makeGrid = (numEnvs: number, autoreset: AutoresetMode = "sameStep", seed = 0) =>
  new LocalVectorEnv(gridEnv, { numEnvs, autoreset, seed });
/** The grid with only its records, as an environment without vector spaces. */
const { observationSpace: _o, actionSpace: _a, encodeObservation: _e, decodeAction: _d, ...plainGrid } = gridEnv;
const makePlain = (numEnvs: number, autoreset: AutoresetMode = "sameStep") =>
  new LocalVectorEnv<GridAction, GridObservation>(plainGrid, { numEnvs, autoreset });

/** Direction `t + i` modulo 4 for environment i. */
const directions = (t: number, numEnvs: number) => Int32Array.from({ length: numEnvs }, (_, i) => (t + i) % 4);
const encode = ({ x, y, goalX, goalY }: GridObservation) => Float32Array.of(x / 3, y / 3, goalX / 3, goalY / 3);
const isEnd = (step: VectorStep, i: number) => step.terminated[i] === 1 || step.truncated[i] === 1;

/** One environment played by hand, with autoresets as a caller would make them. */
function playAlone(index: number, seed: number, numSteps: number) {
  const env = gridEnv.makeEnv({ seed: envSeed(0, index) });
  let last = env.reset({ seed: envSeed(seed, index) }).observation;
  const rows = [];
  for (let t = 0; t < numSteps; t++) {
    const result = env.step({ direction: (t + index) % 4 });
    const ended = result.terminated || result.truncated;
    last = ended ? env.reset().observation : result.observation;
    rows.push({ last, reward: result.reward, final: ended ? result.observation : null });
  }
  return rows;
}

describe("seeding", () => {
  test("the seed of an environment depends on vector seed and index only, and differs between them", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.nat(1000), fc.nat(1000), (seed, i, j) => {
        expect(Number.isSafeInteger(envSeed(seed, i))).toBe(true);
        expect(envSeed(seed, i) === envSeed(seed, j)).toBe(i === j);
      }),
    );
    expect(
      makeGrid(2)
        .reset({ seed: 3 })
        .infos.map((info) => info.seed),
    ).toEqual([envSeed(3, 0), envSeed(3, 1)]);
    expect(makeGrid(8).reset({ seed: 3 }).infos[1]!.seed).toBe(envSeed(3, 1));
  });

  test("without a seed each environment goes on in a sequence of its own, which the vector's seed begins", () => {
    const seedsOf = (env: LocalVectorEnv) =>
      [env.reset(), env.reset()].flatMap((begun) => begun.infos.map((i) => i.seed));
    const seeds = seedsOf(makeGrid(3) as LocalVectorEnv);
    expect(new Set(seeds).size).toBe(6);
    expect(seedsOf(makeGrid(3) as LocalVectorEnv)).toEqual(seeds);
    expect(seedsOf(makeGrid(3, "sameStep", 1) as LocalVectorEnv)).not.toEqual(seeds);
  });
});

describe("sameStep", () => {
  test("each environment plays as it would alone, and the ends of episodes are kept", () => {
    const numSteps = 2 * GRID_MAX_STEPS + 3;
    const vector = makeGrid(3);
    vector.reset({ seed: 11 });
    const alone = [0, 1, 2].map((i) => playAlone(i, 11, numSteps));
    let ends = 0;
    for (let t = 0; t < numSteps; t++) {
      const step = vector.step(directions(t, 3));
      for (const [i, rows] of alone.entries()) {
        const { last, reward, final } = rows[t]!;
        expect((step.observations as Float32Array).slice(4 * i, 4 * i + 4)).toEqual(encode(last));
        expect(step.rewards[i]).toBe(reward);
        expect(step.finalObservations[i]).toEqual(final === null ? null : encode(final));
        expect(step.episodeStarts[i]).toBe(final === null ? 0 : 1);
        expect(step.finalInfos[i]?.terminationReason ?? null).toBe(
          final === null ? null : step.terminated[i] === 1 ? "goal" : "timeLimit",
        );
        // The info beside a new observation is the new episode's, whose mask it is.
        if (final !== null) expect(step.infos[i]).toMatchObject({ seed: expect.any(Number) });
        ends += final === null ? 0 : 1;
      }
    }
    expect(ends).toBeGreaterThanOrEqual(6);
  });
});

describe("nextStep", () => {
  test("the step that ends an episode shows its last observation; the next one ignores its action and begins another", () => {
    const vector = makePlain(2, "nextStep");
    vector.reset({ seed: 1 });
    let before: VectorStep<GridObservation> | null = null;
    let starts = 0;
    for (let t = 0; t < 30; t++) {
      const step = vector.step([{ direction: t % 4 }, { direction: 0 }]);
      for (let i = 0; i < 2; i++) {
        const begins = before !== null && isEnd(before, i);
        expect(step.episodeStarts[i]).toBe(begins ? 1 : 0);
        if (begins) {
          starts++;
          expect([step.rewards[i], step.terminated[i], step.truncated[i]]).toEqual([0, 0, 0]);
          expect(step.infos[i]).toHaveProperty("seed");
        }
        if (isEnd(step, i)) {
          expect(step.finalObservations[i]).toEqual(step.observations[i]);
          expect(step.finalInfos[i]).toBe(step.infos[i]);
        } else expect(step.finalObservations[i]).toBeNull();
      }
      before = step;
    }
    expect(starts).toBeGreaterThanOrEqual(4);
  });
});

describe("disabled", () => {
  /** Steps up until one of two environments ends. */
  function stepToEnd(vector: LocalVectorEnv<GridAction, GridObservation>) {
    const up = [{ direction: 0 }, { direction: 0 }];
    let step = vector.step(up);
    while (!isEnd(step, 0) && !isEnd(step, 1)) step = vector.step(up);
    const ended = isEnd(step, 0) ? 0 : 1;
    return { step, ended, other: 1 - ended };
  }

  test("an ended environment waits for a reset by mask, which leaves the others where they are", () => {
    const vector = makePlain(2, "disabled");
    const begun = vector.reset({ seed: 1 });
    const { step, ended, other } = stepToEnd(vector);
    expect(step.episodeStarts).toEqual(Uint8Array.of(0, 0));
    expect(step.finalObservations[ended]).toEqual(step.observations[ended]);
    const again = vector.reset({ seed: 1, mask: [ended === 0, ended === 1] });
    expect(again.observations[ended]).toEqual(begun.observations[ended]);
    expect(again.observations[other]).toEqual(step.observations[other]);
    expect(vector.step([{ direction: 1 }, { direction: 1 }]).rewards).toHaveLength(2);
  });

  test("a step without that reset is refused, names the environment, and a whole reset is due", () => {
    const vector = makePlain(2, "disabled");
    vector.reset({ seed: 1 });
    const { ended } = stepToEnd(vector);
    const stand = [{ direction: 0 }, { direction: 0 }];
    expect(() => vector.step(stand)).toThrow(
      expect.objectContaining({
        code: "RESET_NEEDED",
        message: expect.stringMatching(new RegExp(`^Environment ${ended}: Episode .* ended at step`)),
        details: { envIndex: ended },
      }),
    );
    expect(() => vector.step(stand)).toThrow("Reset all environments first.");
    expect(() => vector.reset({ mask: [true, false] })).toThrow("before resetting some by mask");
    vector.reset({ seed: 1 });
    expect(vector.step(stand).rewards).toHaveLength(2);
  });
});

describe("options", () => {
  test("options of a reset hold for the autoresets that follow", () => {
    const vector = makePlain(1);
    const corner = { x: 0, y: 0, goalX: 3, goalY: 3 };
    expect(vector.reset({ options: { split: "corners", index: 0 } }).observations).toEqual([corner]);
    let step = vector.step([{ direction: 0 }]);
    while (step.episodeStarts[0] === 0) step = vector.step([{ direction: 0 }]);
    expect(step.observations).toEqual([corner]);
  });
});

describe("results", () => {
  test("arrays are fresh: a later step does not change an earlier result", () => {
    const vector = makeGrid(2);
    const begun = vector.reset({ seed: 4 });
    const copy = structuredClone(begun);
    const first = vector.step([1, 2]);
    const firstCopy = structuredClone(first);
    for (let t = 0; t < 20; t++) vector.step([t % 4, 3]);
    expect(begun).toEqual(copy);
    expect(first).toEqual(firstCopy);
  });

  test("observations are one Float32Array for a box space, else a list", () => {
    expect(makeGrid(3).observationSize).toBe(4);
    expect(makeGrid(3).reset().observations).toHaveLength(12);
    expect(makePlain(3).observationSize).toBeNull();
    expect(makePlain(3).reset().observations).toHaveLength(3);
  });
});

describe("misuse", () => {
  /** The grid with some methods of each instance replaced; `change` gets its index. */
  function withMethods(change: (index: number) => Partial<SyncEnv<GridAction, GridObservation>>) {
    let made = 0;
    const definition: SyncEnvDefinition<GridAction, GridObservation> = {
      ...gridEnv,
      makeEnv(options) {
        const env = gridEnv.makeEnv(options);
        return {
          reset: (request) => env.reset(request),
          step: (action) => env.step(action),
          state: () => env.state(),
          snapshot: () => env.snapshot(),
          restore: (snapshot) => env.restore(snapshot),
          close: () => env.close(),
          ...change(made++),
        };
      },
    };
    return definition;
  }

  test.each([0, -1, 1.5])("numEnvs %s is refused", (numEnvs) => {
    expect(() => makeGrid(numEnvs)).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
  });

  test("a call that does not fit is refused and changes nothing", () => {
    const vector = makeGrid(2);
    expect(() => vector.step([0, 0])).toThrow(expect.objectContaining({ code: "RESET_NEEDED" }));
    vector.reset({ seed: 1 });
    expect(() => vector.step([0])).toThrow("actions needs 2 entries, not 1.");
    expect(() => vector.reset({ mask: [1] })).toThrow("mask needs 2 entries, not 1.");
    expect(() => vector.reset({ seed: -1 })).toThrow(expect.objectContaining({ code: "VALIDATION_ERROR" }));
    const other = makeGrid(2);
    other.reset({ seed: 1 });
    expect(vector.step([1, 2])).toEqual(other.step([1, 2]));
  });

  test("a reward that is not a number, an asynchronous environment and a wrong observation are refused by name", () => {
    const observation = { x: 0, y: 0, goalX: 0, goalY: 1 };
    const result = { observation, reward: Number.NaN, terminated: false, truncated: false, info: {} };
    const nan = new LocalVectorEnv(
      withMethods((index) => (index === 1 ? { step: () => result } : {})),
      { numEnvs: 2 },
    );
    nan.reset();
    expect(() => nan.step([0, 0])).toThrow("Environment 1: The environment returned NaN in reward.");
    const late = withMethods(() => ({ reset: (async () => ({})) as never }));
    expect(() => new LocalVectorEnv(late, { numEnvs: 1 }).reset()).toThrow("Environment 0: The environment is asynch");
    const short = { ...gridEnv, encodeObservation: () => [1, 2] };
    expect(() => new LocalVectorEnv(short, { numEnvs: 2 }).reset()).toThrow(
      "Environment 0: The observation is no array of 4",
    );
  });

  test("closing closes all environments even if one fails, once", () => {
    const closed: number[] = [];
    const definition = withMethods((index) => ({
      close() {
        closed.push(index);
        if (index === 1) throw new Error("stuck");
      },
    }));
    const vector = new LocalVectorEnv(definition, { numEnvs: 3 });
    expect(() => vector.close()).toThrow("Environment 1: stuck");
    vector.close();
    expect(closed).toEqual([0, 1, 2]);
    expect(() => vector.reset()).toThrow("The vector environment is closed.");
  });
});

describe("saving", () => {
  test.each(["sameStep", "nextStep"] as const)(
    "a vector put where another was saved goes on as that one does, also after its own steps (%s)",
    (autoreset) => {
      const first = makeGrid(5, autoreset, 2);
      const before = first.reset({ seed: 4 });
      expect(makeGrid(5, autoreset).restore(first.save())).toEqual(before);
      let now: unknown = before;
      for (let t = 0; t < 17; t++) now = first.step(directions(t, 5));
      const saved = first.save();
      const second = makeGrid(5, autoreset, 9);
      second.reset({ seed: 1 });
      second.step(directions(0, 5));
      const { observations, infos } = now as VectorStep;
      expect(second.restore(saved)).toEqual({ observations, infos });
      const rest = (vector: typeof first) => Array.from({ length: 30 }, (_, t) => vector.step(directions(t, 5)));
      const expected = rest(first);
      expect(rest(second)).toEqual(expected);
      // What was saved has not moved on with either.
      first.restore(saved);
      expect(rest(first)).toEqual(expected);
    },
  );

  test("autoresets keep the options of the last reset", () => {
    const options = { split: "corners", index: 1 };
    const first = makeGrid(1);
    first.reset({ options });
    const second = makeGrid(1);
    second.restore(first.save());
    let steps = 0;
    let step = second.step([0]);
    while (step.episodeStarts[0] === 0 && steps++ < GRID_MAX_STEPS) step = second.step([0]);
    expect(step.observations).toEqual(encode({ x: 3, y: 0, goalX: 0, goalY: 3 }));
  });

  test("there is nothing to save before a reset, and another number of environments is refused and changes nothing", () => {
    const vector = makeGrid(2);
    expect(() => vector.save()).toThrow(expect.objectContaining({ code: "RESET_NEEDED" }));
    vector.reset({ seed: 1 });
    const saved = vector.save();
    expect(() => vector.restore(saved.slice(1))).toThrow("1 environments were saved, this vector has 2");
    expect(vector.save()).toEqual(saved);
  });

  test("a snapshot with a class instance is refused by its path, and the vector goes on", () => {
    class Counter {
      count = 0;
    }
    const withInstance: SyncEnvDefinition = {
      ...(gridEnv as unknown as SyncEnvDefinition),
      makeEnv: (options) => {
        const env = gridEnv.makeEnv(options) as SyncEnv;
        env.snapshot = () => ({ envId: "Grid-v0", data: { counter: new Counter() } });
        return env;
      },
    };
    const vector = new LocalVectorEnv(withInstance, { numEnvs: 1 });
    vector.reset({ seed: 1 });
    expect(() => vector.save()).toThrow(
      expect.objectContaining({
        code: "NOT_SUPPORTED",
        message: expect.stringMatching(/^Environment 0: value.snapshot.data.counter is no plain data/),
      }),
    );
    expect(vector.step([0]).rewards).toHaveLength(1);
  });
});
