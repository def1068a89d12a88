import { describe, expect, it } from "vitest";
import { pairRanksOf } from "../src/actions/pair-ranks.ts";
import { type PairTable, pairEntries, pairTableOf } from "../src/interactions/pair-table.ts";
import { loadBundledKnowledgeBase } from "../src/kb/node.ts";
import type { KnowledgeBase } from "../src/kb/types.ts";
import { withDrug } from "../src/kb/with-drug.ts";

const kb = loadBundledKnowledgeBase();

/** A drug like another one under a name of its own, so that many rules and derived hits name it. */
function like(drugId: string): KnowledgeBase {
  const { index, ...row } = kb.drugs[kb.drugIndexById.get(drugId)!]!;
  return withDrug(kb, { ...row, drugId: `new_${index}`, genericName: `new ${index}`, rxcui: null });
}

/** Entries of all pairs, conditions by their text, as their numbers are the table's own. */
function entriesOf(table: PairTable, drugCount: number): unknown {
  const texts = new Map([...table.conditionIds].map(([text, id]) => [id, text]));
  const all: unknown[] = [];
  for (let j = 0; j < drugCount; j++)
    for (let i = 0; i < j; i++)
      for (const { conditionId, rule, ...entry } of pairEntries(table, i, j))
        all.push({ ...entry, rule: rule?.ruleId, condition: texts.get(conditionId) ?? null });
  return all;
}

describe("tables of a knowledge base with a drug more", () => {
  for (const drugId of ["clarithromycin", "warfarin"])
    it(`hold what tables made from nothing hold, with a drug like ${drugId}`, () => {
      const extended = like(drugId);
      // A copy is no longer known as an extension of the first one.
      const whole = { ...extended };
      const count = extended.drugs.length;
      expect(entriesOf(pairTableOf(extended), count)).toEqual(entriesOf(pairTableOf(whole), count));
      expect(pairRanksOf(extended)).toEqual(pairRanksOf(whole));
    });
});
