import type { Facts } from "../interactions/facts.ts";
import { activeIndicationCodes } from "../interactions/indications.ts";
import { isManaged, type ManagedSide, type ManagementState } from "../interactions/managed.ts";
import {
  type ConditionTruths,
  judgeConditions,
  judgeDoseCondition,
  type PairEntry,
  type PairTable,
  pairEntries,
  pairTableOf,
} from "../interactions/pair-table.ts";
import type { RenalDoseFacts } from "../kb/renal-dose.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import { knownFacts } from "../observation/facts.ts";
import { findMeasurement, flagOf } from "../observation/measurements.ts";
import type { Known, KnownMedication } from "../observation/types.ts";
import { type DrugTraits, traitsOf } from "./drug-traits.ts";
import { pairRanksOf } from "./pair-ranks.ts";
import type { LegalityRule } from "./rule.ts";
import type { ActionPayload } from "./types.ts";

/** A row of the list that is mapped to the knowledge base. */
export type MappedMedication = KnownMedication & { readonly drugIndex: number };

/** What the rules look up for every candidate, worked out once per step from known facts only. */
export interface LegalityContext {
  readonly kb: KnowledgeBase;
  readonly known: Known;
  readonly facts: Facts;
  readonly traits: readonly DrugTraits[];
  readonly listed: readonly MappedMedication[];
  readonly listedDrugs: ReadonlySet<number>;
  /** The drugs of `listed`, in its order. */
  readonly regimen: readonly Drug[];
  /** Conditions that are active as known, with the indications that follow from the regimen. */
  readonly indications: ReadonlySet<string>;
  readonly byRef: ReadonlyMap<string, MappedMedication>;
  readonly renal: RenalDoseFacts;
  /** Creatinine clearance is known and its sample is at most 90 days old. */
  readonly isKidneyFresh: boolean;
  readonly orders: ReadonlySet<string>;
  /** Drugs (row numbers) with a finished review that is still valid. */
  readonly reviewed: ReadonlySet<number>;
  readonly table: PairTable;
  /** See `pairRanksOf`. */
  readonly ranks: Uint8Array;
  /** Truth of the conditions with unknown values counted as false: what legality may use. */
  readonly truths: ConditionTruths;
  /** Hard rules of the sub-environment beside V03-V18. */
  readonly extraRules: readonly LegalityRule[];
  /** Verdicts on payload objects so far, as one is asked about while it is looked for, offered and assessed. */
  readonly verdicts: Map<ActionPayload, boolean>;
}

/** Days after which a value counts as old. */
export const STALE_AFTER_DAYS = 90;

const NO_RULES: readonly LegalityRule[] = [];

/** Builds the context of one step. @param extraRules hard rules of the sub-environment */
export function buildLegalityContext(
  kb: KnowledgeBase,
  known: Known,
  extraRules: readonly LegalityRule[] = NO_RULES,
): LegalityContext {
  const table = pairTableOf(kb);
  const facts = knownFacts(known);
  const listed: MappedMedication[] = [];
  const listedDrugs = new Set<number>();
  const byRef = new Map<string, MappedMedication>();
  for (const medication of known.medications) {
    if (!isMapped(medication)) continue;
    listed.push(medication);
    listedDrugs.add(medication.drugIndex);
    byRef.set(medication.medRef, medication);
  }
  const regimen = listed.map(({ drugIndex }) => kb.drugs[drugIndex]!);
  const orders = new Set<string>();
  for (const order of known.orders) if (order.endDay === null || order.endDay > known.clock.day) orders.add(order.code);
  const reviewed = new Set<number>();
  for (const { drugIndex, validUntilStep } of known.reviews)
    if (drugIndex !== null && validUntilStep >= known.clock.step) reviewed.add(drugIndex);
  return {
    kb,
    known,
    facts,
    traits: traitsOf(kb),
    listed,
    listedDrugs,
    regimen,
    indications: activeIndicationCodes(regimen, facts),
    byRef,
    renal: {
      crClMlPerMin: known.crClMlPerMin,
      egfrMlPerMin: known.egfrMlPerMin,
      ageYears: known.ageYears,
      weightKg: known.weightKg,
      serumCreatinineMgPerDl: known.values.CREAT?.value ?? null,
      hasAtrialFibrillation: facts.conditions.has("AF_STROKE") || facts.conditions.has("AF_RATE"),
    },
    isKidneyFresh:
      known.crClMlPerMin !== null && known.kidneyAgeDays !== null && known.kidneyAgeDays <= STALE_AFTER_DAYS,
    orders,
    reviewed,
    table,
    ranks: pairRanksOf(kb),
    truths: judgeConditions(table, facts, false, new Uint8Array(table.conditions.length)),
    extraRules,
    verdicts: new Map(),
  };
}

