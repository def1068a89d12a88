import { CONDITION_CODES, conditionIndex } from "../kb/conditions.ts";
import type { HarmDomain } from "../kb/domains.ts";
import { keptByDrug, keptByKnowledgeBase } from "../kb/kept.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import type { Facts } from "./facts.ts";
import {
  DERIVED_INDICATIONS,
  type IndicationFlags,
  type IndicationTriggers,
  indicationFlags,
  isDerivedActive,
  isInAny,
  needsGastroprotection,
  TRIGGER_GROUPS,
} from "./indications.ts";

/** One drug of a regimen as the regimen rules see it. */
export interface RegimenRuleDrug {
  readonly drugIndex: number;
  readonly daysOfUse: number;
  /** Drug this one crosses over from while the labelled overlap is allowed, else null. */
  readonly crossOverFromDrugIndex: number | null;
}

/** Patient side of the regimen rules, unknown values already counted one way. */
export interface RegimenFlags extends IndicationFlags {
  /** Na < 135 mmol/L. */
  readonly isSodiumLow: boolean;
  /** QTc > 470 ms (F) or 450 ms (M), or K < 3.5 mmol/L. */
  readonly isQtPrimed: boolean;
  /** DEMENTIA or DELIRIUM_HX. */
  readonly isCognitionFrail: boolean;
  /** A LAXATIVE or BOWEL order is active. */
  readonly hasBowelOrder: boolean;
  /** 1 = active, by condition number. */
  readonly conditions: Uint8Array;
}

/** Classes of RG6 with the domain of a duplicate. assumption: the domain is the class's main harm. Source of the rule: STOPP v3. */
export const DUPLICATE_CLASSES: readonly (readonly [group: string, domain: HarmDomain])[] = [
  ["NSAID", "GI_BLEED"],
  ["SSRI", "SEROTONIN"],
  ["BZD", "FALL_SEDATION"],
  ["ZDRUG", "FALL_SEDATION"],
  ["PPI", "OTHER"],
  ["STATIN", "MYOPATHY"],
  ["ACEI", "HYPERK"],
  ["ARB", "HYPERK"],
  ["BB", "BRADY"],
  ["LOOP", "HYPOK"],
  ["THIAZIDE", "HYPONA"],
  ["DHP_CCB", "HYPOTENSION"],
  ["ANTICOAG", "BLEED"],
  ["ANTIPSYCH", "FALL_SEDATION"],
  ["OPIOID_STRONG", "RESP_DEPR"],
  ["SU", "HYPOGLY"],
  ["GABAPENTINOID", "FALL_SEDATION"],
  ["ACHEI", "BRADY"],
  ["ANTIMUSC", "ANTICHOL"],
  ["H2RA", "OTHER"],
  ["XO_INHIB", "OTHER"],
];

/** Groups of RG1. Source: AGS Beers 2023. */
const CNS_ACTIVE_GROUPS = ["ANTIDEPR", "AED", "ANTIPSYCH", "BZD", "ZDRUG", "OPIOID", "MUSCLE_RELAX"];

/** PPI use beyond this many days needs a reason. Source: AGS Beers 2023 (8 weeks). */
const PPI_REVIEW_AFTER_DAYS = 56;

/** Roles of a drug, one bit each. */
export const ROLE = {
  cnsActive: 1,
  rasi: 2,
  diuretic: 4,
  nsaid: 8,
  ppi: 16,
  bleeder: 32,
  opioid: 64,
  laxative: 128,
  knownQt: 256,
  methotrexate: 512,
  loopOrThiazide: 1024,
  rasiOrPotassiumSparing: 2048,
  hyponatraemic: 4096,
} as const;

/** True for orders that answer RG8: a laxative or a bowel order. */
export function answersBowelRule(orders: ReadonlySet<string>): boolean {
  return orders.has("LAXATIVE") || orders.has("BOWEL");
}

/**
 * Patient side of the regimen rules from facts and active orders; an unknown value counts as `unknownCountsAs`.
 * @param conditions array to be used for the flags' conditions
 */
export function regimenFlags(
  facts: Facts,
  orders: ReadonlySet<string>,
  unknownCountsAs: boolean,
  conditions: Uint8Array = new Uint8Array(CONDITION_CODES.length),
): RegimenFlags {
  conditions.fill(0);
  for (const code of facts.conditions) {
    const index = conditionIndex(code);
    if (index >= 0) conditions[index] = 1;
  }
  const indication = indicationFlags(facts, unknownCountsAs);
  const isQtLong = facts.qtcMs === null ? unknownCountsAs : facts.qtcMs > (facts.sex === "F" ? 470 : 450);
  return {
    hasUlcer: indication.hasUlcer,
    isAge75: indication.isAge75,
    isPotassiumLow: indication.isPotassiumLow,
    isSodiumLow: facts.sodiumMmolPerL === null ? unknownCountsAs : facts.sodiumMmolPerL < 135,
    isQtPrimed: isQtLong || indication.isPotassiumLow,
    isCognitionFrail: facts.conditions.has("DEMENTIA") || facts.conditions.has("DELIRIUM_HX"),
    hasBowelOrder: answersBowelRule(orders),
    conditions,
  };
}

