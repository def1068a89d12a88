import { CONDITION_BURDENS, CONDITION_CODES, conditionIndex } from "../kb/conditions.ts";
import { isTitrated, targetDose } from "../kb/dose-grid.ts";
import { keptByDrug, keptByKnowledgeBase } from "../kb/kept.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import { LONG_TERM_CONDITIONS, longUseOf, relativeEffect, SHORT_LIFE_FACTOR } from "./benefit-table.ts";
import type { EvaluationContext } from "./evaluation-types.ts";

/** Share of the effect that an unmodelled EFFICACY_LOSS hit leaves, by severity rank (assumption:). */
export const EFFICACY_LOSS_LEAVES: readonly number[] = [0.8, 0.6, 0.4];

/** X below this cuts the effect, not below the floor (assumption: sub-therapeutic levels keep some effect). */
const LOW_SHIFT = 0.85;
const LOW_SHIFT_FLOOR = 0.3;

/** Dose from which the effect is full: dose_min, for drugs that start low dose_tgt. In the row's unit. */
export function fullEffectDose(drug: Drug): number {
  return isTitrated(drug) ? targetDose(drug) : drug.doseMin;
}

/** Part of the effect that is left when the exposure of a level-guided drug shifted by X. */
export function lowShiftFactor(exposureShift: number): number {
  return exposureShift < LOW_SHIFT ? Math.max(LOW_SHIFT_FLOOR, exposureShift / LOW_SHIFT) : 1;
}

/** A drug and a condition that it controls. */
interface Link {
  /** `<condition>:<drug_id>`. */
  readonly key: string;
  readonly condition: number;
  readonly control: number;
  readonly afterDays: number;
  readonly factor: number;
}

const linksOf = keptByDrug((drug): readonly Link[] =>
  drug.indications.flatMap((code) => {
    const burden = CONDITION_BURDENS.get(code);
    if (burden === undefined) return [];
    const longUse = longUseOf(drug, code);
    return [
      {
        key: `${code}:${drug.drugId}`,
        condition: conditionIndex(code),
        control: burden.control * relativeEffect(drug, code),
        afterDays: longUse?.afterDays ?? Number.POSITIVE_INFINITY,
        factor: longUse?.factor ?? 1,
      },
    ];
  }),
);

/** Links of all drugs, by row number. */
interface BenefitTables {
  /** Links of drug i: from start[i] to start[i + 1]. */
  readonly start: Int32Array;
  readonly condition: Int32Array;
  readonly control: Float64Array;
  readonly longAfter: Float64Array;
  readonly longFactor: Float64Array;
  readonly linkOf: ReadonlyMap<string, number>;
  readonly fullDose: Float64Array;
}

const benefitTablesOf = keptByKnowledgeBase((kb): BenefitTables => {
  const starts = [0];
  const links: Link[] = [];
  for (const drug of kb.drugs) {
    links.push(...linksOf(drug));
    starts.push(links.length);
  }
  return {
    start: Int32Array.from(starts),
    condition: Int32Array.from(links, (link) => link.condition),
    control: Float64Array.from(links, (link) => link.control),
    longAfter: Float64Array.from(links, (link) => link.afterDays),
    longFactor: Float64Array.from(links, (link) => link.factor),
    linkOf: new Map(links.map(({ key }, i) => [key, i])),
    fullDose: Float64Array.from(kb.drugs, fullEffectDose),
  };
});

/**
 * Disease loss of a regimen: `begin`, `addDrug` each, `finish`. Preallocated; nothing is allocated between.
 */
export class BenefitModel {
  readonly #linkStart: Int32Array;
  readonly #linkCondition: Int32Array;
  readonly #linkControl: Float64Array;
  readonly #linkLongAfter: Float64Array;
  readonly #linkLongFactor: Float64Array;
  readonly #response: Float64Array;
  #responses: EvaluationContext["responses"] | null = null;
  readonly #linkOf: ReadonlyMap<string, number>;
  readonly #fullDose: Float64Array;
  readonly #burden = CONDITION_CODES.map((code) => CONDITION_BURDENS.get(code)?.burdenPerYear ?? 0);
  readonly #reduction = CONDITION_CODES.map((code) => CONDITION_BURDENS.get(code)?.bestReduction ?? 0);

