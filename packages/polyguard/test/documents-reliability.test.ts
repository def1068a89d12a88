import fc from "fast-check";
import { expect, test } from "vitest";
import { poolClaims, reliabilityOf } from "../src/documents/reliability.ts";
import type { ReadClaim } from "../src/documents/types.ts";

const says = (value: string, subject = "warfarin", object = "ibuprofen"): ReadClaim => ({
  subject,
  predicate: "interaction",
  object,
  value,
  unit: null,
});

test("a label is believed at .98 and an outdated one at half of that", () => {
  expect(reliabilityOf("label", false)).toBe(0.98);
  expect(reliabilityOf("label", true)).toBe(0.49);
  expect(reliabilityOf("forum", false)).toBe(0.45);
});

test("one claim alone is believed as its source is", () => {
  const [pooled] = poolClaims([{ claim: says("major"), reliability: 0.93 }]);
  expect(pooled!.probability).toBeCloseTo(0.93, 12);
});

test("claims add in log-odds: two at .85 against one at .6", () => {
  const [pooled] = poolClaims([
    { claim: says("major"), reliability: 0.85 },
    { claim: says("none"), reliability: 0.6 },
    { claim: says("major"), reliability: 0.85 },
  ]);
  const odds = (0.85 / 0.15) ** 2 / (0.6 / 0.4);
  expect(pooled).toMatchObject({ value: "major", support: 2, against: 1 });
  expect(pooled!.probability).toBeCloseTo(odds / (1 + odds), 12);
});

test("a pair is one matter whichever drug is named first", () => {
  const pooled = poolClaims([
    { claim: says("major"), reliability: 0.9 },
    { claim: says("major", "ibuprofen", "warfarin"), reliability: 0.9 },
  ]);
  expect(pooled).toHaveLength(1);
  expect(pooled[0]!.support).toBe(2);
});

test("the order of the claims changes neither the value nor its probability", () => {
  const reliability = fc.double({ min: 0.51, max: 0.99, noNaN: true });
  const weighed = fc.record({ claim: fc.constantFrom(says("major"), says("none")), reliability });
  fc.assert(
    fc.property(fc.array(weighed, { minLength: 1, maxLength: 6 }), (claims) => {
      const [forward] = poolClaims(claims);
      const [backward] = poolClaims([...claims].reverse());
      expect(backward!.probability).toBeCloseTo(forward!.probability, 9);
      if (Math.abs(forward!.probability - 0.5) > 1e-9) expect(backward!.value).toBe(forward!.value);
    }),
  );
});

test("a source worse than chance lowers the belief in what it says", () => {
  const pooled = poolClaims([
    { claim: says("major"), reliability: 0.85 },
    { claim: says("major"), reliability: reliabilityOf("label", true) },
  ]);
  expect(pooled[0]!.probability).toBeLessThan(0.85);
});
