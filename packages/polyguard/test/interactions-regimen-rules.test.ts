import { describe, expect, test } from "vitest";
import type { Facts } from "../src/interactions/facts.ts";
import { activeIndications } from "../src/interactions/indications.ts";
import { findRegimenHits } from "../src/interactions/regimen-rules.ts";
import { at, factsOf, kb } from "./engine-fixtures.ts";

interface Setting {
  readonly facts?: Facts;
  readonly orders?: readonly string[];
  readonly days?: Readonly<Record<string, number>>;
  readonly crossOver?: Readonly<Record<string, string>>;
  readonly unknownCountsAs?: boolean;
}

function hits(ids: readonly string[], setting: Setting = {}) {
  const regimen = ids.map((id) => ({
    drugIndex: at(id),
    daysOfUse: setting.days?.[id] ?? 10,
    crossOverFromDrugIndex: setting.crossOver?.[id] === undefined ? null : at(setting.crossOver[id]),
  }));
  return findRegimenHits(kb, regimen, setting.facts ?? factsOf(), {
    orders: new Set(setting.orders ?? []),
    unknownCountsAs: setting.unknownCountsAs ?? true,
  });
}
const of = (rule: string, ids: readonly string[], setting?: Setting) =>
  hits(ids, setting)
    .filter((hit) => hit.ruleId === rule)
    .map((hit) => `${hit.domain} ${hit.severity} ${hit.drugIndexes.map((index) => kb.drugs[index]!.drugId).join("+")}`);

