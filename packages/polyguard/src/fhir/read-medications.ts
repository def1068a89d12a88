import { PraxisError } from "@praxis/env";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import { conditionsOf } from "./condition-codes.ts";
import { ageInDays } from "./dates.ts";
import { readDosage, strengthOfText } from "./dosage.ts";
import { matchDrug } from "./drug-names.ts";
import { type BundleEntry, parseResource } from "./entries.ts";
import type { ReadLog } from "./read-clinical.ts";
import type { ImportedMedication } from "./record.ts";
import {
  type Concept,
  conditionSchema,
  type MedicationOrder,
  medicationOrderSchema,
  medicationSchema,
} from "./resources.ts";

/** Statuses under which a person takes the medication now. `unknown` and none count too: a list is reviewed in doubt, not skipped. */
const TAKEN = ["active", "intended", "unknown", "on-hold"];

/** Concept of the medication: inline, contained, or another entry of the bundle. */
function medicationConcept(order: MedicationOrder, entries: readonly BundleEntry[]): Concept | null {
  if (order.medicationCodeableConcept !== undefined) return order.medicationCodeableConcept;
  const reference = order.medicationReference?.reference;
  if (reference === undefined)
    return order.medicationReference?.display === undefined ? null : { text: order.medicationReference.display };
  const contained = reference.startsWith("#")
    ? order.contained?.find((resource) => `#${resource.id}` === reference)
    : undefined;
  const entry = entries.find(
    (each) => each.type === "Medication" && (each.fullUrl === reference || `Medication/${each.id}` === reference),
  );
  const parsed = medicationSchema.safeParse(contained ?? entry?.resource);
  return parsed.success
    ? (parsed.data.code ?? null)
    : order.medicationReference?.display === undefined
      ? null
      : { text: order.medicationReference.display };
}

/** The first indication of the drug that the order's reason names, else null. */
function indicationOf(
  kb: KnowledgeBase,
  drug: Drug,
  order: MedicationOrder,
  entries: readonly BundleEntry[],
): string | null {
  const reasons: Concept[] = [...(order.reasonCode ?? [])];
  for (const { reference } of order.reasonReference ?? []) {
    const entry = entries.find(
      (each) => each.type === "Condition" && (each.fullUrl === reference || `Condition/${each.id}` === reference),
    );
    const parsed = conditionSchema.safeParse(entry?.resource);
    if (parsed.success && parsed.data.code !== undefined) reasons.push(parsed.data.code);
  }
  const codes = reasons.flatMap((reason) => conditionsOf(kb, reason).codes);
  return drug.indications.find((indication) => codes.includes(indication)) ?? null;
}

/** Reads the medication orders and statements that count; two entries of one ingredient become one medication with the sum of their doses. */
export function readMedications(
  kb: KnowledgeBase,
  entries: readonly BundleEntry[],
  asOf: string,
  log: ReadLog,
): ImportedMedication[] {
  const medications: ImportedMedication[] = [];
  for (const entry of entries) {
    if (entry.type !== "MedicationRequest" && entry.type !== "MedicationStatement") continue;
    const order = parseResource(entry, medicationOrderSchema, log.unused);
    if (order === null) continue;
    const status = order.status ?? "unknown";
    if (!TAKEN.includes(status)) {
      log.unused.push({
        entry: entry.ref,
        path: "status",
        value: status,
        reason: "only current medications are reviewed",
      });
      continue;
    }
    if (
      entry.type === "MedicationRequest" &&
      order.intent !== undefined &&
      ["proposal", "plan", "option"].includes(order.intent)
    ) {
      log.unused.push({ entry: entry.ref, path: "intent", value: order.intent, reason: "a proposal is not taken yet" });
      continue;
    }
    const concept = medicationConcept(order, entries);
    if (concept === null) {
      log.unused.push({
        entry: entry.ref,
        path: "medication",
        value: order.medicationReference?.reference ?? "missing",
        reason: "the medication is neither named nor found in the bundle",
      });
      continue;
    }
    const medication = readOrder(kb, entry, order, concept, entries, asOf, log);
    const same =
      medication.drugIndex === null ? -1 : medications.findIndex((known) => known.drugIndex === medication.drugIndex);
    if (same >= 0)
      medications[same] = summed(medications[same]!, medication, kb.drugs[medication.drugIndex!]!.doseUnit);
    else medications.push(medication);
  }
  return medications;
}

