import { domainIndex, HARM_DOMAINS, type HarmDomain } from "../kb/domains.ts";
import { keptByDrug, keptByKnowledgeBase } from "../kb/kept.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import type { EvaluationContext } from "./evaluation-types.ts";
import { HAZARDS, NTI_BASE_WITHOUT_DRUG } from "./hazard-table.ts";
import type { ItemNumbers } from "./item-numbers.ts";
import type { KeptRates } from "./regimen-base.ts";

const DOMAIN_COUNT = HARM_DOMAINS.length;
/** Hits per domain that still count; the thirteenth would weigh less than 1/4096 of its excess. */
const HITS_KEPT = 12;

const BLEED = domainIndex("BLEED");
const GI_BLEED = domainIndex("GI_BLEED");
const FALL_SEDATION = domainIndex("FALL_SEDATION");
const RESP_DEPR = domainIndex("RESP_DEPR");
const HYPOTENSION = domainIndex("HYPOTENSION");
const BRADY = domainIndex("BRADY");
const QT = domainIndex("QT");
const HYPERK = domainIndex("HYPERK");
const HYPOK = domainIndex("HYPOK");
const HYPONA = domainIndex("HYPONA");
const HYPOGLY = domainIndex("HYPOGLY");
const AKI = domainIndex("AKI");
const ANTICHOL = domainIndex("ANTICHOL");
const SEIZURE = domainIndex("SEIZURE");
const NTI_TOX = domainIndex("NTI_TOX");

/** Places of the sums beside the points: NTI_TOX base rate, strongest PPI, strongest antipsychotic. */
const NTI_BASE = 0;
const PPI = 1;
const ANTIPSYCHOTIC = 2;
const SUM_COUNT = 3;

/** Traits of a drug beside its risk points, one bit each. */
const NARROW_TI = 1;
const BLEED_FACTOR = 2;
const ANY_PPI = 4;
const ANY_ANTIPSYCHOTIC = 8;

/** Factor on GI_BLEED with any PPI (assumption: from the size of effect in trials). */
const PPI_FACTOR = 0.4;
/** Molecule modifiers. assumption: sizes; directions from the labels and the pivotal trials (ARISTOTLE, ENGAGE, RE-LY, ROCKET). */
const BLEED_MODIFIERS: Readonly<Record<string, number>> = { apixaban: 0.7, edoxaban: 0.8 };
const GI_BLEED_MODIFIERS: Readonly<Record<string, number>> = { dabigatran: 1.4, rivaroxaban: 1.4 };
/** Yearly loss of an antipsychotic in dementia. Direction: FDA boxed warning 2005; assumption: size. */
const ANTIPSYCHOTIC_IN_DEMENTIA_LOSS = 0.02;

const EXP_04 = Math.exp(0.4);
const EXP_05 = Math.exp(0.5);
const EXP_06 = Math.exp(0.6);

/** Limits of the exposure shift X. assumption: a quarter above the level that was in range is the first that harms. */
const NTI_SHIFT_LIMIT = 1.25;
const NTI_SHIFT_SLOPE = 4;
const WARFARIN_SHIFT_LIMIT = 1.2;
const WARFARIN_SHIFT_EXPONENT = 1.5;

/** Risk points of a drug: domain, points, domain, points ... of those that are not 0. */
const pointsOf = keptByDrug((drug): readonly number[] =>
  HARM_DOMAINS.flatMap((domain, h) => {
    const points = HAZARDS[domain].points(drug);
    return points === 0 ? [] : [h, points];
  }),
);

/** What the rates rest on of each drug, by row number. */
interface HazardTables {
  /** Points of drug i: from start[i] to start[i + 1]. */
  readonly pointStart: Int32Array;
  readonly pointDomain: Int32Array;
  readonly pointValue: Float64Array;
  /** Bits of {@link NARROW_TI} and its like. */
  readonly traits: Uint8Array;
  readonly bleedModifier: Float64Array;
  readonly giBleedModifier: Float64Array;
}