/** What the rules rest on of each drug, by row number. */
interface DetectorTables {
  /** Role bits. */
  readonly roles: Int32Array;
  /** Bit k = member of DUPLICATE_CLASSES[k]. */
  readonly classes: Int32Array;
  readonly acb: Uint8Array;
  readonly firstGroup: Int32Array;
  readonly indicationStart: Int32Array;
  readonly indicationCodes: Int32Array;
}

/** Role and class bits of a drug. */
const bitsOf = keptByDrug((drug) => ({
  roles: rolesOf(drug),
  classes: DUPLICATE_CLASSES.reduce((bits, [group], k) => (drug.groups.includes(group) ? bits | (1 << k) : bits), 0),
}));

const detectorTablesOf = keptByKnowledgeBase(({ drugs }): DetectorTables => {
  const groupNumbers = new Map<string, number>();
  const firstGroup = Int32Array.from(drugs, (drug) => {
    const group = drug.groups[0]!;
    const number = groupNumbers.get(group) ?? groupNumbers.size;
    groupNumbers.set(group, number);
    return number;
  });
  const starts = [0];
  for (const drug of drugs) starts.push(starts.at(-1)! + drug.indications.length);
  return {
    roles: Int32Array.from(drugs, (drug) => bitsOf(drug).roles),
    classes: Int32Array.from(drugs, (drug) => bitsOf(drug).classes),
    acb: Uint8Array.from(drugs, (drug) => drug.acb),
    firstGroup,
    indicationStart: Int32Array.from(starts),
    indicationCodes: Int32Array.from(drugs.flatMap(({ indications }) => indications.map(conditionIndex))),
  };
});

/**
 * Decides RG1-RG10 for a regimen without allocation; the findings are the public fields, overwritten by the next `detect`.
 * Severity ranks: -1 = no hit, 0 moderate, 1 major.
 */
export class RegimenDetector {
  /** Role bits by drug index. */
  readonly roles: Int32Array;
  /** Bit k = member of DUPLICATE_CLASSES[k], by drug index. */
  readonly classes: Int32Array;
  readonly #acb: Uint8Array;
  /** Number of the class proper (first group) by drug index. */
  readonly #firstGroup: Int32Array;
  /** Condition numbers of the indications of drug i: from start[i] to start[i + 1]. */
  readonly #indicationStart: Int32Array;
  readonly #indicationCodes: Int32Array;
  readonly #derivedActive = new Uint8Array(CONDITION_CODES.length);
  readonly #derivedIndexes = DERIVED_INDICATIONS.map(conditionIndex);
  readonly #pastReasons = [conditionIndex("GERD"), conditionIndex("GASTROPROTECTION")];

  cnsActiveRank = -1;
  tripleWhammyRank = -1;
  anticholinergicRank = -1;
  qtRank = -1;
  sodiumRank = -1;
  /** Bit k = RG6 in DUPLICATE_CLASSES[k]. */
  duplicateClasses = 0;
  gastroprotectionRank = -1;
  opioidRank = -1;
  /** By position in the regimen: 1 = RG9, RG10. */
  readonly longPpi = new Uint8Array(64);
  readonly unindicated = new Uint8Array(64);

  constructor(kb: KnowledgeBase) {
    const tables = detectorTablesOf(kb);
    this.roles = tables.roles;
    this.classes = tables.classes;
    this.#acb = tables.acb;
    this.#firstGroup = tables.firstGroup;
    this.#indicationStart = tables.indicationStart;
    this.#indicationCodes = tables.indicationCodes;
  }

