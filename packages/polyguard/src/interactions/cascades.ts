import type { KnowledgeBase } from "../kb/types.ts";
import { memberTable } from "./member-table.ts";

/** One prescribing cascade: a cause, what it brings on, and the drug given for that. */
export interface CascadeRule {
  /** Hazard family. */
  readonly family: "H21" | "H22" | "H23" | "H24" | "H25" | "H26" | "H27";
  /** Group tokens or drug_ids. */
  readonly causes: readonly string[];
  readonly condition: string;
  /** Group tokens or drug_ids. */
  readonly treatments: readonly string[];
  /** Days in which the caused condition's severity follows its cause. */
  readonly timeConstantDays: number;
  /** Severity without the cause, where the patient has no other reason for it. */
  readonly baseSeverity: number;
  readonly source: string;
}

/** assumption: drugs that are given for a raised blood pressure. */
const ANTIHYPERTENSIVES = ["RASI", "CCB", "DIURETIC", "BB", "ALPHA1", "CENTRAL_A2", "VASODILATOR"];

/**
 * The cascades that are recognised. Sources: Gill 2005 (ACHEI), Rochon 2017 and Savage 2020 (the others); time constants and
 * base severities are an assumption: oedema goes in two weeks, urge symptoms in three, parkinsonism in four, urate in two months.
 */
export const CASCADES: readonly CascadeRule[] = [
  {
    family: "H21",
    causes: ["DHP_CCB"],
    condition: "OEDEMA",
    treatments: ["LOOP"],
    timeConstantDays: 14,
    baseSeverity: 0.05,
    source: "Savage 2020",
  },
  {
    family: "H22",
    causes: ["ACHEI"],
    condition: "OAB",
    treatments: ["ANTIMUSC"],
    timeConstantDays: 21,
    baseSeverity: 0.25,
    source: "Gill 2005",
  },
  {
    family: "H23",
    causes: ["ANTIEMETIC_DA", "ANTIPSYCH_D2"],
    condition: "PARKINSON",
    treatments: ["DOPA"],
    timeConstantDays: 28,
    baseSeverity: 0,
    source: "Rochon 2017",
  },
  {
    family: "H24",
    causes: ["NSAID"],
    condition: "HTN",
    treatments: ANTIHYPERTENSIVES,
    timeConstantDays: 14,
    baseSeverity: 0,
    source: "Rochon 2017",
  },
  {
    family: "H25",
    causes: ["THIAZIDE"],
    condition: "GOUT",
    treatments: ["COLCHICINE", "XO_INHIB"],
    timeConstantDays: 60,
    baseSeverity: 0,
    source: "Rochon 2017",
  },
  {
    family: "H26",
    causes: ["SSRI", "SNRI"],
    condition: "INSOMNIA",
    treatments: ["BZD", "ZDRUG"],
    timeConstantDays: 14,
    baseSeverity: 0,
    source: "Rochon 2017",
  },
  {
    family: "H27",
    causes: ["LITHIUM"],
    condition: "TREMOR",
    treatments: ["propranolol"],
    timeConstantDays: 14,
    baseSeverity: 0,
    source: "Rochon 2017",
  },
  {
    family: "H27",
    causes: ["GABAPENTINOID"],
    condition: "OEDEMA",
    treatments: ["LOOP"],
    timeConstantDays: 14,
    baseSeverity: 0.05,
    source: "Read 2021",
  },
  {
    family: "H27",
    causes: ["ALPHA1_URO"],
    condition: "VERTIGO",
    treatments: ["meclizine"],
    timeConstantDays: 14,
    baseSeverity: 0,
    source: "Rochon 2017",
  },
  {
    family: "H27",
    causes: ["STEROID"],
    condition: "T2DM",
    treatments: ["ANTIDIABETIC"],
    timeConstantDays: 14,
    baseSeverity: 0,
    source: "Rochon 2017",
  },
  {
    family: "H27",
    causes: ["ACEI"],
    condition: "SELF_COUGH",
    treatments: ["codeine"],
    timeConstantDays: 14,
    baseSeverity: 0,
    source: "Rochon 2017",
  },
];

/** A cascade found on a list. */
export interface CascadeHit {
  readonly rule: CascadeRule;
  readonly causeIndex: number;
  readonly treatmentIndex: number;
}

/** One listed drug; a start day that is not known is null. */
export interface DatedDrug {
  readonly drugIndex: number;
  readonly startDay: number | null;
}

/** A rule with its drugs: 1 by row number. */
interface MemberRule {
  readonly rule: CascadeRule;
  readonly isCause: Uint8Array;
  readonly isTreatment: Uint8Array;
}

const memberRuleCache = new WeakMap<KnowledgeBase, readonly MemberRule[]>();

function memberRules(kb: KnowledgeBase): readonly MemberRule[] {
  let rules = memberRuleCache.get(kb);
  if (rules === undefined) {
    rules = CASCADES.map((rule) => ({
      rule,
      isCause: memberTable(kb, rule.causes),
      isTreatment: memberTable(kb, rule.treatments),
    }));
    memberRuleCache.set(kb, rules);
  }
  return rules;
}

/** Cause and treatment pairs on a list whose treatment did not start before its cause, in order of {@link CASCADES}. */
export function findCascades(kb: KnowledgeBase, drugs: readonly DatedDrug[]): CascadeHit[] {
  const hits: CascadeHit[] = [];
  for (const { rule, isCause, isTreatment } of memberRules(kb)) {
    for (const cause of drugs) {
      if (isCause[cause.drugIndex] === 0) continue;
      for (const treatment of drugs) {
        if (treatment === cause || isTreatment[treatment.drugIndex] === 0) continue;
        const isEarlier = cause.startDay !== null && treatment.startDay !== null && treatment.startDay < cause.startDay;
        if (!isEarlier) hits.push({ rule, causeIndex: cause.drugIndex, treatmentIndex: treatment.drugIndex });
      }
    }
  }
  return hits;
}
