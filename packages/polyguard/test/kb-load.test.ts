import { describe, expect, test } from "vitest";
import { loadKnowledgeBase } from "../src/kb/load.ts";
import { membersOf } from "../src/kb/lookup.ts";
import { loadBundledKnowledgeBase, readBundledTables } from "../src/kb/node.ts";
import type { KnowledgeTables } from "../src/kb/types.ts";

const tables = readBundledTables();
const kb = loadBundledKnowledgeBase();

type TableName = keyof KnowledgeTables;

/** The tables with one cell changed; the row is found by its first cell. */
function withCell(table: TableName, key: string, column: string, value: string): KnowledgeTables {
  const lines = tables[table]!.split("\n");
  const at = lines[0]!.split("\t").indexOf(column);
  const row = lines.findIndex((line, i) => i > 0 && line.split("\t")[0] === key);
  const cells = lines[row]!.split("\t");
  cells[at] = value;
  lines[row] = cells.join("\t");
  return { ...tables, [table]: lines.join("\n") };
}

function rowOf(table: TableName, key: string): number {
  return tables[table]!.split("\n").findIndex((line) => line.split("\t")[0] === key) + 1;
}

function refusal(changed: KnowledgeTables): string {
  try {
    loadKnowledgeBase(changed);
  } catch (error) {
    return (error as Error).message;
  }
  return "loaded";
}

describe("the bundled tables", () => {
  test("load with every row of the three files", () => {
    expect(kb.drugs.length).toBe(tables.drugs.trim().split("\n").length - 1);
    expect(kb.rules.length).toBe(tables.interactions.trim().split("\n").length - 1);
    expect(kb.codes.length).toBe(tables.codes.trim().split("\n").length - 1);
  });

  test("give one content hash that a changed cell changes", () => {
    expect(kb.hash).toMatch(/^[0-9a-f]{16}$/);
    expect(loadKnowledgeBase(tables).hash).toBe(kb.hash);
    expect(loadKnowledgeBase(withCell("drugs", "senna", "notes", "changed")).hash).not.toBe(kb.hash);
  });

  test("state the unit exceptions of gentamicin, patches, insulins and mL strengths", () => {
    const drug = (id: string) => kb.drugs[kb.drugIndexById.get(id)!]!;
    expect(drug("gentamicin")).toMatchObject({ isMaxPerKg: true, maxDaily: 7, strengthUnit: "mg/mL" });
    expect(drug("fentanyl_patch")).toMatchObject({ strengthUnit: "mcg/h", maxDaily: null });
    expect(drug("insulin_glargine")).toMatchObject({ strengthUnit: "U/mL", strengths: [100], maxDaily: null });
    expect(drug("midazolam")).toMatchObject({ strengthUnit: "mg/mL", strengths: [2] });
    expect(drug("salbutamol_inhaler")).toMatchObject({ strengthUnit: "mg/puff", strengths: [0.1] });
  });

  test("keep blank cells as unknown", () => {
    const bumetanide = kb.drugs[kb.drugIndexById.get("bumetanide")!]!;
    expect(bumetanide.qtRisk).toBeNull();
    expect(bumetanide.maxDailyAge65).toBeNull();
    expect(bumetanide.taperIfDaysGt).toBeNull();
  });
});

describe("derived groups", () => {
  test("follow from strength, transporter, QT and burden columns", () => {
    const ids = (group: string) => membersOf(kb, group).map((index) => kb.drugs[index]!.drugId);
    expect(ids("INH2D6_STRONG")).toEqual(["fluoxetine", "paroxetine", "bupropion", "terbinafine"]);
    expect(ids("PGP_3A4_STRONG_INH")).toEqual(["clarithromycin", "itraconazole", "ketoconazole", "ritonavir_booster"]);
    expect(ids("IND3A4_PGP")).toEqual(["carbamazepine", "phenytoin", "rifampin", "st_johns_wort"]);
    expect(ids("LEVODOPA_GRP")).toEqual(["levodopa_carbidopa", "pramipexole", "ropinirole"]);
    expect(ids("ANTIPSYCH_D2")).toEqual(["risperidone", "olanzapine", "haloperidol", "aripiprazole"]);
    expect(ids("PGP_INH")).not.toContain("carvedilol");
    for (const index of membersOf(kb, "SERO_STRONG")) expect(kb.drugs[index]!.risk.serotonergic).toBe(2);
    for (const index of membersOf(kb, "ANTICHOL")) expect(kb.drugs[index]!.acb).toBeGreaterThanOrEqual(2);
  });

  test("may not be typed into the table", () => {
    expect(refusal(withCell("drugs", "lisinopril", "groups", "ACEI;RASI;QT_KR"))).toContain("column groups");
  });
});

