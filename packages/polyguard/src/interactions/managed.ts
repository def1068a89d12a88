import type { Drug, KnowledgeBase } from "../kb/types.ts";
import type { DosePoint } from "../world/types.ts";
import type { PairEntry } from "./pair-table.ts";

/** What management looks at on one side of a pair. Doses in the unit of the drug's row. */
export interface ManagedSide {
  readonly drugIndex: number;
  readonly dosePerDay: number;
  readonly startDay: number;
  readonly doseHistory: readonly DosePoint[];
  /** Day of the last level or INR inside its target; null = none. */
  readonly lastInRangeLevelDay: number | null;
  /** A taper plan runs (not paused). */
  readonly isTapering: boolean;
  /** A finished review of this drug is valid. */
  readonly isReviewed: boolean;
}

/** Orders and protection of the whole regimen, made once per regimen by {@link managementOf}. */
export interface ManagementState {
  readonly orders: ReadonlySet<string>;
  readonly hasPpi: boolean;
}

/** assumption: exposure ratio taken for ADJUST where the table gives none. */
const DEFAULT_AUCR = 2;
/** A narrow_ti object is adjusted once its dose was cut by this share since the pair came together. */
const ADJUST_CUT = 0.25;

/** Orders and protection of a regimen. */
export function managementOf(
  kb: KnowledgeBase,
  drugIndexes: readonly number[],
  orders: Iterable<string>,
): ManagementState {
  return { orders: new Set(orders), hasPpi: drugIndexes.some((index) => kb.drugs[index]!.groups.includes("PPI")) };
}

/**
 * True when the state satisfies one listed management code of the hit other than AVOID. A contraindicated hit can't be
 * managed; where AVOID is listed, a major hit is not managed by MONITOR alone, and by PROTECT only in GI_BLEED.
 * `first` and `second` are the two drugs of the pair in any order.
 */
export function isManaged(
  kb: KnowledgeBase,
  entry: PairEntry,
  first: ManagedSide,
  second: ManagedSide,
  state: ManagementState,
): boolean {
  if (entry.severity === "contraindicated") return false;
  const a = entry.aIndex === first.drugIndex ? first : second;
  const b = a === first ? second : first;
  const { isStrict } = entry;
  for (const code of entry.managementCodes) {
    switch (code) {
      case "MONITOR":
        if (!isStrict && isMonitored(kb, entry, state.orders)) return true;
        break;
      case "PROTECT":
        if ((!isStrict || entry.domain === "GI_BLEED") && isProtected(entry, state)) return true;
        break;
      case "SEPARATE":
        if (state.orders.has("TIMING")) return true;
        break;
      case "TAPER":
        if (a.isTapering || b.isTapering) return true;
        break;
      case "TAPER_ORDER":
        // Side a of such a row is the drug to be stopped first (the beta-blocker before clonidine).
        if (a.isTapering) return true;
        break;
      case "REVIEW_INDICATION":
        if (a.isReviewed || b.isReviewed) return true;
        break;
      case "ADJUST":
        if (isAdjusted(kb, entry, a, b)) return true;
        break;
      case "AVOID":
      case "STOP_ONE":
      case "SUBSTITUTE":
        // Satisfied only by the pair being gone.
        break;
    }
  }
  return false;
}

function isMonitored(kb: KnowledgeBase, entry: PairEntry, orders: ReadonlySet<string>): boolean {
  const a = kb.drugs[entry.aIndex]!;
  const b = kb.drugs[entry.bIndex]!;
  if (entry.objectIndex !== null) return hasAllOrders(entry.objectIndex === a.index ? a : b, orders) ?? false;
  const first = hasAllOrders(a, orders);
  const second = hasAllOrders(b, orders);
  // A drug without monitoring items asks for nothing, but two such drugs can't be monitored.
  return (first ?? true) && (second ?? true) && (first !== null || second !== null);
}

/** null for a drug without monitoring items. */
function hasAllOrders(drug: Drug, orders: ReadonlySet<string>): boolean | null {
  return drug.monitoring.length === 0 ? null : drug.monitoring.every((item) => orders.has(item));
}

function isProtected(entry: PairEntry, state: ManagementState): boolean {
  return entry.isOpioidHit ? state.orders.has("NALOXONE") : state.hasPpi;
}

function isAdjusted(kb: KnowledgeBase, entry: PairEntry, a: ManagedSide, b: ManagedSide): boolean {
  if (entry.objectIndex === null) return false;
  const object = entry.objectIndex === a.drugIndex ? a : b;
  const drug = kb.drugs[object.drugIndex]!;
  if (!drug.isNarrowTi) return object.dosePerDay * (entry.aucrApprox ?? DEFAULT_AUCR) <= drug.doseMax * (1 + 1e-9);
  const together = Math.max(a.startDay, b.startDay);
  if (object.lastInRangeLevelDay !== null && object.lastInRangeLevelDay > together) return true;
  const before = doseOn(object, together);
  return before > 0 && object.dosePerDay <= (1 - ADJUST_CUT) * before * (1 + 1e-9);
}

/** Dose on a day by the history; the first entry also stands for earlier days. */
function doseOn(side: ManagedSide, day: number): number {
  let dose = side.doseHistory[0]?.dosePerDay ?? side.dosePerDay;
  for (const point of side.doseHistory) {
    if (point.day > day) break;
    dose = point.dosePerDay;
  }
  return dose;
}
