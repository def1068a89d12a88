import { PraxisError } from "@praxis/env";
import { activeConditionCodes, type Facts } from "../interactions/facts.ts";
import {
  answersBowelRule,
  DUPLICATE_CLASSES,
  RegimenDetector,
  type RegimenFlags,
  regimenFlags,
} from "../interactions/regimen-detector.ts";
import { CONDITION_CODES } from "../kb/conditions.ts";
import { domainIndex, HARM_DOMAINS } from "../kb/domains.ts";
import { doseReference } from "../kb/dose-grid.ts";
import { keptByKnowledgeBase } from "../kb/kept.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import { BenefitModel, lowShiftFactor } from "./benefit.ts";
import { BurdenModel } from "./burden.ts";
import type { Evaluation, EvaluationContext, EvaluationItem } from "./evaluation-types.ts";
import { ExposureModel } from "./exposure.ts";
import { exposureTablesOf } from "./exposure-tables.ts";
import { EXCESS_BY_RANK } from "./hazard-table.ts";
import { HazardModel } from "./hazards.ts";
import { type ItemNumbers, makeItemNumbers } from "./item-numbers.ts";
import { PairLosses } from "./pair-losses.ts";
import { RegimenBase } from "./regimen-base.ts";

/** Most items of one regimen, stopped drugs included. */
export const MAX_ITEMS = 64;

/** Regimens that can be prepared at once for one patient. */
const BASE_COUNT = 2;

/** Weight of the burden in the utility U. */
export const BURDEN_WEIGHT = 0.05;

/** Yearly LamADE of each RG8, RG9 and RG10 finding (assumption: so that a drug without a reason costs something visible). */
const OTHER_RULE_LOSS = 0.004;

const DAYS_PER_YEAR = 365;

/** Switches for checks and ablations; both on by default. */
export interface HarmEngineOptions {
  /** False: pair hits only, as an engine without RG1-RG10 would judge. */
  readonly useRegimenRules?: boolean;
  /** False: phi and the dose share of the effect are 1 whatever the dose. */
  readonly useDoses?: boolean;
}

/** Risk of an adverse drug event over 90 days, as shown to users. */
export function risk90Days(lamAde: number): number {
  return 1 - Math.exp((-lamAde * 90) / DAYS_PER_YEAR);
}

const tablesOf = keptByKnowledgeBase(({ drugs }) => ({
  doseReference: Float64Array.from(drugs, (drug) => (drug.doseMin === drug.doseMax ? 0 : doseReference(drug))),
  isPpi: Uint8Array.from(drugs, (drug) => Number(drug.groups.includes("PPI"))),
}));

/**
 * Expected losses of regimens for one patient. `setContext` once per patient and visit, then `evaluate` regimens: nothing is
 * allocated, and terms that did not change since the last regimen are kept. After `setBase` a regimen that shares items
 * with the base (the same objects) costs only what is new in it. One engine serves one caller at a time.
 */
export class HarmEngine {
  readonly #options: Required<HarmEngineOptions>;
  readonly #exposure: ExposureModel;
  readonly #hazards: HazardModel;
  readonly #benefit: BenefitModel;
  readonly #burden: BurdenModel;
  readonly #detector: RegimenDetector;
  readonly #pairs: PairLosses;
  /** sqrt(dose_min * dose_max), or 0 where phi is 1. */
  readonly #doseReference: Float64Array;
  readonly #duplicateDomains = Int32Array.from(DUPLICATE_CLASSES, ([, domain]) => HARM_DOMAINS.indexOf(domain));
  readonly #isPpi: Uint8Array;
  #flags: RegimenFlags | null = null;
  readonly #conditionFlags = new Uint8Array(CONDITION_CODES.length);

  readonly #bases: readonly RegimenBase[];

  readonly #active: EvaluationItem[] = [];
  #activeCount = 0;
  /** Base slot by position, -1 for an item that the base does not hold. */
  readonly #slots = new Int16Array(MAX_ITEMS);
  readonly #drugs = new Int32Array(MAX_ITEMS);
  readonly #now: ItemNumbers = makeItemNumbers(MAX_ITEMS);
  readonly #efficacy = new Float64Array(MAX_ITEMS);
  readonly #result: Evaluation;

