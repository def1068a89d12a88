import { describe, expect, test } from "vitest";
import { getDrug } from "../src/kb/lookup.ts";
import { factorsFrom, factorsOn } from "../src/pharmacology/comedication.ts";
import { type DoseStanding, doseOptions, dosingGrid, nearestDose } from "../src/pharmacology/dose-options.ts";
import { DOSING_MODELS } from "../src/pharmacology/models.ts";
import { proportionalDose } from "../src/pharmacology/proportional-rule.ts";
import { labelStart } from "../src/pharmacology/start-dose.ts";
import { kb } from "./world-fixtures.ts";

const standing = (dosePerDay: number, more: Partial<DoseStanding> = {}): DoseStanding => ({
  weightKg: 70,
  current: { dosePerDay, intervalH: 24 },
  level: 1,
  hasCad: false,
  ...more,
});
const dosesOf = (drugId: string, at: DoseStanding): number[] =>
  doseOptions(getDrug(kb, drugId), at).map(({ dosePerDay }) => dosePerDay);
const modelOf = (drugId: string) => DOSING_MODELS.find((model) => model.drugId === drugId)!;

describe("doses that one step may lead to", () => {
  test("warfarin moves in whole milligrams a week by at most 20 %", () => {
    const weekly = dosesOf("warfarin", standing(2)).map((dose) => dose * 7);
    expect(weekly.map((dose) => Math.round(dose))).toEqual([12, 13, 15, 16]);
    for (const dose of weekly) expect(dose).toBeCloseTo(Math.round(dose), 9);
  });

  test("phenytoin rises by at most 100, 50 or 30 mg by its level", () => {
    const most = (level: number): number => Math.max(...dosesOf("phenytoin", standing(300, { level })));
    expect([6.9, 7, 12, 12.1].map(most)).toEqual([400, 350, 350, 330]);
  });

  test("levothyroxine moves by 25 ug, by 12.5 in coronary disease", () => {
    const range = (hasCad: boolean): number[] => {
      const doses = dosesOf("levothyroxine", standing(75, { hasCad }));
      return [Math.min(...doses), Math.max(...doses)];
    };
    expect(range(false)).toEqual([50, 100]);
    expect(range(true)).toEqual([62.5, 87.5]);
  });

  test("vancomycin moves by half in steps of 250 mg", () => {
    expect(dosesOf("vancomycin", standing(1500))).toEqual([750, 1000, 1250, 1750, 2000, 2250]);
  });

  test("gentamicin is offered at intervals of 24, 36 and 48 h, the present dose and interval left out", () => {
    const options = doseOptions(getDrug(kb, "gentamicin"), standing(200));
    expect(new Set(options.map(({ intervalH }) => intervalH))).toEqual(new Set([24, 36, 48]));
    expect(options).not.toContainEqual({ dosePerDay: 200, intervalH: 24 });
    expect(options).toContainEqual({ dosePerDay: 200, intervalH: 48 });
  });

  test("without a level inside its window nothing is raised", () => {
    for (const { drugId } of DOSING_MODELS) {
      const from = nearestDose(dosingGrid(getDrug(kb, drugId), 70), getDrug(kb, drugId).doseMin);
      for (const dose of dosesOf(drugId, standing(from, { level: null }))) expect(dose).toBeLessThanOrEqual(from);
    }
  });

  test("a list of doses is never longer than 16", () => {
    for (const { drugId } of DOSING_MODELS)
      for (const share of [0.3, 1, 2]) {
        const drug = getDrug(kb, drugId);
        expect(dosesOf(drugId, standing(share * drug.doseMax)).length).toBeLessThanOrEqual(16);
      }
  });
});

describe("label start", () => {
  const facts = {
    crClMlPerMin: 50,
    weightKg: 70,
    ageYears: 72,
    heightCm: 170,
    takesInducer: false,
    takesAmiodarone: false,
  };
  test.each([
    ["vancomycin", 50, 750],
    ["gentamicin", 50, 180],
    ["digoxin", 50, 0.125],
    ["digoxin", 29, 0.0625],
    ["phenytoin", 50, 300],
    ["lithium_carbonate", 59, 300],
    ["lithium_carbonate", 60, 600],
  ])("%s at CrCl %d begins with %d a day", (drugId, crClMlPerMin, expected) => {
    expect(labelStart(getDrug(kb, drugId), { ...facts, crClMlPerMin })?.dosePerDay).toBe(expected);
  });

  test("warfarin begins with the IWPC dose in whole milligrams a week", () => {
    expect(labelStart(getDrug(kb, "warfarin"), { ...facts, weightKg: 80 })!.dosePerDay * 7).toBeCloseTo(28, 9);
  });

  test("a drug without a dosing model has none", () => {
    expect(labelStart(getDrug(kb, "ramipril"), facts)).toBeNull();
  });
});

