import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson, fnv1a64, hashJson, hashModulo, hashText } from "../src/hash.ts";

/** FNV-1a as its authors define it, on 64-bit integers. */
function referenceFnv(text: string): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text))
    hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & ((1n << 64n) - 1n);
  return hash;
}

describe("FNV-1a", () => {
  test.each([
    ["", "cbf29ce484222325"],
    ["a", "af63dc4c8601ec8c"],
    ["b", "af63df4c8601f1a5"],
    ["foobar", "85944171f73967e8"],
  ])("the published hash of '%s' is %s", (text, expected) => {
    expect(hashText(text)).toBe(expected);
  });

  test("any well-formed text hashes as its UTF-8 bytes do", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const [high, low] = fnv1a64(text);
        expect((BigInt(high) << 32n) | BigInt(low)).toBe(referenceFnv(text));
      }),
    );
  });

  test("a lone surrogate hashes as the replacement character, as in UTF-8", () => {
    expect(hashText("a\ud800b")).toBe(hashText("a\ufffdb"));
  });

  test("the modulo is that of the whole 64-bit hash", () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 2 ** 20 }), (text, modulus) => {
        expect(hashModulo(text, modulus)).toBe(Number(referenceFnv(text) % BigInt(modulus)));
      }),
    );
  });
});

describe("canonical JSON", () => {
  test("the order of keys does not matter at any depth", () => {
    expect(canonicalJson({ b: { d: 1, c: 2 }, a: [1, { f: null, e: "x" }] })).toBe(
      '{"a":[1,{"e":"x","f":null}],"b":{"c":2,"d":1}}',
    );
  });

  test("it is JSON that parses back to the value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value));
        expect(JSON.parse(canonicalJson(plain))).toEqual(plain);
      }),
    );
  });

  test("typed arrays count as arrays and undefined members are left out", () => {
    expect(canonicalJson({ x: Float32Array.of(0.5, 2), y: undefined })).toBe('{"x":[0.5,2]}');
    expect(hashJson({ x: [0.5, 2] })).toBe(hashJson({ x: Float32Array.of(0.5, 2) }));
  });

  test("different values get different hashes", () => {
    const seen = new Map<string, string>();
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        const digest = createHash("sha256").update(text).digest("hex");
        const known = seen.get(hashJson(value));
        expect(known ?? digest).toBe(digest);
        seen.set(hashJson(value), digest);
      }),
    );
  });
});