function isMapped(medication: KnownMedication): medication is MappedMedication {
  return medication.drugIndex !== null;
}

/**
 * Calls `visit` for each hit (the deciding entry of each domain) that a drug at a dose has with another listed drug, with
 * conditions judged on observed values only.
 */
export function forEachKnownHit(
  context: LegalityContext,
  drug: { readonly drugIndex: number; readonly dosePerDay: number },
  other: MappedMedication,
  visit: (entry: PairEntry) => void,
): void {
  let decided = -1;
  for (const entry of pairEntries(context.table, drug.drugIndex, other.drugIndex)) {
    if (entry.domainIndex === decided || !holdsAsKnown(context, entry, drug, other)) continue;
    decided = entry.domainIndex;
    visit(entry);
  }
}

/** True when the entry's condition holds on observed values for the two drugs of its pair. */
function holdsAsKnown(
  { kb, table, truths, facts }: LegalityContext,
  entry: PairEntry,
  drug: { readonly drugIndex: number; readonly dosePerDay: number },
  other: MappedMedication,
): boolean {
  if (entry.conditionId < 0) return true;
  const truth = truths[entry.conditionId]!;
  if (truth !== 2) return truth === 1;
  return entry.aIndex === drug.drugIndex
    ? judgeDoseCondition(table, kb, entry, facts, drug.dosePerDay, other.dosePerDay, false)
    : judgeDoseCondition(table, kb, entry, facts, other.dosePerDay, drug.dosePerDay, false);
}

/**
 * Highest severity rank of the hits that a drug at a dose has with another listed drug, judged as in
 * {@link forEachKnownHit}; -1 when none reaches `atLeast`.
 */
export function worstKnownRank(
  context: LegalityContext,
  drug: { readonly drugIndex: number; readonly dosePerDay: number },
  other: MappedMedication,
  atLeast: number,
): number {
  if (context.ranks[drug.drugIndex * context.table.drugCount + other.drugIndex]! <= atLeast) return -1;
  let worst = -1;
  let decided = -1;
  for (const entry of pairEntries(context.table, drug.drugIndex, other.drugIndex)) {
    if (entry.domainIndex === decided || !holdsAsKnown(context, entry, drug, other)) continue;
    decided = entry.domainIndex;
    worst = Math.max(worst, entry.severityRank);
  }
  return worst >= atLeast ? worst : -1;
}

/** One side of a pair as known, for the management rules. */
export function knownSide(context: LegalityContext, medication: MappedMedication): ManagedSide {
  const { known } = context;
  const level = medication.lastLevel;
  return {
    drugIndex: medication.drugIndex,
    dosePerDay: medication.dosePerDay,
    startDay: medication.startDay ?? Number.NEGATIVE_INFINITY,
    doseHistory: medication.doseHistory,
    lastInRangeLevelDay: level !== null && isInRange(level.code, level.value) ? known.clock.day - level.ageDays : null,
    isTapering: medication.taper !== null && !medication.taper.isPaused,
    isReviewed: context.reviewed.has(medication.drugIndex),
  };
}

function isInRange(code: string, value: number): boolean {
  const measurement = findMeasurement(code);
  return measurement !== undefined && flagOf(measurement, value) === "N";
}

/** True when a hit of a new or changed drug with a listed one would be managed under these orders. */
export function isHitManaged(
  context: LegalityContext,
  entry: PairEntry,
  side: ManagedSide,
  other: MappedMedication,
  management: ManagementState,
): boolean {
  return isManaged(context.kb, entry, side, knownSide(context, other), management);
}
