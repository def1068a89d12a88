import type { Facts } from "../interactions/facts.ts";
import { isManaged } from "../interactions/managed.ts";
import {
  EFFICACY_LOSS_INDEX,
  judgeConditions,
  judgeDoseCondition,
  type PairEntry,
  type PairTable,
  pairTableOf,
} from "../interactions/pair-table.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import { EFFICACY_LOSS_LEAVES } from "./benefit.ts";
import type { EvaluationItem } from "./evaluation-types.ts";
import { EXCESS_BY_RANK, MANAGED_SHARE } from "./hazard-table.ts";
import type { HazardModel } from "./hazards.ts";

/** A hit of the base regimen; its size without and with a PPI in the regimen follows the orders. */
interface BaseHit {
  readonly slotA: number;
  readonly slotB: number;
  readonly domain: number;
  readonly objectSlot: number;
  readonly entry: PairEntry;
  readonly first: EvaluationItem;
  readonly second: EvaluationItem;
  readonly weight: number;
  size: number;
  sizeWithPpi: number;
}

/**
 * Pair hits of regimens turned into hazard excess and efficacy. The hits of a base regimen are kept, so that a regimen
 * that shares its items (the same objects) costs only the pairs of its other items.
 */
export class PairLosses {
  readonly #kb: KnowledgeBase;
  readonly #table: PairTable;
  readonly #truths: Uint8Array;
  readonly #management: { orders: ReadonlySet<string>; hasPpi: boolean } = { orders: new Set(), hasPpi: false };
  #facts: Facts | null = null;
  readonly #base: BaseHit[] = [];
  readonly #positionOfSlot: Int16Array;

  constructor(kb: KnowledgeBase, maxItems: number) {
    this.#kb = kb;
    this.#table = pairTableOf(kb);
    this.#truths = new Uint8Array(this.#table.conditions.length);
    this.#positionOfSlot = new Int16Array(maxItems);
  }

  /** Sets the patient and forgets the base. */
  setContext(facts: Facts, orders: ReadonlySet<string>): void {
    this.#facts = facts;
    this.#management.orders = orders;
    judgeConditions(this.#table, facts, true, this.#truths);
    this.#base.length = 0;
  }

  /** Sets other orders for the same patient; the base is kept, its hits are sized anew. */
  setOrders(orders: ReadonlySet<string>): void {
    this.#management.orders = orders;
    for (const hit of this.#base) {
      hit.size = this.#size(hit.entry, hit.first, hit.second, hit.weight, false);
      hit.sizeWithPpi = this.#size(hit.entry, hit.first, hit.second, hit.weight, true);
    }
  }

  /** Keeps the hits of a base regimen; slot = position in `items`. */
  remember(items: readonly EvaluationItem[]): void {
    this.#base.length = 0;
    for (let i = 1; i < items.length; i++) {
      for (let j = 0; j < i; j++) {
        const first = items[i]!;
        const second = items[j]!;
        for (const entry of this.#hitsOf(first, second)) {
          const weight = Math.min(first.carryOver, second.carryOver);
          this.#base.push({
            slotA: i,
            slotB: j,
            domain: entry.domainIndex,
            objectSlot: entry.objectIndex === first.drugIndex ? i : j,
            entry,
            first,
            second,
            weight,
            size: this.#size(entry, first, second, weight, false),
            sizeWithPpi: this.#size(entry, first, second, weight, true),
          });
        }
      }
    }
  }

  /**
   * Adds the hits of `items` to `hazards` and cuts `efficacy` (by position). `slots` holds the base slot of each item that is
   * the base's own object, else -1.
   */
  apply(
    items: readonly EvaluationItem[],
    slots: Int16Array,
    hasPpi: boolean,
    hazards: HazardModel,
    efficacy: Float64Array,
  ): void {
    const count = items.length;
    const position = this.#positionOfSlot;
    if (this.#base.length > 0) {
      position.fill(-1);
      for (let i = 0; i < count; i++) if (slots[i]! >= 0) position[slots[i]!] = i;
      for (let k = 0; k < this.#base.length; k++) {
        const hit = this.#base[k]!;
        if (position[hit.slotA]! < 0 || position[hit.slotB]! < 0) continue;
        const size = hasPpi ? hit.sizeWithPpi : hit.size;
        if (hit.domain === EFFICACY_LOSS_INDEX) efficacy[position[hit.objectSlot]!]! *= 1 - size;
        else hazards.addHit(hit.domain, size);
      }
    }
    for (let i = 0; i < count; i++) {
      if (slots[i]! >= 0) continue;
      // A new item meets every base item, and each later new one once.
      for (let j = 0; j < count; j++) {
        if (j < i || slots[j]! >= 0) this.#addPair(items[i]!, items[j]!, i, j, hasPpi, hazards, efficacy);
      }
    }
  }

  #entriesOf(first: EvaluationItem, second: EvaluationItem): readonly PairEntry[] | null {
    const { drugCount } = this.#table;
    const x = first.drugIndex;
    const y = second.drugIndex;
    const id = this.#table.pairIds[x < y ? x * drugCount + y : y * drugCount + x]!;
    return id === 0 || first.carryOver <= 0 || second.carryOver <= 0 ? null : this.#table.entries[id]!;
  }

  #addPair(
    first: EvaluationItem,
    second: EvaluationItem,
    i: number,
    j: number,
    hasPpi: boolean,
    hazards: HazardModel,
    efficacy: Float64Array,
  ): void {
    const list = this.#entriesOf(first, second);
    if (list === null) return;
    const weight = Math.min(first.carryOver, second.carryOver);
    let decided = -1;
    for (let k = 0; k < list.length; k++) {
      const entry = list[k]!;
      if (entry.domainIndex === decided || !this.#holds(entry, first, second)) continue;
      decided = entry.domainIndex;
      const size = this.#size(entry, first, second, weight, hasPpi);
      if (entry.domainIndex === EFFICACY_LOSS_INDEX)
        efficacy[entry.objectIndex === first.drugIndex ? i : j]! *= 1 - size;
      else hazards.addHit(entry.domainIndex, size);
    }
  }

  #hitsOf(first: EvaluationItem, second: EvaluationItem): PairEntry[] {
    const hits: PairEntry[] = [];
    for (const entry of this.#entriesOf(first, second) ?? []) {
      if (hits.at(-1)?.domainIndex !== entry.domainIndex && this.#holds(entry, first, second)) hits.push(entry);
    }
    return hits;
  }

  /** Hazard excess of a hit, or the share of effect that an EFFICACY_LOSS hit takes (0 where the exposure model gives it). */
  #size(entry: PairEntry, first: EvaluationItem, second: EvaluationItem, weight: number, hasPpi: boolean): number {
    if (entry.isModelled) return 0;
    this.#management.hasPpi = hasPpi;
    const full =
      entry.domainIndex === EFFICACY_LOSS_INDEX
        ? 1 - EFFICACY_LOSS_LEAVES[entry.severityRank]!
        : EXCESS_BY_RANK[entry.severityRank]!;
    return full * weight * (isManaged(this.#kb, entry, first, second, this.#management) ? MANAGED_SHARE : 1);
  }

  #holds(entry: PairEntry, first: EvaluationItem, second: EvaluationItem): boolean {
    if (entry.conditionId < 0) return true;
    const truth = this.#truths[entry.conditionId]!;
    if (truth !== 2) return truth === 1;
    const a = entry.aIndex === first.drugIndex ? first : second;
    const b = a === first ? second : first;
    return judgeDoseCondition(this.#table, this.#kb, entry, this.#facts!, a.dosePerDay, b.dosePerDay, true);
  }
}
