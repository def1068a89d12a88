import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { featurePlaces, hash384 } from "../src/index.ts";

const cosine = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
const norm = (a: Float32Array): number => Math.sqrt(cosine(a, a));

describe("hash384", () => {
  test("the feature u:api goes to −302, −229, +208 and −71", () => {
    expect(featurePlaces("u:api").map(({ index, sign }) => sign * index)).toEqual([-302, -229, 208, -71]);
  });

  test("every text with a word gives a vector of length 1, the same each time; one without gives the zero vector", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 120 }), (text) => {
        const vector = hash384.embed(text);
        expect([...vector]).toEqual([...hash384.embed(text)]);
        const length = norm(vector);
        expect(length === 0 || Math.abs(length - 1) < 1e-5).toBe(true);
      }),
    );
    expect(norm(hash384.embed(" … !? "))).toBe(0);
  });

  test("texts on one subject are closer than texts on different ones", () => {
    const query = hash384.embed("tune a slow database query");
    expect(cosine(query, hash384.embed("database queries that are slow, and how to tune them"))).toBeGreaterThan(
      cosine(query, hash384.embed("a recipe for onion soup")) + 0.2,
    );
  });

  test("case, width and composition of letters do not matter, the order of words hardly does", () => {
    expect([...hash384.embed("Café ＡＰＩ")]).toEqual([...hash384.embed("cafe\u0301 api")]);
    expect(cosine(hash384.embed("row storage"), hash384.embed("storage row"))).toBeGreaterThan(0.7);
  });

  test("words of no subject count inside pairs only", () => {
    expect(norm(hash384.embed("the"))).toBe(0);
    expect(norm(hash384.embed("of the"))).toBeCloseTo(1, 5);
  });

  test("only the first 400 words count", () => {
    const text = Array.from({ length: 400 }, (_, i) => `w${i}`).join(" ");
    expect([...hash384.embed(`${text} more words`)]).toEqual([...hash384.embed(text)]);
  });
});
