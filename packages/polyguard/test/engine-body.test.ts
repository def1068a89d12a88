import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  computeCreatinineClearance,
  computeEgfr,
  dosingWeightKg,
  idealBodyWeightKg,
  solveSerumCreatinine,
} from "../src/engine/body.ts";

describe("kidney function", () => {
  test("Cockcroft-Gault and CKD-EPI 2021 of two reference patients", () => {
    const woman = { ageYears: 82, weightKg: 60, serumCreatinineMgPerDl: 1.2, sex: "F" } as const;
    const man = { ageYears: 75, weightKg: 80, serumCreatinineMgPerDl: 1.0, sex: "M" } as const;
    expect(computeCreatinineClearance(woman).toFixed(2)).toBe("34.24");
    expect(computeEgfr(woman).toFixed(2)).toBe("45.19");
    expect(computeCreatinineClearance(man).toFixed(2)).toBe("72.22");
    expect(computeEgfr(man).toFixed(2)).toBe("78.49");
  });

  test("creatinine solved from an eGFR gives that eGFR back", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 65, max: 98 }),
        fc.double({ min: 8, max: 110, noNaN: true }),
        fc.constantFrom("F" as const, "M" as const),
        (ageYears, egfrMlPerMin, sex) => {
          const serumCreatinineMgPerDl = solveSerumCreatinine({ ageYears, egfrMlPerMin, sex });
          expect(computeEgfr({ ageYears, serumCreatinineMgPerDl, sex })).toBeCloseTo(egfrMlPerMin, 8);
        },
      ),
    );
  });
});

describe("body weight for dosing", () => {
  test("ideal weight of a woman of 160 cm", () => {
    expect(idealBodyWeightKg("F", 160).toFixed(2)).toBe("52.38");
  });

  test("is actual below the ideal, ideal up to 20 % above it, adjusted beyond", () => {
    const ideal = idealBodyWeightKg("F", 160);
    expect(dosingWeightKg("F", 160, 48)).toBe(48);
    expect(dosingWeightKg("F", 160, 60)).toBe(ideal);
    expect(dosingWeightKg("F", 160, 90)).toBeCloseTo(ideal + 0.4 * (90 - ideal), 12);
  });
});
