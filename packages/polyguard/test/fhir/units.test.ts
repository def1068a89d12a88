import ucumLibrary from "@lhncbc/ucum-lhc";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CLINICAL_UNITS, convertUnit, findUnit, getUnit } from "../../src/fhir/units.ts";

const ucum = ucumLibrary.UcumLhcUtils.getInstance();

// UCUM defines no conversion between arbitrary units, nor for counts.
const ARBITRARY: readonly string[] = ["count", "indexedClearance", "activity", "activityConcentration"];

describe("clinical units", () => {
  const firstOfKind = new Map(CLINICAL_UNITS.toReversed().map((unit) => [unit.kind, unit] as const));

  test.each(CLINICAL_UNITS.filter((unit) => !ARBITRARY.includes(unit.kind)).map((unit) => [unit.ucum, unit] as const))(
    "%s has the factor that the UCUM library gives",
    (_, unit) => {
      const base = firstOfKind.get(unit.kind)!;
      const expected = ucum.convertUnitTo(unit.ucum, 1, base.ucum);
      expect(expected.status).toBe("succeeded");
      expect(unit.factor / base.factor).toBeCloseTo(expected.toVal!, 9);
    },
  );

  test("every spelling of microgram is a thousandth of a milligram", () => {
    for (const spelling of ["mcg", "\u00b5g", "\u03bcg", "ug", "MCG", "micrograms"])
      expect(convertUnit(125, getUnit(spelling), getUnit("mg")), spelling).toBe(0.125);
  });

  test("UCUM codes keep their case: a megagram is not a milligram", () => {
    expect(findUnit("Mg/dL")?.ucum).toBe("mg/dL"); // not a UCUM code at all, so the spelling decides
    expect(getUnit("ms").kind).toBe("time");
    expect(findUnit("kgs")?.ucum).toBe("kg");
  });

  test("a unit off the list is refused by name, with the nearest", () => {
    expect(() => getUnit("Tablet(s)xxx")).toThrow(/Tablet\(s\)xxx/);
    expect(() => getUnit("mgg")).toThrow(/Did you mean/);
  });

  test("units of different kinds never convert", () => {
    expect(() => convertUnit(2, getUnit("mg"), getUnit("mL"))).toThrow(/different things/);
    expect(() => convertUnit(2, getUnit("mmol/L"), getUnit("mg/dL"))).toThrow(/different things/);
    expect(() => convertUnit(60, getUnit("mL/min"), getUnit("mL/min/{1.73_m2}"))).toThrow(/different things/);
  });

  test("creatinine of 176.84 umol/L is 2.0 mg/dL", () => {
    expect(convertUnit(176.84, getUnit("umol/L"), getUnit("mg/dL"), 113.12)).toBeCloseTo(2.0, 3);
  });

  test("there and back is the identity", () => {
    const pairs = CLINICAL_UNITS.flatMap((a) =>
      CLINICAL_UNITS.filter((b) => a.kind === b.kind && a.ucum !== "mmol/mol" && b.ucum !== "mmol/mol").map(
        (b) => [a, b] as const,
      ),
    );
    fc.assert(
      fc.property(fc.constantFrom(...pairs), fc.double({ min: 0.001, max: 1e6, noNaN: true }), ([a, b], value) => {
        expect(convertUnit(convertUnit(value, a, b), b, a)).toBeCloseTo(value, 6 - Math.ceil(Math.log10(value + 1)));
      }),
    );
  });
});