describe("a drug row outside its column rules is refused by file, row, column, value and what is allowed", () => {
  test.each([
    ["dose_min", "five", "a number"],
    ["dose_min", "0", "a dose above 0"],
    ["dose_max", "1", "at least dose_min"],
    ["dose_unit", "g/d", "mg/d, mg/wk, mcg/d, U/d"],
    ["max_daily", "10", "at least dose_max"],
    ["max_daily", "", "blank only in the groups INSULIN, OPIOID_STRONG"],
    ["max_daily_age65", "200", "a number from 5 to 80"],
    ["doses_per_day", "0.14", "below 0.2 exactly for mg/wk"],
    ["strengths", "5,2.5", "ascending"],
    ["strengths", "5 mcg/h", "mcg/h exactly for patches"],
    ["strengths", "5 mg", "numbers separated by commas"],
    ["renal_rule", "CrCl<30:halve", "max=x"],
    ["renal_rule", "CrCl<30", "clauses"],
    ["renal_rule", "GFR<30:avoid", "clauses"],
    ["fe_renal", "1.2", "a number from 0 to 1"],
    ["t_half_h", "-3", "a number"],
    ["cyp_substrate_fm", "CYP3A4:0.7;CYP2D6:0.5", "add up to at most 1"],
    ["cyp_substrate_fm", "CYP9Z9:0.5", "ENZYME:fraction"],
    ["cyp_inhibitor", "CYP3A4:huge", "weak, moderate or strong"],
    ["cyp_inducer", "CYP3A4", "weak, moderate or strong"],
    ["transporter", "P-gp:maybe", "P-gp"],
    ["qt_risk", "maybe", "KR, PR, CR, none"],
    ["acb", "4", "an integer from 0 to 3"],
    ["hyperkalemia", "3", "an integer from 0 to 2"],
    ["beers2023", "SHUN:x", "AVOID:text"],
    ["beers2023", "AVOID_COND:MONDAYS", "risk conditions"],
    ["taper_class", "SLOW", "NONE, BZD"],
    ["taper_if_days_gt", "14", "blank for taper_class NONE"],
    ["narrow_ti", "yes", "an integer from 0 to 1"],
    ["monitoring", "K,K", "without repeated entries"],
    ["indications", "HTN;SADNESS", "burden table"],
    ["indications", "", "burden table"],
    ["stop_harm", "4", "an integer from 0 to 3"],
    ["route", "IM", "PO, SL"],
    ["form", "gum", "tab, cap"],
    ["atc", "XYZ", "ATC code"],
    ["rxcui", "abc", "digits"],
    ["rxcui", "35296", "no other row"],
    ["drug_id", "Lisinopril", "lower-case"],
    ["drug_id", "ramipril", "no other row"],
    ["source", "", "origin"],
  ])("%s = %j", (column, value, allowed) => {
    const message = refusal(withCell("drugs", "lisinopril", column, value));
    expect(message).toContain(`column ${column}: ${JSON.stringify(value)}`);
    expect(message).toContain(allowed);
    // Of two rows with one key the later one is named.
    const key = allowed === "no other row" ? "ramipril" : "lisinopril";
    expect(message).toContain(column === "drug_id" ? "drugs.tsv row " : `drugs.tsv row ${rowOf("drugs", key)},`);
  });
});

describe("an interaction row outside its column rules is refused", () => {
  test.each([
    ["a", "NO_SUCH_GROUP", "a group that the drug table has"],
    ["a_kind", "class", "drug, group"],
    ["severity", "minor", "moderate, major, contraindicated"],
    ["harm_domain", "DOOM", "BLEED"],
    ["object", "c", "a, b"],
    ["aucr_approx", "-1", "a number"],
    ["condition", "CrCl=30", "terms on CrCl"],
    ["condition", "Mg<1", "terms on CrCl"],
    ["management_code", "PRAY", "AVOID, STOP_ONE"],
    ["management_code", "", "AVOID, STOP_ONE"],
    ["confidence", "X", "H, M, L"],
    ["rule_id", "DDI002", "each id once"],
    ["rule_id", "R1", "DDI and"],
  ])("%s = %j", (column, value, allowed) => {
    const message = refusal(withCell("interactions", "DDI001", column, value));
    expect(message).toContain("interactions.tsv row ");
    expect(message).toContain(`column ${column}`);
    expect(message).toContain(allowed);
  });

  test("a rule that names an unknown drug is refused with its row", () => {
    const message = refusal(withCell("interactions", "DDI019", "a", "warfarine"));
    expect(message).toContain(`interactions.tsv row ${rowOf("interactions", "DDI019")}, column a: "warfarine"`);
  });

  test("a loss of effect without an object is refused", () => {
    expect(refusal(withCell("interactions", "DDI027", "object", ""))).toContain("column object");
  });

  test("a class row over inhibitors of unequal strength is refused and named", () => {
    // Macrolides: clarithromycin strong, erythromycin moderate on CYP3A4, the path of felodipine.
    const changed = withCell("interactions", "DDI134", "b", "MACROLIDE");
    expect(refusal(changed)).toContain(
      `interactions.tsv row ${rowOf("interactions", "DDI134")}, column b: "MACROLIDE"`,
    );
    expect(refusal(changed)).toContain("split the row");
  });
});

describe("a table that is broken as a whole is refused", () => {
  test("another header", () => {
    expect(refusal({ ...tables, codes: tables.codes.replace("ucum", "unit") })).toContain("codes.tsv row 1");
  });

  test("a missing cell, by row", () => {
    const lines = tables.codes.split("\n");
    lines[3] = lines[3]!.replace("\t", " ");
    expect(refusal({ ...tables, codes: lines.join("\n") })).toContain("codes.tsv row 4: 5 tab separated cells");
  });

  test("a carriage return", () => {
    expect(refusal({ ...tables, codes: tables.codes.replace("\n", "\r\n") })).toContain("codes.tsv row 1");
    expect(refusal({ ...tables, codes: tables.codes.trimEnd().concat("\r\n") })).toContain("carriage return");
  });

  test("a LOINC code out of form and a name given twice", () => {
    expect(refusal({ ...tables, codes: tables.codes.replace("2160-0", "2160") })).toContain("a LOINC code");
    expect(refusal({ ...tables, codes: tables.codes.replace("\tpotassium\t", "\tcreatinine\t") })).toContain(
      "each name once",
    );
  });
});
