import { PROTECTION_DRUGS } from "../actions/protections.ts";
import { getDrug } from "../kb/lookup.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import { loincOf } from "./lab-codes.ts";

/** A FHIR R4 resource that is written. */
export type WrittenResource = Readonly<Record<string, unknown>> & {
  readonly resourceType: string;
  readonly id: string;
};

/** CodeableConcept of a drug: RxNorm and ATC codes where the table has them, and the generic name. */
export function drugConcept(drug: Drug): Readonly<Record<string, unknown>> {
  const coding = [
    ...(drug.rxcui === null ? [] : [{ system: "http://www.nlm.nih.gov/research/umls/rxnorm", code: drug.rxcui }]),
    ...(drug.atc === null ? [] : [{ system: "http://www.whocc.no/atc", code: drug.atc }]),
  ].map((entry) => ({ ...entry, display: drug.genericName }));
  return { ...(coding.length === 0 ? {} : { coding }), text: drug.genericName };
}

/** What is given: the daily (weekly) dose in the unit of the drug's row, and how often a day. */
export interface WrittenDose {
  readonly dosePerDay: number;
  readonly dosesPerDay: number;
}

/** UCUM unit of one dose of the drug. */
function doseUnit(drug: Drug): { readonly unit: string; readonly code: string } {
  if (drug.doseUnit === "U/d") return { unit: "units", code: "[U]" };
  return drug.doseUnit === "mcg/d" ? { unit: "ug", code: "ug" } : { unit: "mg", code: "mg" };
}

/** `timing.repeat` of so many doses a day: whole numbers a day, else one every few days or weeks. */
function repeatOf(dosesPerDay: number): Readonly<Record<string, unknown>> {
  if (dosesPerDay >= 1) return { frequency: Math.round(dosesPerDay), period: 1, periodUnit: "d" };
  const days = Math.max(1, Math.round(1 / dosesPerDay));
  return days % 7 === 0
    ? { frequency: 1, period: days / 7, periodUnit: "wk" }
    : { frequency: 1, period: days, periodUnit: "d" };
}

/** FHIR Dosage of a dose; the import of this package reads the same dose from it. */
export function dosageOf(drug: Drug, dose: WrittenDose): Readonly<Record<string, unknown>> {
  const repeat = repeatOf(dose.dosesPerDay);
  const timesPerDay = Number(repeat.frequency) / (Number(repeat.period) * (repeat.periodUnit === "wk" ? 7 : 1));
  const perDay = drug.doseUnit === "mg/wk" ? dose.dosePerDay / 7 : dose.dosePerDay;
  const value = Number((perDay / timesPerDay).toPrecision(12));
  const { unit, code } = doseUnit(drug);
  return {
    text: `${value} ${unit}, ${Number(repeat.frequency)} time(s) per ${Number(repeat.period)} ${String(repeat.periodUnit)}`,
    timing: { repeat },
    doseAndRate: [{ doseQuantity: { value, unit, system: "http://unitsofmeasure.org", code } }],
  };
}

/** What a written order has in common. */
export interface OrderFrame {
  readonly id: string;
  /** `Patient/p1` */
  readonly patient: string;
  readonly status: "draft" | "active";
  readonly intent: "proposal" | "order";
  /** Shown with the order; the notice belongs here. */
  readonly notes: readonly string[];
  /** `MedicationRequest/m1` that it takes the place of; null = none. */
  readonly replaces: string | null;
}

/** A MedicationRequest; without a dose it asks for the drug to be stopped (`doNotPerform`). */
export function medicationRequest(
  medication: Readonly<Record<string, unknown>>,
  dosage: Readonly<Record<string, unknown>> | null,
  frame: OrderFrame,
): WrittenResource {
  const isPrescription = frame.replaces?.startsWith("MedicationRequest/") === true;
  return {
    resourceType: "MedicationRequest",
    id: frame.id,
    status: frame.status,
    intent: frame.intent,
    ...(dosage === null ? { doNotPerform: true } : {}),
    medicationCodeableConcept: medication,
    subject: { reference: frame.patient },
    ...(dosage === null ? {} : { dosageInstruction: [dosage] }),
    ...(isPrescription ? { priorPrescription: { reference: frame.replaces } } : {}),
    ...(frame.notes.length === 0 ? {} : { note: frame.notes.map((text) => ({ text })) }),
  };
}

/** Names of monitoring items and support orders that no LOINC code of ours stands for. */
const ORDER_NAMES: Readonly<Record<string, string>> = {
  BP: "blood pressure",
  ECG: "electrocardiogram",
  GLUC: "glucose",
  LFT: "liver function tests",
  MEDICATION_REVIEW: "medication review",
  LAXATIVE: "laxative",
  NALOXONE: "naloxone to have at hand",
  TIMING: "separate the times of intake",
  CBT_I: "cognitive behavioural therapy for insomnia",
  COUNSELLING: "counselling",
};

/** A ServiceRequest for a monitoring item or a support order. */
export function serviceRequest(kb: KnowledgeBase, code: string, frame: Omit<OrderFrame, "replaces">): WrittenResource {
  const loinc = loincOf(code);
  const listed = loinc === null ? undefined : kb.codes.find((each) => each.kind === "lab" && each.code === loinc);
  const text = listed?.name ?? ORDER_NAMES[code] ?? code;
  return {
    resourceType: "ServiceRequest",
    id: frame.id,
    status: frame.status,
    intent: frame.intent,
    code: { ...(loinc === null ? {} : { coding: [{ system: "http://loinc.org", code: loinc }] }), text },
    subject: { reference: frame.patient },
    ...(frame.notes.length === 0 ? {} : { note: frame.notes.map((note) => ({ text: note })) }),
  };
}

/** The drug and dose that a protection adds; null for one that is an order, or whose drug depends on the patient. */
export function protectionDrug(
  kb: KnowledgeBase,
  protection: string,
): { readonly drug: Drug; readonly dose: WrittenDose } | null {
  if (protection !== "PPI" && protection !== "FOLATE") return null;
  const { drugId, dosePerDay } = PROTECTION_DRUGS[protection];
  const drug = getDrug(kb, drugId);
  return { drug, dose: { dosePerDay, dosesPerDay: drug.dosesPerDay } };
}