function readOrder(
  kb: KnowledgeBase,
  entry: BundleEntry,
  order: MedicationOrder,
  concept: Concept,
  entries: readonly BundleEntry[],
  asOf: string,
  log: ReadLog,
): ImportedMedication {
  const match = matchDrug(kb, concept);
  const warn = (path: string, message: string): void => void log.warnings.push({ entry: entry.ref, path, message });
  const given = concept.text ?? concept.coding?.find((coding) => coding.display !== undefined)?.display;
  const notes: string[] = [];
  const started = order.effectivePeriod?.start ?? order.effectiveDateTime ?? order.authoredOn;
  let startedDaysAgo: number | null = null;
  if (started !== undefined) {
    try {
      startedDaysAgo = ageInDays(started, asOf, "start");
    } catch (error) {
      if (!(error instanceof PraxisError)) throw error;
      warn("authoredOn", error.message);
    }
  }
  if (match.kind === "unmapped") {
    const near = match.nearest === null ? "" : `; nearest known name: ${match.nearest}, not taken for it`;
    log.unused.push({
      entry: entry.ref,
      path: "medication",
      value: match.label,
      reason: `not recognised: kept as unreconciled and not checked${near}`,
    });
    return {
      drugIndex: null,
      label: match.label,
      dosePerDay: null,
      dosesPerDay: null,
      isPrn: false,
      startedDaysAgo,
      indication: null,
      entries: [entry.ref],
      notes: ["not checked"],
    };
  }
  const { drug } = match;
  if (match.by === "synonym") notes.push(`read as ${drug.genericName}`);
  const field = entry.type === "MedicationRequest" ? "dosageInstruction" : "dosage";
  const dosages = order.dosageInstruction ?? order.dosage ?? [];
  const strength = strengthOfText(
    [given ?? "", ...(concept.coding ?? []).map((coding) => coding.display ?? "")].find(
      (text) => strengthOfText(text) !== null,
    ) ?? "",
  );
  let dosePerDay: number | null = null;
  let perDay: number | null = null;
  let isPrn = false;
  if (dosages.length === 0) warn(field, "dose unknown: no dosage given");
  dosages.forEach((dosage, index) => {
    try {
      const read = readDosage(drug, dosage, strength);
      isPrn ||= read.isPrn;
      if (read.dosePerDay === null)
        warn(
          `${field}[${index}]`,
          `dose unknown: ${dosage.text === undefined ? "no dose and timing" : `only the text '${dosage.text}'`}`,
        );
      else dosePerDay = (dosePerDay ?? 0) + read.dosePerDay;
      if (read.dosesPerDay !== null) perDay = (perDay ?? 0) + read.dosesPerDay;
      notes.push(...read.notes);
    } catch (error) {
      if (!(error instanceof PraxisError)) throw error;
      log.unused.push({
        entry: entry.ref,
        path: `${field}[${index}]`,
        value: dosage.text ?? "",
        reason: `dose not used: ${error.message}`,
      });
    }
  });
  log.used.push({
    entry: entry.ref,
    as: `${drug.genericName}${dosePerDay === null ? ", dose unknown" : ` ${dosePerDay} ${drug.doseUnit}`}`,
  });
  return {
    drugIndex: drug.index,
    label: given ?? drug.genericName,
    dosePerDay,
    dosesPerDay: perDay,
    isPrn,
    startedDaysAgo,
    indication: indicationOf(kb, drug, order, entries),
    entries: [entry.ref],
    notes,
  };
}

/** Two entries of one ingredient: both are kept by name, their doses add up. */
function summed(a: ImportedMedication, b: ImportedMedication, unit: string): ImportedMedication {
  const total = a.dosePerDay === null && b.dosePerDay === null ? null : (a.dosePerDay ?? 0) + (b.dosePerDay ?? 0);
  return {
    ...a,
    label: a.label === b.label ? a.label : `${a.label} + ${b.label}`,
    dosePerDay: total,
    dosesPerDay: a.dosesPerDay === null || b.dosesPerDay === null ? null : a.dosesPerDay + b.dosesPerDay,
    isPrn: a.isPrn && b.isPrn,
    startedDaysAgo: a.startedDaysAgo === null ? b.startedDaysAgo : Math.max(a.startedDaysAgo, b.startedDaysAgo ?? 0),
    indication: a.indication ?? b.indication,
    entries: [...a.entries, ...b.entries],
    notes: [
      ...a.notes,
      ...b.notes,
      `listed twice: ${a.label} and ${b.label}${total === null ? "" : `, together ${total} ${unit}`}`,
    ],
  };
}
