import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkFinite, checkSafeJson, findNonFinite, findUnsafeJson, MAX_JSON_DEPTH, toPlainJson } from "../src/json.ts";

describe("findNonFinite", () => {
  test.each([
    [Number.NaN, ""],
    [{ a: [0, { b: Number.POSITIVE_INFINITY }] }, "a[1].b"],
    [{ a: Float32Array.of(1, Number.NaN) }, "a[1]"],
    [[[Number.NEGATIVE_INFINITY]], "[0][0]"],
    [{ a: { b: { c: Number.NaN } } }, "a.b.c"],
  ])("%o has a number that is not finite at '%s'", (value, path) => {
    expect(findNonFinite(value)).toBe(path);
  });

  test("what JSON can carry has none", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => findNonFinite(value) === null));
  });

  test("the error names the value or its place", () => {
    expect(() => checkFinite(Number.NaN, "reward")).toThrow("The environment returned NaN in reward.");
    expect(() => checkFinite([1, Number.NaN], "observation")).toThrow("that is not finite in observation[1].");
    expect(() => checkFinite({ x: Number.NaN }, "observation")).toThrow(
      expect.objectContaining({ code: "NON_FINITE_NUMBER" }),
    );
  });
});

describe("toPlainJson", () => {
  test("typed arrays become arrays at every depth", () => {
    expect(toPlainJson({ a: [Float32Array.of(0.5)], b: { c: Uint8Array.of(1, 2) }, d: "x" })).toEqual({
      a: [[0.5]],
      b: { c: [1, 2] },
      d: "x",
    });
  });

  test("a value without typed arrays comes back itself, and one with them is not changed", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => toPlainJson(value) === value));
    const value = { a: [Float32Array.of(1)] };
    toPlainJson(value);
    expect(value.a[0]).toBeInstanceOf(Float32Array);
  });
});

describe("findUnsafeJson", () => {
  const nested = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth));

  test("nesting is allowed to the limit and refused beyond", () => {
    expect(findUnsafeJson(nested(MAX_JSON_DEPTH))).toBeNull();
    expect(findUnsafeJson(nested(MAX_JSON_DEPTH + 1))).toMatchObject({ type: "recursion_loop" });
  });

  test("a __proto__ key is refused at its place", () => {
    expect(findUnsafeJson(JSON.parse('{"action":{"__proto__":{"reward":1}}}'))).toMatchObject({
      type: "extra_forbidden",
      loc: ["action", "__proto__"],
    });
  });

  test("a lone surrogate is refused as value and as key, a pair is not", () => {
    expect(findUnsafeJson({ a: ["x", "\ud800"] })).toMatchObject({ type: "string_unicode", loc: ["a", 1] });
    expect(findUnsafeJson({ a: { "\udc00": 1 } })).toMatchObject({ type: "string_unicode", loc: ["a"] });
    expect(findUnsafeJson({ "👩‍⚕️": "Zoë 李 \u0000" })).toBeNull();
  });

  test("the error carries the field", () => {
    expect(() => checkSafeJson({ a: "\ud800" })).toThrow(
      expect.objectContaining({ code: "VALIDATION_ERROR", fields: [expect.objectContaining({ loc: ["a"] })] }),
    );
    expect(() => checkSafeJson({ a: 1 })).not.toThrow();
  });
});