const hazardTablesOf = keptByKnowledgeBase((kb): HazardTables => {
  const starts = [0];
  const domains: number[] = [];
  const values: number[] = [];
  for (const drug of kb.drugs) {
    const points = pointsOf(drug);
    for (let k = 0; k < points.length; k += 2) {
      domains.push(points[k]!);
      values.push(points[k + 1]!);
    }
    starts.push(domains.length);
  }
  return {
    pointStart: Int32Array.from(starts),
    pointDomain: Int32Array.from(domains),
    pointValue: Float64Array.from(values),
    traits: Uint8Array.from(kb.drugs, traitsOf),
    bleedModifier: Float64Array.from(kb.drugs, (drug) => BLEED_MODIFIERS[drug.drugId] ?? 1),
    giBleedModifier: Float64Array.from(kb.drugs, (drug) => GI_BLEED_MODIFIERS[drug.drugId] ?? 1),
  };
});

function traitsOf(drug: Drug): number {
  const hasFactor = BLEED_MODIFIERS[drug.drugId] !== undefined || GI_BLEED_MODIFIERS[drug.drugId] !== undefined;
  return (
    (drug.isNarrowTi ? NARROW_TI : 0) |
    (hasFactor ? BLEED_FACTOR : 0) |
    (drug.groups.includes("PPI") ? ANY_PPI : 0) |
    (drug.groups.includes("ANTIPSYCH") ? ANY_ANTIPSYCHOTIC : 0)
  );
}

/**
 * Rates of harm of a regimen: `begin` with its drugs, then each hit, then `finish`. Works on preallocated arrays; a domain whose
 * inputs did not change since the last regimen keeps its rate, so that candidates that differ in one drug cost little.
 */
export class HazardModel {
  /** lam_h, events a year, by domain number. */
  readonly lam = new Float64Array(DOMAIN_COUNT);
  readonly #lambda0 = Float64Array.from(HARM_DOMAINS, (domain) => HAZARDS[domain].lambda0);
  readonly #weight = Float64Array.from(HARM_DOMAINS, (domain) => HAZARDS[domain].weight);
  readonly #beta = Float64Array.from(HARM_DOMAINS, (domain) => HAZARDS[domain].beta);
  readonly #cap = Float64Array.from(HARM_DOMAINS, (domain) => HAZARDS[domain].cap);
  readonly #pointStart: Int32Array;
  readonly #pointDomain: Int32Array;
  readonly #pointValue: Float64Array;
  /** Bits of {@link NARROW_TI} and its like by drug. */
  readonly #traits: Uint8Array;
  readonly #bleedModifier: Float64Array;
  readonly #giBleedModifier: Float64Array;
  readonly #warfarin: number;

  readonly #patientFactor = new Float64Array(DOMAIN_COUNT).fill(1);
  readonly #multiplier = new Float64Array(DOMAIN_COUNT).fill(1);
  #hasDementia = false;

  readonly #points = new Float64Array(DOMAIN_COUNT);
  readonly #factor = new Float64Array(DOMAIN_COUNT);
  readonly #excess = new Float64Array(DOMAIN_COUNT * HITS_KEPT);
  readonly #hitCount = new Int32Array(DOMAIN_COUNT);
  #hasNti = false;
  /** See NTI_BASE ...: an array, so that V8 keeps plain numbers and boxes none. */
  readonly #sums = new Float64Array(SUM_COUNT);

  constructor(kb: KnowledgeBase) {
    const tables = hazardTablesOf(kb);
    this.#pointStart = tables.pointStart;
    this.#pointDomain = tables.pointDomain;
    this.#pointValue = tables.pointValue;
    this.#bleedModifier = tables.bleedModifier;
    this.#giBleedModifier = tables.giBleedModifier;
    this.#traits = tables.traits;
    this.#warfarin = kb.drugIndexById.get("warfarin") ?? -1;
  }

