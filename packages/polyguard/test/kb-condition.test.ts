import { describe, expect, test } from "vitest";
import { type ConditionValues, evaluateCondition, parseCondition } from "../src/kb/condition.ts";

const unknown: ConditionValues = {
  crClMlPerMin: null,
  egfrMlPerMin: null,
  potassiumMmolPerL: null,
  qtcMs: null,
  heartRatePerMin: null,
  sex: null,
  doseA: null,
  doseB: null,
  isDoseHigh: null,
};
const judge = (text: string, values: Partial<ConditionValues>) =>
  evaluateCondition(parseCondition(text)!, { ...unknown, ...values });

describe("the condition language of interactions", () => {
  test("| means or, & means and, with & binding tighter", () => {
    expect(judge("K>=5.0|CrCl<60", { potassiumMmolPerL: 4, crClMlPerMin: 50 })).toBe(true);
    expect(judge("K>=5.0|CrCl<60", { potassiumMmolPerL: 4, crClMlPerMin: 70 })).toBe(false);
    expect(judge("K<5.0&CrCl>=60", { potassiumMmolPerL: 4, crClMlPerMin: 50 })).toBe(false);
    expect(judge("K<5.0&CrCl>=60", { potassiumMmolPerL: 4, crClMlPerMin: 60 })).toBe(true);
  });

  test("a term on an unknown value makes the condition unknown unless the others decide it", () => {
    expect(judge("K>=5.0|CrCl<60", { crClMlPerMin: 50 })).toBe(true);
    expect(judge("K>=5.0|CrCl<60", { crClMlPerMin: 70 })).toBeNull();
    expect(judge("K<5.0&CrCl>=60", { crClMlPerMin: 50 })).toBe(false);
    expect(judge("K<5.0&CrCl>=60", { crClMlPerMin: 70 })).toBeNull();
  });

  test("every term is judged on its own value", () => {
    expect(judge("sex=F", { sex: "F" })).toBe(true);
    expect(judge("sex=F", { sex: "M" })).toBe(false);
    expect(judge("brady", { heartRatePerMin: 54 })).toBe(true);
    expect(judge("brady", { heartRatePerMin: 55 })).toBe(false);
    expect(judge("brady|dose_a>100", { heartRatePerMin: 70, doseA: 150 })).toBe(true);
    expect(judge("dose_b>=2000", { doseB: 2000 })).toBe(true);
    expect(judge("dose_high", { isDoseHigh: true })).toBe(true);
    expect(judge("eGFR<60", { egfrMlPerMin: 59 })).toBe(true);
    expect(judge("QTc>470", { qtcMs: 471 })).toBe(true);
  });

  test("a blank condition always holds and text outside the language is no condition", () => {
    expect(evaluateCondition(null, unknown)).toBe(true);
    expect(parseCondition("")).toBeNull();
    for (const text of ["K=5", "sex=X", "K<", "K<5.0|", "brady&&K<4", "dose_c>1"])
      expect(parseCondition(text)).toBeUndefined();
  });

  test("conditions that need a dose say so", () => {
    expect(parseCondition("dose_a>20")?.usesDose).toBe(true);
    expect(parseCondition("K<3.8|QTc>470|brady|dose_high")?.usesDose).toBe(true);
    expect(parseCondition("K<4.0")?.usesDose).toBe(false);
  });
});
