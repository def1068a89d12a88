import type { Rng } from "@praxis/env";
import { allergyBearing } from "../actions/allergies.ts";
import { traitsOf } from "../actions/drug-traits.ts";
import { courseEndDay } from "../course/regimen.ts";
import { findDrug, membersOf } from "../kb/lookup.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import type { DrugFilter } from "./base-regimen.ts";
import type { DraftMedication, ScenarioDraft } from "./draft.ts";
import type { HazardFamily, HazardForm, HazardSign, HazardSlot, MissingTherapy } from "./hazard-family.ts";

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
  readonly sign: HazardSign;
  readonly drugs: readonly Drug[];
  /** Of the drugs: those that should go. */
  readonly targets: readonly Drug[];
  readonly missing: MissingTherapy | null;
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
  const drugs = setPatient(draft, rng, form) ? fillSlots(draft, rng, form, request) : null;
  if (drugs === null || !setAllergy(draft, form)) {
    undo();
    return null;
  }
  const traits = traitsOf(draft.kb);
  const needsTaper = draft.medications
    .slice(before)
    .some(
      (each) =>
        traits[each.drug.index]!.isTaperProtected &&
        each.daysOfUse > (each.drug.taperIfDaysGt ?? Number.POSITIVE_INFINITY),
    );
  const { family } = request;
  return {
    family: family.family,
    sign: family.sign ?? "hit",
    drugs,
    targets: drugs.filter((_, position) => form.slots[position]!.isTarget === true),
    missing: form.missing ?? null,
    needsSeveralVisits: family.needsSeveralVisits || needsTaper,
  };
}

/** Body, values and conditions of the form; false when they contradict what is there. */
function setPatient(draft: ScenarioDraft, rng: Rng, form: HazardForm): boolean {
  if (form.patient !== undefined) draft.setPatient(form.patient);
  if (form.physiology !== undefined) draft.setPhysiology(form.physiology, rng);
  for (const code of form.absent ?? []) if (!draft.removeCondition(code)) return false;
  for (const code of form.history ?? []) draft.history.add(code);
  for (const code of form.conditions ?? []) {
    if (draft.absent.has(code)) return false;
    draft.addCondition(code, rng);
  }
  if (form.missing !== undefined) {
    if (draft.absent.has(form.missing.condition)) return false;
    draft.withheld.push(form.missing);
    if (draft.medications.some(({ drug }) => draft.isWithheld(drug))) return false;
  }
  return true;
}

/** The drugs of the form, put on the list; null when one of them does not fit. */
function fillSlots(
  draft: ScenarioDraft,
  rng: Rng,
  form: HazardForm,
  request: InjectionRequest,
): readonly Drug[] | null {
  const drugs: Drug[] = [];
  const { cascade } = form;
  for (const [position, slot] of form.slots.entries()) {
    if (cascade !== undefined && position === 1) {
      // A drug that is there for a condition of the patient's own would be no part of the cascade.
      const { condition, baseSeverity } = cascade;
      if (draft.absent.has(condition) || draft.medications.some((each) => each.indication === condition)) return null;
      draft.setCaused(condition, drugs[0]!, baseSeverity);
    }
    const medication = fillSlot(draft, rng, slot, form, position, request);
    if (medication === null) return null;
    draft.add(medication);
    drugs.push(medication.drug);
  }
  return drugs;
}

/** The allergy of the form; false when it stands against a drug that is no target. */
function setAllergy(draft: ScenarioDraft, form: HazardForm): boolean {
  if (form.allergy === undefined) return true;
  const { allergies } = draft.patient;
  const allergy = { ...form.allergy, id: `a${allergies.length + 1}`, isVerified: true };
  const forbidden = draft.medications.filter(({ drug }) => allergyBearing(draft.kb, allergy, drug) !== null);
  draft.patient = { ...draft.patient, allergies: [...allergies, allergy] };
  return forbidden.length === 1;
}

function fillSlot(
  draft: ScenarioDraft,
  rng: Rng,
  slot: HazardSlot,
  form: HazardForm,
  position: number,
  request: InjectionRequest,
): DraftMedication | null {
  const sameClassAs = slot.isDuplicate === true ? request.number : null;
  for (const drug of rng.shuffled(slotDrugs(draft.kb, slot))) {
    if (!request.allowed(drug) || draft.clashes(drug, sameClassAs) || draft.isWithheld(drug)) continue;
    const indication = draft.indicationFor(drug, slot.conditions);
    if (indication === null && slot.conditions.length > 0) continue;
    const dosePerDay = draft.hazardDose(drug, slot.dose);
    if (dosePerDay === null) continue;
    if (indication !== null) draft.addCondition(indication, rng);
    if (indication?.startsWith("AF_") === true) draft.addCondition("AF_STROKE", rng);
    const isCourse = slot.isCourse === true;
    const isShort =
      slot.useDays === undefined &&
      !request.wantsSeveralVisits &&
      drug.taperIfDaysGt !== null &&
      rng.bernoulli(SHORT_SHARE);
    const [low, high] = isCourse ? COURSE_AGE_DAYS : (slot.useDays ?? (isShort ? SHORT_USE_DAYS : LONG_USE_DAYS));
    const daysOfUse = rng.integer(low, high);
    return {
      drug,
      dosePerDay,
      indication,
      daysOfUse,
      endDay: isCourse ? courseEndDay(drug, indication, -daysOfUse) : null,
      levelShift: position === 0 ? (form.levelShift ?? 1) : 1,
      hazard: request.number,
      ...(slot.responseFactor === undefined ? {} : { responseFactor: slot.responseFactor }),
      ...(slot.isFailing === undefined ? {} : { isFailing: slot.isFailing }),
      ...(slot.source === undefined ? {} : { source: slot.source }),
      ...(slot.isUnlisted === undefined ? {} : { isUnlisted: slot.isUnlisted }),
    };
  }
  return null;
}
