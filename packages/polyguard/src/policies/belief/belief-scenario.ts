import type { ImportedMedication, ImportedRecord, ImportedValue } from "../../fhir/record.ts";
import { scenarioOfRecord } from "../../fhir/scenario.ts";
import { findCascades } from "../../interactions/cascades.ts";
import { expectedSeverity } from "../../scenario/patient.ts";
import type { Scenario } from "../../scenario/types.ts";
import type { Medication } from "../../world/types.ts";
import type { Chart } from "../chart.ts";

/**
 * assumption: creatinine taken where none is known, in mg/dL: about the upper quartile at 65 and above, so that the kidneys are
 * taken for the 25th percentile of their clearance.
 */
const PESSIMISTIC_CREATININE = 1.25;

/**
 * The scenario that a chart lets believe: the list as it stands today, what is not known at the median of such patients, the
 * kidneys pessimistic, nothing hidden. `initial` is the state of today, its clock that of the chart.
 */
export function beliefScenario(chart: Chart): Scenario {
  const { kb, known, observation } = chart;
  const { scenario } = scenarioOfRecord(kb, recordOf(chart));
  const { day } = known.clock;
  const refs = new Map(
    chart.legality.listed.map(({ drugIndex, medRef, dosesPerDay }) => [drugIndex, { medRef, dosesPerDay }] as const),
  );
  const medications = scenario.initial.medications.map((each) => {
    const row = refs.get(each.drugIndex)!;
    return { ...today(each, day), ...row };
  });
  const cascades = new Map(
    findCascades(kb, chart.legality.listed).map(({ rule, causeIndex }) => [
      rule.condition,
      { causeDrugIndex: causeIndex, baseSeverity: rule.baseSeverity },
    ]),
  );
  return {
    ...scenario,
    id: `belief/${observation.episode_id}/${observation.step}`,
    subEnvironment: observation.sub_environment,
    difficulty: observation.difficulty,
    patient: {
      ...scenario.patient,
      frailtyCfs: known.frailtyCfs ?? scenario.patient.frailtyCfs,
      lifeExpectancy: known.lifeExpectancy ?? scenario.patient.lifeExpectancy,
      childPugh: childPughOf(known.childPugh),
      preferences: known.preferences,
    },
    initial: {
      ...scenario.initial,
      clock: known.clock,
      medications,
      conditions: known.conditionEntries.map(({ code, status }) => ({
        code,
        severity: status === "history" ? 0 : cascades.has(code) ? CAUSED_SEVERITY : expectedSeverity(code),
        onsetDay: LONG_AGO,
        cascade: cascades.get(code) ?? null,
      })),
      orders: known.orders,
      nextMedRef: nextNumber(medications),
    },
  };
}

/** Severity of a condition that a drug of the list seems to have brought on, while it is taken. */
const CAUSED_SEVERITY = 1;
/** assumption: conditions of the record have long been there. */
const LONG_AGO = -400;

function recordOf({ known, observation, legality }: Chart): ImportedRecord {
  const { day } = known.clock;
  const values: Record<string, ImportedValue> = {
    CREAT: { value: PESSIMISTIC_CREATININE, ageDays: 0, entry: ASSUMED },
  };
  for (const [code, { value, measuredDay }] of Object.entries(known.values))
    values[code] = { value, ageDays: day - measuredDay, entry: code };
  return {
    asOf: "",
    patient: { id: observation.episode_id, name: null, ageYears: known.ageYears, sex: known.sex },
    weightKg: known.weightKg,
    heightCm: known.heightCm,
    isSmoker: known.isSmoker,
    values,
    conditions: observation.conditions.map(({ code, icd10, status }) => ({
      code,
      icd10,
      isActive: status !== "history",
      entry: code,
    })),
    allergies: known.allergies.map(({ id, substance, reaction, isVerified }) => ({
      substance,
      reaction,
      isSevere: false,
      isVerified,
      isKnown: true,
      entry: id,
    })),
    medications: legality.listed.map(
      (each): ImportedMedication => ({
        drugIndex: each.drugIndex,
        label: each.label,
        dosePerDay: each.dosePerDay,
        dosesPerDay: each.dosesPerDay,
        isPrn: each.isPrn,
        startedDaysAgo: each.startDay === null ? null : day - each.startDay,
        indication: each.indication,
        entries: [],
        notes: [],
      }),
    ),
    used: [],
    unused: [],
    warnings: [],
  };
}

const ASSUMED = "assumed";

/** A medication whose days were counted from day 0, counted from the day of the chart. */
function today(medication: Medication, day: number): Medication {
  return {
    ...medication,
    startDay: medication.startDay + day,
    endDay: medication.endDay === null ? null : medication.endDay + day,
    lastDoseChangeDay: medication.lastDoseChangeDay === null ? null : medication.lastDoseChangeDay + day,
    doseHistory: medication.doseHistory.map((point) => ({ ...point, day: point.day + day })),
  };
}

function childPughOf(text: string | null): "A" | "B" | "C" | null {
  return text === "A" || text === "B" || text === "C" ? text : null;
}

/** Number after the highest of refs like `m7`. */
function nextNumber(medications: readonly Medication[]): number {
  return 1 + Math.max(0, ...medications.map(({ medRef }) => Number(medRef.slice(1)) || 0));
}