  /** Sets the patient factors. @param active codes of the active conditions */
  setContext(context: EvaluationContext, active: ReadonlySet<string>): void {
    const factors = this.#patientFactor.fill(1);
    const times = (domain: number, holds: boolean, factor: number): void => {
      if (holds) factors[domain]! *= factor;
    };
    const { crClMlPerMin: crCl, potassiumMmolPerL: potassium, sodiumMmolPerL: sodium } = context;
    times(BLEED, active.has("BLEED_HX"), 2);
    times(BLEED, crCl < 30, 1.4);
    times(GI_BLEED, active.has("GI_ULCER"), 3);
    times(FALL_SEDATION, active.has("FALLS"), 1.8);
    times(FALL_SEDATION, context.frailtyCfs >= 6, 1.3);
    times(RESP_DEPR, active.has("COPD_RESP_FAIL"), 3);
    times(HYPOTENSION, active.has("ORTHOSTATIC"), 2);
    times(BRADY, context.heartRatePerMin < 55, 2);
    times(QT, context.sex === "F", 1.3);
    times(QT, potassium < 3.5, 2.5);
    times(QT, context.qtcMs > 470, 2.5);
    times(QT, active.has("LONG_QT"), 5);
    times(HYPERK, crCl < 60, EXP_06);
    times(HYPERK, crCl < 30, EXP_06);
    times(HYPERK, potassium >= 5, 2.5);
    times(HYPOK, potassium < 3.6, 2);
    times(HYPONA, sodium < 135, 2);
    times(HYPONA, active.has("HYPONA_HX"), 2);
    times(HYPOGLY, crCl < 60, EXP_04);
    times(HYPOGLY, active.has("DEMENTIA"), 1.4);
    times(AKI, crCl < 60, EXP_05);
    times(ANTICHOL, active.has("DEMENTIA"), 2);
    times(ANTICHOL, active.has("DELIRIUM_HX"), 1.5);
    times(SEIZURE, active.has("SEIZURE"), 3);
    this.#hasDementia = active.has("DEMENTIA");
    const { hazardMultipliers } = context;
    this.#multiplier.fill(1);
    for (const domain in hazardMultipliers)
      this.#multiplier[domainIndex(domain as HarmDomain)] = hazardMultipliers[domain as HarmDomain] ?? 1;
  }

  /**
   * Starts a regimen of `count` drugs: their points times dose factor phi and carry-over c, and the harm of exposure shifts.
   * Arrays are taken into locals, as V8 reads a field of the model again at every use in a loop.
   */
  begin(drugs: Int32Array, numbers: ItemNumbers, count: number): void {
    const points = this.#points;
    const factor = this.#factor;
    const sums = this.#sums;
    const { phi, carryOver, shift } = numbers;
    const patientFactor = this.#patientFactor;
    const hitCount = this.#hitCount;
    // A plain loop: on arrays this short the calls to fill and set cost more than the work.
    for (let h = 0; h < DOMAIN_COUNT; h++) {
      points[h] = 0;
      factor[h] = patientFactor[h]!;
      hitCount[h] = 0;
    }
    for (let k = 0; k < SUM_COUNT; k++) sums[k] = 0;
    this.#hasNti = false;
    const pointStart = this.#pointStart;
    const pointDomain = this.#pointDomain;
    const pointValue = this.#pointValue;
    const traits = this.#traits;
    for (let i = 0; i < count; i++) {
      const drug = drugs[i]!;
      const end = pointStart[drug + 1]!;
      const scale = phi[i]! * carryOver[i]!;
      for (let k = pointStart[drug]!; k < end; k++) points[pointDomain[k]!]! += pointValue[k]! * scale;
      if (traits[drug] !== 0) this.#addTraits(drug, traits[drug]!, carryOver[i]!, shift[i]!);
    }
  }

