import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { attainment, isToxic, sideOfRange } from "../src/pharmacology/attainment.ts";
import {
  type DoseDay,
  type DosingCovariates,
  type DosingModel,
  linearTarget,
  TROUGH,
  VALUE,
} from "../src/pharmacology/dosing-model.ts";
import { levothyroxine, tshAtShare } from "../src/pharmacology/levothyroxine.ts";
import { DOSING_MODELS, estimationModel, warfarin } from "../src/pharmacology/models.ts";
import { correctForAlbumin, phenytoin, steadyState } from "../src/pharmacology/phenytoin.ts";
import { digoxin } from "../src/pharmacology/digoxin.ts";
import { gentamicin } from "../src/pharmacology/gentamicin.ts";
import { lithium } from "../src/pharmacology/lithium.ts";
import { typicalClearance, vancomycin } from "../src/pharmacology/vancomycin.ts";
import { firstWeeklyDose } from "../src/pharmacology/warfarin.ts";

const REFERENCE: DosingCovariates = {
  ageYears: 71,
  sex: "M",
  weightKg: 70,
  creatinineClearanceMlPerMin: 50,
  hasHeartFailure: false,
  genotype: { cyp2c9: "*1/*1", vkorc1: "GG" },
};
const day = (dosePerDay: number, more: Partial<DoseDay> = {}): DoseDay => ({
  dosePerDay,
  intervalH: 24,
  clearanceFactor: 1,
  absorptionFactor: 1,
  ...more,
});

function treat(
  model: DosingModel,
  covariates: DosingCovariates,
  days: readonly DoseDay[],
  eta: readonly number[] = [],
): { readonly values: number[]; readonly state: Float64Array } {
  const parameters = model.individual(
    covariates,
    model.effects.map((_, i) => eta[i] ?? 0),
  );
  const state = model.start(parameters);
  const values = days.map((each) => {
    model.advanceDay(state, parameters, each);
    return state[VALUE]!;
  });
  return { values, state };
}
const repeat = (each: DoseDay, days: number): DoseDay[] => new Array<DoseDay>(days).fill(each);

