import { domainIndex, HARM_DOMAINS } from "../kb/domains.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import type { EvaluationContext } from "./evaluation-types.ts";
import { HAZARDS, NTI_BASE_WITHOUT_DRUG } from "./hazard-table.ts";

const DOMAIN_COUNT = HARM_DOMAINS.length;
/** Hits per domain that still count; the thirteenth would weigh less than 1/4096 of its excess. */
const HITS_KEPT = 12;

const BLEED = domainIndex("BLEED");
const GI_BLEED = domainIndex("GI_BLEED");
const NTI_TOX = domainIndex("NTI_TOX");

/** Factor on GI_BLEED with any PPI (assumption: from the size of effect in trials). */
const PPI_FACTOR = 0.4;
/** Molecule modifiers. assumption: sizes; directions from the labels and the pivotal trials (ARISTOTLE, ENGAGE, RE-LY, ROCKET). */
const BLEED_MODIFIERS: Readonly<Record<string, number>> = { apixaban: 0.7, edoxaban: 0.8 };
const GI_BLEED_MODIFIERS: Readonly<Record<string, number>> = { dabigatran: 1.4, rivaroxaban: 1.4 };
/** Yearly loss of an antipsychotic in dementia. Direction: FDA boxed warning 2005; assumption: size. */
const ANTIPSYCHOTIC_IN_DEMENTIA_LOSS = 0.02;

/** Limits of the exposure shift X. assumption: a quarter above the level that was in range is the first that harms. */
const NTI_SHIFT_LIMIT = 1.25;
const NTI_SHIFT_SLOPE = 4;
const WARFARIN_SHIFT_LIMIT = 1.2;
const WARFARIN_SHIFT_EXPONENT = 1.5;

