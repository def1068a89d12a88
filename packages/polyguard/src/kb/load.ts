import { hashText, PraxisError } from "@praxis/env";
import { CODE_COLUMNS, readCodeRow } from "./code-row.ts";
import { DERIVED_GROUPS, isDerivedGroup } from "./derived-groups.ts";
import { DRUG_COLUMNS, readDrugRow } from "./drug-row.ts";
import { INTERACTION_COLUMNS, readInteractionRow } from "./interaction-row.ts";
import { readSynonymRow, SYNONYM_COLUMNS } from "./synonym-row.ts";
import { parseTable, type TableRow } from "./table.ts";
import type { Drug, InteractionRule, KnowledgeBase, KnowledgeTables, RuleSide, Synonym } from "./types.ts";
import { checkStrengthsAreSplit } from "./unequal-inhibitors.ts";

/**
 * Reads and checks the tables; pure, needs no file system. Throws INVALID_CONFIG at the first cell outside its
 * column's rule, repeated key, rule about a drug or group without members, or class row over inhibitors of unequal strength.
 */
export function loadKnowledgeBase(tables: KnowledgeTables): KnowledgeBase {
  const drugRows = parseTable("drugs.tsv", tables.drugs, DRUG_COLUMNS);
  const typed = drugRows.map((row, index) => readDrugRow(row, index));
  refuseDerivedTokens(typed, drugRows);
  const drugs = typed.map(withDerivedGroups);
  const drugIndexById = indexBy(drugs, drugRows, "drug_id", (drug) => drug.drugId);
  const drugIndexByName = indexBy(drugs, drugRows, "generic_name", (drug) => drug.genericName.toLowerCase());
  const drugIndexByRxcui = indexBy(drugs, drugRows, "rxcui", (drug) => drug.rxcui);

  const groupMembers = new Map<string, number[]>();
  for (const drug of drugs) {
    for (const group of drug.groups) {
      const members = groupMembers.get(group);
      if (members === undefined) groupMembers.set(group, [drug.index]);
      else members.push(drug.index);
    }
  }

  const ruleRows = parseTable("interactions.tsv", tables.interactions, INTERACTION_COLUMNS);
  const rules = ruleRows.map((row, index) => readInteractionRow(row, index));
  const membersOf = (side: RuleSide): readonly number[] => {
    if (side.kind === "group") return groupMembers.get(side.name) ?? [];
    const index = drugIndexById.get(side.name);
    return index === undefined ? [] : [index];
  };
  checkRules(rules, ruleRows, membersOf);
  checkStrengthsAreSplit(drugs, rules, ruleRows, membersOf);

  const codeRows = parseTable("codes.tsv", tables.codes, CODE_COLUMNS);
  const codes = codeRows.map(readCodeRow);
  const names = new Set<string>();
  for (const [i, code] of codes.entries()) {
    if (names.has(`${code.kind} ${code.name}`)) codeRows[i]!.refuse("name", "each name once");
    names.add(`${code.kind} ${code.name}`);
  }

  const synonyms = new Map<string, Synonym>();
  const synonymRows = tables.synonyms === undefined ? [] : parseTable("synonyms.tsv", tables.synonyms, SYNONYM_COLUMNS);
  for (const row of synonymRows) {
    const synonym = readSynonymRow(row, { byId: drugIndexById, byName: drugIndexByName });
    if (synonyms.has(synonym.name)) row.refuse("name", "each name once");
    synonyms.set(synonym.name, synonym);
  }

  return {
    drugs,
    rules,
    codes,
    drugIndexById,
    drugIndexByName,
    drugIndexByRxcui,
    drugIndexByAtc: indexUnsharedAtc(drugs),
    synonyms,
    groupMembers,
    hash: hashText(`${tables.drugs}\u0000${tables.interactions}\u0000${tables.codes}`),
  };
}

function indexUnsharedAtc(drugs: readonly Drug[]): Map<string, number> {
  const indexes = new Map<string, number>();
  const shared = new Set<string>();
  for (const { atc, index } of drugs) {
    if (atc === null) continue;
    if (indexes.has(atc)) shared.add(atc);
    indexes.set(atc, index);
  }
  for (const code of shared) indexes.delete(code);
  return indexes;
}

/** The drug with the groups that follow from its row. */
export function withDerivedGroups(drug: Drug): Drug {
  const derived = DERIVED_GROUPS.filter((group) => group.holds(drug)).map((group) => group.name);
  return { ...drug, groups: [...drug.groups, ...derived] };
}

function refuseDerivedTokens(drugs: readonly Drug[], rows: readonly TableRow[]): void {
  for (const drug of drugs) {
    if (drug.groups.some(isDerivedGroup))
      rows[drug.index]!.refuse("groups", "tokens other than the derived groups, which are computed");
  }
}

function indexBy(
  drugs: readonly Drug[],
  rows: readonly TableRow[],
  column: string,
  key: (drug: Drug) => string | null,
): Map<string, number> {
  const indexes = new Map<string, number>();
  for (const drug of drugs) {
    const value = key(drug);
    if (value === null) continue;
    if (indexes.has(value)) rows[drug.index]!.refuse(column, "a value that no other row has");
    indexes.set(value, drug.index);
  }
  return indexes;
}

function checkRules(
  rules: readonly InteractionRule[],
  rows: readonly TableRow[],
  membersOf: (side: RuleSide) => readonly number[],
): void {
  const ids = new Set<string>();
  for (const [i, rule] of rules.entries()) {
    const row = rows[i]!;
    if (ids.has(rule.ruleId)) row.refuse("rule_id", "each id once");
    ids.add(rule.ruleId);
    if (membersOf(rule.a).length === 0) row.refuse("a", `a ${rule.a.kind} that the drug table has`);
    if (membersOf(rule.b).length === 0) row.refuse("b", `a ${rule.b.kind} that the drug table has`);
    const pairs = membersOf(rule.a).some((a) => membersOf(rule.b).some((b) => a !== b));
    if (!pairs) row.refuse("b", "a side that makes at least one pair of two different drugs");
  }
}

/** Knowledge base failures that have no row: a table that is missing as a whole. */
export function refuseMissingTable(file: string, cause: unknown): never {
  throw new PraxisError(
    "INVALID_CONFIG",
    `The table ${file} can't be read; reinstall the package or pass the tables as text.`,
    { cause },
  );
}
