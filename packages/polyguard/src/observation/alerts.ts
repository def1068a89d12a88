import { isReviewed } from "../course/project.ts";
import type { Facts } from "../interactions/facts.ts";
import { isManaged, type ManagedSide, managementOf } from "../interactions/managed.ts";
import { findPairHits, hitOf, type PairHit } from "../interactions/pair-hits.ts";
import { pairEntries, pairTableOf } from "../interactions/pair-table.ts";
import { findRegimenHits, type RegimenHit } from "../interactions/regimen-rules.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import type { Decoy, Scenario } from "../scenario/types.ts";
import type { WorldState } from "../world/types.ts";
import type { KnownAlert, KnownMedication, Memory } from "./types.ts";

type Mapped = KnownMedication & { readonly drugIndex: number };

/** Hits of a list by the knowledge base, shown or not. */
export interface ListHits {
  readonly pairHits: readonly PairHit[];
  readonly regimenHits: readonly RegimenHit[];
}

/** Hits of the listed drugs on known facts; a value that is not known counts as true. */
export function findListHits(
  kb: KnowledgeBase,
  world: WorldState,
  medications: readonly KnownMedication[],
  facts: Facts,
): ListHits {
  const mapped = judgedRows(medications);
  const day = world.clock.day;
  const regimen = mapped.map((each) => ({
    drugIndex: each.drugIndex,
    daysOfUse: each.startDay === null ? 0 : day - each.startDay,
    crossOverFromDrugIndex: each.crossOverFromDrugIndex,
  }));
  return {
    pairHits: findPairHits(kb, mapped, facts, { unknownCountsAs: true }),
    regimenHits: findRegimenHits(kb, regimen, facts, { orders: orderCodes(world), unknownCountsAs: true }),
  };
}

/** Rows that hits are judged on: known to the knowledge base and not held. */
function judgedRows(medications: readonly KnownMedication[]): readonly Mapped[] {
  return medications.filter((each): each is Mapped => each.drugIndex !== null && each.status !== "held");
}

function orderCodes(world: WorldState): ReadonlySet<string> {
  return new Set(world.orders.map((order) => order.code));
}

/** The alerts among the hits. A hit is shown when its draw falls under the coverage, or once it was looked up. */
export function showAlerts(
  kb: KnowledgeBase,
  scenario: Scenario,
  world: WorldState,
  memory: Memory,
  medications: readonly KnownMedication[],
  { pairHits, regimenHits }: ListHits,
): readonly KnownAlert[] {
  const mapped = judgedRows(medications);
  const byIndex = new Map(mapped.map((each) => [each.drugIndex, each]));
  const orders = orderCodes(world);
  const management = managementOf(
    kb,
    mapped.map((each) => each.drugIndex),
    orders,
  );
  const looked = lookedUp(memory);
  const alerts: KnownAlert[] = [];
  for (const hit of pairHits) {
    const a = byIndex.get(hit.aIndex)!;
    const b = byIndex.get(hit.bIndex)!;
    if (
      !looked.has(hit.aIndex) &&
      !looked.has(hit.bIndex) &&
      (isHiddenPair(scenario, hit) || !isCovered(scenario, hit.entry.domainIndex, hit.aIndex, hit.bIndex))
    )
      continue;
    alerts.push(pairAlert(hit, a, b, isManaged(kb, hit.entry, sideOf(world, a), sideOf(world, b), management)));
  }
  for (const decoy of scenario.decoys) {
    if (decoy.kind !== "false_alarm") continue;
    const alert = falseAlarm(kb, decoy, byIndex, pairHits);
    if (alert !== null) alerts.push(alert);
  }
  for (const hit of regimenHits) {
    const first = hit.drugIndexes[0] ?? 0;
    if (
      !isCovered(scenario, REGIMEN_RULES_FROM + Number(hit.ruleId.slice(2)), first, first) &&
      !hit.drugIndexes.some((index) => looked.has(index))
    )
      continue;
    const medRefs = hit.drugIndexes.map((index) => byIndex.get(index)!.medRef);
    alerts.push({
      id: `al:${hit.ruleId}:${hit.domain}:${medRefs.join(":")}`,
      ruleId: hit.ruleId,
      drugIndexes: [...hit.drugIndexes].sort((x, y) => x - y),
      medRefs,
      severity: hit.severity,
      domain: hit.domain,
      source: hit.source,
      hit: null,
      isManaged: false,
    });
  }
  return alerts;
}

