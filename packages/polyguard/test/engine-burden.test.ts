import { describe, expect, test } from "vitest";
import { BurdenModel } from "../src/engine/burden.ts";
import type { EvaluationItem } from "../src/engine/evaluation-types.ts";
import { itemOf, kb } from "./engine-fixtures.ts";

const model = new BurdenModel(kb);

function burden(items: readonly EvaluationItem[]) {
  model.begin();
  for (const item of items) model.addDrug(item);
  return { ...model.finish() };
}
const mrci = (...items: readonly EvaluationItem[]): number => burden(items).mrci;

describe("regimen complexity (MRCI)", () => {
  test("counts each form once, tablets and capsules together", () => {
    expect(mrci(itemOf("amlodipine"))).toBe(1 + 1);
    expect(mrci(itemOf("amlodipine"), itemOf("ramipril"))).toBe(1 + 1 + 1);
    expect(mrci(itemOf("salbutamol_inhaler"))).toBe(4 + 4);
    expect(mrci(itemOf("tiotropium_inhaler"))).toBe(3 + 1);
    expect(mrci(itemOf("vancomycin"))).toBe(4 + 2.5);
    expect(mrci(itemOf("enoxaparin"))).toBe(3 + 1);
  });

  test("counts doses a day: every 12 hours 2.5, weekly 2, as needed half", () => {
    expect(mrci(itemOf("apixaban"))).toBe(1 + 2.5);
    expect(mrci(itemOf("propranolol", { dosePerDay: 160 }))).toBe(1 + 2);
    expect(mrci(itemOf("methotrexate_oral_weekly"))).toBe(1 + 2);
    expect(mrci(itemOf("tramadol", { dosePerDay: 200, isPrn: true }))).toBe(1 + 2);
  });

  test("adds 1 for food, a fixed time or halving, and 2 for a taper", () => {
    expect(mrci(itemOf("metformin"))).toBe(1 + 2 + 1);
    expect(mrci(itemOf("levothyroxine"))).toBe(1 + 1 + 2);
    expect(mrci(itemOf("lisinopril", { dosePerDay: 5 }))).toBe(1 + 1);
    expect(mrci(itemOf("lisinopril", { dosePerDay: 1.25 }))).toBe(1 + 1 + 1);
    expect(mrci(itemOf("sertraline", { dosePerDay: 50, isTapering: true }))).toBe(1 + 1 + 2);
  });
});

describe("burden", () => {
  test("DBI adds dose over dose plus the least effective dose of anticholinergic and sedative drugs", () => {
    expect(burden([itemOf("oxybutynin", { dosePerDay: 2.5 })]).dbi).toBeCloseTo(0.5, 12);
    expect(burden([itemOf("oxybutynin", { dosePerDay: 7.5 }), itemOf("lisinopril")]).dbi).toBeCloseTo(0.75, 12);
  });

  test("weighs complexity, count, ACB and DBI, each up to its limit", () => {
    const one = burden([itemOf("oxybutynin", { dosePerDay: 5 })]);
    const expected = (0.35 * one.mrci) / 40 + 0.25 / 15 + (0.25 * 3) / 9 + (0.15 * one.dbi) / 3;
    expect(one.burden).toBeCloseTo(expected, 12);
    expect(burden([]).burden).toBe(0);
    const all = burden(kb.drugs.map((drug) => itemOf(drug.drugId)));
    expect(all.burden).toBeCloseTo(1, 12);
  });

  test("grows with each drug until it is full", () => {
    let last = 0;
    const items: EvaluationItem[] = [];
    for (const drug of kb.drugs.slice(0, 12)) {
      items.push(itemOf(drug.drugId));
      const now = burden(items).burden;
      expect(now).toBeGreaterThan(last);
      last = now;
    }
  });
});
