import type { PairEntry } from "../interactions/pair-table.ts";
import { HARM_DOMAINS } from "../kb/domains.ts";
import type { EvaluationItem } from "./evaluation-types.ts";
import { type ItemNumbers, makeItemNumbers } from "./item-numbers.ts";

/** A pair hit of a base regimen; its size without and with a PPI in the regimen is that of the orders it was made with. */
export interface BaseHit {
  slotA: number;
  slotB: number;
  objectSlot: number;
  entry: PairEntry;
  first: EvaluationItem;
  second: EvaluationItem;
  weight: number;
  size: number;
  sizeWithPpi: number;
}

/** Inputs and rates by domain of a regimen: equal inputs are not worked out again. */
export interface KeptRates {
  readonly points: Float64Array;
  readonly risk: Float64Array;
  readonly mu: Float64Array;
  readonly rate: Float64Array;
  /** False: each regimen takes the place of the one before. */
  isFixed: boolean;
}

/** Rates that no regimen has yet. */
function makeKeptRates(): KeptRates {
  const count = HARM_DOMAINS.length;
  return {
    points: new Float64Array(count),
    risk: new Float64Array(count).fill(1),
    mu: new Float64Array(count).fill(Number.NaN),
    rate: new Float64Array(count),
    isFixed: false,
  };
}

/**
 * A regimen that others are judged against: what they share with it (the same item objects) is not worked out again. The
 * engine and its models fill it.
 */
export class RegimenBase {
  readonly items: EvaluationItem[] = [];
  /** Slot (position in `items`) of the base's item of a drug, or -1. */
  readonly slotOf: Int16Array;
  readonly numbers: ItemNumbers;
  readonly perpetrators: Int32Array;
  readonly weights: Float64Array;
  /** -1 = none kept. */
  perpetratorCount = -1;
  /** Hits; those from `hitCount` on are spare objects. */
  readonly hits: BaseHit[] = [];
  hitCount = 0;
  /** Orders that the sizes of the hits hang on. */
  orders: ReadonlySet<string> | null = null;
  readonly rates = makeKeptRates();

  constructor(drugCount: number, maxItems: number) {
    this.slotOf = new Int16Array(drugCount).fill(-1);
    this.numbers = makeItemNumbers(maxItems);
    this.perpetrators = new Int32Array(maxItems);
    this.weights = new Float64Array(maxItems);
  }

  /** Forgets the regimen. */
  clear(): void {
    for (let item = this.items.pop(); item !== undefined; item = this.items.pop()) this.slotOf[item.drugIndex] = -1;
    this.perpetratorCount = -1;
    this.hitCount = 0;
    this.rates.isFixed = false;
  }
}
