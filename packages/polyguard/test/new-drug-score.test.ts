import { Rng } from "@praxis/env";
import fc from "fast-check";
import { expect, test } from "vitest";
import { getDrug } from "../src/kb/lookup.ts";
import { drawComponents, flagsOf, NEW_DRUG_ENZYMES, type NewDrugComponents } from "../src/new-drug/components.ts";
import { clearanceOf, decompositionFault } from "../src/new-drug/decomposition.ts";
import { bestPlan, doseQuality, planQuality } from "../src/new-drug/plan.ts";
import { exposureErrors, flagF1, newDrugScore } from "../src/new-drug/score.ts";
import { kb } from "./world-fixtures.ts";

const COMPONENTS: NewDrugComponents = drawComponents(Rng.fromSeed(5), getDrug(kb, "sertraline"));
const SETTINGS = [
  { patient: { crClMlPerMin: 35 }, perpetrators: [getDrug(kb, "diltiazem_er")] },
  { patient: { crClMlPerMin: 80 }, perpetrators: [] },
];
const SAFE = { isNarrowTi: false, qt: 0, isContraindicated: false };

function exactDecomposition(components: NewDrugComponents): Record<string, number> {
  return {
    ...Object.fromEntries(NEW_DRUG_ENZYMES.map((enzyme) => [`fm_${enzyme}`, components.fm[enzyme]])),
    fe: components.fe,
    pgp: components.pgp,
    ...flagsOf(components),
  };
}

test("the right plan is 1/E on the grid, and the lower of two equally near doses", () => {
  expect(bestPlan({ ...SAFE, exposure: 1 })).toBe("100");
  expect(bestPlan({ ...SAFE, exposure: 0.6 })).toBe("100");
  expect(bestPlan({ ...SAFE, exposure: 2 })).toBe("50");
  expect(bestPlan({ ...SAFE, exposure: 1.6 })).toBe("50");
  expect(bestPlan({ ...SAFE, exposure: 3.571 })).toBe("25");
  expect(bestPlan({ ...SAFE, exposure: 1.3 })).toBe("75");
});

test("a drug is not started above E 5, above 2.5 with a narrow index, or in a contraindicated pair", () => {
  expect(bestPlan({ ...SAFE, exposure: 5 })).toBe("25");
  expect(bestPlan({ ...SAFE, exposure: 5.01 })).toBe("none");
  expect(bestPlan({ ...SAFE, exposure: 2.6, isNarrowTi: true })).toBe("none");
  expect(bestPlan({ ...SAFE, exposure: 1, isContraindicated: true })).toBe("none");
});

test("the full dose is started with monitoring where the index is narrow or QT risk possible", () => {
  expect(bestPlan({ ...SAFE, exposure: 1, isNarrowTi: true })).toBe("monitored");
  expect(bestPlan({ ...SAFE, exposure: 1, qt: 2 })).toBe("monitored");
  expect(bestPlan({ ...SAFE, exposure: 1, qt: 1 })).toBe("100");
});

test("a plan is worth 1 when exact, .5 one grid step away and nothing beyond", () => {
  expect(planQuality("50", "50")).toBe(1);
  expect(planQuality("75", "50")).toBe(0.5);
  expect(planQuality("100", "50")).toBe(0);
  expect(planQuality("25", "none")).toBe(0.5);
  expect(planQuality("monitored", "100")).toBe(0.5);
  expect(planQuality("100", "monitored")).toBe(0.5);
  expect(planQuality("75", "monitored")).toBe(0.5);
  expect(planQuality("monitored", "75")).toBe(0.5);
  expect(doseQuality(100, "monitored")).toBe(1);
  expect(doseQuality(0, "50")).toBe(0);
});

test("the exact decomposition with the right plan scores 1", () => {
  const exact = exactDecomposition(COMPONENTS);
  const errors = exposureErrors(COMPONENTS, exact, SETTINGS);
  expect(newDrugScore(errors, flagF1(COMPONENTS, exact), 1)).toBeCloseTo(1, 9);
  expect(decompositionFault(exact)).toBeNull();
});

test("an exposure off by a factor of two in every setting costs half of .4", () => {
  expect(newDrugScore([Math.log(2), Math.log(2)], 1, 1)).toBeCloseTo(0.8, 12);
});

test("F1 counts flags that are set, whatever their level, and is 1 when there is nothing to find", () => {
  const none: NewDrugComponents = {
    ...COMPONENTS,
    inhibits: { ...COMPONENTS.inhibits, CYP3A4: 0, CYP2D6: 0, CYP2C9: 0, CYP2C19: 0, CYP1A2: 0, UGT: 0 },
    induces: { CYP3A4: 0, CYP2D6: 0, CYP2C9: 0, CYP2C19: 0, CYP1A2: 0, UGT: 0 },
    qt: 0,
    isNarrowTi: false,
    risk: Object.fromEntries(Object.keys(COMPONENTS.risk).map((column) => [column, 0])) as NewDrugComponents["risk"],
  };
  expect(flagF1(none, {})).toBe(1);
  expect(flagF1(none, { qt: 1 })).toBe(0);
  const one = { ...none, qt: 3 };
  expect(flagF1(one, { qt: 1 })).toBe(1);
  expect(flagF1(one, { qt: 1, bleed: 2 })).toBeCloseTo(2 / 3, 12);
});

test("a decomposition with an unknown key, a value out of range or fractions above 1 is named as faulty", () => {
  expect(decompositionFault({ fm_CYP9X9: 0.1 })).toContain("fm_CYP9X9");
  expect(decompositionFault({ fe: 1.4 })).toContain("'fe'");
  expect(decompositionFault({ qt: 1.5 })).toContain("whole number");
  expect(decompositionFault({ fm_CYP3A4: 0.8, fe: 0.4 })).toContain("1.2");
  expect(decompositionFault({ fm_CYP3A4: 0.604, fe: 0.404 })).toBeNull();
  expect(decompositionFault({})).toBeNull();
});

test("fractions that rounding brought above 1 are scaled down", () => {
  const { fm, fe } = clearanceOf({ fm_CYP3A4: 0.604, fe: 0.404 });
  expect(fm.CYP3A4 + fe).toBeCloseTo(1, 12);
});

test("the score is in 0-1 and rises with every part", () => {
  const part = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(part, part, fc.constantFrom(0, 0.5, 1), part, (error, f1, quality, less) => {
      const score = newDrugScore([error, error], f1, quality);
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(1 + 1e-12);
      expect(newDrugScore([error * less, error * less], f1, quality)).toBeGreaterThanOrEqual(score - 1e-12);
      expect(newDrugScore([error, error], f1 * less, quality)).toBeLessThanOrEqual(score + 1e-12);
    }),
  );
});
