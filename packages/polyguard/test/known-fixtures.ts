import { canonicalPayload } from "../src/actions/canonical.ts";
import { buildLegalityContext, type LegalityContext } from "../src/actions/legality-context.ts";
import type { WireAction } from "../src/actions/schema.ts";
import type { ActionPayload, OfferedCandidate } from "../src/actions/types.ts";
import { toWireCandidate } from "../src/actions/wire-candidate.ts";
import { findPairHits } from "../src/interactions/pair-hits.ts";
import { findRegimenHits } from "../src/interactions/regimen-rules.ts";
import { targetDose } from "../src/kb/dose-grid.ts";
import { getDrug } from "../src/kb/lookup.ts";
import { loadBundledKnowledgeBase } from "../src/kb/node.ts";
import { factsOf } from "../src/observation/facts.ts";
import type { Known, KnownMedication, KnownTaper } from "../src/observation/types.ts";

export const kb = loadBundledKnowledgeBase();

/** A drug of a test list; m1, m2 ... in order. */
export type ListedDrug = string | ({ readonly id: string } & Partial<KnownMedication>);

/** What a test patient differs in. */
export interface KnownOverrides
  extends Partial<Omit<Known, "medications" | "conditions" | "pairHits" | "alerts" | "regimenHits">> {
  readonly drugs?: readonly ListedDrug[];
  readonly active?: readonly string[];
  /** Hits by rule id that are managed. */
  readonly managed?: readonly string[];
  /** Alerts shown; default all pair hits. */
  readonly showsAlerts?: boolean;
}

export function drugIndex(id: string): number {
  return getDrug(kb, id).index;
}

/** A 78-year-old woman with known kidneys, drugs in use for 200 days at their target dose, and everything shown. */
export function makeKnown(overrides: KnownOverrides = {}): Known {
  const { drugs = [], active = [], managed = [], showsAlerts = true, ...rest } = overrides;
  const medications = drugs.map((entry, i): KnownMedication => {
    const { id, ...more } = typeof entry === "string" ? { id: entry } : entry;
    const drug = getDrug(kb, id);
    return {
      medRef: `m${i + 1}`,
      drugIndex: drug.index,
      drugId: drug.drugId,
      label: drug.genericName,
      dosePerDay: targetDose(drug),
      dosesPerDay: drug.dosesPerDay,
      route: drug.route,
      startDay: -200,
      endDay: null,
      indication: drug.indications[0] ?? null,
      isPrn: false,
      status: "active",
      heldUntilDay: null,
      taper: null,
      doseHistory: [],
      lastDoseChangeDay: null,
      lastLevel: null,
      crossOverFromDrugIndex: null,
      ...more,
    };
  });
  const base = {
    subEnvironment: "DDI",
    difficulty: "medium",
    clock: { day: 0, step: 0, visit: 0, stepsLeft: 14, visitsLeft: 8, changesLeft: 6, evidenceLeft: 4, reviewsLeft: 2 },
    maxSteps: 14,
    ageYears: 78,
    sex: "F",
    weightKg: 65,
    heightCm: 162,
    isSmoker: false,
    frailtyCfs: 4,
    lifeExpectancy: ">5y",
    preferences: [],
    childPugh: null,
    allergies: [],
    conditionEntries: active.map((code) => ({ code, status: "active" as const })),
    conditions: new Set(active),
    values: {
      CREAT: { value: 0.9, measuredDay: -5 },
      K: { value: 4.3, measuredDay: -5 },
      NA: { value: 139, measuredDay: -5 },
      QTC: { value: 425, measuredDay: -5 },
      HR: { value: 70, measuredDay: -5 },
    },
    crClMlPerMin: 55,
    egfrMlPerMin: 62,
    kidneyAgeDays: 5,
    stopped: [],
    discrepancies: [],
    alertCoverage: 1,
    conflicts: [],
    evidence: [],
    reviewNotes: [],
    orders: [],
    reviews: [],
    declaredSwitch: null,
    changes: [],
    events: [],
    symptoms: [],
    pillCount: null,
    samples: [],
    history: [],
    missingFields: [],
    entropyHint: 0,
    burden: { drugs: medications.length, acb: 0, dbi: 0, mrci: 0 },
    r90Estimate: 0.05,
    targets: [],
    mustStay: [],
    own: null,
    ...rest,
  } satisfies Omit<Known, "medications" | "pairHits" | "alerts" | "regimenHits">;
  const facts = factsOf(base);
  const mapped = medications.map((each) => ({ ...each, drugIndex: each.drugIndex! }));
  const pairHits = findPairHits(kb, mapped, facts, { unknownCountsAs: true });
  const refOf = (index: number): string => medications.find((each) => each.drugIndex === index)!.medRef;
  return {
    ...base,
    medications,
    pairHits,
    regimenHits: findRegimenHits(
      kb,
      mapped.map((each) => ({
        drugIndex: each.drugIndex,
        daysOfUse: 200,
        crossOverFromDrugIndex: each.crossOverFromDrugIndex,
      })),
      facts,
      { orders: new Set(base.orders.map(({ code }) => code)), unknownCountsAs: true },
    ),
    alerts: showsAlerts
      ? pairHits.map((hit) => ({
          id: `al:${hit.ruleId}:${hit.domain}`,
          ruleId: hit.ruleId,
          drugIndexes: [hit.aIndex, hit.bIndex].sort((x, y) => x - y),
          medRefs: [refOf(hit.aIndex), refOf(hit.bIndex)],
          severity: hit.severity,
          domain: hit.domain,
          source: "test",
          hit,
          isManaged: managed.includes(hit.ruleId),
        }))
      : [],
  };
}