function pairAlert(hit: PairHit, a: Mapped, b: Mapped, managed: boolean): KnownAlert {
  return {
    id: `al:${hit.ruleId}:${hit.domain}:${a.medRef}:${b.medRef}`,
    ruleId: hit.ruleId,
    drugIndexes: hit.aIndex < hit.bIndex ? [hit.aIndex, hit.bIndex] : [hit.bIndex, hit.aIndex],
    medRefs: [a.medRef, b.medRef],
    severity: hit.severity,
    domain: hit.domain,
    source: hit.rule?.source ?? "exposure model",
    hit,
    isManaged: managed,
  };
}

/** A rule whose condition does not hold, or that is about another drug, shown all the same; null once one of its drugs is gone. */
function falseAlarm(
  kb: KnowledgeBase,
  { ruleId, drugIndexes, mistakenFor }: Decoy,
  byIndex: ReadonlyMap<number, Mapped>,
  hits: readonly PairHit[],
): KnownAlert | null {
  const [first, second] = drugIndexes;
  const a = first === undefined ? undefined : byIndex.get(first);
  const b = second === undefined ? undefined : byIndex.get(second);
  if (a === undefined || b === undefined) return null;
  const [from, to] = mistakenFor ?? [a.drugIndex, b.drugIndex];
  const entry = pairEntries(pairTableOf(kb), from, to).find((each) => each.ruleId === ruleId);
  if (
    entry === undefined ||
    hits.some((hit) => hit.ruleId === ruleId && hit.aIndex === entry.aIndex && hit.bIndex === entry.bIndex)
  )
    return null;
  const own = (index: number): number => (index === from ? a.drugIndex : b.drugIndex);
  const hit = hitOf(entry);
  return pairAlert(
    {
      ...hit,
      aIndex: own(hit.aIndex),
      bIndex: own(hit.bIndex),
      objectIndex: hit.objectIndex === null ? null : own(hit.objectIndex),
    },
    byIndex.get(own(entry.aIndex))!,
    byIndex.get(own(entry.bIndex))!,
    false,
  );
}

/** Drugs that were looked up or reviewed: their hits are shown whatever the coverage. */
function lookedUp(memory: Memory): ReadonlySet<number> {
  const indexes = new Set<number>();
  for (const evidence of memory.evidence) for (const index of evidence.drugIndexes) indexes.add(index);
  for (const note of memory.reviewNotes) if (note.drugIndex !== null) indexes.add(note.drugIndex);
  return indexes;
}

function isHiddenPair({ mask }: Scenario, { aIndex, bIndex }: PairHit): boolean {
  return mask.hiddenPairs?.some(([a, b]) => (a === aIndex && b === bIndex) || (a === bIndex && b === aIndex)) ?? false;
}

/** Numbers of the regimen rules stand after those of the domains. */
const REGIMEN_RULES_FROM = 100;

/** Coverage by a number fixed for scenario, domain and pair, so that an alert does not come and go. */
function isCovered(scenario: Scenario, domain: number, first: number, second: number): boolean {
  const coverage = scenario.mask.alertCoverage;
  if (coverage >= 1) return true;
  let h = Math.imul(scenario.seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(Math.min(first, second) + 1, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d) ^ Math.imul(Math.max(first, second) + 1, 0x297a2d39) ^ (domain + 1);
  h = Math.imul(h ^ (h >>> 12), 0x85ebca6b);
  h ^= h >>> 16;
  return (h >>> 0) / 2 ** 32 < coverage;
}

function sideOf(world: WorldState, medication: Mapped): ManagedSide {
  return {
    drugIndex: medication.drugIndex,
    dosePerDay: medication.dosePerDay,
    startDay: medication.startDay ?? Number.NEGATIVE_INFINITY,
    doseHistory: medication.doseHistory,
    lastInRangeLevelDay:
      world.medications.find((each) => each.medRef === medication.medRef)?.lastInRangeLevelDay ?? null,
    isTapering: medication.taper !== null && !medication.taper.isPaused,
    isReviewed: isReviewed(world, medication.drugIndex),
  };
}
