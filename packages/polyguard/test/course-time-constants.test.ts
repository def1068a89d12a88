import { describe, expect, test } from "vitest";
import {
  carryOverAfterStop,
  carryOverAfterUse,
  onsetAfterStop,
  onsetAfterUse,
  timingOf,
} from "../src/course/time-constants.ts";
import { getDrug } from "../src/kb/lookup.ts";
import { kb } from "./world-fixtures.ts";

const timing = (id: string) => timingOf(getDrug(kb, id));

describe("carry-over of inhibition, induction and risk", () => {
  test("fluoxetine is at half after 9 days and gone once below .08", () => {
    expect(carryOverAfterStop(timing("fluoxetine"), 1, 9)).toBeCloseTo(0.5, 12);
    expect(carryOverAfterStop(timing("fluoxetine"), 1, 32)).toBeGreaterThan(0.08);
    expect(carryOverAfterStop(timing("fluoxetine"), 1, 33)).toBe(0);
  });

  test("amiodarone halves in 50 days, an inducer in 4, a mechanism-based inhibitor in 3", () => {
    expect(timing("amiodarone").carryOverHalf).toBe(50);
    expect(timing("rifampin").carryOverHalf).toBe(4);
    expect(timing("clarithromycin").carryOverHalf).toBe(3);
    expect(timing("paroxetine").carryOverHalf).toBe(3);
  });

  test("other drugs follow their half-life within .4 and 10 days", () => {
    expect(timing("ibuprofen").carryOverHalf).toBe(0.4);
    expect(timing("lisinopril").carryOverHalf).toBeCloseTo(12 / 24, 12);
    for (const drug of kb.drugs.filter((each) => !["amiodarone"].includes(each.drugId))) {
      expect(timingOf(drug).carryOverHalf).toBeGreaterThanOrEqual(0.4);
      expect(timingOf(drug).carryOverHalf).toBeLessThanOrEqual(10);
    }
  });

  test("an MAO inhibitor acts in full for 14 days after the last dose, aspirin for 7, then not at all", () => {
    expect(carryOverAfterStop(timing("phenelzine"), 1, 14)).toBe(1);
    expect(carryOverAfterStop(timing("phenelzine"), 1, 14.5)).toBe(0);
    expect(carryOverAfterStop(timing("aspirin_low_dose"), 1, 7)).toBe(1);
    expect(carryOverAfterStop(timing("aspirin_low_dose"), 1, 8)).toBe(0);
  });

  test("after a start it grows from what is left of an earlier use", () => {
    expect(carryOverAfterUse(timing("fluoxetine"), 0, 9)).toBeCloseTo(0.5, 12);
    expect(carryOverAfterUse(timing("fluoxetine"), 0.5, 9)).toBeCloseTo(0.75, 12);
  });
});

describe("onset and fading of benefit", () => {
  test("an antidepressant has 63 % of its benefit after 14 days", () => {
    expect(onsetAfterUse(timing("sertraline"), 0, 14)).toBeCloseTo(1 - Math.exp(-1), 12);
  });

  test("time constants by class: statin 60, beta-blocker 30, SGLT2 inhibitor 21 (not 14), anticoagulant 1, others 2", () => {
    expect(timing("atorvastatin").onset).toBe(60);
    expect(timing("bisoprolol").onset).toBe(30);
    expect(timing("empagliflozin").onset).toBe(21);
    expect(timing("apixaban").onset).toBe(1);
    expect(timing("acetaminophen").onset).toBe(2);
  });

  test("benefit fades with half the onset, at most 7 days, or 1.5 half-lives if longer; bisphosphonates last a year", () => {
    expect(timing("atorvastatin").offset).toBe(7);
    expect(timing("alendronate").offset).toBe(365);
    expect(timing("amiodarone").offset).toBeGreaterThan(7);
    expect(onsetAfterStop(timing("atorvastatin"), 1, 7)).toBeCloseTo(Math.exp(-1), 12);
  });
});