  /** Judges the drugs of `regimen` (active ones only). */
  detect(regimen: readonly RegimenRuleDrug[], count: number, flags: RegimenFlags): void {
    let all = 0;
    let cnsActive = 0;
    let acb = 0;
    let knownQt = 0;
    let bleeders = 0;
    let seen = 0;
    let twice = 0;
    let hasCrossOver = false;
    let sodiumGroup = -1;
    let isSodiumMixed = false;
    const roleBits = this.roles;
    const classBits = this.classes;
    const acbOf = this.#acb;
    for (let i = 0; i < count; i++) {
      const entry = regimen[i]!;
      const drug = entry.drugIndex;
      const roles = roleBits[drug]!;
      all |= roles;
      if ((roles & ROLE.cnsActive) !== 0) cnsActive++;
      if ((roles & ROLE.knownQt) !== 0) knownQt++;
      if ((roles & ROLE.bleeder) !== 0) bleeders++;
      acb += acbOf[drug]!;
      const classes = classBits[drug]!;
      twice |= seen & classes;
      seen |= classes;
      if (entry.crossOverFromDrugIndex !== null) hasCrossOver = true;
      if ((roles & ROLE.hyponatraemic) !== 0) {
        const group = this.#firstGroup[drug]!;
        if (sodiumGroup < 0) sodiumGroup = group;
        else if (sodiumGroup !== group) isSodiumMixed = true;
      }
    }
    this.cnsActiveRank = cnsActive >= 3 ? 1 : -1;
    const whammy = ROLE.rasi | ROLE.diuretic | ROLE.nsaid;
    this.tripleWhammyRank = (all & whammy) === whammy ? 1 : -1;
    this.anticholinergicRank = acb < 3 ? -1 : flags.isCognitionFrail ? 1 : 0;
    this.qtRank = knownQt > 0 && flags.isQtPrimed ? 1 : knownQt >= 2 ? 0 : -1;
    this.sodiumRank = isSodiumMixed && flags.isSodiumLow ? 1 : -1;
    this.duplicateClasses = twice !== 0 && hasCrossOver ? this.#withoutCrossOvers(regimen, count, twice) : twice;
    this.gastroprotectionRank = (all & ROLE.ppi) === 0 && needsGastroprotection(bleeders, flags) ? 0 : -1;
    this.opioidRank = (all & ROLE.opioid) !== 0 && (all & ROLE.laxative) === 0 && !flags.hasBowelOrder ? 0 : -1;
    this.#judgeIndications(regimen, count, flags, {
      bleeders,
      hasMethotrexate: (all & ROLE.methotrexate) !== 0,
      hasLoopOrThiazide: (all & ROLE.loopOrThiazide) !== 0,
      hasRasiOrPotassiumSparing: (all & ROLE.rasiOrPotassiumSparing) !== 0,
    });
  }

  #judgeIndications(
    regimen: readonly RegimenRuleDrug[],
    count: number,
    flags: RegimenFlags,
    triggers: IndicationTriggers,
  ): void {
    for (let k = 0; k < DERIVED_INDICATIONS.length; k++) {
      this.#derivedActive[this.#derivedIndexes[k]!] = isDerivedActive(DERIVED_INDICATIONS[k]!, triggers, flags) ? 1 : 0;
    }
    const { longPpi, unindicated, roles } = this;
    const { conditions } = flags;
    const derived = this.#derivedActive;
    const start = this.#indicationStart;
    const codes = this.#indicationCodes;
    for (let i = 0; i < count; i++) {
      const entry = regimen[i]!;
      const drug = entry.drugIndex;
      longPpi[i] = 0;
      if ((roles[drug]! & ROLE.ppi) !== 0 && entry.daysOfUse > PPI_REVIEW_AFTER_DAYS)
        longPpi[i] = this.#hasPastReason(conditions) ? 0 : 1;
      unindicated[i] = 1;
      const end = start[drug + 1]!;
      for (let k = start[drug]!; k < end; k++) {
        const code = codes[k]!;
        if (conditions[code] === 1 || derived[code] === 1) {
          unindicated[i] = 0;
          break;
        }
      }
    }
  }

  #hasPastReason(conditions: Uint8Array): boolean {
    for (const code of this.#pastReasons) if (conditions[code] === 1 || this.#derivedActive[code] === 1) return true;
    return false;
  }

  #withoutCrossOvers(regimen: readonly RegimenRuleDrug[], count: number, twice: number): number {
    let clashing = 0;
    for (let i = 0; i < count; i++) {
      for (let j = i + 1; j < count; j++) {
        const x = regimen[i]!;
        const y = regimen[j]!;
        if (isCrossOver(x, y)) continue;
        clashing |= this.classes[x.drugIndex]! & this.classes[y.drugIndex]!;
      }
    }
    return clashing & twice;
  }
}

/** True when one drug is on the way to replace the other. */
export function isCrossOver(x: RegimenRuleDrug, y: RegimenRuleDrug): boolean {
  return x.crossOverFromDrugIndex === y.drugIndex || y.crossOverFromDrugIndex === x.drugIndex;
}

function rolesOf(drug: Drug): number {
  const bit = (holds: boolean, role: number): number => (holds ? role : 0);
  return (
    bit(isInAny(drug, CNS_ACTIVE_GROUPS), ROLE.cnsActive) |
    bit(isInAny(drug, ["RASI"]), ROLE.rasi) |
    bit(isInAny(drug, ["DIURETIC"]), ROLE.diuretic) |
    bit(isInAny(drug, ["NSAID"]), ROLE.nsaid) |
    bit(isInAny(drug, ["PPI"]), ROLE.ppi) |
    bit(isInAny(drug, TRIGGER_GROUPS.bleeder), ROLE.bleeder) |
    bit(isInAny(drug, ["OPIOID"]), ROLE.opioid) |
    bit(isInAny(drug, ["LAXATIVE"]), ROLE.laxative) |
    bit(isInAny(drug, ["QT_KR"]), ROLE.knownQt) |
    bit(isInAny(drug, TRIGGER_GROUPS.methotrexate), ROLE.methotrexate) |
    bit(isInAny(drug, TRIGGER_GROUPS.loopOrThiazide), ROLE.loopOrThiazide) |
    bit(isInAny(drug, TRIGGER_GROUPS.rasiOrPotassiumSparing), ROLE.rasiOrPotassiumSparing) |
    bit(drug.risk.hyponatremia > 0, ROLE.hyponatraemic)
  );
}
