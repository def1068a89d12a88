import { relativeEffect } from "../engine/benefit-table.ts";
import { HAZARDS } from "../engine/hazard-table.ts";
import { CONDITION_BURDENS } from "../kb/conditions.ts";
import { HARM_DOMAINS } from "../kb/domains.ts";
import { doseGrid, isTitrated } from "../kb/dose-grid.ts";
import { judgeRenalRule } from "../kb/renal-dose.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import { traitsOf } from "./drug-traits.ts";
import { isLegalPayload } from "./legality.ts";
import { type LegalityContext, type MappedMedication, worstKnownRank } from "./legality-context.ts";
import type { ActionPayload } from "./types.ts";

/** Drugs by indication, the milder and more effective first. */
type Preference = ReadonlyMap<string, readonly number[]>;

const cache = new WeakMap<KnowledgeBase, Preference>();

/** Most drugs of an indication that are looked at; what comes later is never first choice. */
const LOOK_AT = 10;

/** Row numbers of the drugs for a condition in order of preference: burden of risk points, Beers mark, narrow index, effect. */
export function drugsFor(kb: KnowledgeBase, condition: string): readonly number[] {
  let preference = cache.get(kb);
  if (preference === undefined) {
    preference = buildPreference(kb);
    cache.set(kb, preference);
  }
  return preference.get(condition) ?? [];
}

function buildPreference(kb: KnowledgeBase): Preference {
  const byCondition = new Map<string, Drug[]>();
  for (const drug of kb.drugs)
    for (const code of drug.indications) byCondition.set(code, [...(byCondition.get(code) ?? []), drug]);
  const preference = new Map<string, readonly number[]>();
  for (const [code, drugs] of byCondition)
    preference.set(
      code,
      drugs
        .map((drug) => ({ index: drug.index, score: staticBurden(kb, drug) + lostBenefit(drug, code) }))
        .sort((a, b) => a.score - b.score || a.index - b.index)
        .map(({ index }) => index),
    );
  return preference;
}

/** What a weaker drug leaves of the benefit that a first-line one would bring, a year. */
function lostBenefit(drug: Drug, condition: string): number {
  const burden = CONDITION_BURDENS.get(condition);
  if (burden === undefined) return 0;
  return burden.burdenPerYear * burden.bestReduction * burden.control * (1 - relativeEffect(drug, condition));
}

/** assumption: yearly loss per risk point near the base rates, so that the order of drugs follows their harm. */
export function staticBurden(kb: KnowledgeBase, drug: Drug): number {
  let loss = 0;
  for (const domain of HARM_DOMAINS) {
    const { lambda0, weight, beta, points } = HAZARDS[domain];
    loss += lambda0 * weight * (Math.exp(beta * points(drug)) - 1);
  }
  const { isBeersAvoid } = traitsOf(kb)[drug.index]!;
  return (
    loss +
    (isBeersAvoid ? 0.05 : 0) +
    (drug.isNarrowTi ? 0.01 : 0) +
    (drug.route === "PO" ? 0 : 0.005) +
    (isTitrated(drug) ? 0.003 : 0)
  );
}

/** Dose a new drug starts at: low for titrated classes, else the target dose, within the renal cap as known and on the grid. */
export function firstDose(context: LegalityContext, drug: Drug): number {
  const { hasRenalClause, isTitrated, plainFirstDose } = context.traits[drug.index]!;
  if (!hasRenalClause) return plainFirstDose;
  const verdict = judgeRenalRule(drug, context.renal);
  const wanted = isTitrated ? plainFirstDose : (verdict.startDose ?? plainFirstDose);
  const cap = verdict.doseCap;
  if (cap === null || wanted <= cap || cap <= 0) return wanted;
  let best = wanted;
  for (const dose of gridOf(context, drug)) if (dose <= cap * (1 + 1e-9)) best = dose;
  return Math.min(best, wanted);
}

/** Dose grid of a drug for the patient as known. */
export function gridOf(context: LegalityContext, drug: Drug): readonly number[] {
  return doseGrid(drug, { weightKg: context.known.weightKg ?? 70 });
}

/** Monitoring of a drug that is not ordered yet; with an opioid a laxative and naloxone order. */
export function openOrders(context: LegalityContext, drug: Drug): readonly string[] {
  const orders: string[] = [];
  for (const code of drug.monitoring) if (!context.orders.has(code)) orders.push(code);
  if (context.traits[drug.index]!.isOpioid && !context.orders.has("NALOXONE")) orders.push("NALOXONE");
  return orders;
}

/** A legal start of a drug for the condition that creates no major hit: how, and with which payload. */
export interface Start {
  readonly drugIndex: number;
  readonly payload: ActionPayload;
}

/** Up to `limit` drugs for one of the conditions that may be started now by `makePayload`, in order of preference. */
export function findStarts(
  context: LegalityContext,
  conditions: readonly string[],
  options: {
    readonly makePayload: (drug: Drug) => ActionPayload;
    readonly limit: number;
    /** Medication that leaves, so that its hits don't count. */
    readonly leaving: MappedMedication | null;
    readonly accepts?: (drug: Drug) => boolean;
  },
): Start[] {
  const starts: Start[] = [];
  const { kb } = context;
  for (const condition of conditions) {
    let looked = 0;
    for (const drugIndex of drugsFor(kb, condition)) {
      if (starts.length >= options.limit) return starts;
      if (context.listedDrugs.has(drugIndex) || isFound(starts, drugIndex)) continue;
      const drug = kb.drugs[drugIndex]!;
      if (options.accepts !== undefined && !options.accepts(drug)) continue;
      if (++looked > LOOK_AT) break;
      if (hasMajorHit(context, drug, options.leaving)) continue;
      const payload = options.makePayload(drug);
      if (isLegalPayload(context, payload)) starts.push({ drugIndex, payload });
    }
  }
  return starts;
}

function isFound(starts: readonly Start[], drugIndex: number): boolean {
  for (const start of starts) if (start.drugIndex === drugIndex) return true;
  return false;
}

/** True when the drug would have a major or contraindicated hit with a listed drug other than the leaving one. */
export function hasMajorHit(context: LegalityContext, drug: Drug, leaving: MappedMedication | null): boolean {
  let started: { drugIndex: number; dosePerDay: number } | null = null;
  for (const other of context.listed) {
    if (other.medRef === leaving?.medRef || other.drugIndex === drug.index) continue;
    if (context.ranks[drug.index * context.table.drugCount + other.drugIndex]! <= 1) continue;
    started ??= { drugIndex: drug.index, dosePerDay: firstDose(context, drug) };
    if (worstKnownRank(context, started, other, 1) >= 1) return true;
  }
  return false;
}

/** Swap of a listed drug for another in one action. */
export function substitution(context: LegalityContext, medication: MappedMedication, drug: Drug): ActionPayload {
  return {
    type: "SUBSTITUTE_DRUG",
    medRef: medication.medRef,
    drugIndex: drug.index,
    dosePerDay: firstDose(context, drug),
    dosesPerDay: drug.dosesPerDay,
    orders: openOrders(context, drug),
  };
}

/** Start of a drug, by itself or as the new side of a cross-over. */
export function addition(context: LegalityContext, drug: Drug, crossOverFrom: MappedMedication | null): ActionPayload {
  return {
    type: "ADD_DRUG",
    drugIndex: drug.index,
    dosePerDay: firstDose(context, drug),
    dosesPerDay: drug.dosesPerDay,
    crossOverFromMedRef: crossOverFrom?.medRef ?? null,
    orders: openOrders(context, drug),
  };
}
