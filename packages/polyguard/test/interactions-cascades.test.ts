import { describe, expect, test } from "vitest";
import { CASCADES, findCascades } from "../src/interactions/cascades.ts";
import { computeCha2ds2Vasc, findOmissions } from "../src/interactions/omissions.ts";
import { isBeersCondition, isKnownIndication } from "../src/kb/conditions.ts";
import { at, factsOf, kb } from "./engine-fixtures.ts";

describe("prescribing cascades", () => {
  const found = (...ids: readonly (readonly [id: string, startDay: number | null])[]) =>
    findCascades(
      kb,
      ids.map(([id, startDay]) => ({ drugIndex: at(id), startDay })),
    ).map((hit) => `${hit.rule.family} ${kb.drugs[hit.causeIndex]!.drugId} ${kb.drugs[hit.treatmentIndex]!.drugId}`);

  test.each([
    ["H21", "amlodipine", "furosemide"],
    ["H22", "donepezil", "oxybutynin"],
    ["H23", "metoclopramide", "levodopa_carbidopa"],
    ["H23", "risperidone", "levodopa_carbidopa"],
    ["H24", "ibuprofen", "amlodipine"],
    ["H25", "hydrochlorothiazide", "allopurinol"],
    ["H26", "venlafaxine", "zolpidem"],
    ["H27", "lithium_carbonate", "propranolol"],
    ["H27", "pregabalin", "furosemide"],
    ["H27", "tamsulosin", "meclizine"],
    ["H27", "prednisone", "metformin"],
    ["H27", "lisinopril", "codeine"],
  ])("%s: %s, then %s", (family, cause, treatment) => {
    expect(found([cause, -100], [treatment, -50])).toContain(`${family} ${cause} ${treatment}`);
  });

  test("a treatment that was there before its cause is no cascade; an unknown order may be one", () => {
    expect(found(["amlodipine", -50], ["furosemide", -100])).toEqual([]);
    expect(found(["amlodipine", null], ["furosemide", -100])).toEqual(["H21 amlodipine furosemide"]);
  });

  test("quetiapine causes no parkinsonism", () => {
    expect(found(["quetiapine", -100], ["levodopa_carbidopa", -50])).toEqual([]);
  });

  test("name members and conditions that the tables have", () => {
    for (const rule of CASCADES) {
      for (const token of [...rule.causes, ...rule.treatments])
        expect(kb.groupMembers.has(token) || kb.drugIndexById.has(token)).toBe(true);
      expect(isKnownIndication(rule.condition) || isBeersCondition(rule.condition)).toBe(true);
    }
  });
});

describe("omissions", () => {
  interface Setting {
    readonly facts: ReturnType<typeof factsOf>;
    readonly drugs?: Readonly<
      Record<string, { readonly dose?: number; readonly days?: number; readonly isPrn?: boolean }>
    >;
    readonly lifeExpectancy?: "<1y" | ">5y";
    readonly orders?: readonly string[];
  }
  const missing = ({ facts, drugs = {}, lifeExpectancy = ">5y", orders = [] }: Setting) =>
    findOmissions(
      kb,
      Object.entries(drugs).map(([id, use]) => ({
        drugIndex: at(id),
        dosePerDay: use.dose ?? kb.drugs[at(id)]!.doseMax,
        daysOfUse: use.days ?? 100,
        isPrn: use.isPrn ?? false,
      })),
      facts,
      { lifeExpectancy, orders: new Set(orders) },
    ).map((omission) => omission.id);

  test("CHA2DS2-VASc counts age 75 and stroke twice", () => {
    expect(computeCha2ds2Vasc(factsOf([]))).toBe(1);
    expect(
      computeCha2ds2Vasc(
        factsOf(["HFREF", "HF", "HTN", "T2DM", "STROKE_SECONDARY", "CAD"], { ageYears: 80, sex: "F" }),
      ),
    ).toBe(9);
  });

  test("atrial fibrillation wants an anticoagulant from a score of 2 on, unless the patient has bled", () => {
    expect(missing({ facts: factsOf(["AF_STROKE"]) })).toEqual([]);
    expect(missing({ facts: factsOf(["AF_STROKE", "HTN"]) })).toEqual(["AF_ANTICOAG"]);
    expect(missing({ facts: factsOf(["AF_STROKE", "HTN"]), drugs: { apixaban: {} } })).toEqual([]);
    expect(missing({ facts: factsOf(["AF_STROKE", "HTN", "BLEED_HX"]) })).toEqual([]);
  });

  test("heart failure wants each of its four pillars that is not contraindicated", () => {
    expect(missing({ facts: factsOf(["HFREF"]) })).toEqual(["HFREF_RASI", "HFREF_BB", "HFREF_MRA", "HFREF_SGLT2"]);
    expect(
      missing({ facts: factsOf(["HFREF"], { potassiumMmolPerL: 5.1 }), drugs: { ramipril: {}, bisoprolol: {} } }),
    ).toEqual(["HFREF_SGLT2"]);
  });

  test("vascular disease wants a statin, and an antiplatelet unless anticoagulated", () => {
    expect(missing({ facts: factsOf(["CAD"]) })).toEqual(["VASCULAR_STATIN", "VASCULAR_ANTIPLATELET"]);
    expect(missing({ facts: factsOf(["STROKE_SECONDARY"]), drugs: { apixaban: {}, atorvastatin: {} } })).toEqual([]);
  });

  test("a steroid wants bone protection from 28 days of 5 mg on", () => {
    expect(missing({ facts: factsOf([]), drugs: { prednisone: { dose: 5, days: 28 } } })).toEqual(["STEROID_BONE"]);
    expect(missing({ facts: factsOf([]), drugs: { prednisone: { dose: 2.5, days: 100 } } })).toEqual([]);
    expect(missing({ facts: factsOf([]), drugs: { prednisone: { dose: 5, days: 27 } } })).toEqual([]);
    expect(missing({ facts: factsOf([]), drugs: { prednisone: {}, alendronate: {} } })).toEqual([]);
  });

  test("methotrexate wants folate, a regular opioid a laxative or its order, COPD a LAMA, diabetic kidneys protection", () => {
    expect(missing({ facts: factsOf([]), drugs: { methotrexate_oral_weekly: {} } })).toEqual(["METHOTREXATE_FOLATE"]);
    expect(missing({ facts: factsOf([]), drugs: { oxycodone: {} } })).toEqual(["OPIOID_LAXATIVE"]);
    expect(missing({ facts: factsOf([]), drugs: { oxycodone: { isPrn: true } } })).toEqual([]);
    expect(missing({ facts: factsOf([]), drugs: { oxycodone: {} }, orders: ["LAXATIVE"] })).toEqual([]);
    expect(missing({ facts: factsOf(["COPD"]), drugs: { salbutamol_inhaler: {} } })).toEqual(["COPD_LAMA"]);
    expect(missing({ facts: factsOf(["T2DM", "CKD_DM"]) })).toEqual(["CKD_DM_PROTECTION"]);
    expect(missing({ facts: factsOf(["T2DM", "CKD_DM"]), drugs: { empagliflozin: {} } })).toEqual([]);
  });

  test("nothing is missing with a life expectancy below a year", () => {
    expect(missing({ facts: factsOf(["HFREF", "CAD", "COPD", "OSTEOPOROSIS"]), lifeExpectancy: "<1y" })).toEqual([]);
  });
});
