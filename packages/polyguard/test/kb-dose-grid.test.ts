import { describe, expect, test } from "vitest";
import { absoluteMaxDose, doseGrid, isTitrated, startDose, targetDose, usualDoseMax } from "../src/kb/dose-grid.ts";
import { findDrug, getDrug, isInGroup } from "../src/kb/lookup.ts";
import { loadBundledKnowledgeBase } from "../src/kb/node.ts";
import type { Drug } from "../src/kb/types.ts";

const kb = loadBundledKnowledgeBase();
const grid = (id: string) => doseGrid(getDrug(kb, id), { weightKg: 70 });

function checkGrid(drug: Drug): void {
  const doses = doseGrid(drug, { weightKg: 70 });
  expect(doses.length).toBeGreaterThan(0);
  expect(doses).toEqual([...new Set(doses)].sort((a, b) => a - b));
  expect(doses[0]!).toBeGreaterThanOrEqual(0.25 * drug.doseMin * (1 - 1e-9));
  expect(doses.at(-1)!).toBeLessThanOrEqual((absoluteMaxDose(drug, 70) ?? 2 * drug.doseMax) * (1 + 1e-9));
  expect(startDose(drug)).toBeLessThanOrEqual(
    Math.max(drug.doseMin, doses.find((dose) => dose >= drug.doseMin) ?? drug.doseMin),
  );
  expect(targetDose(drug)).toBeGreaterThanOrEqual(drug.doseMin);
  expect(targetDose(drug)).toBeLessThanOrEqual(usualDoseMax(drug));
}

describe("the dose grid", () => {
  test("holds multiples of the strengths, halves for tablets only", () => {
    expect(grid("amlodipine").slice(0, 4)).toEqual([1.25, 2.5, 3.75, 5]);
    expect(grid("ramipril")[0]).toBe(1.25);
    expect(grid("ramipril")).not.toContain(0.625);
  });

  test("of every drug ascends inside .25 * dose_min and the absolute maximum", () => {
    for (const drug of kb.drugs) checkGrid(drug);
  });

  test("turns patch strengths in mcg/h into mg a day", () => {
    expect(grid("buprenorphine_patch")[0]).toBe(0.12);
    expect(grid("fentanyl_patch")).toContain(0.6);
  });

  test("of gentamicin ends at 7 mg/kg", () => {
    expect(doseGrid(getDrug(kb, "gentamicin"), { weightKg: 50 }).at(-1)).toBe(320);
  });
});

describe("start and target doses", () => {
  test("a titrated drug starts near half of dose_min, another at dose_min", () => {
    expect(isTitrated(getDrug(kb, "sertraline"))).toBe(true);
    expect(startDose(getDrug(kb, "sertraline"))).toBe(12.5);
    expect(startDose(getDrug(kb, "gabapentin"))).toBe(100);
    expect(startDose(getDrug(kb, "lisinopril"))).toBe(5);
  });

  test("the target lies near the geometric middle of the usual range, and one unit an intake comes before halves and several", () => {
    expect(targetDose(getDrug(kb, "escitalopram"))).toBe(5);
    expect(targetDose(getDrug(kb, "zolpidem"))).toBe(5);
    // 1396 mg would be the middle, 1462.5 mg the nearest of the grid: four intakes of 325 mg it is.
    expect(targetDose(getDrug(kb, "acetaminophen"))).toBe(1300);
    expect(targetDose(getDrug(kb, "azithromycin"))).toBe(250);
    expect(targetDose(getDrug(kb, "atorvastatin"))).toBe(20);
  });

  test("every target is a usual dose that whole or half units make up at each intake, unless it is measured out", () => {
    for (const drug of kb.drugs) {
      const dose = targetDose(drug);
      expect(dose, drug.drugId).toBeGreaterThanOrEqual(drug.doseMin);
      expect(dose, drug.drugId).toBeLessThanOrEqual(usualDoseMax(drug));
      if (drug.strengthUnit !== "dose" || drug.dosesPerDay < 1) continue;
      const halves = drug.strengths.map((strength) => (2 * dose) / Math.round(drug.dosesPerDay) / strength);
      expect(
        halves.some((count) => Math.abs(count - Math.round(count)) < 1e-9),
        drug.drugId,
      ).toBe(true);
    }
  });
});

describe("drug lookup", () => {
  test("finds by id, generic name in any case and RxCUI", () => {
    for (const name of ["nifedipine_er", "Nifedipine ER", "7417"])
      expect(findDrug(kb, name)?.drugId).toBe("nifedipine_er");
    expect(findDrug(kb, "aspirine")).toBeUndefined();
  });

  test("an unknown id is refused with the nearest one", () => {
    expect(() => getDrug(kb, "warfarine")).toThrow(/Did you mean 'warfarin'/);
  });

  test("membership knows typed and derived groups", () => {
    const paroxetine = getDrug(kb, "paroxetine").index;
    expect(isInGroup(kb, paroxetine, "SSRI")).toBe(true);
    expect(isInGroup(kb, paroxetine, "INH2D6_STRONG")).toBe(true);
    expect(isInGroup(kb, paroxetine, "TCA")).toBe(false);
  });
});
