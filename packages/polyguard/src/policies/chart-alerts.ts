import type { MappedMedication } from "../actions/legality-context.ts";
import { hitOf, type PairHit } from "../interactions/pair-hits.ts";
import { pairEntries, pairTableOf } from "../interactions/pair-table.ts";
import { type InteractionDomain, SEVERITIES, type Severity } from "../kb/domains.ts";
import { findDrug } from "../kb/lookup.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import type { Observation } from "../observation/schema.ts";
import type { KnownAlert } from "../observation/types.ts";

/** Alerts of an observation with the hits behind them. */
export function alertsOf(
  kb: KnowledgeBase,
  observation: Observation,
  active: readonly MappedMedication[],
  pairHits: readonly PairHit[],
): KnownAlert[] {
  const byDrug = new Map(active.map((each) => [each.drugIndex, each]));
  const alerts: KnownAlert[] = [];
  for (const { id, drugs, severity, domain, source, managed } of observation.safety.alerts) {
    const members = drugs
      .map((drugId) => findDrug(kb, drugId)?.index)
      .map((index) => (index === undefined ? undefined : byDrug.get(index)))
      .filter((each) => each !== undefined);
    const ruleId = id.split(":")[1] ?? id;
    const hit = REGIMEN_RULE.test(ruleId) ? null : pairHitOf(kb, members, pairHits, severity, domain);
    alerts.push({
      id,
      ruleId,
      drugIndexes: members.map(({ drugIndex }) => drugIndex).sort((x, y) => x - y),
      medRefs: members.map(({ medRef }) => medRef),
      severity: SEVERITIES.find((each) => each === severity) ?? "moderate",
      domain: domain as InteractionDomain,
      source,
      hit,
      isManaged: managed,
    });
  }
  return alerts;
}

const REGIMEN_RULE = /^RG\d+$/;

/** The pair hit behind an alert: of the list as known, else the rule of the table that the alert names (a false alarm). */
function pairHitOf(
  kb: KnowledgeBase,
  members: readonly MappedMedication[],
  pairHits: readonly PairHit[],
  severity: string,
  domain: string,
): PairHit | null {
  const [first, second] = members;
  if (members.length !== 2 || first === undefined || second === undefined) return null;
  const isPair = (a: number, b: number): boolean =>
    (a === first.drugIndex && b === second.drugIndex) || (a === second.drugIndex && b === first.drugIndex);
  const found = pairHits.find((hit) => isPair(hit.aIndex, hit.bIndex) && hit.domain === domain);
  if (found !== undefined) return found;
  const entry = pairEntries(pairTableOf(kb), first.drugIndex, second.drugIndex).find(
    (each) => each.domain === domain && each.severity === (severity as Severity),
  );
  return entry === undefined ? null : hitOf(entry);
}
