/** Kidney measure that a clause compares. */
export type RenalMeasure = "CrCl" | "eGFR";

/** Comparison of a clause. */
export type Comparison = "<" | "<=" | ">" | ">=";

/** What a clause asks for. `max` is in the dose unit of the row; `perKgPerDay` makes it mg per kg and day. */
export type RenalEffect =
  | { readonly kind: "max"; readonly dose: number; readonly perKgPerDay: boolean }
  | { readonly kind: "factor"; readonly factor: number }
  | { readonly kind: "start"; readonly dose: number }
  | { readonly kind: "interval"; readonly hours: number | null }
  | {
      readonly kind:
        | "avoid"
        | "contra"
        | "no_start"
        | "ineffective"
        | "monitor"
        | "caution"
        | "label_limited"
        | "avoid_AF";
    };

/** One `measure op threshold:effect` clause, thresholds in mL/min (eGFR: mL/min/1.73 m2). */
export interface RenalClause {
  readonly measure: RenalMeasure;
  readonly comparison: Comparison;
  readonly threshold: number;
  readonly effect: RenalEffect;
}

/** A parsed renal_rule cell. */
export interface RenalRule {
  readonly clauses: readonly RenalClause[];
  /** TDM: dose by level, no fixed cap. */
  readonly isByLevel: boolean;
  /** Apixaban in atrial fibrillation: 5 mg/d when two of age >= 80, weight <= 60 kg, SCr >= 1.5 mg/dL hold. Source: FDA label. */
  readonly hasAfRule: boolean;
}

/** Kidney function as known; null = not known. */
export interface RenalFacts {
  readonly crClMlPerMin: number | null;
  readonly egfrMlPerMin: number | null;
}

const AF_RULE = "AF_RULE=2.5mgBID_if_2of(age>=80,wt<=60,SCr>=1.5)";
const PLAIN_EFFECTS = [
  "avoid",
  "contra",
  "no_start",
  "ineffective",
  "monitor",
  "caution",
  "label_limited",
  "avoid_AF",
] as const;

/** The rule of a drug without any renal clause. */
const NO_RENAL_RULE: RenalRule = { clauses: [], isByLevel: false, hasAfRule: false };

/** Parses a renal_rule cell; returns null for text outside the grammar, an unknown effect included. */
export function parseRenalRule(text: string): RenalRule | null {
  if (text === "") return NO_RENAL_RULE;
  if (text === "TDM") return { clauses: [], isByLevel: true, hasAfRule: false };
  const clauses: RenalClause[] = [];
  let hasAfRule = false;
  for (const part of text.split(";")) {
    if (part === AF_RULE) {
      hasAfRule = true;
      continue;
    }
    const match = /^(CrCl|eGFR)(<=|>=|<|>)(\d+(?:\.\d+)?):(.+)$/.exec(part);
    const effect = match === null ? null : parseEffect(match[4]!);
    if (match === null || effect === null) return null;
    clauses.push({
      measure: match[1] as RenalMeasure,
      comparison: match[2] as Comparison,
      threshold: Number(match[3]),
      effect,
    });
  }
  return { clauses, isByLevel: false, hasAfRule };
}

function parseEffect(text: string): RenalEffect | null {
  const plain = PLAIN_EFFECTS.find((kind) => kind === text);
  if (plain !== undefined) return { kind: plain };
  if (text === "interval") return { kind: "interval", hours: null };
  const match = /^(max|factor|start|interval)=(\d+(?:\.\d+)?)(mg\/kg\/d|h)?$/.exec(text);
  if (match === null) return null;
  const [, name, digits, unit] = match;
  const value = Number(digits);
  if (name === "max" && unit !== "h") return { kind: "max", dose: value, perKgPerDay: unit === "mg/kg/d" };
  if (name === "factor" && unit === undefined && value > 0 && value < 1) return { kind: "factor", factor: value };
  if (name === "start" && unit === undefined) return { kind: "start", dose: value };
  if (name === "interval" && unit === "h") return { kind: "interval", hours: value };
  return null;
}

function holds(clause: RenalClause, value: number): boolean {
  switch (clause.comparison) {
    case "<":
      return value < clause.threshold;
    case "<=":
      return value <= clause.threshold;
    case ">":
      return value > clause.threshold;
    case ">=":
      return value >= clause.threshold;
  }
}

/**
 * The tightest clause that holds, or null: of clauses with an upper limit the one with the lowest threshold, else of
 * those with a lower limit the one with the highest. A clause on an unknown measure does not hold.
 */
export function matchRenalRule(rule: RenalRule, facts: RenalFacts): RenalClause | null {
  let below: RenalClause | null = null;
  let above: RenalClause | null = null;
  for (const clause of rule.clauses) {
    const value = clause.measure === "CrCl" ? facts.crClMlPerMin : facts.egfrMlPerMin;
    if (value === null || !holds(clause, value)) continue;
    if (clause.comparison === "<" || clause.comparison === "<=") {
      if (below === null || clause.threshold < below.threshold) below = clause;
    } else if (above === null || clause.threshold > above.threshold) above = clause;
  }
  return below ?? above;
}