  /** What few drugs have: a narrow index, a factor of their own on bleeding, the effects of PPIs and antipsychotics. */
  #addTraits(drug: number, traits: number, carryOver: number, exposureShift: number): void {
    const sums = this.#sums;
    const factor = this.#factor;
    if ((traits & NARROW_TI) !== 0) {
      this.#hasNti = true;
      const over = exposureShift - NTI_SHIFT_LIMIT;
      sums[NTI_BASE]! += this.#lambda0[NTI_TOX]! * carryOver * (over > 0 ? 1 + NTI_SHIFT_SLOPE * over : 1);
    }
    if (drug === this.#warfarin && exposureShift > WARFARIN_SHIFT_LIMIT)
      factor[BLEED]! *= 1 + (exposureShift ** WARFARIN_SHIFT_EXPONENT - 1) * carryOver;
    if ((traits & BLEED_FACTOR) !== 0) {
      factor[BLEED]! *= 1 + (this.#bleedModifier[drug]! - 1) * carryOver;
      factor[GI_BLEED]! *= 1 + (this.#giBleedModifier[drug]! - 1) * carryOver;
    }
    if ((traits & ANY_PPI) !== 0 && carryOver > sums[PPI]!) sums[PPI] = carryOver;
    if ((traits & ANY_ANTIPSYCHOTIC) !== 0 && carryOver > sums[ANTIPSYCHOTIC]!) sums[ANTIPSYCHOTIC] = carryOver;
  }

  /** Adds an interaction hit with its excess over the base rate. */
  addHit(domain: number, excess: number): void {
    const base = domain * HITS_KEPT;
    let at = this.#hitCount[domain]!;
    if (at === HITS_KEPT) {
      if (this.#excess[base + at - 1]! >= excess) return;
      at--;
    } else this.#hitCount[domain] = at + 1;
    while (at > 0 && this.#excess[base + at - 1]! < excess) {
      this.#excess[base + at] = this.#excess[base + at - 1]!;
      at--;
    }
    this.#excess[base + at] = excess;
  }

  /** Closes the regimen: fills `lam` and returns LamADE without the losses of RG8-RG10. @param kept rates to compare with */
  finish(kept: KeptRates): number {
    const { points: keptPoints, risk: keptRisk, mu: keptMu, rate: keptRate, isFixed } = kept;
    const allPoints = this.#points;
    const factor = this.#factor;
    const hitCount = this.#hitCount;
    const hitExcess = this.#excess;
    const lambda0 = this.#lambda0;
    const beta = this.#beta;
    const cap = this.#cap;
    const weight = this.#weight;
    const multiplier = this.#multiplier;
    const lams = this.lam;
    factor[GI_BLEED]! *= 1 + (PPI_FACTOR - 1) * this.#sums[PPI]!;
    let loss = this.#hasDementia ? ANTIPSYCHOTIC_IN_DEMENTIA_LOSS * this.#sums[ANTIPSYCHOTIC]! : 0;
    if (!this.#hasNti) this.#sums[NTI_BASE] = this.#hitCount[NTI_TOX]! > 0 ? NTI_BASE_WITHOUT_DRUG : 0;
    for (let h = 0; h < DOMAIN_COUNT; h++) {
      const base = h === NTI_TOX ? this.#sums[NTI_BASE]! : lambda0[h]!;
      const points = allPoints[h]!;
      const risk = points === keptPoints[h] ? keptRisk[h]! : Math.exp(beta[h]! * points);
      let excess = 0;
      let share = 1;
      const hits = hitCount[h]!;
      for (let k = 0; k < hits; k++) {
        excess += hitExcess[h * HITS_KEPT + k]! * share;
        share *= 0.5;
      }
      const mu = base * risk * factor[h]! * (1 + excess);
      const saturated = mu === keptMu[h] ? keptRate[h]! : cap[h]! * (1 - Math.exp(-mu / cap[h]!));
      if (!isFixed) {
        keptPoints[h] = points;
        keptRisk[h] = risk;
        keptMu[h] = mu;
        keptRate[h] = saturated;
      }
      const lam = saturated * multiplier[h]!;
      lams[h] = lam;
      loss += weight[h]! * lam;
    }
    return loss;
  }
}
