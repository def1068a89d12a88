import type { MappedMedication } from "../actions/legality-context.ts";
import { isManaged, type ManagedSide, managementOf } from "../interactions/managed.ts";
import type { PairHit } from "../interactions/pair-hits.ts";
import { pairEntries, pairTableOf } from "../interactions/pair-table.ts";
import { type InteractionDomain, SEVERITIES, type Severity } from "../kb/domains.ts";
import { findDrug } from "../kb/lookup.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import { findMeasurement, flagOf } from "../observation/measurements.ts";
import type { Observation } from "../observation/schema.ts";
import type { KnownAlert } from "../observation/types.ts";
import type { ChartMemory } from "./chart-memory.ts";

/** Alerts of an observation with the hits behind them, judged on what the policy knows of orders and doses. */
export function alertsOf(
  kb: KnowledgeBase,
  observation: Observation,
  active: readonly MappedMedication[],
  pairHits: readonly PairHit[],
  orders: ReadonlySet<string>,
  memory: ChartMemory,
): KnownAlert[] {
  const byDrug = new Map(active.map((each) => [each.drugIndex, each]));
  const management = managementOf(kb, [...byDrug.keys()], orders);
  const alerts: KnownAlert[] = [];
  for (const { id, drugs, severity, domain, source } of observation.safety.alerts) {
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
      isManaged:
        hit !== null &&
        isManaged(
          kb,
          hit.entry,
          sideOf(observation, memory, byDrug.get(hit.aIndex)!),
          sideOf(observation, memory, byDrug.get(hit.bIndex)!),
          management,
        ),
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
  if (entry === undefined) return null;
  return {
    ruleId: entry.ruleId,
    rule: entry.rule,
    aIndex: entry.aIndex,
    bIndex: entry.bIndex,
    severity: entry.severity,
    domain: entry.domain,
    objectIndex: entry.objectIndex,
    aucrApprox: entry.aucrApprox,
    managementCodes: entry.managementCodes,
    isDerived: entry.isDerived,
    entry,
  };
}

function sideOf(observation: Observation, memory: ChartMemory, medication: MappedMedication): ManagedSide {
  const { lastLevel } = medication;
  const measurement = lastLevel === null ? undefined : findMeasurement(lastLevel.code);
  const levelDay = lastLevel === null ? 0 : observation.course.day - lastLevel.ageDays;
  const isInRange = measurement !== undefined && flagOf(measurement, lastLevel!.value) === "N";
  const isReviewed = memory.reviews.some(
    ({ medRef, validUntilStep }) =>
      validUntilStep >= observation.step && (medRef === null || medRef === medication.medRef),
  );
  return {
    drugIndex: medication.drugIndex,
    dosePerDay: medication.dosePerDay,
    startDay: medication.startDay ?? Number.NEGATIVE_INFINITY,
    doseHistory: medication.doseHistory,
    // Only samples of the episode count: an older value may be of the time before the pair.
    lastInRangeLevelDay: isInRange && levelDay > 0 ? levelDay : null,
    isTapering: medication.taper !== null && !medication.taper.isPaused,
    isReviewed,
  };
}
