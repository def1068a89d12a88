import { describe, expect, test } from "vitest";
import { matchDrug } from "../../src/fhir/drug-names.ts";
import { matchDrugText, readDrugLabel } from "../../src/kb/drug-text.ts";
import { loadKnowledgeBase } from "../../src/kb/load.ts";
import { loadBundledKnowledgeBase, readBundledTables } from "../../src/kb/node.ts";

const kb = loadBundledKnowledgeBase();
const idOf = (text: string): string | null => {
  const match = matchDrugText(kb, text);
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
    const misspelt = matchDrugText(kb, "metropolol 25 mg");
    expect(misspelt).toMatchObject({ kind: "unmapped", nearest: "metoprolol" });
  });

  test("ATC codes match whole or not at all", () => {
    const atc = (code: string) => matchDrug(kb, { coding: [{ system: "http://www.whocc.no/atc", code }] });
    expect(atc("B01AA03")).toMatchObject({ kind: "drug", by: "atc", drug: { drugId: "warfarin" } });
    for (const code of ["B01AB03", "xB01AA03", "B01AA", "B01AA031"]) expect(atc(code).kind, code).toBe("unmapped");
  });

  test("an RxNorm ingredient code wins over a misleading text", () => {
    const match = matchDrug(kb, {
      coding: [{ system: "http://www.nlm.nih.gov/research/umls/rxnorm", code: "11289" }],
      text: "blood thinner",
    });
    expect(match).toMatchObject({ kind: "drug", by: "rxnorm", drug: { drugId: "warfarin" } });
  });

  test("text beyond ASCII is kept in the label of what is not recognised", () => {
    expect(matchDrugText(kb, "paracétamol 🧪")).toMatchObject({ kind: "unmapped", label: "paracétamol 🧪" });
  });

  test("a synonym row with an unknown drug is refused with row and column", () => {
    const load = (row: string) =>
      loadKnowledgeBase({ ...readBundledTables(), synonyms: `name\tdrug_id\tkind\tsource\n${row}` });
    expect(() => load("advil\tibuprofin\tbrand\tlabel")).toThrow(/row 2, column drug_id: "ibuprofin"/);
    expect(() => load("Advil\tibuprofen\tbrand\tlabel")).toThrow(/column name/);
    expect(() => load("advil\tibuprofen\tbrand\t")).toThrow(/column source/);
    expect(() => load("advil\tibuprofen\tbrand\tlabel\nadvil\tnaproxen\tbrand\tlabel")).toThrow(/row 3, column name/);
  });

  test("a label with one slip is read as the only drug near it, and as none between two", () => {
    expect(readDrugLabel(kb, "wafrarin")).toMatchObject({ kind: "drug", by: "spelling", drug: { drugId: "warfarin" } });
    expect(readDrugLabel(kb, "Cuomadin 5 mg")).toMatchObject({ by: "spelling", drug: { drugId: "warfarin" } });
    expect(readDrugLabel(kb, "Coumadin")).toMatchObject({ by: "synonym", drug: { drugId: "warfarin" } });
    expect(readDrugLabel(kb, "wafrarni")).toMatchObject({ kind: "unmapped" });
  });

  test("no generic name is one slip away from another drug's, so that none is taken for another", () => {
    for (const { genericName, index } of kb.drugs) {
      const name = genericName.toLowerCase();
      for (let at = 1; at + 2 < name.length; at++) {
        const swapped = name.slice(0, at) + name[at + 1]! + name[at]! + name.slice(at + 2);
        const match = readDrugLabel(kb, swapped);
        expect(match.kind === "unmapped" || match.drug.index === index, swapped).toBe(true);
      }
    }
  });
});
