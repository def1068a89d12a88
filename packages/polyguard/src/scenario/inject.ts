import type { Rng } from "@praxis/env";
import { traitsOf } from "../actions/drug-traits.ts";
import { courseEndDay } from "../course/regimen.ts";
import type { PairHit } from "../interactions/pair-hits.ts";
import { findDrug, membersOf } from "../kb/lookup.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import type { DrugFilter } from "./base-regimen.ts";
import type { DraftMedication, ScenarioDraft } from "./draft.ts";
import type { HazardFamily, HazardForm, HazardSlot } from "./hazard-families.ts";

/** Days of use of hazard drugs: long-standing, or short enough that a stop needs no taper. */
const LONG_USE_DAYS = [120, 900] as const;
const SHORT_USE_DAYS = [4, 13] as const;
/** Share of the drugs with a taper class that are still new where a hazard is meant for one visit. */
const SHORT_SHARE = 0.9;
/** A short course began this many days ago. */
const COURSE_AGE_DAYS = [1, 3] as const;

/** An injected hazard as placed. */
export interface PlacedHazard {
  readonly family: string;
  readonly drugs: readonly Drug[];
  readonly needsSeveralVisits: boolean;
}

/** What an injection is told. */
export interface InjectionRequest {
  readonly family: HazardFamily;
  /** Number of the hazard in the scenario. */
  readonly number: number;
  /** Drugs used long enough to need a taper, where the family allows either. */
  readonly wantsSeveralVisits: boolean;
  readonly allowed: DrugFilter;
}

/** Drugs that a slot may be filled with, ascending by row number. */
export function slotDrugs(kb: KnowledgeBase, slot: HazardSlot): readonly Drug[] {
  const indexes = new Set<number>();
  for (const choice of slot.choices) {
    const drug = findDrug(kb, choice);
    if (drug !== undefined) indexes.add(drug.index);
    else for (const index of membersOf(kb, choice)) indexes.add(index);
  }
  return [...indexes].sort((a, b) => a - b).map((index) => kb.drugs[index]!);
}

/** Puts one form of the family into the draft; null when no form and drugs fit. The draft is as before then. */
export function injectHazard(draft: ScenarioDraft, rng: Rng, request: InjectionRequest): PlacedHazard | null {
  for (const form of rng.shuffled(request.family.forms)) {
    if (form.sex !== undefined && form.sex !== draft.patient.sex) continue;
    const placed = placeForm(draft, rng, form, request);
    if (placed !== null) return placed;
  }
  return null;
}

function placeForm(draft: ScenarioDraft, rng: Rng, form: HazardForm, request: InjectionRequest): PlacedHazard | null {
  const before = draft.medications.length;
  const undo = draft.save();
  if (form.physiology !== undefined) draft.setPhysiology(form.physiology, rng);
  for (const code of form.conditions ?? []) draft.addCondition(code, rng);
  const drugs: Drug[] = [];
  for (const [position, slot] of form.slots.entries()) {
    const medication = fillSlot(draft, rng, slot, form, position, request);
    if (medication === null) {
      undo();
      return null;
    }
    draft.add(medication);
    drugs.push(medication.drug);
  }
  const traits = traitsOf(draft.kb);
  const needsTaper = draft.medications
    .slice(before)
    .some(
      (each) =>
        traits[each.drug.index]!.isTaperProtected &&
        each.daysOfUse > (each.drug.taperIfDaysGt ?? Number.POSITIVE_INFINITY),
    );
  return { family: request.family.family, drugs, needsSeveralVisits: request.family.needsSeveralVisits || needsTaper };
}

function fillSlot(
  draft: ScenarioDraft,
  rng: Rng,
  slot: HazardSlot,
  form: HazardForm,
  position: number,
  request: InjectionRequest,
): DraftMedication | null {
  for (const drug of rng.shuffled(slotDrugs(draft.kb, slot))) {
    if (!request.allowed(drug) || draft.clashes(drug)) continue;
    const indication = draft.indicationFor(drug, slot.conditions);
    if (indication === null && slot.conditions.length > 0) continue;
    const dosePerDay = draft.legalDose(drug, slot.dose ?? "target");
    if (dosePerDay === null) continue;
    if (indication !== null) draft.addCondition(indication, rng);
    if (indication?.startsWith("AF_") === true) draft.addCondition("AF_STROKE", rng);
    const isCourse = slot.isCourse === true;
    const isShort = !request.wantsSeveralVisits && drug.taperIfDaysGt !== null && rng.bernoulli(SHORT_SHARE);
    const [low, high] = isCourse ? COURSE_AGE_DAYS : isShort ? SHORT_USE_DAYS : LONG_USE_DAYS;
    const daysOfUse = rng.integer(low, high);
    return {
      drug,
      dosePerDay,
      indication,
      daysOfUse,
      endDay: isCourse ? courseEndDay(drug, indication, -daysOfUse) : null,
      levelShift: position === 0 ? (form.levelShift ?? 1) : 1,
      hazard: request.number,
    };
  }
  return null;
}

/** Hits whose two drugs both belong to that hazard. */
export function hitsOfHazard(hits: readonly PairHit[], hazard: PlacedHazard): readonly PairHit[] {
  const indexes = new Set(hazard.drugs.map((drug) => drug.index));
  return hits.filter((hit) => indexes.has(hit.aIndex) && indexes.has(hit.bIndex));
}