/**
 * Rates of harm of a regimen: `begin`, then each drug and hit, then `finish`. Works on preallocated arrays; a domain whose
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
  readonly #isNarrowTi: Uint8Array;
  readonly #isPpi: Uint8Array;
  readonly #isAntipsychotic: Uint8Array;
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
  #ntiBase = 0;
  #hasNti = false;
  #ppi = 0;
  #antipsychotic = 0;

  /** Inputs and rates of the base regimen, or of the last one while no base is kept: equal inputs are not worked out again. */
  readonly #keptPoints = new Float64Array(DOMAIN_COUNT);
  readonly #keptRisk = new Float64Array(DOMAIN_COUNT).fill(1);
  readonly #keptMu = new Float64Array(DOMAIN_COUNT).fill(Number.NaN);
  readonly #keptRate = new Float64Array(DOMAIN_COUNT);
  #isKept = false;

  constructor(kb: KnowledgeBase) {
    const starts = [0];
    const domains: number[] = [];
    const values: number[] = [];
    for (const drug of kb.drugs) {
      for (const [h, domain] of HARM_DOMAINS.entries()) {
        const points = HAZARDS[domain].points(drug);
        if (points === 0) continue;
        domains.push(h);
        values.push(points);
      }
      starts.push(domains.length);
    }
    this.#pointStart = Int32Array.from(starts);
    this.#pointDomain = Int32Array.from(domains);
    this.#pointValue = Float64Array.from(values);
    const flag = (holds: (drug: Drug) => boolean): Uint8Array =>
      Uint8Array.from(kb.drugs, (drug) => Number(holds(drug)));
    this.#isNarrowTi = flag((drug) => drug.isNarrowTi);
    this.#isPpi = flag((drug) => drug.groups.includes("PPI"));
    this.#isAntipsychotic = flag((drug) => drug.groups.includes("ANTIPSYCH"));
    this.#bleedModifier = Float64Array.from(kb.drugs, (drug) => BLEED_MODIFIERS[drug.drugId] ?? 1);
    this.#giBleedModifier = Float64Array.from(kb.drugs, (drug) => GI_BLEED_MODIFIERS[drug.drugId] ?? 1);
    this.#warfarin = kb.drugIndexById.get("warfarin") ?? -1;
  }

  /** Sets the patient factors. */
  setContext(context: EvaluationContext): void {
    const active = new Set(
      context.conditions.filter((condition) => condition.severity > 0).map((condition) => condition.code),
    );
    const factors = this.#patientFactor.fill(1);
    const times = (domain: (typeof HARM_DOMAINS)[number], holds: boolean, factor: number): void => {
      if (holds) factors[domainIndex(domain)]! *= factor;
    };
    const { crClMlPerMin: crCl, potassiumMmolPerL: potassium, sodiumMmolPerL: sodium } = context;
    times("BLEED", active.has("BLEED_HX"), 2);
    times("BLEED", crCl < 30, 1.4);
    times("GI_BLEED", active.has("GI_ULCER"), 3);
    times("FALL_SEDATION", active.has("FALLS"), 1.8);
    times("FALL_SEDATION", context.frailtyCfs >= 6, 1.3);
    times("RESP_DEPR", active.has("COPD_RESP_FAIL"), 3);
    times("HYPOTENSION", active.has("ORTHOSTATIC"), 2);
    times("BRADY", context.heartRatePerMin < 55, 2);
    times("QT", context.sex === "F", 1.3);
    times("QT", potassium < 3.5, 2.5);
    times("QT", context.qtcMs > 470, 2.5);
    times("QT", active.has("LONG_QT"), 5);
    times("HYPERK", crCl < 60, Math.exp(0.6));
    times("HYPERK", crCl < 30, Math.exp(0.6));
    times("HYPERK", potassium >= 5, 2.5);
    times("HYPOK", potassium < 3.6, 2);
    times("HYPONA", sodium < 135, 2);
    times("HYPONA", active.has("HYPONA_HX"), 2);
    times("HYPOGLY", crCl < 60, Math.exp(0.4));
    times("HYPOGLY", active.has("DEMENTIA"), 1.4);
    times("AKI", crCl < 60, Math.exp(0.5));
    times("ANTICHOL", active.has("DEMENTIA"), 2);
    times("ANTICHOL", active.has("DELIRIUM_HX"), 1.5);
    times("SEIZURE", active.has("SEIZURE"), 3);
    this.#hasDementia = active.has("DEMENTIA");
    for (const [h, domain] of HARM_DOMAINS.entries()) this.#multiplier[h] = context.hazardMultipliers[domain] ?? 1;
  }

  /** From now on (true) compares with the regimen finished last instead of with each one's predecessor (false). */
  keepLast(isKept: boolean): void {
    this.#isKept = isKept;
  }

  /** Starts a regimen. */
  begin(): void {
    // A plain loop: on arrays this short the calls to fill and set cost more than the work.
    for (let h = 0; h < DOMAIN_COUNT; h++) {
      this.#points[h] = 0;
      this.#factor[h] = this.#patientFactor[h]!;
      this.#hitCount[h] = 0;
    }
    this.#ntiBase = 0;
    this.#hasNti = false;
    this.#ppi = 0;
    this.#antipsychotic = 0;
  }

  /** Adds a drug: its points times dose factor phi and carry-over c, and the harm of an exposure shift X. */
  addDrug(drug: number, phi: number, carryOver: number, exposureShift: number): void {
    const end = this.#pointStart[drug + 1]!;
    const scale = phi * carryOver;
    for (let k = this.#pointStart[drug]!; k < end; k++)
      this.#points[this.#pointDomain[k]!]! += this.#pointValue[k]! * scale;
    if (this.#isNarrowTi[drug] === 1) {
      this.#hasNti = true;
      const over = exposureShift - NTI_SHIFT_LIMIT;
      this.#ntiBase += this.#lambda0[NTI_TOX]! * carryOver * (over > 0 ? 1 + NTI_SHIFT_SLOPE * over : 1);
    }
    if (drug === this.#warfarin && exposureShift > WARFARIN_SHIFT_LIMIT) {
      this.#factor[BLEED]! *= 1 + (exposureShift ** WARFARIN_SHIFT_EXPONENT - 1) * carryOver;
    }
    if (this.#bleedModifier[drug] !== 1) this.#factor[BLEED]! *= 1 + (this.#bleedModifier[drug]! - 1) * carryOver;
    if (this.#giBleedModifier[drug] !== 1)
      this.#factor[GI_BLEED]! *= 1 + (this.#giBleedModifier[drug]! - 1) * carryOver;
    if (this.#isPpi[drug] === 1 && carryOver > this.#ppi) this.#ppi = carryOver;
    if (this.#isAntipsychotic[drug] === 1 && carryOver > this.#antipsychotic) this.#antipsychotic = carryOver;
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

  /** Closes the regimen: fills `lam` and returns LamADE without the losses of RG8-RG10. */
  finish(): number {
    const keptPoints = this.#keptPoints;
    const keptRisk = this.#keptRisk;
    const keptMu = this.#keptMu;
    const keptRate = this.#keptRate;
    this.#factor[GI_BLEED]! *= 1 + (PPI_FACTOR - 1) * this.#ppi;
    let loss = this.#hasDementia ? ANTIPSYCHOTIC_IN_DEMENTIA_LOSS * this.#antipsychotic : 0;
    for (let h = 0; h < DOMAIN_COUNT; h++) {
      let base = this.#lambda0[h]!;
      if (h === NTI_TOX) base = this.#hasNti ? this.#ntiBase : this.#hitCount[h]! > 0 ? NTI_BASE_WITHOUT_DRUG : 0;
      const points = this.#points[h]!;
      const risk = points === keptPoints[h] ? keptRisk[h]! : Math.exp(this.#beta[h]! * points);
      let excess = 0;
      let share = 1;
      const hits = this.#hitCount[h]!;
      for (let k = 0; k < hits; k++) {
        excess += this.#excess[h * HITS_KEPT + k]! * share;
        share *= 0.5;
      }
      const mu = base * risk * this.#factor[h]! * (1 + excess);
      const saturated = mu === keptMu[h] ? keptRate[h]! : this.#cap[h]! * (1 - Math.exp(-mu / this.#cap[h]!));
      if (!this.#isKept) {
        keptPoints[h] = points;
        keptRisk[h] = risk;
        keptMu[h] = mu;
        keptRate[h] = saturated;
      }
      const lam = saturated * this.#multiplier[h]!;
      this.lam[h] = lam;
      loss += this.#weight[h]! * lam;
    }
    return loss;
  }
}
