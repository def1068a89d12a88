import type { Comparison } from "./renal-rule.ts";

/** One term of an interaction condition. */
export type ConditionTerm =
  | {
      readonly kind: "number";
      readonly variable: "CrCl" | "eGFR" | "K" | "QTc" | "dose_a" | "dose_b";
      readonly comparison: Comparison;
      readonly threshold: number;
    }
  | { readonly kind: "sex"; readonly sex: "F" | "M" }
  | { readonly kind: "brady" }
  | { readonly kind: "dose_high" };

/** `|` of `&` of terms: the outer list is the alternatives. */
export interface RuleCondition {
  readonly alternatives: readonly (readonly ConditionTerm[])[];
  /** Needs a dose of the pair, so it can't be judged from the patient alone. */
  readonly usesDose: boolean;
}

/** Values a condition is judged on; null = not known. Doses in the unit of the side's drug row. */
export interface ConditionValues {
  readonly crClMlPerMin: number | null;
  readonly egfrMlPerMin: number | null;
  readonly potassiumMmolPerL: number | null;
  readonly qtcMs: number | null;
  readonly heartRatePerMin: number | null;
  readonly sex: "F" | "M" | null;
  readonly doseA: number | null;
  readonly doseB: number | null;
  /** A side is above its dose_max. */
  readonly isDoseHigh: boolean | null;
}

/** assumption: heart rate below which the token `brady` holds, 1/min; usual threshold of guidance for added rate slowing. */
const BRADY_BELOW_PER_MIN = 55;

/** Parses the condition column; "" gives null (always), text outside the grammar undefined. */
export function parseCondition(text: string): RuleCondition | null | undefined {
  if (text === "") return null;
  const alternatives: ConditionTerm[][] = [];
  let usesDose = false;
  for (const alternative of text.split("|")) {
    const terms: ConditionTerm[] = [];
    for (const part of alternative.split("&")) {
      const term = parseTerm(part);
      if (term === null) return undefined;
      usesDose ||= term.kind === "dose_high" || (term.kind === "number" && term.variable.startsWith("dose_"));
      terms.push(term);
    }
    alternatives.push(terms);
  }
  return { alternatives, usesDose };
}

function parseTerm(text: string): ConditionTerm | null {
  if (text === "brady" || text === "dose_high") return { kind: text };
  if (text === "sex=F" || text === "sex=M") return { kind: "sex", sex: text === "sex=F" ? "F" : "M" };
  const match = /^(CrCl|eGFR|K|QTc|dose_a|dose_b)(<=|>=|<|>)(\d+(?:\.\d+)?)$/.exec(text);
  if (match === null) return null;
  type NumberTerm = Extract<ConditionTerm, { kind: "number" }>;
  return {
    kind: "number",
    variable: match[1] as NumberTerm["variable"],
    comparison: match[2] as Comparison,
    threshold: Number(match[3]),
  };
}

/** Three-valued truth of a condition: null where it depends on a value that is not known (Kleene's strong logic). */
export function evaluateCondition(condition: RuleCondition | null, values: ConditionValues): boolean | null {
  if (condition === null) return true;
  let anyUnknown = false;
  for (const terms of condition.alternatives) {
    let result: boolean | null = true;
    for (const term of terms) {
      const truth = evaluateTerm(term, values);
      if (truth === false) {
        result = false;
        break;
      }
      if (truth === null) result = null;
    }
    if (result === true) return true;
    if (result === null) anyUnknown = true;
  }
  return anyUnknown ? null : false;
}

function evaluateTerm(term: ConditionTerm, values: ConditionValues): boolean | null {
  switch (term.kind) {
    case "sex":
      return values.sex === null ? null : values.sex === term.sex;
    case "brady":
      return values.heartRatePerMin === null ? null : values.heartRatePerMin < BRADY_BELOW_PER_MIN;
    case "dose_high":
      return values.isDoseHigh;
    case "number": {
      const value = numberOf(term.variable, values);
      if (value === null) return null;
      switch (term.comparison) {
        case "<":
          return value < term.threshold;
        case "<=":
          return value <= term.threshold;
        case ">":
          return value > term.threshold;
        case ">=":
          return value >= term.threshold;
      }
    }
  }
}

function numberOf(
  variable: Extract<ConditionTerm, { kind: "number" }>["variable"],
  values: ConditionValues,
): number | null {
  switch (variable) {
    case "CrCl":
      return values.crClMlPerMin;
    case "eGFR":
      return values.egfrMlPerMin;
    case "K":
      return values.potassiumMmolPerL;
    case "QTc":
      return values.qtcMs;
    case "dose_a":
      return values.doseA;
    case "dose_b":
      return values.doseB;
  }
}