describe("regimen rules", () => {
  test("RG1 needs three CNS-active drugs, each counted once", () => {
    expect(of("RG1", ["sertraline", "gabapentin"])).toEqual([]);
    expect(of("RG1", ["sertraline", "gabapentin", "tramadol"])).toEqual([
      "FALL_SEDATION major sertraline+gabapentin+tramadol",
    ]);
    expect(of("RG1", ["clonazepam", "gabapentin"])).toEqual([]);
  });

  test("RG2 is RAS inhibitor, diuretic and NSAID together", () => {
    expect(of("RG2", ["lisinopril", "ibuprofen"])).toEqual([]);
    expect(of("RG2", ["lisinopril", "hydrochlorothiazide", "ibuprofen"])).toEqual([
      "AKI major lisinopril+hydrochlorothiazide+ibuprofen",
    ]);
  });

  test("RG3 adds anticholinergic burden up and is major with dementia or past delirium", () => {
    expect(of("RG3", ["furosemide", "metoprolol"])).toEqual([]);
    expect(of("RG3", ["furosemide", "metoprolol", "warfarin"])).toEqual([
      "ANTICHOL moderate furosemide+metoprolol+warfarin",
    ]);
    expect(of("RG3", ["oxybutynin"], { facts: factsOf(["DEMENTIA"]) })).toEqual(["ANTICHOL major oxybutynin"]);
    expect(of("RG3", ["oxybutynin"], { facts: factsOf(["DELIRIUM_HX"]) })).toEqual(["ANTICHOL major oxybutynin"]);
  });

  test("RG4 is major with a long QTc for the sex or low potassium, else moderate from two drugs on", () => {
    expect(of("RG4", ["citalopram"])).toEqual([]);
    expect(of("RG4", ["citalopram", "donepezil"])).toEqual(["QT moderate citalopram+donepezil"]);
    expect(of("RG4", ["citalopram"], { facts: factsOf([], { qtcMs: 460 }) })).toEqual(["QT major citalopram"]);
    expect(of("RG4", ["citalopram"], { facts: factsOf([], { qtcMs: 460, sex: "F" }) })).toEqual([]);
    expect(of("RG4", ["citalopram"], { facts: factsOf([], { potassiumMmolPerL: 3.4 }) })).toEqual([
      "QT major citalopram",
    ]);
  });

  test("RG5 needs two classes and a low sodium", () => {
    const low = factsOf([], { sodiumMmolPerL: 134 });
    expect(of("RG5", ["sertraline", "hydrochlorothiazide"])).toEqual([]);
    expect(of("RG5", ["sertraline", "citalopram"], { facts: low })).toEqual([]);
    expect(of("RG5", ["sertraline", "hydrochlorothiazide"], { facts: low })).toEqual([
      "HYPONA major sertraline+hydrochlorothiazide",
    ]);
  });

  test("RG6 names the duplicate class with its domain and spares a labelled cross-over", () => {
    expect(of("RG6", ["omeprazole", "pantoprazole"])).toEqual(["OTHER major omeprazole+pantoprazole"]);
    expect(of("RG6", ["lisinopril", "losartan"])).toEqual([]);
    expect(of("RG6", ["sertraline", "citalopram"], { crossOver: { citalopram: "sertraline" } })).toEqual([]);
    expect(of("RG6", ["sertraline", "citalopram", "paroxetine"], { crossOver: { citalopram: "sertraline" } })).toEqual([
      "SEROTONIN major sertraline+citalopram+paroxetine",
    ]);
  });

  test("RG7 asks for a PPI with one bleeding drug and an ulcer, or two from age 75 on", () => {
    const old = factsOf([], { ageYears: 75 });
    expect(of("RG7", ["warfarin"], { facts: old })).toEqual([]);
    expect(of("RG7", ["warfarin"], { facts: factsOf(["GI_ULCER"]) })).toEqual(["GI_BLEED moderate warfarin"]);
    expect(of("RG7", ["warfarin", "aspirin_low_dose"], { facts: old })).toEqual([
      "GI_BLEED moderate warfarin+aspirin_low_dose",
    ]);
    expect(of("RG7", ["warfarin", "aspirin_low_dose"])).toEqual([]);
    expect(of("RG7", ["warfarin", "aspirin_low_dose", "pantoprazole"], { facts: old })).toEqual([]);
  });

  test("RG8 is answered by a laxative, a laxative order or a bowel order", () => {
    expect(of("RG8", ["morphine"])).toEqual(["OTHER moderate morphine"]);
    expect(of("RG8", ["morphine", "senna"])).toEqual([]);
    expect(of("RG8", ["morphine"], { orders: ["BOWEL"] })).toEqual([]);
    expect(of("RG8", ["morphine"], { orders: ["LAXATIVE"] })).toEqual([]);
  });

  test("RG9 allows a PPI 56 days, or longer with reflux or a need for protection", () => {
    expect(of("RG9", ["omeprazole"], { days: { omeprazole: 56 } })).toEqual([]);
    expect(of("RG9", ["omeprazole"], { days: { omeprazole: 57 } })).toEqual(["OTHER moderate omeprazole"]);
    expect(of("RG9", ["omeprazole"], { days: { omeprazole: 57 }, facts: factsOf(["GERD"]) })).toEqual([]);
    expect(of("RG9", ["omeprazole", "warfarin"], { days: { omeprazole: 57 }, facts: factsOf(["GI_ULCER"]) })).toEqual(
      [],
    );
  });

  test("RG10 names every drug without an active indication", () => {
    expect(of("RG10", ["metformin", "allopurinol"], { facts: factsOf(["T2DM"]) })).toEqual([
      "OTHER moderate allopurinol",
    ]);
    expect(of("RG10", ["folic_acid", "methotrexate_oral_weekly"], { facts: factsOf(["RA"]) })).toEqual([]);
  });

  test("an unknown value counts the way it is asked to", () => {
    const facts = factsOf([], { qtcMs: null, potassiumMmolPerL: null, sodiumMmolPerL: null });
    expect(of("RG4", ["citalopram"], { facts })).toEqual(["QT major citalopram"]);
    expect(of("RG4", ["citalopram"], { facts, unknownCountsAs: false })).toEqual([]);
    expect(of("RG5", ["sertraline", "hydrochlorothiazide"], { facts, unknownCountsAs: false })).toEqual([]);
  });
});

describe("derived indications", () => {
  const drug = (id: string) => kb.drugs[at(id)]!;

  test("potassium is indicated when low, or with a loop or thiazide diuretic that nothing sparing accompanies", () => {
    const active = (ids: readonly string[], facts = factsOf()) =>
      activeIndications(drug("potassium_chloride"), ids.map(drug), facts);
    expect(active(["furosemide"])).toEqual(["HYPOKALEMIA"]);
    expect(active(["furosemide", "lisinopril"])).toEqual([]);
    expect(active(["hydrochlorothiazide", "amiloride"])).toEqual([]);
    expect(active([], factsOf([], { potassiumMmolPerL: 3.4 }))).toEqual(["HYPOKALEMIA"]);
  });

  test("gastroprotection follows the trigger of RG7 whether or not a PPI is there", () => {
    const active = activeIndications(
      drug("pantoprazole"),
      [drug("warfarin"), drug("pantoprazole")],
      factsOf(["GI_ULCER"]),
    );
    expect(active).toContain("GASTROPROTECTION");
  });
});