  /** Slot of a condition among the patient's, or -1. */
  readonly #slot = new Int32Array(CONDITION_CODES.length).fill(-1);
  readonly #slotLoss = new Float64Array(CONDITION_CODES.length);
  readonly #slotReduction = new Float64Array(CONDITION_CODES.length);
  readonly #uncontrolled = new Float64Array(CONDITION_CODES.length);
  #slotCount = 0;

  constructor(kb: KnowledgeBase) {
    const tables = benefitTablesOf(kb);
    this.#linkStart = tables.start;
    this.#linkCondition = tables.condition;
    this.#linkControl = tables.control;
    this.#linkLongAfter = tables.longAfter;
    this.#linkLongFactor = tables.longFactor;
    this.#linkOf = tables.linkOf;
    this.#response = new Float64Array(tables.condition.length).fill(1);
    this.#fullDose = tables.fullDose;
  }

  /** Sets conditions, life expectancy and hidden responses. */
  setContext(context: EvaluationContext): void {
    this.#slot.fill(-1);
    this.#slotCount = 0;
    for (const { code, severity } of context.conditions) {
      const condition = conditionIndex(code);
      if (condition < 0 || severity <= 0 || this.#burden[condition] === 0 || this.#slot[condition] !== -1) continue;
      const isTooLate = context.lifeExpectancy === "<1y" && LONG_TERM_CONDITIONS.includes(code);
      this.#slot[condition] = this.#slotCount;
      this.#slotLoss[this.#slotCount] = severity * this.#burden[condition]! * (isTooLate ? SHORT_LIFE_FACTOR : 1);
      this.#slotReduction[this.#slotCount] = this.#reduction[condition]!;
      this.#slotCount++;
    }
    if (context.responses !== this.#responses) this.#setResponses(context.responses);
  }

  /** The responses of a patient are one object throughout an episode. */
  #setResponses(responses: EvaluationContext["responses"]): void {
    this.#responses = responses;
    this.#response.fill(1);
    for (const key in responses) {
      const link = this.#linkOf.get(key);
      if (link !== undefined) this.#response[link] = responses[key]!;
    }
  }

  /** Starts a regimen. */
  begin(): void {
    for (let slot = 0; slot < this.#slotCount; slot++) this.#uncontrolled[slot] = 1;
  }

  /** min(1, dose over the dose of full effect). */
  doseShare(drug: number, dosePerDay: number): number {
    return Math.min(1, dosePerDay / this.#fullDose[drug]!);
  }

  /** Adds a drug with effect x (adherence, dose share, onset, exposure), 0-1. */
  addDrug(drug: number, effect: number, daysOfUse: number): void {
    const end = this.#linkStart[drug + 1]!;
    const slotOf = this.#slot;
    const conditions = this.#linkCondition;
    for (let link = this.#linkStart[drug]!; link < end; link++) {
      const slot = slotOf[conditions[link]!]!;
      if (slot < 0) continue;
      const isLong = daysOfUse > this.#linkLongAfter[link]!;
      const control = this.#linkControl[link]! * this.#response[link]! * (isLong ? this.#linkLongFactor[link]! : 1);
      this.#uncontrolled[slot]! *= 1 - control * effect;
    }
  }

  /** LamDis: utility lost to disease a year. */
  finish(): number {
    const slotLoss = this.#slotLoss;
    const reduction = this.#slotReduction;
    const uncontrolled = this.#uncontrolled;
    const count = this.#slotCount;
    let loss = 0;
    for (let slot = 0; slot < count; slot++)
      loss += slotLoss[slot]! * (1 - reduction[slot]! * (1 - uncontrolled[slot]!));
    return loss;
  }
}
