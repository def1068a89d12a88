import type { ExposureModel } from "../engine/exposure.ts";
import { dominantDomain, HAZARDS } from "../engine/hazard-table.ts";
import { HARM_DOMAINS, type ManagementCode, type Severity, severityRank } from "../kb/domains.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import { managementTraits } from "./management-traits.ts";
import type { PairEntry } from "./pair-table.ts";

/** Rule id of hits that no table row names but the exposure model gives. */
const DERIVED_RULE_ID = "DERIVED";

/** assumption: a derived hit is managed like the table's enzyme rows of the same severity. */
const DERIVED_CODES: Readonly<Record<Severity, readonly ManagementCode[]>> = {
  contraindicated: ["AVOID"],
  major: ["ADJUST", "MONITOR"],
  moderate: ["ADJUST", "MONITOR"],
};

/**
 * Severity of an exposure change by one perpetrator alone; null = no hit. Thresholds of the FDA classes: >= 5 major
 * (contraindicated for a narrow index), 2-5 moderate (major), 1.25-2 none (moderate), .2-.5 moderate loss (major), <= .2 major loss.
 */
export function severityOfRatio(
  ratio: number,
  isNarrowTi: boolean,
): { readonly severity: Severity; readonly isLoss: boolean } | null {
  if (ratio >= 5) return { severity: isNarrowTi ? "contraindicated" : "major", isLoss: false };
  if (ratio >= 2) return { severity: isNarrowTi ? "major" : "moderate", isLoss: false };
  if (ratio >= 1.25) return isNarrowTi ? { severity: "moderate", isLoss: false } : null;
  if (ratio <= 0.2) return { severity: "major", isLoss: true };
  if (ratio <= 0.5) return { severity: isNarrowTi ? "major" : "moderate", isLoss: true };
  return null;
}

/**
 * Hits of the exposure model on pairs that no table row names, at normal kidneys and metabolism.
 * @param firstNew pairs of two drugs before this row are left out
 */
export function deriveHits(
  kb: KnowledgeBase,
  model: ExposureModel,
  isNamed: (drugIndex: number, otherIndex: number) => boolean,
  firstNew: number,
): PairEntry[] {
  const entries: PairEntry[] = [];
  for (const perpetrator of kb.drugs) {
    model.clearPerpetrators();
    model.addPerpetrator(perpetrator.index, 1);
    for (let index = perpetrator.index < firstNew ? firstNew : 0; index < kb.drugs.length; index++) {
      const victim = kb.drugs[index]!;
      if (victim === perpetrator || isNamed(index, perpetrator.index)) continue;
      const ratio = model.aucr(victim.index);
      const found = severityOfRatio(ratio, victim.isNarrowTi);
      if (found === null) continue;
      const severity = severityFor(victim, found.severity, found.isLoss);
      if (severity !== null) entries.push(makeEntry(kb, victim, perpetrator, ratio, severity, found.isLoss));
    }
  }
  model.clearPerpetrators();
  return entries;
}

/**
 * Severity of a rise of a drug with a wide index that harms little or nobody by itself (an acid blocker, an antihistamine):
 * with no more than one risk point in any domain it is moderate at most, without any it is no hit, as an alert would be noise.
 */
function severityFor(victim: Drug, severity: Severity, isLoss: boolean): Severity | null {
  if (isLoss || victim.isNarrowTi) return severity;
  const most = Math.max(...HARM_DOMAINS.map((domain) => HAZARDS[domain].points(victim)));
  if (most > 1) return severity;
  if (severity === "moderate") return most === 0 ? null : severity;
  return "moderate";
}

function makeEntry(
  kb: KnowledgeBase,
  victim: Drug,
  perpetrator: Drug,
  ratio: number,
  severity: Severity,
  isLoss: boolean,
): PairEntry {
  const domain = isLoss ? "EFFICACY_LOSS" : victim.isNarrowTi ? "NTI_TOX" : dominantDomain(victim);
  const traits = managementTraits(kb, [victim.index, perpetrator.index], severity, DERIVED_CODES[severity]);
  return {
    ruleId: DERIVED_RULE_ID,
    rule: null,
    aIndex: victim.index,
    bIndex: perpetrator.index,
    severity,
    severityRank: severityRank(severity),
    domain,
    domainIndex: domain === "EFFICACY_LOSS" ? HARM_DOMAINS.length : HARM_DOMAINS.indexOf(domain),
    objectIndex: victim.index,
    perpetratorIndex: perpetrator.index,
    aucrApprox: ratio,
    conditionId: -1,
    managementCodes: DERIVED_CODES[severity],
    isStrict: traits.isStrict,
    isOpioidHit: traits.isOpioidHit,
    isManagedByOrders: traits.isManagedByOrders,
    isDerived: true,
    isModelled: isLoss,
  };
}
