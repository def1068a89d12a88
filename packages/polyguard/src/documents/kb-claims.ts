import type { Rng } from "@praxis/env";
import { pairEntries, pairTableOf } from "../interactions/pair-table.ts";
import { severityRank } from "../kb/domains.ts";
import { drugAt } from "../kb/lookup.ts";
import type { RenalClause } from "../kb/renal-rule.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import type { Claim } from "./types.ts";

/** Matters of one drug that documents speak about. */
export const DRUG_MATTERS = ["max_dose", "renal", "monitoring", "indication"] as const;

/** Value of claims that nothing is needed. */
const NOTHING = "nothing";
const NO_CHANGE = "no change of the dose";

/** What the knowledge base says of one matter of a drug; null where it says nothing (an individualised dose). */
export function drugClaim(drug: Drug, matter: (typeof DRUG_MATTERS)[number]): Claim | null {
  const claim = (value: string, unit: string | null = null): Claim => ({
    subject: drug.drugId,
    predicate: matter,
    object: null,
    value,
    unit,
    isTrue: true,
  });
  switch (matter) {
    case "max_dose":
      return drug.maxDaily === null ? null : claim(String(drug.maxDaily), drug.isMaxPerKg ? "mg/kg/d" : drug.doseUnit);
    case "renal":
      return claim(drug.renalRule.clauses.length === 0 ? NO_CHANGE : drug.renalRule.clauses.map(clauseText).join("; "));
    case "monitoring":
      return claim(drug.monitoring.length === 0 ? NOTHING : drug.monitoring.join(", "));
    case "indication":
      return claim(drug.indications.join(", "));
  }
}

/** What the knowledge base says of a pair: its highest severity under any condition, or `none`. */
export function pairClaim(kb: KnowledgeBase, first: number, second: number): Claim {
  const severities = pairEntries(pairTableOf(kb), first, second).map(({ severity }) => severity);
  const highest = severities.sort((a, b) => severityRank(b) - severityRank(a))[0];
  return {
    subject: drugAt(kb, first).drugId,
    predicate: "interaction",
    object: drugAt(kb, second).drugId,
    value: highest ?? "none",
    unit: null,
    isTrue: true,
  };
}

/** The claim turned false in a way that a reader may believe. */
export function falsified(claim: Claim, rng: Rng): Claim {
  const value = falseValue(claim, rng);
  return { ...claim, value, isTrue: false };
}

function falseValue({ predicate, value }: Claim, rng: Rng): string {
  switch (predicate) {
    case "interaction":
      return value === "none" ? rng.choice(["moderate", "major"]) : "none";
    case "max_dose":
      return String(Number(value) * rng.choice([0.5, 2, 3]));
    case "renal":
      return value === NO_CHANGE ? "CrCl < 60 avoid" : NO_CHANGE;
    case "monitoring":
      return value === NOTHING ? "K, CREAT" : NOTHING;
    case "indication":
      return value === "COUGH" ? "FATIGUE" : "COUGH";
  }
}

function clauseText({ measure, comparison, threshold, effect }: RenalClause): string {
  const at = `${measure} ${comparison} ${threshold}`;
  switch (effect.kind) {
    case "max":
      return `${at} at most ${effect.dose}${effect.perKgPerDay ? " mg/kg/d" : ""}`;
    case "factor":
      return `${at} ${effect.factor} of the dose`;
    case "start":
      return `${at} start with ${effect.dose}`;
    case "interval":
      return effect.hours === null ? `${at} longer interval` : `${at} every ${effect.hours} h`;
    default:
      return `${at} ${effect.kind}`;
  }
}
