import { ExposureModel } from "../engine/exposure.ts";
import { exposureTablesOf } from "../engine/exposure-tables.ts";
import { type ConditionValues, evaluateCondition, type RuleCondition } from "../kb/condition.ts";
import {
  HARM_DOMAINS,
  type InteractionDomain,
  type ManagementCode,
  type Severity,
  severityRank,
} from "../kb/domains.ts";
import { keptByKnowledgeBase } from "../kb/kept.ts";
import type { InteractionRule, KnowledgeBase, RuleSide } from "../kb/types.ts";
import { baseOf } from "../kb/with-drug.ts";
import { deriveHits } from "./derived-hits.ts";
import type { Facts } from "./facts.ts";
import { type ManagementTraits, managementTraits } from "./management-traits.ts";

/** Domain number of EFFICACY_LOSS in the pair table, after the harm domains. */
export const EFFICACY_LOSS_INDEX = HARM_DOMAINS.length;

/** One rule laid on one pair of drugs, whatever its condition. */
export interface PairEntry extends ManagementTraits {
  /** The rule's id, or DERIVED for a hit of the exposure model. */
  readonly ruleId: string;
  readonly rule: InteractionRule | null;
  /** Drug index of side a and side b of the rule. */
  readonly aIndex: number;
  readonly bIndex: number;
  readonly severity: Severity;
  /** 0 moderate, 1 major, 2 contraindicated. */
  readonly severityRank: number;
  readonly domain: InteractionDomain;
  /** Number of the domain; {@link EFFICACY_LOSS_INDEX} for EFFICACY_LOSS. */
  readonly domainIndex: number;
  /** Drug whose exposure or effect changes, and the other one; null = neither. */
  readonly objectIndex: number | null;
  readonly perpetratorIndex: number | null;
  readonly aucrApprox: number | null;
  /** Number of the condition in the table; -1 = always. */
  readonly conditionId: number;
  readonly managementCodes: readonly ManagementCode[];
  readonly isDerived: boolean;
  /** EFFICACY_LOSS that the exposure model already gives, so that no further factor is due. */
  readonly isModelled: boolean;
}

/** All rules by pair, sorted so that per domain the first entry whose condition holds is the one to keep. */
export interface PairTable {
  readonly drugCount: number;
  /** At {@link pairPlace}: number of the pair's entries in `entries`; 0 = no rule. */
  readonly pairIds: Uint16Array;
  readonly entries: readonly (readonly PairEntry[])[];
  readonly conditions: readonly RuleCondition[];
  /** Number of a condition by its text. */
  readonly conditionIds: ReadonlyMap<string, number>;
}

/** Place of a pair of two different drugs, whichever comes first: drugs that are added at the end leave the places before them as they are. */
function pairPlace(i: number, j: number): number {
  return i < j ? (j * (j - 1)) / 2 + i : (i * (i - 1)) / 2 + j;
}

/** Truth of a condition for one patient: 0 false, 1 true, 2 depends on the doses. */
export type ConditionTruths = Uint8Array;

/** The pair table of a knowledge base; built once, from that of another one where it has only a drug more. */
export const pairTableOf: (kb: KnowledgeBase) => PairTable = keptByKnowledgeBase((kb) => {
  const base = baseOf(kb);
  return buildPairTable(kb, base === null ? NO_PAIRS : pairTableOf(base));
});

const NO_PAIRS: PairTable = {
  drugCount: 0,
  pairIds: new Uint16Array(0),
  entries: [[]],
  conditions: [],
  conditionIds: new Map(),
};

/** The entries of a pair in any order of the two; empty when no rule names it. */
export function pairEntries(table: PairTable, drugIndex: number, otherIndex: number): readonly PairEntry[] {
  // A drug and itself have no place.
  const id = drugIndex === otherIndex ? 0 : table.pairIds[pairPlace(drugIndex, otherIndex)]!;
  return table.entries[id]!;
}

/** @param base table of the first drugs, under the same rules: what two of them do to each other hangs on no other drug */
function buildPairTable(kb: KnowledgeBase, base: PairTable): PairTable {
  const n = kb.drugs.length;
  const firstNew = base.drugCount;
  const conditions: RuleCondition[] = [...base.conditions];
  const conditionIds = new Map(base.conditionIds);
  const conditionIdOf = (rule: InteractionRule): number => {
    if (rule.condition === null) return -1;
    let id = conditionIds.get(rule.conditionText);
    if (id === undefined) {
      id = conditions.length;
      conditions.push(rule.condition);
      conditionIds.set(rule.conditionText, id);
    }
    return id;
  };
  const members = (side: RuleSide): readonly number[] =>
    side.kind === "drug" ? [kb.drugIndexById.get(side.name)!] : kb.groupMembers.get(side.name)!;

  const byPair = new Map<number, PairEntry[]>();
  const model = new ExposureModel(exposureTablesOf(kb));
  for (const rule of kb.rules) {
    const isSymmetric = rule.object === null && !(rule.condition?.usesDose ?? false);
    const aMembers = members(rule.a);
    const bMembers = members(rule.b);
    const hasNew = (indexes: readonly number[]): boolean => indexes.some((index) => index >= firstNew);
    if (!hasNew(aMembers) && !hasNew(bMembers)) continue;
    for (const a of aMembers) {
      for (const b of bMembers) {
        if (a === b || (a < firstNew && b < firstNew)) continue;
        const key = pairPlace(a, b);
        const list = byPair.get(key) ?? [];
        // A class against itself meets the pair from both sides; without an object or doses that is one hit.
        if (isSymmetric && list.some((entry) => entry.rule === rule)) continue;
        list.push(makeEntry(kb, rule, a, b, conditionIdOf(rule), model));
        byPair.set(key, list);
      }
    }
  }
  for (const entry of deriveHits(kb, model, (a, b) => byPair.has(pairPlace(a, b)), firstNew)) {
    const key = pairPlace(entry.aIndex, entry.bIndex);
    const list = byPair.get(key) ?? [];
    list.push(entry);
    byPair.set(key, list);
  }

  const pairIds = new Uint16Array((n * (n - 1)) / 2);
  pairIds.set(base.pairIds);
  const entries: (readonly PairEntry[])[] = [...base.entries];
  for (const key of [...byPair.keys()].sort((x, y) => x - y)) {
    pairIds[key] = entries.length;
    entries.push(byPair.get(key)!.sort(byPriority));
  }
  return { drugCount: n, pairIds, entries, conditions, conditionIds };
}

