import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { getDrug } from "../src/kb/lookup.ts";
import { loadBundledKnowledgeBase } from "../src/kb/node.ts";
import { judgeRenalRule, type RenalDoseFacts } from "../src/kb/renal-dose.ts";
import { matchRenalRule, parseRenalRule } from "../src/kb/renal-rule.ts";

const kb = loadBundledKnowledgeBase();
const facts = (crCl: number | null, more: Partial<RenalDoseFacts> = {}): RenalDoseFacts => ({
  crClMlPerMin: crCl,
  egfrMlPerMin: crCl,
  ageYears: 75,
  weightKg: 70,
  serumCreatinineMgPerDl: 1,
  hasAtrialFibrillation: false,
  ...more,
});
const capOf = (drugId: string, crCl: number, more: Partial<RenalDoseFacts> = {}) =>
  judgeRenalRule(getDrug(kb, drugId), facts(crCl, more)).doseCap;

describe("the renal rule language", () => {
  test("the tightest matching clause wins", () => {
    const rule = parseRenalRule("CrCl<60:max=1400;CrCl<30:max=700;CrCl<15:max=300")!;
    const doseAt = (crCl: number) => {
      const effect = matchRenalRule(rule, { crClMlPerMin: crCl, egfrMlPerMin: null })?.effect;
      return effect?.kind === "max" ? effect.dose : null;
    };
    expect([80, 60, 59.9, 30, 29, 14].map(doseAt)).toEqual([null, null, 1400, 1400, 700, 300]);
  });

  test("the order of the clauses does not matter", () => {
    const clauses = ["CrCl<60:max=1400", "CrCl<30:max=700", "CrCl<15:max=300"];
    fc.assert(
      fc.property(
        fc.shuffledSubarray(clauses, { minLength: 3 }),
        fc.double({ min: 1, max: 120, noNaN: true }),
        (order, crCl) => {
          const renal = { crClMlPerMin: crCl, egfrMlPerMin: null };
          expect(matchRenalRule(parseRenalRule(order.join(";"))!, renal)).toEqual(
            matchRenalRule(parseRenalRule(clauses.join(";"))!, renal),
          );
        },
      ),
    );
  });

  test("<= includes its threshold and < does not", () => {
    const rule = parseRenalRule("CrCl<=50:max=15;CrCl<15:avoid")!;
    expect(matchRenalRule(rule, { crClMlPerMin: 50, egfrMlPerMin: null })?.effect).toEqual({
      kind: "max",
      dose: 15,
      perKgPerDay: false,
    });
    expect(matchRenalRule(rule, { crClMlPerMin: 50.1, egfrMlPerMin: null })).toBeNull();
    expect(matchRenalRule(rule, { crClMlPerMin: 15, egfrMlPerMin: null })?.threshold).toBe(50);
  });

  test("a clause on an unknown measure does not hold", () => {
    const rule = parseRenalRule("eGFR<45:max=1000;eGFR<30:contra")!;
    expect(matchRenalRule(rule, { crClMlPerMin: 20, egfrMlPerMin: null })).toBeNull();
  });

  test.each([
    "CrCl<30:halve",
    "CrCl<30:max",
    "CrCl<30:factor=2",
    "CrCl<30:factor=0.5h",
    "CrCl<30:max=5h",
    "AF_RULE=1mg",
    "CrCl~30:avoid",
    "CrCl<30:avoid;",
  ])("the effect or clause in %j is unknown", (text) => {
    expect(parseRenalRule(text)).toBeNull();
  });
});

describe("the dose cap of a renal rule", () => {
  test("max limits, factor multiplies the usual upper end, contra and avoid leave nothing", () => {
    expect(capOf("gabapentin", 25)).toBe(700);
    expect(capOf("lisinopril", 25)).toBe(20);
    expect(capOf("lisinopril", 80)).toBe(80);
    expect(judgeRenalRule(getDrug(kb, "metformin"), facts(25))).toMatchObject({ doseCap: 0, isStartForbidden: true });
    expect(judgeRenalRule(getDrug(kb, "alendronate"), facts(34))).toMatchObject({ doseCap: 0, isStartForbidden: true });
  });

  test("no_start forbids a start but leaves the dose that runs", () => {
    expect(judgeRenalRule(getDrug(kb, "dapagliflozin"), facts(24))).toMatchObject({
      doseCap: 10,
      isStartForbidden: true,
    });
  });

  test("start gives a start dose", () => {
    expect(judgeRenalRule(getDrug(kb, "candesartan"), facts(20)).startDose).toBe(4);
  });

  test("a limit per kg follows the weight", () => {
    expect(capOf("enoxaparin", 25, { weightKg: 80 })).toBe(80);
    expect(capOf("gentamicin", 80, { weightKg: 60 })).toBe(420);
  });

  test("apixaban in atrial fibrillation is halved when two of age, weight and creatinine hold", () => {
    const af = { hasAtrialFibrillation: true };
    expect(capOf("apixaban", 60, { ...af, ageYears: 82, weightKg: 58 })).toBe(5);
    expect(capOf("apixaban", 60, { ...af, ageYears: 82, weightKg: 70 })).toBe(20);
    expect(capOf("apixaban", 60, { ageYears: 82, weightKg: 58 })).toBe(20);
    expect(capOf("apixaban", 60, { ...af, ageYears: 79, weightKg: 60, serumCreatinineMgPerDl: 1.5 })).toBe(5);
  });

  test("edoxaban is avoided in atrial fibrillation above CrCl 95 only", () => {
    expect(capOf("edoxaban", 100, { hasAtrialFibrillation: true })).toBe(0);
    expect(capOf("edoxaban", 100)).toBe(60);
    expect(capOf("edoxaban", 45)).toBe(30);
  });
});