describe("proportional rule", () => {
  const decide = (drugId: string, at: DoseStanding, value: number, step = 2, trough: number | null = null) =>
    proportionalDose(
      modelOf(drugId),
      getDrug(kb, drugId),
      { ...at, level: value },
      72,
      { day: 3, value, trough },
      step,
    );

  test("inside the target and without a level the dose stays", () => {
    expect(decide("digoxin", standing(0.125), 0.7)).toBeNull();
    expect(proportionalDose(modelOf("digoxin"), getDrug(kb, "digoxin"), standing(0.125), 72, null, 2)).toBeNull();
  });

  test("outside it the dose goes in proportion to the middle of the target, as far as the step limit lets it", () => {
    expect(decide("vancomycin", standing(1000), 333)?.dosePerDay).toBe(1500);
    expect(decide("vancomycin", standing(1000), 700)?.dosePerDay).toBe(750);
    expect(decide("vancomycin", standing(1000), 100)?.dosePerDay).toBe(1500);
  });

  test("slow drugs are changed at every second step only", () => {
    expect(decide("warfarin", standing(4), 1.2, 3)).toBeNull();
    expect(decide("warfarin", standing(4), 1.2, 2)!.dosePerDay).toBeGreaterThan(4);
  });

  test("a gentamicin trough of 1 mg/L brings the dose to at most .8", () => {
    expect(decide("gentamicin", standing(200), 85, 2, 1.2)!.dosePerDay).toBeLessThanOrEqual(160);
  });

  test("levothyroxine goes up one step at a high TSH and down at a low one", () => {
    expect(decide("levothyroxine", standing(75), 9)?.dosePerDay).toBe(100);
    expect(decide("levothyroxine", standing(75, { hasCad: true }), 9)?.dosePerDay).toBe(87.5);
    expect(decide("levothyroxine", standing(75), 0.3)?.dosePerDay).toBe(50);
  });
});

describe("co-medication", () => {
  const of = (drugId: string, startDay = Number.NEGATIVE_INFINITY, stopDay: number | null = null) => ({
    drugIndex: getDrug(kb, drugId).index,
    startDay,
    stopDay,
  });

  test("a settled amiodarone lowers warfarin's clearance by the exposure ratio", () => {
    const { clearanceFactor } = factorsOn(kb, getDrug(kb, "warfarin"), [of("amiodarone")], 0);
    expect(1 / clearanceFactor).toBeCloseTo(1.69, 2);
  });

  test("it comes on slowly after its start and leaves slowly after its stop", () => {
    const factor = (others: readonly ReturnType<typeof of>[], day: number): number =>
      factorsOn(kb, getDrug(kb, "warfarin"), others, day).clearanceFactor;
    const begun = [of("amiodarone", 0)];
    expect(factor(begun, 0)).toBe(1);
    expect(factor(begun, 50)).toBeLessThan(factor(begun, 10));
    const ended = [of("amiodarone", Number.NEGATIVE_INFINITY, 0)];
    expect(factor(ended, 100)).toBeGreaterThan(factor(ended, 10));
    expect(factor(ended, 400)).toBe(1);
  });

  test("lithium loses clearance by class: a thiazide .75, with a loop diuretic .75 x .9, two of one class once", () => {
    const factor = (...drugs: string[]): number =>
      factorsOn(
        kb,
        getDrug(kb, "lithium_carbonate"),
        drugs.map((each) => of(each)),
        0,
      ).clearanceFactor;
    expect(factor("hydrochlorothiazide")).toBeCloseTo(0.75, 12);
    expect(factor("hydrochlorothiazide", "indapamide")).toBeCloseTo(0.75, 12);
    expect(factor("hydrochlorothiazide", "furosemide")).toBeCloseTo(0.675, 12);
  });

  test("cations and a PPI take from the absorption of levothyroxine", () => {
    const { absorptionFactor } = factorsOn(
      kb,
      getDrug(kb, "levothyroxine"),
      [of("calcium_carbonate"), of("omeprazole")],
      0,
    );
    expect(absorptionFactor).toBeCloseTo(0.595, 12);
  });

  test("a stretch of days is the days one by one", () => {
    const drug = getDrug(kb, "digoxin");
    for (const others of [[of("verapamil_er", 2)], [of("amiodarone")], []])
      expect(factorsFrom(kb, drug, others, 0, 12)).toEqual(
        Array.from({ length: 12 }, (_, i) => factorsOn(kb, drug, others, i)),
      );
  });
});
