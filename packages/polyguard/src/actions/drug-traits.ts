import { DUPLICATE_CLASSES } from "../interactions/regimen-detector.ts";
import { isTitrated, startDose, targetDose } from "../kb/dose-grid.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";

/** Yes-or-no facts of a drug that the rules ask again and again, worked out once per knowledge base. */
export interface DrugTraits {
  /** Bit i = member of class i of RG6. */
  readonly duplicateClasses: number;
  /** Stopping after long use needs a taper by V08: a taper class other than PPI and nitrate. */
  readonly isTaperProtected: boolean;
  /** Any taper class. */
  readonly isDependence: boolean;
  readonly isTitrated: boolean;
  readonly isOpioid: boolean;
  /** Benzodiazepine, Z-drug or gabapentinoid: V15 watches them beside an opioid. */
  readonly isOpioidPartner: boolean;
  /** Anticoagulant, insulin, strong opioid, methotrexate, digoxin or lithium. */
  readonly isHighAlert: boolean;
  readonly isPpi: boolean;
  readonly isBeersAvoid: boolean;
  readonly hasRenalClause: boolean;
  readonly mayHaveWashout: boolean;
  /** V16, by disease. Sources: labels, AGS Beers 2023, STOPP v3. */
  readonly isBadInHfref: boolean;
  readonly isBadInCad: boolean;
  readonly isBadInAsthma: boolean;
  readonly isBadInParkinson: boolean;
  readonly isBadInSeizure: boolean;
  readonly isNsaid: boolean;
  readonly isNitrate: boolean;
  readonly isPde5: boolean;
  /** Dose a start takes where the kidneys don't matter: low for titrated classes, else the target dose. */
  readonly plainFirstDose: number;
}

const HIGH_ALERT_GROUPS = ["ANTICOAG", "INSULIN", "OPIOID_STRONG", "METHOTREXATE", "DIGOXIN", "LITHIUM"];
const WASHOUT_GROUPS = ["MAOI", "MAOB", "SEROTONERGIC", "ACEI", "ARNI", "VKA", "DOAC"];

const cache = new WeakMap<KnowledgeBase, readonly DrugTraits[]>();

/** Traits of every drug by row number. */
export function traitsOf(kb: KnowledgeBase): readonly DrugTraits[] {
  let traits = cache.get(kb);
  if (traits === undefined) {
    traits = kb.drugs.map(toTraits);
    cache.set(kb, traits);
  }
  return traits;
}

function toTraits(drug: Drug): DrugTraits {
  const has = (group: string): boolean => drug.groups.includes(group);
  let duplicateClasses = 0;
  for (const [i, [group]] of DUPLICATE_CLASSES.entries()) if (has(group)) duplicateClasses |= 1 << i;
  return {
    duplicateClasses,
    isTaperProtected: drug.taperClass !== "NONE" && drug.taperClass !== "PPI" && drug.taperClass !== "NITRATE",
    isDependence: drug.taperClass !== "NONE",
    isTitrated: isTitrated(drug),
    isOpioid: has("OPIOID"),
    isOpioidPartner: has("BZD") || has("ZDRUG") || has("GABAPENTINOID"),
    isHighAlert: HIGH_ALERT_GROUPS.some(has),
    isPpi: has("PPI"),
    isBeersAvoid: drug.beers.some(({ kind }) => kind === "AVOID"),
    hasRenalClause: drug.renalRule.clauses.length > 0 || drug.renalRule.hasAfRule,
    mayHaveWashout: WASHOUT_GROUPS.some(has),
    isBadInHfref:
      ["NDHP_CCB", "TZD", "NSAID"].some(has) ||
      ["cilostazol", "dronedarone", "itraconazole", "flecainide"].includes(drug.drugId),
    isBadInCad: drug.drugId === "flecainide" || has("TRIPTAN"),
    isBadInAsthma: has("BB_NONSEL"),
    isBadInParkinson: drug.drugId === "metoclopramide" || has("ANTIPSYCH_D2"),
    isBadInSeizure: drug.drugId === "bupropion" || drug.drugId === "tramadol",
    isNsaid: has("NSAID"),
    isNitrate: has("NITRATE"),
    isPde5: has("PDE5"),
    plainFirstDose: isTitrated(drug) ? startDose(drug) : targetDose(drug),
  };
}

/** True for monitoring items that measure a drug's level or its direct effect. */
export function isLevelCode(code: string): boolean {
  return code === "INR" || code === "TSH" || code.endsWith("_LEVEL") || code === "VANC_AUC";
}
