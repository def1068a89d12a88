import fc from "fast-check";
import { expect, test } from "vitest";
import { formatPlainData, parsePlainData } from "../src/plain-data.ts";

const value = fc.anything({
  ...{ withBigInt: true, withMap: true, withSet: true, maxDepth: 3 },
  values: [fc.double(), fc.string(), fc.constant(undefined), fc.constant(-0), fc.constant(Number.NaN), fc.boolean()],
  key: fc.oneof(fc.string(), fc.constant("$praxis")),
});

test("plain data comes back as it was, and the same text is written for it again", () => {
  fc.assert(
    fc.property(value, (data) => {
      fc.pre(!JSON.stringify(data, (_, x) => (typeof x === "bigint" ? 0 : x))?.includes("__proto__"));
      const text = formatPlainData(data);
      expect(formatPlainData(parsePlainData(text))).toBe(text);
    }),
  );
  const state = {
    a: Float32Array.of(0.1, Number.NaN),
    b: new Map([[1, new Set(["x"])]]),
    c: -0,
    d: 3n,
    $praxis: "mine",
  };
  expect(parsePlainData(formatPlainData(state))).toEqual(state);
});

test("what is no plain data is refused by its path", () => {
  expect(() => formatPlainData({ a: [{ b: () => 1 }] })).toThrow("value.a[0].b is no plain data (function)");
  expect(() => formatPlainData({ when: new Date(0) })).toThrow("value.when is no plain data");
});
