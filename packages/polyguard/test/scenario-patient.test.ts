import { Rng } from "@praxis/env";
import { beforeAll, describe, expect, test } from "vitest";
import { type DrawnPatient, drawPatient } from "../src/scenario/patient.ts";
import { liftFactor, prevalenceOf } from "../src/scenario/prevalence.ts";

const N = 20_000;
let patients: DrawnPatient[] = [];
const has = (drawn: DrawnPatient, code: string): boolean => drawn.conditions.some((each) => each.code === code);
const share = (of: (drawn: DrawnPatient) => boolean, among: (drawn: DrawnPatient) => boolean = () => true): number => {
  const group = patients.filter(among);
  return group.filter(of).length / group.length;
};

beforeAll(() => {
  const rng = Rng.fromSeed(11);
  patients = Array.from({ length: N }, (_, i) => drawPatient(rng.split(`p${i}`)));
});

describe("patient generator", () => {
  test.each([
    ["HTN", 0.7],
    ["DYSLIPID", 0.5],
    ["T2DM", 0.28],
    ["CAD", 0.2],
    ["AF_STROKE", 0.15],
    ["HFREF", 0.08],
    ["ANXIETY", 0.12],
    ["OSTEOPOROSIS", 0.2],
    ["NEUROPATHIC_PAIN", 0.12],
    ["FALLS", 0.3],
    ["DEMENTIA", 0.1],
    ["EPILEPSY", 0.02],
  ])("%s is as frequent as its marginal %d", (code, expected) => {
    expect(Math.abs(share((each) => has(each, code)) - expected)).toBeLessThan(0.012);
  });

  test.each([
    ["AF_STROKE", "HFREF"],
    ["CAD", "HFREF"],
    ["T2DM", "NEUROPATHIC_PAIN"],
    ["DEMENTIA", "FALLS"],
    ["COPD", "ANXIETY"],
  ])("with %s, %s is about twice as frequent", (first, second) => {
    const lift =
      share(
        (each) => has(each, second),
        (each) => has(each, first),
      ) / share((each) => has(each, second));
    expect(lift).toBeGreaterThan(1.75);
    expect(lift).toBeLessThan(2.25);
  });

  test("a lift leaves the marginal probability as it is", () => {
    for (const p of [0.05, 0.2, 0.28])
      expect(p * liftFactor(true, p) + (1 - p) * liftFactor(false, p)).toBeCloseTo(1, 12);
  });

  test("reduced kidney function is twice as frequent with diabetes; 55 % have an eGFR of 60 or more", () => {
    const isReduced = (each: DrawnPatient): boolean => each.physiology.egfrMlPerMin < 60;
    expect(share((each) => !isReduced(each))).toBeCloseTo(0.55, 1);
    const lift = share(isReduced, (each) => has(each, "T2DM")) / share(isReduced);
    expect(lift).toBeGreaterThan(1.85);
    expect(lift).toBeLessThan(2.15);
  });

  test("rate or rhythm goes with every atrial fibrillation, 7 to 3", () => {
    expect(
      share(
        (each) => has(each, "AF_RATE") || has(each, "AF_RHYTHM"),
        (each) => has(each, "AF_STROKE"),
      ),
    ).toBe(1);
    expect(
      share(
        (each) => has(each, "AF_RATE"),
        (each) => has(each, "AF_STROKE"),
      ),
    ).toBeCloseTo(0.7, 1);
  });

  test("benign prostate trouble is drawn in men only, at 35 %", () => {
    expect(prevalenceOf("BPH", "F")).toBe(0);
    expect(
      share(
        (each) => has(each, "BPH"),
        (each) => each.patient.sex === "M",
      ),
    ).toBeCloseTo(0.35, 1);
    expect(
      share(
        (each) => has(each, "BPH"),
        (each) => each.patient.sex === "F",
      ),
    ).toBe(0);
  });

  test("bodies stay inside their limits and 55 % are women", () => {
    for (const { patient } of patients) {
      expect(patient.ageYears).toBeGreaterThanOrEqual(65);
      expect(patient.ageYears).toBeLessThanOrEqual(98);
      const bmi = patient.weightKg / (patient.heightCm / 100) ** 2;
      expect(bmi).toBeGreaterThan(16.5);
      expect(bmi).toBeLessThan(42.5);
    }
    expect(share((each) => each.patient.sex === "F")).toBeCloseTo(0.55, 1);
  });

  test("genotypes have European-like frequencies", () => {
    expect(share((each) => each.patient.genotype.cyp2d6 === "PM")).toBeCloseTo(0.07, 1);
    expect(Math.abs(share((each) => each.patient.genotype.cyp2d6 === "PM") - 0.07)).toBeLessThan(0.01);
    expect(Math.abs(share((each) => each.patient.genotype.cyp2c19 === "RM") - 0.3)).toBeLessThan(0.015);
    expect(Math.abs(share((each) => each.patient.genotype.cyp2c9 === "*1/*1") - 0.66)).toBeLessThan(0.015);
  });
});
