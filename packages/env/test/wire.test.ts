import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeResult, decodeState, encodeReset, encodeResult, encodeState } from "../src/wire.ts";

/** JSON as it comes out of a parser. */
const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const record = (taken: readonly string[]) =>
  fc
    .dictionary(
      fc.string({ maxLength: 8 }).filter((key) => key !== "__proto__" && !taken.includes(key)),
      json,
      { maxKeys: 4, noNullPrototype: true },
    )
    .map((value) => ({ ...value }));
const overTheWire = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);

const info = fc
  .tuple(
    record(["reward_components", "action_mask", "termination_reason", "infra_error", "episode_id", "step_count"]),
    fc.option(fc.array(fc.boolean())),
    fc.option(fc.string()),
    fc.option(finite.map((goal) => ({ goal }))),
  )
  .map(([rest, actionMask, terminationReason, rewardComponents]) => ({
    ...rest,
    ...(actionMask === null ? {} : { actionMask }),
    ...(terminationReason === null ? {} : { terminationReason }),
    ...(rewardComponents === null ? {} : { rewardComponents }),
  }));

describe("results", () => {
  test("decode undoes encode", () => {
    const step = fc.record({
      observation: record(["terminated", "truncated", "metadata", "done", "reward"]),
      reward: finite,
      terminated: fc.boolean(),
      truncated: fc.boolean(),
      info,
    });
    fc.assert(
      fc.property(step, (result) => {
        const { done, ...decoded } = decodeResult(overTheWire(encodeResult(result)));
        expect(decoded).toEqual(overTheWire(result));
        expect(done).toBe(result.terminated || result.truncated);
      }),
    );
  });

  test("reward and done stand beside the observation; the flags and the info within it, in snake case", () => {
    const frame = encodeResult({
      observation: { x: 1 },
      reward: 0.5,
      terminated: false,
      truncated: true,
      info: { terminationReason: "timeLimit", violations: [] },
    });
    const metadata = { termination_reason: "timeLimit", violations: [] };
    expect(frame).toEqual({
      observation: { x: 1, terminated: false, truncated: true, metadata },
      reward: 0.5,
      done: true,
      metadata,
    });
  });

  test("a reset has reward null, and empty metadata is left out at the top", () => {
    const frame = encodeResult({ observation: { x: 1 }, info: {} });
    expect(frame).toEqual({
      observation: { x: 1, terminated: false, truncated: false, metadata: {} },
      reward: null,
      done: false,
    });
    expect("metadata" in frame).toBe(false);
  });

  test("an observation that is no record travels as value, typed arrays as arrays at every depth", () => {
    const info = { attention: Float32Array.of(0.5) };
    expect(encodeResult({ observation: Float32Array.of(1, 2), info }).observation).toMatchObject({
      value: [1, 2],
      metadata: { attention: [0.5] },
    });
    expect(encodeResult({ observation: { grid: [Uint8Array.of(3)] }, info: {} }).observation.grid).toEqual([[3]]);
    expect(encodeResult({ observation: "text", info: {} }).observation.value).toBe("text");
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    "%s as reward, in the observation or in the info is refused, for JSON would make it null",
    (bad) => {
      const step = { observation: {}, reward: 0, terminated: false, truncated: false, info: {} };
      for (const [result, place] of [
        [{ ...step, reward: bad }, "reward"],
        [{ ...step, observation: { a: [bad] } }, "observation.a[0]"],
        [{ ...step, info: { rewardComponents: { goal: bad } } }, "observation.metadata.reward_components.goal"],
      ] as const)
        expect(() => encodeResult(result)).toThrow(
          expect.objectContaining({ code: "NON_FINITE_NUMBER", message: expect.stringContaining(place) }),
        );
    },
  );

  test("a frame of a server that knows only done counts as terminated", () => {
    expect(decodeResult({ observation: { x: 1 }, reward: 1, done: true })).toEqual({
      observation: { x: 1 },
      reward: 1,
      terminated: true,
      truncated: false,
      done: true,
      info: {},
    });
  });

  test("metadata is read at the top or, where that is missing, within the observation", () => {
    const within = decodeResult({ observation: { metadata: { action_mask: [true] } }, reward: 0, done: false });
    const both = decodeResult({ observation: { metadata: { a: 1 } }, reward: 0, done: false, metadata: { a: 2 } });
    expect(within.info).toEqual({ actionMask: [true] });
    expect(within.observation).toEqual({});
    expect(both.info).toEqual({ a: 2 });
  });
});

describe("states and resets", () => {
  test("decode undoes encode for states", () => {
    const taken = ["reward_components", "action_mask", "termination_reason", "infra_error", "episode_id", "step_count"];
    const state = fc
      .tuple(record(taken), fc.option(fc.string()), fc.nat())
      .map(([rest, episodeId, stepCount]) => ({ ...rest, episodeId, stepCount }));
    fc.assert(
      fc.property(state, (state) => {
        expect(decodeState(overTheWire(encodeState(state)))).toEqual(overTheWire(state));
      }),
    );
  });

  test("a state has episode_id and step_count on the wire, and no NaN", () => {
    expect(encodeState({ episodeId: "e", stepCount: 2, doses: Float32Array.of(1) })).toEqual({
      episode_id: "e",
      step_count: 2,
      doses: [1],
    });
    expect(() => encodeState({ episodeId: null, stepCount: 0, dose: Number.NaN })).toThrow("state.dose");
    expect(decodeState({})).toEqual({ episodeId: null, stepCount: 0 });
  });

  test("options of a reset can't replace its seed or episode id", () => {
    const options = { difficulty: "hard", seed: 9, episode_id: "x" };
    expect(encodeReset({ seed: 1, episodeId: "e", options })).toEqual({
      seed: 1,
      episode_id: "e",
      difficulty: "hard",
    });
    expect(encodeReset({ options })).toEqual({ difficulty: "hard" });
    expect(encodeReset({})).toEqual({});
  });
});
