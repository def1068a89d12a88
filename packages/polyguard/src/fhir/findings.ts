import type { RegimenHit } from "../interactions/regimen-rules.ts";
import { severityRank } from "../kb/domains.ts";
import { drugAt } from "../kb/lookup.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import type { Known } from "../observation/types.ts";
import type { ReviewFinding } from "./review-types.ts";

/** Text of a regimen hit on a record: what a record does not say is not documented, rather than absent. */
export function recordText({ ruleId, text }: RegimenHit): string {
  return ruleId === "RG10" ? "indication not documented" : text;
}

/** Every warning that is shown, worst first, managed ones after those that ask for something. */
export function findingsOf(kb: KnowledgeBase, known: Known): readonly ReviewFinding[] {
  const findings = known.alerts.map((alert): ReviewFinding => {
    const drugs = alert.drugIndexes.map((index) => drugAt(kb, index).genericName).join(" + ");
    const shared = {
      rule: alert.ruleId,
      severity: alert.severity,
      drugs,
      drug_ids: alert.drugIndexes.map((index) => drugAt(kb, index).drugId),
      domain: alert.domain,
      managed: alert.isManaged,
    };
    const rule = alert.hit?.rule ?? null;
    if (rule !== null)
      return {
        ...shared,
        mechanism: rule.mechanism,
        effect: rule.effect,
        management: rule.management,
        source: rule.source,
      };
    const regimen = known.regimenHits.find((hit) => hit.ruleId === alert.ruleId);
    if (regimen !== undefined)
      return {
        ...shared,
        mechanism: "whole regimen",
        effect: recordText(regimen),
        management: "",
        source: regimen.source,
      };
    return {
      ...shared,
      mechanism: "exposure model",
      effect: "exposure of one drug is changed by the other",
      management: "check dose and effect",
      source: alert.source,
    };
  });
  return findings.sort(
    (a, b) =>
      Number(a.managed) - Number(b.managed) ||
      severityRank(b.severity as Known["alerts"][number]["severity"]) -
        severityRank(a.severity as Known["alerts"][number]["severity"]) ||
      (a.drugs < b.drugs ? -1 : 1),
  );
}
