import type { CourseValue } from "../course/evaluator.ts";
import { drugAt } from "../kb/lookup.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import type { Known } from "../observation/types.ts";
import { findingsOf } from "./findings.ts";
import type { ImportedRecord } from "./record.ts";
import type { RecordReset, RecordStep } from "./review-types.ts";

/** What a reset with a record tells beside the observation: the import, the findings, and what was not checked. */
export function recordInfo(
  kb: KnowledgeBase,
  record: ImportedRecord,
  assumptions: readonly string[],
  known: Known,
): RecordReset {
  return {
    as_of: record.asOf,
    patient: {
      id: record.patient.id,
      name: record.patient.name,
      age: record.patient.ageYears,
      sex: record.patient.sex,
      crcl_ml_min: known.crClMlPerMin,
      egfr_ml_min_1_73: known.egfrMlPerMin,
    },
    medications: record.medications.map((medication) => {
      const drug = medication.drugIndex === null ? null : drugAt(kb, medication.drugIndex);
      return {
        label: medication.label,
        drug_id: drug?.drugId ?? null,
        dose:
          drug === null
            ? "not read"
            : medication.dosePerDay === null
              ? "dose unknown"
              : `${medication.dosePerDay} ${drug.doseUnit}`,
        indication: medication.indication,
        checked: drug !== null,
        references: medication.entries.flatMap((entry) => entry.split(" ")[1] ?? []),
        notes: medication.notes,
      };
    }),
    findings: findingsOf(kb, known),
    unused: record.unused,
    warnings: record.warnings,
    assumptions,
  };
}

/** What a step on a record tells: expected harm of the coming year without and with the action, and what is still open. */
export function stepReview(
  kb: KnowledgeBase,
  known: Known,
  values: { readonly before: CourseValue; readonly after: CourseValue },
): RecordStep {
  return {
    expected_harm_before: -values.before.utility,
    expected_harm_after: -values.after.utility,
    findings: findingsOf(kb, known),
  };
}
