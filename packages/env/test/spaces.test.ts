import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Rng } from "../src/rng.ts";
import { checkInSpace, flatSize, flattenInto, type Space, sampleSpace, whyNotInSpace } from "../src/spaces.ts";

const bounds = fc
  .tuple(fc.float({ noNaN: true, min: -100, max: 100 }), fc.float({ noNaN: true, min: 0, max: 100 }))
  .map(([low, width]) => ({ low, high: low + width }));
const { space } = fc.letrec<{ space: Space }>((tie) => ({
  space: fc.oneof(
    { maxDepth: 2 },
    fc.record({ kind: fc.constant("discrete" as const), n: fc.integer({ min: 1, max: 9 }) }),
    fc.record({ kind: fc.constant("multiBinary" as const), n: fc.integer({ min: 1, max: 5 }) }),
    fc.record({
      kind: fc.constant("multiDiscrete" as const),
      nvec: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }),
    }),
    fc
      .tuple(fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 2 }), bounds)
      .map(([shape, { low, high }]) => ({ kind: "box" as const, shape, low, high })),
    fc
      .dictionary(fc.stringMatching(/^[a-z]{1,4}$/), tie("space"), { maxKeys: 3, noNullPrototype: true })
      .map((spaces) => ({
        kind: "dict" as const,
        spaces,
      })),
  ),
}));

describe("spaces", () => {
  test("a sample is a member, and fills exactly its flat size", () => {
    fc.assert(
      fc.property(space, fc.maxSafeNat(), (space, seed) => {
        const value = sampleSpace(space, Rng.fromSeed(seed));
        expect(whyNotInSpace(space, value)).toBeNull();
        const size = flatSize(space);
        const target = new Float32Array(size + 2).fill(-999);
        expect(flattenInto(space, value, target, 1)).toBe(size + 1);
        expect([target[0], target[size + 1]]).toEqual([-999, -999]);
        expect(target.slice(1, size + 1)).not.toContain(-999);
      }),
    );
  });

  test("a sample of a half-open box stays on its side, and an unbounded one is finite", () => {
    const rng = Rng.fromSeed(1);
    const half: Space = {
      kind: "box",
      shape: [3],
      low: [5, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
      high: [Number.POSITIVE_INFINITY, -5, Number.POSITIVE_INFINITY],
    };
    for (let i = 0; i < 100; i++) expect(whyNotInSpace(half, sampleSpace(half, rng))).toBeNull();
  });

  test("a bound stored in a Float32Array is a member though rounding moves it outside", () => {
    const box: Space = { kind: "box", shape: [1], low: 0, high: 0.1 };
    expect(Float32Array.of(0.1)[0]).toBeGreaterThan(0.1);
    expect(whyNotInSpace(box, Float32Array.of(0.1))).toBeNull();
    expect(whyNotInSpace(box, [0.1001])).toBe("value[0] is 0.1001, outside [0, 0.1]");
  });

  test.each<[Space, unknown, string]>([
    [{ kind: "box", shape: [2], low: 0, high: 1 }, [0], "value must be an array of 2 numbers"],
    [
      { kind: "box", shape: [1], low: -Infinity, high: Infinity },
      [Infinity],
      "value[0] is Infinity, outside [-Infinity, Infinity]",
    ],
    [{ kind: "box", shape: [1], low: 0, high: 1 }, [Number.NaN], "value[0] is NaN, outside [0, 1]"],
    [{ kind: "box", shape: [1], low: 0, high: 1 }, ["1"], "value[0] is 1, outside [0, 1]"],
    [{ kind: "discrete", n: 3 }, 3, "value must be an integer from 0 to 2, not 3"],
    [{ kind: "discrete", n: 3 }, 0.5, "value must be an integer from 0 to 2, not 0.5"],
    [{ kind: "multiDiscrete", nvec: [2, 3] }, [1, 3], "value[1] must be an integer from 0 to 2, not 3"],
    [{ kind: "multiBinary", n: 2 }, [0, 2], "value[1] must be an integer from 0 to 1, not 2"],
    [{ kind: "multiBinary", n: 2 }, null, "value must be an array of 2 integers"],
    [
      { kind: "dict", spaces: { a: { kind: "discrete", n: 2 } } },
      { a: 5 },
      "value.a must be an integer from 0 to 1, not 5",
    ],
    [{ kind: "dict", spaces: {} }, { toString: 1 }, "value.toString is not part of the space"],
    [{ kind: "dict", spaces: {} }, 4, "value must be an object"],
  ])("%o refuses %o", (space, value, why) => {
    expect(whyNotInSpace(space, value)).toBe(why);
    expect(() => checkInSpace(space, value)).toThrow(
      expect.objectContaining({ code: "VALIDATION_ERROR", message: `${why}.` }),
    );
  });

  test("parts of a dict are flattened in the order of its entries", () => {
    const dict: Space = {
      kind: "dict",
      spaces: { z: { kind: "discrete", n: 9 }, a: { kind: "box", shape: [2], low: 0, high: 9 } },
    };
    const target = new Float32Array(3);
    flattenInto(dict, { a: [1, 2], z: 7 }, target);
    expect([...target]).toEqual([7, 1, 2]);
  });
});
