import { forEachKnownHit, type MappedMedication } from "../actions/legality-context.ts";
import { firstDose } from "../actions/replacements.ts";
import { activeIndicationsOf, needsTaper } from "../actions/target-rules.ts";
import { relativeEffect } from "../engine/benefit-table.ts";
import { findRegimenHits, type RegimenHit } from "../interactions/regimen-rules.ts";
import { CONDITION_BURDENS } from "../kb/conditions.ts";
import { severityRank } from "../kb/domains.ts";
import type { Drug } from "../kb/types.ts";
import type { Chart } from "./chart.ts";

/** Yearly utility that the loss of a drug stands for by its stop_harm. assumption: 3 is above any single interaction. */
const STOP_HARM_WORTH = [0, 0.005, 0.03, 0.5];

/**
 * What a listed drug does for the patient: yearly utility that would be lost without it, by its active indications and what
 * the other listed drugs do for them.
 */
export function worthOf(chart: Chart, medication: MappedMedication): number {
  const drug = chart.kb.drugs[medication.drugIndex]!;
  let worth = 0;
  let isNeeded = false;
  for (const code of activeIndicationsOf(chart.legality, drug)) {
    const burden = CONDITION_BURDENS.get(code);
    if (burden === undefined) continue;
    let uncontrolled = 1;
    for (const other of chart.legality.listed) {
      if (other.medRef === medication.medRef || other.taper !== null) continue;
      const otherDrug = chart.kb.drugs[other.drugIndex]!;
      if (otherDrug.indications.includes(code)) uncontrolled *= 1 - burden.control * relativeEffect(otherDrug, code);
    }
    isNeeded ||= uncontrolled === 1;
    worth += burden.burdenPerYear * burden.bestReduction * burden.control * relativeEffect(drug, code) * uncontrolled;
  }
  return isNeeded ? worth + (STOP_HARM_WORTH[drug.stopHarm] ?? 0) : worth;
}

/** How a drug that would be started fits the list: worst rank of a new hit (-1 none), Beers mark, effect. */
export interface Fit {
  readonly worstRank: number;
  readonly isDiscouraged: boolean;
  /** Best relative effect on the conditions that the leaving drug is for, 0-1. */
  readonly effect: number;
}

/** Judges a drug for the place of a listed one (or for a new place), hits with the leaving drug left out. */
export function fitOf(chart: Chart, drug: Drug, leaving: MappedMedication | null): Fit {
  const { legality } = chart;
  let worstRank = newRegimenRank(chart, drug, leaving);
  for (const other of legality.listed) {
    if (other.medRef === leaving?.medRef || other.drugIndex === drug.index) continue;
    forEachKnownHit(legality, { drugIndex: drug.index, dosePerDay: firstDose(legality, drug) }, other, (entry) => {
      worstRank = Math.max(worstRank, entry.severityRank);
    });
  }
  const { conditions } = legality.facts;
  const isDiscouraged = drug.beers.some(
    ({ kind, conditions: named }) =>
      kind === "AVOID" || (kind === "AVOID_COND" && named.some((code) => conditions.has(code))),
  );
  const codes = leaving === null ? [] : activeIndicationsOf(legality, chart.kb.drugs[leaving.drugIndex]!);
  let effect = 0;
  for (const code of codes) if (drug.indications.includes(code)) effect = Math.max(effect, relativeEffect(drug, code));
  return { worstRank, isDiscouraged, effect };
}

/** Worst rank of a regimen rule that a drug would bring up, or make worse; -1 = none. */
function newRegimenRank(chart: Chart, drug: Drug, leaving: MappedMedication | null): number {
  let worst = -1;
  for (const hit of regimenHitsAfter(chart, leaving, drug)) {
    if (!hit.drugIndexes.includes(drug.index)) continue;
    const before = chart.known.regimenHits.find(({ ruleId }) => ruleId === hit.ruleId);
    const rank = severityRank(hit.severity);
    if (before === undefined || severityRank(before.severity) < rank) worst = Math.max(worst, rank);
  }
  return worst;
}

/** Regimen rules that fire once a drug has left and another has come. */
export function regimenHitsAfter(
  chart: Chart,
  leaving: MappedMedication | null,
  coming: Drug | null,
): readonly RegimenHit[] {
  const { known, legality, kb } = chart;
  const regimen = legality.listed
    .filter(({ medRef, status }) => medRef !== leaving?.medRef && status !== "held")
    .map(({ drugIndex, startDay, crossOverFromDrugIndex }) => ({
      drugIndex,
      daysOfUse: startDay === null ? 0 : known.clock.day - startDay,
      crossOverFromDrugIndex,
    }));
  if (coming !== null) regimen.push({ drugIndex: coming.index, daysOfUse: 0, crossOverFromDrugIndex: null });
  return findRegimenHits(kb, regimen, legality.facts, { orders: legality.orders, unknownCountsAs: true });
}

/** True when ending the drug takes months: its class has to be tapered after the use that is known. */
export function isSlowToStop(chart: Chart, medication: MappedMedication): boolean {
  return needsTaper(chart.legality, medication);
}
