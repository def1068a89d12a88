import { PraxisError } from "@praxis/env";
import type { KnowledgeBase } from "../kb/types.ts";
import { ageInYears, dayNumber } from "./dates.ts";
import { type BundleEntry, listEntries, parseResource, readBundle } from "./entries.ts";
import { type ReadLog, readAllergies, readConditions, readObservations } from "./read-clinical.ts";
import { readMedications } from "./read-medications.ts";
import type { ImportedRecord, ImportedValue } from "./record.ts";
import { type FhirPatient, patientSchema } from "./resources.ts";

const READ = [
  "Patient",
  "Condition",
  "AllergyIntolerance",
  "Observation",
  "MedicationRequest",
  "MedicationStatement",
  "Medication",
];

/** A diagnosis of atrial fibrillation or heart failure does not say whether rate, rhythm or congestion need a drug; one that is taken does. */
const ONLY_IF_TREATED = ["AF_RATE", "AF_RHYTHM", "HF_CONGESTION"];

function readPatient(
  entries: readonly BundleEntry[],
  log: ReadLog,
): { readonly patient: FhirPatient; readonly entry: BundleEntry } {
  const patients = entries.filter((entry) => entry.type === "Patient");
  const entry = patients[0];
  if (entry === undefined) throw new PraxisError("INVALID_FHIR", "The Bundle has no Patient resource.");
  if (patients.length > 1)
    throw new PraxisError(
      "INVALID_FHIR",
      `The Bundle has ${patients.length} Patient resources (${patients.map((each) => each.ref).join(", ")}); a review is of one.`,
    );
  const patient = parseResource(entry, patientSchema, log.unused);
  if (patient === null) {
    const problem = log.unused.at(-1)!;
    throw new PraxisError("INVALID_FHIR", `${problem.entry}, ${problem.path}: ${problem.value}. ${problem.reason}.`);
  }
  return { patient, entry };
}

function nameOf(patient: FhirPatient): string | null {
  const name = patient.name?.[0];
  return name === undefined
    ? null
    : (name.text ?? ([...(name.given ?? []), name.family ?? ""].join(" ").trim() || null));
}

/**
 * Reads a FHIR R4 Bundle (collection, transaction, searchset, document). Every entry that could not be used is listed with
 * path, value and reason; a medication that is not recognised stays in the list as not checked.
 * @param asOf day of the review, ISO 8601; without it the bundle's timestamp
 * @throws INVALID_FHIR when there is no bundle, no single patient, or no age and sex
 */
export function importBundle(kb: KnowledgeBase, document: unknown, asOf?: string): ImportedRecord {
  const bundle = readBundle(document);
  const day = (asOf ?? bundle.timestamp)?.slice(0, 10);
  if (day === undefined)
    throw new PraxisError("INVALID_FHIR", "The day of the review is not known: give it, or a Bundle.timestamp.");
  dayNumber(day, asOf === undefined ? "Bundle.timestamp" : "asOf");
  const log: ReadLog = { used: [], unused: [], warnings: [] };
  const entries = listEntries(bundle, log.unused);
  const { patient, entry } = readPatient(entries, log);
  if (patient.birthDate === undefined)
    throw new PraxisError("INVALID_FHIR", `${entry.ref} has no birthDate; nothing can be judged without an age.`);
  if (patient.gender !== "female" && patient.gender !== "male")
    throw new PraxisError(
      "INVALID_FHIR",
      `${entry.ref}, gender: '${patient.gender ?? "missing"}'. The formulas for kidney function need female or male.`,
    );
  const ageYears = ageInYears(patient.birthDate, day);
  if (patient.deceasedBoolean === true || patient.deceasedDateTime !== undefined)
    throw new PraxisError("INVALID_FHIR", `${entry.ref} is recorded as deceased.`);
  if (ageYears < 18 || ageYears > 115)
    throw new PraxisError(
      "INVALID_FHIR",
      `${entry.ref}: the age of ${ageYears} years is outside what the model is for (18 to 115).`,
    );
  if (ageYears < 65)
    log.warnings.push({
      entry: entry.ref,
      path: "birthDate",
      message: `the model is for people from 65 on; this patient is ${ageYears}`,
    });
  log.used.push({ entry: entry.ref, as: `${patient.gender}, ${ageYears} years` });

  for (const other of entries)
    if (!READ.includes(other.type))
      log.unused.push({
        entry: other.ref,
        path: "resourceType",
        value: other.type,
        reason: "this kind of resource is not read",
      });
  const { values, isSmoker } = readObservations(entries, day, log);
  const weightKg = values.WEIGHT?.value ?? null;
  const heightCm = values.HEIGHT?.value ?? null;
  if (weightKg !== null) {
    // assumption: above 150 kg or a BMI outside 12 to 60, pounds or a slipped digit are likelier than the value itself.
    const bmi = heightCm === null ? null : weightKg / (heightCm / 100) ** 2;
    if (weightKg > 150 || (bmi !== null && (bmi < 12 || bmi > 60)))
      log.warnings.push({
        entry: values.WEIGHT!.entry,
        path: "valueQuantity",
        message: `weight ${Number(weightKg.toPrecision(4))} kg is unusual; pounds, or a slipped digit?`,
      });
  }
  const medications = readMedications(kb, entries, day, log);
  for (const other of entries)
    if (other.type === "Medication" && !isReferenced(other, entries))
      log.unused.push({ entry: other.ref, path: "", value: "", reason: "no current order or statement refers to it" });
  const { WEIGHT: _weight, HEIGHT: _height, ...measured } = values;
  return {
    asOf: day,
    patient: {
      id: entry.id ?? "unknown",
      name: nameOf(patient),
      ageYears,
      sex: patient.gender === "female" ? "F" : "M",
    },
    weightKg,
    heightCm,
    isSmoker,
    values: measured as Record<string, ImportedValue>,
    conditions: readConditions(kb, entries, log).filter(
      ({ code }) =>
        !ONLY_IF_TREATED.includes(code) ||
        medications.some((each) => each.drugIndex !== null && kb.drugs[each.drugIndex]!.indications.includes(code)),
    ),
    allergies: readAllergies(kb, entries, log),
    medications,
    used: log.used,
    unused: log.unused,
    warnings: log.warnings,
  };
}

function isReferenced(medication: BundleEntry, entries: readonly BundleEntry[]): boolean {
  const wanted = [medication.fullUrl, `Medication/${medication.id}`];
  return entries.some((entry) =>
    wanted.includes(
      (entry.resource as { medicationReference?: { reference?: string } }).medicationReference?.reference ?? "-",
    ),
  );
}