describe("golden values", () => {
  test("vancomycin at CrCl 50: clearance 2.234 L/h, AUC24 is the daily dose over it", () => {
    expect(typicalClearance(50)).toBeCloseTo(2.234, 3);
    const settled = treat(vancomycin, REFERENCE, repeat(day(1500, { intervalH: 12 }), 90)).values.at(-1)!;
    expect(settled).toBeCloseTo(671.5, 1);
    expect(treat(vancomycin, REFERENCE, repeat(day(1000, { intervalH: 12 }), 90)).values.at(-1)).toBeCloseTo(447.7, 1);
  });

  test("gentamicin 350 mg a day at 70 kg and CrCl 50 settles at an AUC24 of 119.8", () => {
    const [clearance, volume] = gentamicin.individual(REFERENCE, [0, 0]);
    expect(clearance! / volume!).toBeCloseTo(0.1605, 4);
    expect(Math.LN2 / (clearance! / volume!)).toBeCloseTo(4.32, 2);
    expect(clearance).toBeCloseTo(2.92, 2);
    expect(treat(gentamicin, REFERENCE, repeat(day(350), 10)).values.at(-1)).toBeCloseTo(119.8, 1);
  });

  test("digoxin .125 mg settles at .892 ng/mL in heart failure and at .573 without", () => {
    const failing = { ...REFERENCE, hasHeartFailure: true };
    expect(digoxin.individual(failing, [0, 0])[0]).toBeCloseTo(4.086, 3);
    expect(digoxin.individual(REFERENCE, [0, 0])[0]).toBeCloseTo(6.36, 2);
    expect(digoxin.individual(REFERENCE, [0, 0])[1]).toBeCloseTo(421, 0);
    expect(treat(digoxin, failing, repeat(day(0.125), 90)).values.at(-1)).toBeCloseTo(0.892, 3);
    expect(treat(digoxin, REFERENCE, repeat(day(0.125), 90)).values.at(-1)).toBeCloseTo(0.573, 3);
  });

  test("phenytoin sodium 300 mg settles at 5.16 mg/L, 400 mg at 12.07, with Vmax 6 at 7.67", () => {
    expect(steadyState(300, 490, 4)).toBeCloseTo(5.16, 2);
    expect(steadyState(400, 490, 4)).toBeCloseTo(12.07, 2);
    expect(steadyState(300, 420, 4)).toBeCloseTo(7.67, 2);
    expect(steadyState(600, 490, 4)).toBe(Number.POSITIVE_INFINITY);
    expect(treat(phenytoin, REFERENCE, repeat(day(300), 200)).values.at(-1)).toBeCloseTo(5.16, 2);
    expect(treat(phenytoin, REFERENCE, repeat(day(400), 400)).values.at(-1)).toBeCloseTo(12.07, 2);
    expect(treat(phenytoin, { ...REFERENCE, ageYears: 80 }, repeat(day(300), 300)).values.at(-1)).toBeCloseTo(7.67, 2);
  });

  test("a phenytoin level of 8 at albumin 2.8 corrects to 12.12", () => {
    expect(correctForAlbumin(8, 2.8, 60)).toBeCloseTo(12.12, 2);
    expect(correctForAlbumin(8, 2.8, 8)).toBeCloseTo(21.05, 2);
  });

  test("lithium 600 mg at CrCl 60 settles at .752 mmol/L, with a thiazide at 1.002", () => {
    const patient = { ...REFERENCE, creatinineClearanceMlPerMin: 60 };
    expect(lithium.individual(patient, [0])[0]).toBeCloseTo(0.9, 3);
    expect(treat(lithium, patient, repeat(day(600), 60)).values.at(-1)).toBeCloseTo(0.752, 3);
    const withThiazide = repeat(day(600, { clearanceFactor: 0.75 }), 60);
    expect(treat(lithium, patient, withThiazide).values.at(-1)).toBeCloseTo(1.002, 3);
  });

  test("TSH is 6.32, 20.0 and .632 at 75, 50 and 125 % of the requirement", () => {
    expect(tshAtShare(0.75)).toBeCloseTo(6.32, 2);
    expect(tshAtShare(0.5)).toBeCloseTo(20, 1);
    expect(tshAtShare(1.25)).toBeCloseTo(0.632, 3);
    const required = levothyroxine.individual(REFERENCE, [0])[0]!;
    expect(treat(levothyroxine, REFERENCE, repeat(day(0.75 * required), 200)).values.at(-1)).toBeCloseTo(6.32, 2);
  });

  test("the IWPC formula gives 28.45 mg a week, with amiodarone 22.69", () => {
    const facts = { ageYears: 72, heightCm: 170, weightKg: 80, takesInducer: false, takesAmiodarone: false };
    expect(firstWeeklyDose(facts)).toBeCloseTo(28.45, 2);
    expect(firstWeeklyDose({ ...facts, takesAmiodarone: true })).toBeCloseTo(22.69, 2);
  });

  test.each([
    ["*1/*1", "GG", [1.38, 1.59, 1.68, 1.68]],
    ["*1/*1", "GA", [1.59, 1.91, 2.04, 2.05]],
    ["*1/*1", "AA", [1.81, 2.24, 2.4, 2.41]],
    ["*1/*3", "GA", [1.88, 2.5, 2.81, 2.85]],
  ] as const)("warfarin 4 mg a day with %s and %s follows Hamberg's course of the INR", (cyp2c9, vkorc1, expected) => {
    const { values } = treat(warfarin, { ...REFERENCE, genotype: { cyp2c9, vkorc1 } }, repeat(day(4), 60));
    for (const [i, at] of [7, 14, 28, 60].entries()) expect(values[at - 1]).toBeCloseTo(expected[i]!, 2);
  });

  test("warfarin with its clearance divided by 2.8 reaches an INR of 3.64", () => {
    const patient = { ...REFERENCE, genotype: { cyp2c9: "*1/*1", vkorc1: "GA" } as const };
    expect(treat(warfarin, patient, repeat(day(4, { clearanceFactor: 1 / 2.8 }), 60)).values.at(-1)).toBeCloseTo(3.64, 2);
  });
});
void [fc, attainment, isToxic, sideOfRange, DOSING_MODELS, estimationModel, linearTarget, TROUGH];