export function makeContext(overrides: KnownOverrides = {}): LegalityContext {
  return buildLegalityContext(kb, makeKnown(overrides));
}

/** A running plan of m1 that has halved the dose, unless told otherwise. */
export function makeTaper(overrides: Partial<KnownTaper> = {}): KnownTaper {
  return {
    medRef: "m1",
    drugIndex: 0,
    stepPct: 10,
    intervalDays: 14,
    reductions: 1,
    isPaused: false,
    startDay: -14,
    lastReductionDay: -14,
    nextReductionDay: 0,
    previousDosePerDay: 10,
    pctOfStart: 50,
    daysSinceChange: 14,
    withdrawalScore: 0.05,
    ...overrides,
  };
}

export const stop = (medRef: string): ActionPayload => ({
  type: "STOP_DRUG",
  medRef,
  switchToDrugIndex: null,
  orders: [],
});

export function add(
  id: string,
  dosePerDay?: number,
  more: Partial<Extract<ActionPayload, { type: "ADD_DRUG" }>> = {},
): ActionPayload {
  const drug = getDrug(kb, id);
  return {
    type: "ADD_DRUG",
    drugIndex: drug.index,
    dosePerDay: dosePerDay ?? drug.doseMin,
    dosesPerDay: drug.dosesPerDay,
    crossOverFromMedRef: null,
    orders: [],
    ...more,
  };
}

export function substitute(medRef: string, id: string, orders: readonly string[] = []): ActionPayload {
  const drug = getDrug(kb, id);
  return {
    type: "SUBSTITUTE_DRUG",
    medRef,
    drugIndex: drug.index,
    dosePerDay: drug.doseMin,
    dosesPerDay: drug.dosesPerDay,
    orders,
  };
}

export const adjust = (medRef: string, dosePerDay: number, dosesPerDay = 1): ActionPayload => ({
  type: "ADJUST_DOSE",
  medRef,
  dosePerDay,
  dosesPerDay,
  orders: [],
});

export function offer(context: LegalityContext, payload: ActionPayload, id = "c_00000001"): OfferedCandidate {
  return {
    id,
    payload,
    wire: toWireCandidate(context, id, payload),
    canonical: canonicalPayload(payload),
    source: "hit",
    addresses: [],
  };
}

/** The typed action that takes a candidate as it is. */
export function take(candidate: OfferedCandidate, more: Partial<WireAction> = {}): WireAction {
  const { text: _text, orders, ...fields } = candidate.wire;
  return {
    schema_version: "1.0",
    step_nonce: "n0",
    rationale: "",
    evidence_ids: [],
    confidence: 0.8,
    ...fields,
    ...(orders === undefined ? {} : { orders: [...orders] }),
    ...more,
  };
}
