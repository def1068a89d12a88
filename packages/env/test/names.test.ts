import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { closestName, didYouMean, editDistance } from "../src/names.ts";

describe("editDistance", () => {
  test.each([
    ["kitten", "sitting", 3],
    ["PolyGaurd-v0", "PolyGuard-v0", 1],
    ["ABC", "abc", 0],
    ["", "abc", 3],
  ])("%s and %s are %i edits apart", (a, b, expected) => {
    expect(editDistance(a, b)).toBe(expected);
  });

  test("it is symmetric, and 0 for equal strings only", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, b) === 0).toBe(a === b);
        expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
      }),
    );
  });
});

test("the nearest name is suggested, the first of equals, and none that is far away", () => {
  expect(closestName("entropyCoeff", ["valueCoef", "entropyCoef"])).toBe("entropyCoef");
  expect(closestName("cat", ["bat", "rat"])).toBe("bat");
  expect(didYouMean("sedd", ["seed"])).toBe(" Did you mean 'seed'?");
  expect(didYouMean("temperature", ["seed"])).toBe("");
});
