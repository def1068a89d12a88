import { describe, expect, test } from "vitest";
import { readDosage, strengthOfText } from "../../src/fhir/dosage.ts";
import type { Dosage } from "../../src/fhir/resources.ts";
import { getDrug } from "../../src/kb/lookup.ts";
import { loadBundledKnowledgeBase } from "../../src/kb/node.ts";

const kb = loadBundledKnowledgeBase();
const daily = (value: number, unit: string, frequency = 1): Dosage => ({
  timing: { repeat: { frequency, period: 1, periodUnit: "d" } },
  doseAndRate: [{ doseQuantity: { value, unit } }],
});
const read = (drugId: string, dosage: Dosage, text = "") =>
  readDosage(getDrug(kb, drugId), dosage, strengthOfText(text));

describe("dosage", () => {
  test("micrograms and milligrams of one dose are the same daily dose", () => {
    for (const [value, unit] of [
      [125, "mcg"],
      [125, "\u00b5g"],
      [125, "\u03bcg"],
      [125, "ug"],
      [0.125, "mg"],
    ] as const)
      expect(read("digoxin", daily(value, unit)).dosePerDay, unit).toBe(0.125);
    expect(read("levothyroxine", daily(0.075, "mg")).dosePerDay).toBe(75);
  });

  test.each([
    ["levothyroxine", 100, "mg"],
    ["digoxin", 250, "mg"],
  ])("%s %i %s a day is refused as implausible and micrograms are suggested", (drugId, value, unit) => {
    expect(() => read(drugId, daily(value, unit))).toThrow(/implausible.*micrograms/);
  });

  test("an hour, a minute and a day are not confused: rates are refused", () => {
    for (const unit of ["ug/min", "ug/h"])
      expect(() => read("nitroglycerin", { doseAndRate: [{ rateQuantity: { value: 5, unit } }] }), unit).toThrow(
        new RegExp(`rate \\(5 ${unit}\\)`),
      );
  });

  test("a range counts at its worst case and says so", () => {
    const range: Dosage = {
      timing: { repeat: { frequency: 1, frequencyMax: 2, period: 6, periodUnit: "h" } },
      doseAndRate: [{ doseRange: { low: { value: 325, unit: "mg" }, high: { value: 650, unit: "mg" } } }],
    };
    const dose = read("acetaminophen", range);
    expect(dose.dosePerDay).toBe(650 * 8);
    expect(dose.notes.join()).toMatch(/range \(325 to 650 mg\)/);
    expect(dose.notes.join()).toMatch(/most frequent/);
  });

  test("a weekly drug is counted by the week, and weekly timing is noted", () => {
    const weekly: Dosage = {
      timing: { repeat: { frequency: 1, period: 1, periodUnit: "wk" } },
      doseAndRate: [{ doseQuantity: { value: 15, unit: "mg" } }],
    };
    expect(read("methotrexate_oral_weekly", weekly)).toMatchObject({ dosePerDay: 15, notes: ["weekly timing"] });
    expect(read("methotrexate_oral_weekly", daily(15, "mg")).dosePerDay).toBe(105);
  });

  test("tablets count by the strength in the product's name, and are refused without one", () => {
    expect(read("apixaban", daily(1, "{tbl}", 2), "apixaban 5 MG Oral Tablet").dosePerDay).toBe(10);
    expect(() => read("apixaban", daily(1, "tablet", 2), "apixaban")).toThrow(/strength is not known/);
    expect(() => read("apixaban", daily(1, "Tablet(s)xxx"), "apixaban 5 MG")).toThrow(/Tablet\(s\)xxx/);
  });

  test("millilitres without a concentration are refused", () => {
    expect(() => read("amoxicillin", daily(5, "mL", 3))).toThrow(/without a concentration/);
  });

  test("a PRN maximum below the ordered dose is refused", () => {
    const limit = (value: number): Dosage => ({
      ...daily(1000, "mg", 2),
      asNeededBoolean: true,
      maxDosePerPeriod: { numerator: { value, unit: "mg" }, denominator: { value: 1, unit: "d" } },
    });
    expect(() => read("acetaminophen", limit(1000))).toThrow(/allows 1000 mg\/d, less than the ordered 2000/);
    expect(read("acetaminophen", limit(3000))).toMatchObject({ dosePerDay: 2000, isPrn: true });
  });

  test("a dose without a unit, of nothing or less is refused", () => {
    expect(() => read("amlodipine", { ...daily(5, "mg"), doseAndRate: [{ doseQuantity: { value: 5 } }] })).toThrow(
      /no unit/,
    );
    expect(() => read("amlodipine", daily(-5, "mg"))).toThrow(/above 0/);
  });

  test("only a text gives no dose", () => {
    expect(read("amlodipine", { text: "one in the morning" }).dosePerDay).toBeNull();
  });
});