  constructor(kb: KnowledgeBase, options: HarmEngineOptions = {}) {
    this.#options = { useRegimenRules: options.useRegimenRules ?? true, useDoses: options.useDoses ?? true };
    this.#exposure = new ExposureModel(exposureTablesOf(kb), MAX_ITEMS);
    this.#hazards = new HazardModel(kb);
    this.#benefit = new BenefitModel(kb);
    this.#burden = new BurdenModel(kb);
    this.#detector = new RegimenDetector(kb);
    this.#pairs = new PairLosses(kb, MAX_ITEMS);
    const tables = tablesOf(kb);
    this.#doseReference = tables.doseReference;
    this.#isPpi = tables.isPpi;
    this.#bases = Array.from({ length: BASE_COUNT }, () => new RegimenBase(kb.drugs.length, MAX_ITEMS));
    this.#result = {
      lamAde: 0,
      lamDis: 0,
      harm: 0,
      burden: 0,
      utility: 0,
      drugCount: 0,
      acb: 0,
      dbi: 0,
      mrci: 0,
      lamByDomain: this.#hazards.lam,
      aucr: this.#now.aucr,
      exposureShift: this.#now.shift,
    };
  }

  /** Sets the patient and the visit, and forgets the bases. */
  setContext(context: EvaluationContext): void {
    const facts = factsOf(context);
    const orders = new Set(context.orders);
    for (const base of this.#bases) base.clear();
    this.#flags = regimenFlags(facts, orders, true, this.#conditionFlags);
    this.#pairs.setContext(facts, orders);
    this.#exposure.setPatient({
      crClMlPerMin: context.crClMlPerMin,
      isSmoker: context.isSmoker,
      ...(context.genotype === null ? {} : { genotype: context.genotype }),
    });
    this.#hazards.setContext(context, facts.conditions);
    this.#benefit.setContext(context);
  }

  /** Sets other orders for the same patient and visit; bases are kept. Throws INVALID_CONFIG before setContext. */
  setOrders(orders: ReadonlySet<string>): void {
    if (this.#flags === null) throw new PraxisError("INVALID_CONFIG", "Orders can't be set before setContext.");
    const hasBowelOrder = answersBowelRule(orders);
    if (this.#flags.hasBowelOrder !== hasBowelOrder) this.#flags = { ...this.#flags, hasBowelOrder };
    this.#pairs.setOrders(orders);
  }

  /** Prepares a regimen whose items the next regimens share, and evaluates it. @param number of the base, below {@link BASE_COUNT} */
  setBase(items: readonly EvaluationItem[], number = 0): Evaluation {
    const base = this.#bases[number]!;
    base.clear();
    const result = this.evaluate(items, number);
    base.rates.isFixed = true;
    this.#exposure.savePerpetrators(base);
    const now = this.#now;
    const kept = base.numbers;
    for (let slot = 0; slot < items.length; slot++) {
      const item = items[slot]!;
      base.items.push(item);
      base.slotOf[item.drugIndex] = slot;
      kept.aucr[slot] = now.aucr[slot]!;
      kept.shift[slot] = now.shift[slot]!;
      kept.phi[slot] = now.phi[slot]!;
      kept.formed[slot] = now.formed[slot]!;
    }
    this.#pairs.remember(base);
    return result;
  }

  /**
   * Losses of a regimen. The returned object is overwritten by the next call. Throws INVALID_CONFIG before setContext or
   * above 64 items. @param number of the base that it is compared with; it changes nothing but the work
   */
  evaluate(items: readonly EvaluationItem[], number = 0): Evaluation {
    const base = this.#bases[number]!;
    const flags = this.#flags;
    if (flags === null || items.length > MAX_ITEMS) {
      throw new PraxisError(
        "INVALID_CONFIG",
        `A regimen of ${items.length} items can't be judged: call setContext first and give at most ${MAX_ITEMS} items.`,
      );
    }
    const result = this.#result;
    const hasPpi = this.#addDrugs(items, base);
    this.#pairs.apply(items, base, this.#slots, hasPpi, this.#hazards, this.#efficacy);
    let otherRules = 0;
    if (this.#options.useRegimenRules) {
      this.#detector.detect(this.#active, this.#activeCount, flags);
      otherRules = this.#addRegimenHits();
    }
    result.lamAde = this.#hazards.finish(base.rates) + OTHER_RULE_LOSS * otherRules;
    this.#addBenefits(items);
    result.lamDis = this.#benefit.finish();
    result.harm = result.lamAde + result.lamDis;
    const parts = this.#burden.finish();
    result.burden = parts.burden;
    result.drugCount = parts.drugCount;
    result.acb = parts.acb;
    result.dbi = parts.dbi;
    result.mrci = parts.mrci;
    result.utility = -result.harm - BURDEN_WEIGHT * result.burden;
    return result;
  }

  /** Exposure, risk points and burden of each item; true if an active one is a PPI. */
  #addDrugs(items: readonly EvaluationItem[], base: RegimenBase): boolean {
    const exposure = this.#exposure;
    const burden = this.#burden;
    const now = this.#now;
    const { carryOver, aucr, shift, phi, formed } = now;
    const kept = base.numbers;
    const drugs = this.#drugs;
    const slots = this.#slots;
    const efficacy = this.#efficacy;
    const active = this.#active;
    const isPpi = this.#isPpi;
    const { slotOf, items: baseItems } = base;
    const count = items.length;
    exposure.clearPerpetrators();
    for (let i = 0; i < count; i++) {
      const item = items[i]!;
      drugs[i] = item.drugIndex;
      carryOver[i] = item.carryOver;
      efficacy[i] = 1;
      exposure.addPerpetrator(item.drugIndex, item.carryOver);
    }
    const isKept = baseItems.length > 0 && exposure.hasPerpetratorsOf(base);
    burden.begin();
    let activeCount = 0;
    let hasPpi = false;
    for (let i = 0; i < count; i++) {
      const item = items[i]!;
      const slot = slotOf[drugs[i]!]!;
      const isBase = slot >= 0 && baseItems[slot] === item;
      slots[i] = isBase ? slot : -1;
      if (isBase && isKept) {
        aucr[i] = kept.aucr[slot]!;
        shift[i] = kept.shift[slot]!;
        phi[i] = kept.phi[slot]!;
        formed[i] = kept.formed[slot]!;
      } else this.#computeNumbers(item, i);
      if (!item.isActive) continue;
      active[activeCount++] = item;
      burden.addDrug(item);
      if (isPpi[drugs[i]!] === 1) hasPpi = true;
    }
    this.#activeCount = activeCount;
    this.#hazards.begin(drugs, now, count);
    return hasPpi;
  }

  #computeNumbers(item: EvaluationItem, i: number): void {
    const drug = item.drugIndex;
    const now = this.#now;
    const aucr = this.#exposure.aucr(drug);
    const exposure = item.dosePerDay * aucr;
    const reference = this.#doseReference[drug]!;
    now.aucr[i] = aucr;
    now.shift[i] = item.exposureReference === null ? 1 : exposure / item.exposureReference;
    now.phi[i] =
      reference === 0 || !this.#options.useDoses ? 1 : Math.sqrt(Math.min(3, Math.max(0.25, exposure / reference)));
    now.formed[i] = Math.min(1, this.#exposure.isProdrug(drug) ? this.#exposure.activationRatio(drug) : aucr);
  }

  #addRegimenHits(): number {
    const detector = this.#detector;
    this.#addRegimenHit(FALL_SEDATION, detector.cnsActiveRank);
    this.#addRegimenHit(AKI, detector.tripleWhammyRank);
    this.#addRegimenHit(ANTICHOL, detector.anticholinergicRank);
    this.#addRegimenHit(QT, detector.qtRank);
    this.#addRegimenHit(HYPONA, detector.sodiumRank);
    this.#addRegimenHit(GI_BLEED, detector.gastroprotectionRank);
    if (detector.duplicateClasses !== 0) {
      for (let k = 0; k < this.#duplicateDomains.length; k++) {
        if ((detector.duplicateClasses & (1 << k)) !== 0) this.#addRegimenHit(this.#duplicateDomains[k]!, 1);
      }
    }
    let other = detector.opioidRank >= 0 ? 1 : 0;
    for (let i = 0; i < this.#activeCount; i++) other += detector.longPpi[i]! + detector.unindicated[i]!;
    return other;
  }

  #addRegimenHit(domain: number, rank: number): void {
    if (rank >= 0) this.#hazards.addHit(domain, EXCESS_BY_RANK[rank]!);
  }

  #addBenefits(items: readonly EvaluationItem[]): void {
    const benefit = this.#benefit;
    const { formed, shift } = this.#now;
    const efficacy = this.#efficacy;
    const { useDoses } = this.#options;
    benefit.begin();
    for (let i = 0; i < items.length; i++) {
      const item = items[i]!;
      const quality = formed[i]! * efficacy[i]! * lowShiftFactor(shift[i]!);
      const share = useDoses ? benefit.doseShare(item.drugIndex, item.dosePerDay) : 1;
      benefit.addDrug(item.drugIndex, item.effectFactor * share * quality, item.daysOfUse);
    }
  }
}

const FALL_SEDATION = domainIndex("FALL_SEDATION");
const AKI = domainIndex("AKI");
const ANTICHOL = domainIndex("ANTICHOL");
const QT = domainIndex("QT");
const HYPONA = domainIndex("HYPONA");
const GI_BLEED = domainIndex("GI_BLEED");

function factsOf(context: EvaluationContext): Facts {
  return {
    ageYears: context.ageYears,
    sex: context.sex,
    crClMlPerMin: context.crClMlPerMin,
    egfrMlPerMin: context.egfrMlPerMin,
    potassiumMmolPerL: context.potassiumMmolPerL,
    sodiumMmolPerL: context.sodiumMmolPerL,
    qtcMs: context.qtcMs,
    heartRatePerMin: context.heartRatePerMin,
    conditions: activeConditionCodes(context.conditions, context.crClMlPerMin),
  };
}
