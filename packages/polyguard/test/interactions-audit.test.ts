import { describe, expect, test } from "vitest";
import { auditKnowledge, loadBundledKnowledgeBase } from "../src/index.ts";
import { pairEntries, pairTableOf } from "../src/interactions/pair-table.ts";
import { getDrug } from "../src/kb/lookup.ts";
import type { KnowledgeBase } from "../src/kb/types.ts";

const kb = loadBundledKnowledgeBase();

describe("audit of the knowledge base", () => {
  test("the shipped tables have no contradiction, no gap and no row without a source", () => {
    const audit = auditKnowledge(kb);
    expect(audit.problems).toEqual([]);
    expect(audit.pairs.listed + audit.pairs.derived).toBe(
      audit.severities.contraindicated + audit.severities.major + audit.severities.moderate,
    );
  });

  test("a rule that the enzymes contradict, a removed rule and a missing source are each found", () => {
    const changed = (change: (rule: KnowledgeBase["rules"][number]) => KnowledgeBase["rules"][number] | null) =>
      auditKnowledge({ ...kb, rules: kb.rules.flatMap((rule) => change(rule) ?? []) }).problems;
    const turned = changed((rule) => (rule.ruleId === "DDI027" ? { ...rule, harmDomain: "BLEED" } : rule));
    expect(turned).toContainEqual(expect.objectContaining({ kind: "contradiction", where: "DDI027" }));
    const removed = changed((rule) => (rule.harmDomain === "HYPERK" ? null : rule));
    expect(removed.some(({ kind, where }) => kind === "gap" && where.includes("spironolactone"))).toBe(true);
    const bare = changed((rule) => (rule.ruleId === "DDI001" ? { ...rule, source: "" } : rule));
    expect(bare).toEqual([expect.objectContaining({ kind: "missing source", where: "DDI001" })]);
  });

  test.each([
    ["ticagrelor", "clarithromycin"],
    ["linezolid", "sertraline"],
    ["linezolid", "venlafaxine"],
    ["ivabradine", "verapamil_er"],
    ["duloxetine", "fluvoxamine"],
    ["dabigatran", "ketoconazole"],
    ["phenelzine", "codeine"],
    ["sildenafil", "nitroglycerin"],
    ["simvastatin", "itraconazole"],
    ["azathioprine", "febuxostat"],
    ["tizanidine", "ciprofloxacin"],
    ["sacubitril_valsartan", "lisinopril"],
    ["repaglinide", "gemfibrozil"],
    ["metoclopramide", "levodopa_carbidopa"],
  ])("%s with %s is contraindicated, as a label says", (a, b) => {
    const entries = pairEntries(pairTableOf(kb), getDrug(kb, a).index, getDrug(kb, b).index);
    expect(entries.map(({ severity }) => severity)).toContain("contraindicated");
  });

  test("more of a drug with a wide index and no risk points is no major alert", () => {
    for (const { victim, severity, ratio } of auditKnowledge(kb).derived)
      if (ratio > 1 && ["omeprazole", "pantoprazole", "loratadine", "cetirizine"].includes(victim))
        expect(severity).toBe("moderate");
  });
});