function makeEntry(
  kb: KnowledgeBase,
  rule: InteractionRule,
  a: number,
  b: number,
  conditionId: number,
  model: ExposureModel,
): PairEntry {
  const objectIndex = rule.object === null ? null : rule.object === "a" ? a : b;
  const perpetratorIndex = objectIndex === null ? null : objectIndex === a ? b : a;
  let isModelled = false;
  if (rule.harmDomain === "EFFICACY_LOSS" && objectIndex !== null && perpetratorIndex !== null) {
    model.clearPerpetrators();
    model.addPerpetrator(perpetratorIndex, 1);
    isModelled =
      model.aucr(objectIndex) < MODELLED_BELOW_RATIO || model.activationRatio(objectIndex) < MODELLED_BELOW_RATIO;
    model.clearPerpetrators();
  }
  const traits = managementTraits(kb, [a, b], rule.severity, rule.managementCodes);
  return {
    ruleId: rule.ruleId,
    rule,
    aIndex: a,
    bIndex: b,
    severity: rule.severity,
    severityRank: severityRank(rule.severity),
    domain: rule.harmDomain,
    domainIndex: rule.harmDomain === "EFFICACY_LOSS" ? EFFICACY_LOSS_INDEX : HARM_DOMAINS.indexOf(rule.harmDomain),
    objectIndex,
    perpetratorIndex,
    aucrApprox: rule.aucrApprox,
    conditionId,
    managementCodes: rule.managementCodes,
    isStrict: traits.isStrict,
    isOpioidHit: traits.isOpioidHit,
    isManagedByOrders: traits.isManagedByOrders,
    isDerived: false,
    isModelled,
  };
}

/** assumption: the model speaks for an EFFICACY_LOSS rule when the perpetrator alone cuts exposure or activation below this. */
const MODELLED_BELOW_RATIO = 0.95;

/** Domain, then drug-drug before drug-group before group-group, then higher severity, then table order. */
function byPriority(x: PairEntry, y: PairEntry): number {
  return (
    x.domainIndex - y.domainIndex ||
    specificity(y) - specificity(x) ||
    y.severityRank - x.severityRank ||
    (x.rule?.index ?? 0) - (y.rule?.index ?? 0) ||
    x.aIndex - y.aIndex
  );
}

function specificity(entry: PairEntry): number {
  return entry.rule === null ? 0 : Number(entry.rule.a.kind === "drug") + Number(entry.rule.b.kind === "drug");
}

/**
 * Judges every condition for one patient into `truths` (length = table.conditions). A condition on a value that is not
 * known counts as `unknownCountsAs`; one that the doses decide becomes 2.
 */
export function judgeConditions(
  table: PairTable,
  facts: Facts,
  unknownCountsAs: boolean,
  truths: ConditionTruths,
): ConditionTruths {
  const values = valuesOf(facts, null, null, null);
  for (let id = 0; id < table.conditions.length; id++) {
    const condition = table.conditions[id]!;
    const truth = evaluateCondition(condition, values);
    truths[id] = truth === null ? (condition.usesDose ? 2 : Number(unknownCountsAs)) : Number(truth);
  }
  return truths;
}

/** Judges a condition that needs the doses of the pair (in the unit of each side's row). */
export function judgeDoseCondition(
  table: PairTable,
  kb: KnowledgeBase,
  entry: PairEntry,
  facts: Facts,
  doseA: number,
  doseB: number,
  unknownCountsAs: boolean,
): boolean {
  const isDoseHigh = doseA > kb.drugs[entry.aIndex]!.doseMax || doseB > kb.drugs[entry.bIndex]!.doseMax;
  return (
    evaluateCondition(table.conditions[entry.conditionId]!, valuesOf(facts, doseA, doseB, isDoseHigh)) ??
    unknownCountsAs
  );
}

function valuesOf(
  facts: Facts,
  doseA: number | null,
  doseB: number | null,
  isDoseHigh: boolean | null,
): ConditionValues {
  return {
    crClMlPerMin: facts.crClMlPerMin,
    egfrMlPerMin: facts.egfrMlPerMin,
    potassiumMmolPerL: facts.potassiumMmolPerL,
    qtcMs: facts.qtcMs,
    heartRatePerMin: facts.heartRatePerMin,
    sex: facts.sex,
    doseA,
    doseB,
    isDoseHigh,
  };
}
