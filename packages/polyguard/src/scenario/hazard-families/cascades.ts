import { CASCADES, type CascadeRule } from "../../interactions/cascades.ts";
import type { HazardFamily, HazardForm } from "../hazard-family.ts";

/** Titles of the cascade families. */
const TITLES: Readonly<Record<CascadeRule["family"], string>> = {
  H21: "calcium channel blocker, oedema, loop diuretic",
  H22: "cholinesterase inhibitor, urge incontinence, antimuscarinic",
  H23: "dopamine antagonist, parkinsonism, levodopa",
  H24: "NSAID, raised blood pressure, antihypertensive",
  H25: "thiazide, gout, gout drug",
  H26: "antidepressant, insomnia, hypnotic",
  H27: "another prescribing cascade",
};

/** What the cause of a cascade is taken for, by its group. */
const CAUSE_FOR: Readonly<Record<string, readonly string[]>> = {
  DHP_CCB: ["HTN", "ANGINA"],
  ACHEI: ["DEMENTIA"],
  ANTIEMETIC_DA: ["GASTROPARESIS", "NAUSEA"],
  ANTIPSYCH_D2: ["BPSD", "PSYCHOSIS"],
  NSAID: ["OA_PAIN"],
  THIAZIDE: ["HTN"],
  SSRI: ["DEPRESSION", "ANXIETY"],
  SNRI: ["DEPRESSION", "ANXIETY"],
  LITHIUM: ["BIPOLAR"],
  GABAPENTINOID: ["NEUROPATHIC_PAIN"],
  ALPHA1_URO: ["BPH"],
  STEROID: ["PMR", "RA"],
  ACEI: ["HTN", "HFREF"],
};

/** The cause came first. assumption: days of use. */
const CAUSE_DAYS = [400, 1200] as const;
const TREATMENT_DAYS = [60, 350] as const;

/** A cough that is caused by the drug carries no burden of its own: its remedy has no active indication. */
const UNTREATABLE = "SELF_COUGH";

/** H21-H27: every rule of the cascade table, one form a group of causes. */
export const CASCADE_FAMILIES: readonly HazardFamily[] = (Object.keys(TITLES) as CascadeRule["family"][]).map(
  (family) => {
    const rules = CASCADES.filter((rule) => rule.family === family);
    return {
      family,
      title: TITLES[family],
      source: [...new Set(rules.map((rule) => rule.source))].join("; "),
      needsSeveralVisits: true,
      sign: "gain",
      forms: rules.flatMap((rule) => rule.causes.map((cause) => formOf(rule, cause))),
    };
  },
);

function formOf(rule: CascadeRule, cause: string): HazardForm {
  const { condition, baseSeverity } = rule;
  const isForMen = cause === "ALPHA1_URO";
  return {
    slots: [
      { choices: [cause], conditions: CAUSE_FOR[cause]!, useDays: CAUSE_DAYS, isTarget: true },
      {
        choices: rule.treatments,
        conditions: condition === UNTREATABLE ? [] : [condition],
        useDays: TREATMENT_DAYS,
        isTarget: true,
      },
    ],
    ...(isForMen ? { sex: "M" } : {}),
    cascade: { condition, baseSeverity },
  };
}
