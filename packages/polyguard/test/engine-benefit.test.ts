import { describe, expect, test } from "vitest";
import { BenefitModel, fullEffectDose, lowShiftFactor } from "../src/engine/benefit.ts";
import type { EvaluationContext } from "../src/engine/evaluation-types.ts";
import { CONDITION_BURDENS, isKnownIndication } from "../src/kb/conditions.ts";
import { at, contextOf, kb } from "./engine-fixtures.ts";

const model = new BenefitModel(kb);

function loss(
  conditions: readonly string[],
  drugs: Readonly<Record<string, number>>,
  days = 0,
  changes: Partial<EvaluationContext> = {},
): number {
  model.setContext(contextOf(conditions, changes));
  model.begin();
  for (const [id, effect] of Object.entries(drugs)) model.addDrug(at(id), effect, days);
  return model.finish();
}

describe("disease loss", () => {
  test("is severity times burden, less what treatment reduces", () => {
    expect(loss(["AF_STROKE"], {})).toBeCloseTo(0.08, 12);
    expect(loss(["AF_STROKE"], { apixaban: 1 })).toBeCloseTo(0.08 * (1 - 0.65 * 0.9), 12);
    expect(loss(["AF_STROKE"], { apixaban: 0.5 })).toBeCloseTo(0.08 * (1 - 0.65 * 0.45), 12);
    model.setContext(contextOf([], { conditions: [{ code: "AF_STROKE", severity: 0.3 }] }));
    model.begin();
    expect(model.finish()).toBeCloseTo(0.024, 12);
  });

  test("of several drugs for one condition multiplies what each leaves uncontrolled", () => {
    expect(loss(["HTN"], { amlodipine: 1, lisinopril: 1 })).toBeCloseTo(0.08 * (1 - 0.5 * (1 - 0.5 * 0.5)), 12);
  });

  test("counts a weaker drug by its relative effect", () => {
    expect(loss(["OSTEOPOROSIS"], { colecalciferol: 1 })).toBeCloseTo(0.06 * (1 - 0.45 * 0.8 * 0.1), 12);
    expect(loss(["PARKINSON"], { rasagiline: 1 })).toBeCloseTo(0.35 * (1 - 0.7 * 0.6 * 0.4), 12);
    expect(loss(["OA_PAIN"], { acetaminophen: 1 })).toBeCloseTo(0.15 * (1 - 0.45 * 0.6 * 0.6), 12);
  });

  test.each([
    ["zolpidem", "INSOMNIA", 28, 0.2],
    ["lorazepam", "ANXIETY", 28, 0.2],
    ["diphenhydramine", "INSOMNIA", 14, 0.2],
    ["risperidone", "BPSD", 84, 0.3],
    ["oxycodone", "PAIN", 90, 0.5],
  ])("%s for %s falls after %i days to %d", (id, code, days, factor) => {
    const { burdenPerYear } = CONDITION_BURDENS.get(code)!;
    const gain = (use: number): number => burdenPerYear - loss([code], { [id]: 1 }, use);
    expect(gain(days + 1)).toBeCloseTo(factor * gain(days), 12);
  });

  test("a short life expectancy takes most of the burden of long-term conditions away", () => {
    expect(loss(["DYSLIPID"], {}, 0, { lifeExpectancy: "<1y" })).toBeCloseTo(0.3 * 0.03, 12);
    expect(loss(["OA_PAIN"], {}, 0, { lifeExpectancy: "<1y" })).toBeCloseTo(0.15, 12);
  });

  test("a hidden response scales one drug for one condition", () => {
    const responses = { "DEPRESSION:sertraline": 0.35 };
    expect(loss(["DEPRESSION"], { sertraline: 1 }, 0, { responses })).toBeCloseTo(0.2 * (1 - 0.5 * 0.7 * 0.35), 12);
    expect(loss(["DEPRESSION"], { citalopram: 1 }, 0, { responses })).toBeCloseTo(0.2 * (1 - 0.5 * 0.7), 12);
    expect(loss(["DEPRESSION"], { sertraline: 1 })).toBeCloseTo(0.2 * (1 - 0.5 * 0.7), 12);
  });

  test("an indication without burden and a drug for another condition change nothing", () => {
    expect(loss(["VITD_DEF"], {})).toBe(0);
    expect(loss(["AF_STROKE"], { metformin: 1 })).toBeCloseTo(0.08, 12);
  });
});

test("every indication of the drug table is either burdened or listed as unburdened", () => {
  for (const drug of kb.drugs) for (const code of drug.indications) expect(isKnownIndication(code)).toBe(true);
});

test("the effect is full from dose_min on, for titrated drugs from the target dose on", () => {
  expect(fullEffectDose(kb.drugs[at("lisinopril")]!)).toBe(5);
  expect(fullEffectDose(kb.drugs[at("bisoprolol")]!)).toBe(2.5);
  expect(model.doseShare(at("lisinopril"), 2.5)).toBe(0.5);
  expect(model.doseShare(at("lisinopril"), 40)).toBe(1);
});

test("a low exposure shift keeps at least three tenths of the effect", () => {
  expect([1.2, 0.85, 0.425, 0.1].map(lowShiftFactor)).toEqual([1, 1, 0.5, 0.3]);
});
