import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { attainment, distanceToRange, isToxic, sideOfRange, toxicRatio } from "../src/pharmacology/attainment.ts";
import { digoxin } from "../src/pharmacology/digoxin.ts";
import {
  type DoseDay,
  type DosingCovariates,
  type DosingModel,
  linearTarget,
  TROUGH,
  VALUE,
} from "../src/pharmacology/dosing-model.ts";
import { gentamicin } from "../src/pharmacology/gentamicin.ts";
import { levothyroxine, tshAtShare } from "../src/pharmacology/levothyroxine.ts";
import { lithium } from "../src/pharmacology/lithium.ts";
import { DOSING_MODELS, estimationModel, warfarin } from "../src/pharmacology/models.ts";
import { correctForAlbumin, phenytoin, steadyState } from "../src/pharmacology/phenytoin.ts";
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
    expect(treat(warfarin, patient, repeat(day(4, { clearanceFactor: 1 / 2.8 }), 60)).values.at(-1)).toBeCloseTo(
      3.64,
      2,
    );
  });
});

describe("vancomycin between doses", () => {
  test("750 mg in one hour every 12 h settles at a trough of 23.47 mg/L", () => {
    const parameters = vancomycin.individual(REFERENCE, [0, 0, 0]);
    const state = vancomycin.start(parameters);
    for (const each of repeat(day(1500, { intervalH: 12 }), 90)) vancomycin.advanceDay(state, parameters, each);
    const [, , central] = state;
    expect(central! / parameters[1]!).toBeCloseTo(23.47, 2);
  });

  test("the course of 24 one-hour steps of a numerical integration is the same", () => {
    const parameters = vancomycin.individual(REFERENCE, [0.3, -0.4, 0.2]);
    const exact = vancomycin.start(parameters);
    vancomycin.advanceDay(exact, parameters, day(1000, { intervalH: 24 }));
    const [clearance, v1, v2] = parameters as unknown as [number, number, number];
    let [central, peripheral, auc] = [0, 0, 0];
    const n = 240_000;
    const h = 24 / n;
    for (let i = 0; i < n; i++) {
      const rate = i * h < 1 ? 1000 : 0;
      const flow = 6.5 * (central / v1 - peripheral / v2);
      auc += (h * central) / v1;
      central += h * (rate - (clearance * central) / v1 - flow);
      peripheral += h * flow;
    }
    expect(exact[VALUE]).toBeCloseTo(auc, 1);
    expect(exact[2]).toBeCloseTo(central, 1);
    expect(exact[3]).toBeCloseTo(peripheral, 1);
  });
});

describe("gentamicin intervals", () => {
  const old: DosingCovariates = { ...REFERENCE, creatinineClearanceMlPerMin: 20 };

  test("a longer interval at the same daily dose leaves the AUC and lowers the trough", () => {
    const daily = treat(gentamicin, old, repeat(day(120), 12)).state;
    const every48 = treat(gentamicin, old, repeat(day(120, { intervalH: 48 }), 12)).state;
    expect(every48[VALUE]).toBeCloseTo(daily[VALUE]!, 0);
    expect(daily[TROUGH]).toBeGreaterThan(1);
    expect(every48[TROUGH]).toBeLessThan(1);
  });

  test("a change waits for the next dose, and a shorter interval brings it forward", () => {
    const parameters = gentamicin.individual(old, [0, 0]);
    const state = gentamicin.start(parameters);
    gentamicin.advanceDay(state, parameters, day(120, { intervalH: 48 }));
    const before = state[VALUE]!;
    gentamicin.advanceDay(state, parameters, day(160, { intervalH: 48 }));
    expect(state[VALUE]).toBe(before);
    gentamicin.advanceDay(state, parameters, day(160));
    expect(state[VALUE]).toBeGreaterThan(before);
  });
});

