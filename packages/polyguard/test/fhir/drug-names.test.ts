import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { loadDrugNames, matchDrug, matchDrugText } from "../../src/fhir/drug-names.ts";
import { loadBundledKnowledgeBase } from "../../src/kb/node.ts";

const kb = loadBundledKnowledgeBase();
const names = loadDrugNames(kb, readFileSync(new URL("../../data/synonyms.tsv", import.meta.url), "utf8"));
const idOf = (text: string): string | null => {
  const match = matchDrugText(names, text);
  return match.kind === "drug" ? match.drug.drugId : null;
};

describe("drug names", () => {
  test("a shared first word never makes two products one ingredient", () => {
    expect(idOf("insulin glargine")).toBe("insulin_glargine");
    expect(idOf("insulin lispro")).toBe("insulin_lispro");
    expect(idOf("sodium valproate")).toBe("valproate");
    expect(idOf("sodium chloride")).toBeNull();
    expect(idOf("potassium chloride")).toBe("potassium_chloride");
    expect(idOf("insulin")).toBeNull();
  });

  test("salts, strengths and forms of one ingredient are that ingredient", () => {
    for (const text of [
      "metoprolol tartrate 25 MG Oral Tablet",
      "metoprolol succinate 50 MG Extended Release Oral Tablet",
      "Metoprolol",
      "METOPROLOL  tartrate",
    ])
      expect(idOf(text), text).toBe("metoprolol");
  });

  test("brand names and other nonproprietary names are read, misspellings are not", () => {
    expect(idOf("Advil 200 mg tablet")).toBe("ibuprofen");
    expect(idOf("Nurofen")).toBe("ibuprofen");
    expect(idOf("paracetamol")).toBe("acetaminophen");
    const misspelt = matchDrugText(names, "metropolol 25 mg");
    expect(misspelt).toMatchObject({ kind: "unmapped", nearest: "metoprolol" });
  });

  test("ATC codes match whole or not at all", () => {
    const atc = (code: string) => matchDrug(names, { coding: [{ system: "http://www.whocc.no/atc", code }] });
    expect(atc("B01AA03")).toMatchObject({ kind: "drug", by: "atc", drug: { drugId: "warfarin" } });
    for (const code of ["B01AB03", "xB01AA03", "B01AA", "B01AA031"]) expect(atc(code).kind, code).toBe("unmapped");
  });

  test("an RxNorm ingredient code wins over a misleading text", () => {
    const match = matchDrug(names, {
      coding: [{ system: "http://www.nlm.nih.gov/research/umls/rxnorm", code: "11289" }],
      text: "blood thinner",
    });
    expect(match).toMatchObject({ kind: "drug", by: "rxnorm", drug: { drugId: "warfarin" } });
  });

  test("text beyond ASCII is kept in the label of what is not recognised", () => {
    expect(matchDrugText(names, "paracétamol 🧪")).toMatchObject({ kind: "unmapped", label: "paracétamol 🧪" });
  });

  test("a synonym row with an unknown drug is refused with row and column", () => {
    expect(() => loadDrugNames(kb, "name\tdrug_id\tkind\tsource\nadvil\tibuprofin\tbrand\tlabel")).toThrow(
      /row 2, column drug_id: 'ibuprofin'/,
    );
    expect(() => loadDrugNames(kb, "name\tdrug_id\tkind\tsource\nAdvil\tibuprofen\tbrand\tlabel")).toThrow(
      /column name/,
    );
  });
});
