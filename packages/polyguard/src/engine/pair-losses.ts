import type { Facts } from "../interactions/facts.ts";
import { isManaged } from "../interactions/managed.ts";
import {
  EFFICACY_LOSS_INDEX,
  judgeConditions,
  judgeDoseCondition,
  type PairEntry,
  type PairTable,
  pairEntries,
  pairTableOf,
} from "../interactions/pair-table.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import { EFFICACY_LOSS_LEAVES } from "./benefit.ts";
import type { EvaluationItem } from "./evaluation-types.ts";
import { EXCESS_BY_RANK, MANAGED_SHARE } from "./hazard-table.ts";
import type { HazardModel } from "./hazards.ts";
import type { RegimenBase } from "./regimen-base.ts";

/** Most EFFICACY_LOSS hits of one regimen. */
const MAX_CUTS = 2048;
/** Behind every pair. */
const LAST_PLACE = 2 ** 30;

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
  readonly #positionOfSlot: Int16Array;
  readonly #maxItems: number;
  /** EFFICACY_LOSS hits of the regimen at hand: place of the pair, position of the drug that loses, share it loses. */
  readonly #cutPlaces = new Int32Array(MAX_CUTS);
  readonly #cutPositions = new Int32Array(MAX_CUTS);
  readonly #cutSizes = new Float64Array(MAX_CUTS);
  #cutCount = 0;

  constructor(kb: KnowledgeBase, maxItems: number) {
    this.#kb = kb;
    this.#table = pairTableOf(kb);
    this.#truths = new Uint8Array(this.#table.conditions.length);
    this.#positionOfSlot = new Int16Array(maxItems);
    this.#maxItems = maxItems;
  }

  /** Sets the patient; hits of bases are void then. */
  setContext(facts: Facts, orders: ReadonlySet<string>): void {
    this.#facts = facts;
    this.#management.orders = orders;
    judgeConditions(this.#table, facts, true, this.#truths);
  }

  /** Sets other orders for the same patient; bases are kept. */
  setOrders(orders: ReadonlySet<string>): void {
    this.#management.orders = orders;
  }

  /** Keeps the hits of the base's items in it. */
  remember(base: RegimenBase): void {
    const { items } = base;
    base.hitCount = 0;
    base.orders = this.#management.orders;
    for (let i = 1; i < items.length; i++) for (let j = 0; j < i; j++) this.#rememberPair(base, i, j);
  }

  #rememberPair(base: RegimenBase, i: number, j: number): void {
    const first = base.items[i]!;
    const second = base.items[j]!;
    const list = this.#entriesOf(first, second);
    if (list === null) return;
    const weight = Math.min(first.carryOver, second.carryOver);
    let decided = -1;
    for (let k = 0; k < list.length; k++) {
      const entry = list[k]!;
      if (entry.domainIndex === decided || !this.#holds(entry, first, second)) continue;
      decided = entry.domainIndex;
      const objectSlot = entry.objectIndex === first.drugIndex ? i : j;
      const size = this.#size(entry, first, second, weight, false);
      const sizeWithPpi = this.#size(entry, first, second, weight, true);
      const hit = base.hits[base.hitCount];
      if (hit === undefined)
        base.hits.push({ slotA: i, slotB: j, objectSlot, entry, first, second, weight, size, sizeWithPpi });
      else {
        hit.slotA = i;
        hit.slotB = j;
        hit.objectSlot = objectSlot;
        hit.entry = entry;
        hit.first = first;
        hit.second = second;
        hit.weight = weight;
        hit.size = size;
        hit.sizeWithPpi = sizeWithPpi;
      }
      base.hitCount++;
    }
  }

  /**
   * Adds the hits of `items` to `hazards` and cuts `efficacy` (by position). `slots` holds the base slot of each item that is
   * the base's own object, else -1.
   */
  apply(
    items: readonly EvaluationItem[],
    base: RegimenBase,
    slots: Int16Array,
    hasPpi: boolean,
    hazards: HazardModel,
    efficacy: Float64Array,
  ): void {
    const count = items.length;
    this.#cutCount = 0;
    if (base.hitCount > 0) this.#applyBase(count, base, slots, hasPpi, hazards);
    for (let i = 0; i < count; i++) {
      if (slots[i]! >= 0) continue;
      // A new item meets every base item, and each later new one once.
      for (let j = 0; j < count; j++) {
        if (j < i || slots[j]! >= 0) this.#addPair(items[i]!, items[j]!, i, j, hasPpi, hazards);
      }
    }
    this.#cut(efficacy);
  }

  #applyBase(count: number, base: RegimenBase, slots: Int16Array, hasPpi: boolean, hazards: HazardModel): void {
    const position = this.#positionOfSlot;
    for (let slot = 0; slot < base.items.length; slot++) position[slot] = -1;
    for (let i = 0; i < count; i++) if (slots[i]! >= 0) position[slots[i]!] = i;
    const hasBaseOrders = this.#management.orders === base.orders;
    for (let k = 0; k < base.hitCount; k++) {
      const hit = base.hits[k]!;
      const a = position[hit.slotA]!;
      const b = position[hit.slotB]!;
      if (a < 0 || b < 0) continue;
      const { entry } = hit;
      const size =
        !hasBaseOrders && entry.isManagedByOrders
          ? this.#size(entry, hit.first, hit.second, hit.weight, hasPpi)
          : hasPpi
            ? hit.sizeWithPpi
            : hit.size;
      if (entry.domainIndex === EFFICACY_LOSS_INDEX) this.#noteCut(a, b, position[hit.objectSlot]!, size);
      else hazards.addHit(entry.domainIndex, size);
    }
  }

  #entriesOf(first: EvaluationItem, second: EvaluationItem): readonly PairEntry[] | null {
    const entries = pairEntries(this.#table, first.drugIndex, second.drugIndex);
    return entries.length === 0 || first.carryOver <= 0 || second.carryOver <= 0 ? null : entries;
  }

  #addPair(
    first: EvaluationItem,
    second: EvaluationItem,
    i: number,
    j: number,
    hasPpi: boolean,
    hazards: HazardModel,
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
        this.#noteCut(i, j, entry.objectIndex === first.drugIndex ? i : j, size);
      else hazards.addHit(entry.domainIndex, size);
    }
  }

  #noteCut(i: number, j: number, position: number, size: number): void {
    const at = this.#cutCount++;
    this.#cutPlaces[at] = Math.max(i, j) * this.#maxItems + Math.min(i, j);
    this.#cutPositions[at] = position;
    this.#cutSizes[at] = size;
  }

  /** Cuts the efficacies in the order of the pairs, so that the products come out the same to the last bit with any base. */
  #cut(efficacy: Float64Array): void {
    const places = this.#cutPlaces;
    for (let done = 0; done < this.#cutCount; done++) {
      let next = 0;
      for (let k = 1; k < this.#cutCount; k++) if (places[k]! < places[next]!) next = k;
      efficacy[this.#cutPositions[next]!]! *= 1 - this.#cutSizes[next]!;
      places[next] = LAST_PLACE;
    }
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