const anyModel = fc.constantFrom(...DOSING_MODELS);
const anyPatient = fc.record({
  ageYears: fc.integer({ min: 65, max: 98 }),
  sex: fc.constantFrom("F", "M"),
  weightKg: fc.double({ min: 40, max: 120, noNaN: true }),
  creatinineClearanceMlPerMin: fc.double({ min: 15, max: 120, noNaN: true }),
  hasHeartFailure: fc.boolean(),
  genotype: fc.constantFrom(null, { cyp2c9: "*1/*3", vkorc1: "GA" }),
}) as fc.Arbitrary<DosingCovariates>;
const anyEffects = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 5, maxLength: 5 });
const TYPICAL: Readonly<Record<string, number>> = {
  vancomycin: 1000,
  gentamicin: 200,
  warfarin: 4,
  digoxin: 0.125,
  phenytoin: 250,
  lithium_carbonate: 450,
  levothyroxine: 100,
};

describe("properties", () => {
  test("no assessed value, trough or amount is ever negative or not a number", () => {
    fc.assert(
      fc.property(
        anyModel,
        anyPatient,
        anyEffects,
        fc.array(
          fc.record({
            share: fc.double({ min: 0, max: 3, noNaN: true }),
            factor: fc.double({ min: 0.3, max: 2, noNaN: true }),
          }),
          {
            minLength: 1,
            maxLength: 20,
          },
        ),
        (model, patient, eta, course) => {
          const parameters = model.individual(patient, eta);
          const state = model.start(parameters);
          for (const { share, factor } of course) {
            model.advanceDay(state, parameters, day(share * TYPICAL[model.drugId]!, { clearanceFactor: factor }));
            for (const [i, each] of state.entries())
              if (i !== TROUGH || !Number.isNaN(each)) expect(each).toBeGreaterThanOrEqual(-1e-9);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test.each([vancomycin, gentamicin, digoxin, lithium])(
    "$drugId is linear: twice the dose gives twice the value, and courses add up",
    (model) => {
      fc.assert(
        fc.property(
          anyPatient,
          anyEffects,
          fc.array(fc.nat(3), { minLength: 2, maxLength: 12 }),
          (patient, eta, shares) => {
            const unit = TYPICAL[model.drugId]!;
            const run = (doses: readonly number[]): number[] =>
              treat(
                model,
                patient,
                doses.map((share) => day(share * unit)),
                eta,
              ).values;
            const base = run(shares);
            const twice = run(shares.map((share) => 2 * share));
            const first = run(shares.map((share, i) => (i % 2 === 0 ? share : 0)));
            const second = run(shares.map((share, i) => (i % 2 === 1 ? share : 0)));
            for (const [i, value] of base.entries()) {
              expect(twice[i]).toBeCloseTo(2 * value, 6);
              expect(first[i]! + second[i]!).toBeCloseTo(value, 6);
            }
          },
        ),
        { numRuns: 40 },
      );
    },
  );

  test("more clearance never means more exposure", () => {
    fc.assert(
      fc.property(
        anyModel,
        anyPatient,
        anyEffects,
        fc.double({ min: 1.01, max: 2, noNaN: true }),
        (model, patient, eta, factor) => {
          const dose = TYPICAL[model.drugId]!;
          const exposureAt = (clearanceFactor: number): number =>
            model.exposure(treat(model, patient, repeat(day(dose, { clearanceFactor }), 30), eta).values.at(-1)!);
          expect(exposureAt(factor)).toBeLessThanOrEqual(exposureAt(1) * (1 + 1e-9) + 1e-9);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("more of a dose never means less exposure", () => {
    fc.assert(
      fc.property(anyModel, anyPatient, anyEffects, (model, patient, eta) => {
        const dose = TYPICAL[model.drugId]!;
        const exposureAt = (share: number): number =>
          model.exposure(treat(model, patient, repeat(day(share * dose), 20), eta).values.at(-1)!);
        expect(exposureAt(1.2)).toBeGreaterThanOrEqual(exposureAt(1) - 1e-9);
      }),
      { numRuns: 60 },
    );
  });

  test("the coarse warfarin model of an estimate stays within half a percent of the fine one", () => {
    const eta = [0.3, -0.2, 0.4, 0.1, 0.5];
    const fine = treat(warfarin, REFERENCE, repeat(day(5), 42), eta).values;
    const coarse = treat(estimationModel(warfarin), REFERENCE, repeat(day(5), 42), eta).values;
    for (const [i, value] of fine.entries()) expect(Math.abs(coarse[i]! / value - 1)).toBeLessThan(0.005);
    expect(estimationModel(digoxin)).toBe(digoxin);
  });

  test("an unknown genotype widens the spread of warfarin's clearance and sensitivity alone", () => {
    const known = warfarin.spread(REFERENCE);
    const unknown = warfarin.spread({ ...REFERENCE, genotype: null });
    expect(unknown.map((spread, i) => spread > known[i]!)).toEqual([true, false, true, false, false]);
  });
});

describe("attainment", () => {
  const inr = linearTarget(2, 3, 4);

  test.each([
    [2, 1],
    [3, 1],
    [1.5, 0.5],
    [3.5, 0.5],
    [1, 0],
    [4, 0],
    [9, 0],
  ])("INR %d attains %d", (value, expected) => {
    expect(attainment(inr, value, Number.NaN)).toBeCloseTo(expected, 12);
  });

  test("TSH falls on the log scale: 0 at .1 and at twice the upper bound, which rises above 70 years", () => {
    const target = levothyroxine.target(68);
    expect(attainment(target, 5, Number.NaN)).toBe(1);
    expect(attainment(target, Math.sqrt(50), Number.NaN)).toBeCloseTo(0.5, 12);
    expect(attainment(target, 10, Number.NaN)).toBe(0);
    expect(attainment(target, 0.1, Number.NaN)).toBe(0);
    expect(levothyroxine.target(71)).toMatchObject({ low: 1, high: 6, zeroAbove: 12 });
    expect(isToxic(target, 0.09)).toBe(true);
    expect(isToxic(target, 90)).toBe(false);
  });

  test("phenytoin attains 1 up to 20 mg/L and nothing above", () => {
    const target = phenytoin.target(70);
    expect(attainment(target, 20, Number.NaN)).toBe(1);
    expect(attainment(target, 20.01, Number.NaN)).toBe(0);
  });

  test("a gentamicin trough of 1 mg/L halves what the AUC attains", () => {
    const target = gentamicin.target(70);
    expect(attainment(target, 85, 0.99)).toBe(1);
    expect(attainment(target, 85, 1)).toBe(0.5);
  });

  test("sides of the range", () => {
    expect([1.9, 2, 3, 3.1].map((value) => sideOfRange(inr, value))).toEqual([-1, 0, 0, 1]);
  });

  test("distance from a target is a share of the exposure at its nearer end, inverse for TSH", () => {
    const target = digoxin.target(70);
    expect([0.5, 0.7, 0.9].map((value) => distanceToRange(digoxin, target, value))).toEqual([0, 0, 0]);
    expect(distanceToRange(digoxin, target, 0.25)).toBeCloseTo(0.5, 12);
    expect(distanceToRange(digoxin, target, 1.8)).toBeCloseTo(1, 12);
    const tsh = levothyroxine.target(68);
    const half = tshAtShare(levothyroxine.exposure(5) / 2);
    expect(distanceToRange(levothyroxine, tsh, half)).toBeCloseTo(0.5, 12);
  });

  test("toxicity grows with the exposure beyond the bound, for TSH below it", () => {
    expect(toxicRatio(digoxin, digoxin.target(70), 3)).toBeCloseTo(1.5, 12);
    expect(toxicRatio(levothyroxine, levothyroxine.target(68), 0.05)).toBeGreaterThan(1);
    expect(toxicRatio(levothyroxine, levothyroxine.target(68), 0.2)).toBeLessThan(1);
  });
});
