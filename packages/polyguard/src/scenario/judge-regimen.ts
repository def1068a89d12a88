import { isManaged, type ManagedSide, managementOf } from "../interactions/managed.ts";
import type { PairHit } from "../interactions/pair-hits.ts";
import { findRegimenHits, type RegimenHit } from "../interactions/regimen-rules.ts";
import { drugAt } from "../kb/lookup.ts";
import type { ScenarioDraft } from "./draft.ts";
import type { PlacedHazard } from "./inject.ts";
import { isHeldOutRule } from "./splits.ts";
import type { Hazard } from "./types.ts";

/** What fires in a drafted regimen. */
export interface JudgedRegimen {
  readonly hits: readonly PairHit[];
  /** Major hits of the base regimen that orders placed before day 0 manage. */
  readonly managed: readonly PairHit[];
  readonly hazards: readonly Hazard[];
}

/**
 * Null unless every hazard whose sign is a hit shows as one that nobody manages, and nothing else asks for action: majors of
 * the base regimen must be manageable by monitoring, which is then ordered.
 * @param isJoint hits between the drugs of two hazards belong to both
 */
export function judgeRegimen(
  draft: ScenarioDraft,
  placed: readonly PlacedHazard[],
  isJoint: boolean,
): JudgedRegimen | null {
  const { kb } = draft;
  const hits = draft.pairHits();
  const hazardDrugs = new Set(placed.flatMap((hazard) => hazard.drugs.map((drug) => drug.index)));
  const hazardOf = (hit: PairHit): boolean =>
    isJoint
      ? hazardDrugs.has(hit.aIndex) && hazardDrugs.has(hit.bIndex)
      : placed.some((hazard) => hitsOfHazard([hit], hazard).length > 0);
  const managed: PairHit[] = [];
  for (const hit of hits) {
    if (hazardOf(hit)) continue;
    if (hit.severity === "moderate") {
      // A level-guided drug of a long-standing list is watched: else ordering its level would be the best thing to do.
      const isWatched =
        hit.objectIndex !== null &&
        drugAt(kb, hit.objectIndex).isNarrowTi &&
        hit.managementCodes.includes("MONITOR") &&
        !hazardDrugs.has(hit.aIndex) &&
        !hazardDrugs.has(hit.bIndex);
      if (isWatched) watch(draft, hit);
      continue;
    }
    const isMonitorable =
      hit.severity === "major" && hit.managementCodes.includes("MONITOR") && !hit.managementCodes.includes("AVOID");
    if (!isMonitorable || isHeldOutRule(hit.ruleId)) return null;
    watch(draft, hit);
    managed.push(hit);
  }
  const regimenHits = regimenHitsOf(draft);
  const isHazardDrug = (index: number): boolean => hazardDrugs.has(index);
  if (regimenHits.some((hit) => hit.severity !== "moderate" && !hit.drugIndexes.some(isHazardDrug))) return null;
  if (managed.some((hit) => !isManagedNow(draft, hit))) return null;
  const hazards: Hazard[] = [];
  for (const hazard of placed) {
    const near = isJoint ? hitsTouching(hits.filter(hazardOf), hazard) : hitsOfHazard(hits, hazard);
    const own = near.filter((hit) => !isManagedNow(draft, hit));
    const rules = regimenHits.filter((hit) => hit.severity !== "moderate" && sharesTwo(hit, hazard));
    if (hazard.sign === "hit" && own.length === 0 && rules.length === 0) return null;
    hazards.push({
      family: hazard.family,
      ruleIds: [...new Set([...own.map((hit) => hit.ruleId), ...rules.map((hit) => hit.ruleId)])].sort(),
      drugIndexes: hazard.drugs.map((drug) => drug.index),
      targetIndexes: hazard.targets.map((drug) => drug.index),
      missing: hazard.missing,
      needsSeveralVisits: hazard.needsSeveralVisits,
    });
  }
  return { hits, managed, hazards };
}

/** Orders the monitoring of the drug whose exposure changes, or of both. */
function watch(draft: ScenarioDraft, hit: PairHit): void {
  const objects = hit.objectIndex === null ? [hit.aIndex, hit.bIndex] : [hit.objectIndex];
  for (const index of objects) draft.orders.push(...drugAt(draft.kb, index).monitoring);
}

/** Regimen rules that fire in a drafted regimen on its true facts. */
export function regimenHitsOf(draft: ScenarioDraft): readonly RegimenHit[] {
  return findRegimenHits(
    draft.kb,
    draft.medications.map((each) => ({
      drugIndex: each.drug.index,
      daysOfUse: each.daysOfUse,
      crossOverFromDrugIndex: null,
    })),
    draft.facts(),
    { orders: new Set(draft.orders), unknownCountsAs: true },
  );
}

function sharesTwo(hit: RegimenHit, hazard: PlacedHazard): boolean {
  return hazard.drugs.filter((drug) => hit.drugIndexes.includes(drug.index)).length >= 2;
}

function isManagedNow(draft: ScenarioDraft, hit: PairHit): boolean {
  const sideOf = (index: number): ManagedSide => {
    const entry = draft.medications.find((each) => each.drug.index === index)!;
    return {
      drugIndex: index,
      dosePerDay: entry.dosePerDay,
      startDay: -entry.daysOfUse,
      doseHistory: [],
      lastInRangeLevelDay: null,
      isTapering: false,
      isReviewed: false,
    };
  };
  const management = managementOf(
    draft.kb,
    draft.medications.map((each) => each.drug.index),
    draft.orders,
  );
  return isManaged(draft.kb, hit.entry, sideOf(hit.aIndex), sideOf(hit.bIndex), management);
}

/** Hits whose two drugs both belong to that hazard. */
function hitsOfHazard(hits: readonly PairHit[], hazard: PlacedHazard): readonly PairHit[] {
  const indexes = new Set(hazard.drugs.map((drug) => drug.index));
  return hits.filter((hit) => indexes.has(hit.aIndex) && indexes.has(hit.bIndex));
}

/** Hits that touch the hazard. */
function hitsTouching(hits: readonly PairHit[], hazard: PlacedHazard): readonly PairHit[] {
  const indexes = new Set(hazard.drugs.map((drug) => drug.index));
  return hits.filter((hit) => indexes.has(hit.aIndex) || indexes.has(hit.bIndex));
}
