import { hashJson, Rng } from "@praxis/env";
import { levelCodeOf, middleOfTarget } from "../course/labs.ts";
import { computeCreatinineClearance, computeEgfr, dosingWeightKg } from "../engine/body.ts";
import { targetDose } from "../kb/dose-grid.ts";
import { drugAt } from "../kb/lookup.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import type { KnownValue } from "../observation/types.ts";
import { ScenarioDraft } from "../scenario/draft.ts";
import { makeScenario } from "../scenario/initial-state.ts";
import { TIERS } from "../scenario/tiers.ts";
import type { Scenario, TierSettings } from "../scenario/types.ts";
import type { Allergy, Condition, Patient, Physiology } from "../world/types.ts";
import type { ImportedMedication, ImportedRecord } from "./record.ts";

/** A scenario of a real record, and what had to be assumed to make it. */
export interface RecordScenario {
  readonly scenario: Scenario;
  readonly assumptions: readonly string[];
}

/**
 * assumption: what the simulator takes for values that a record lacks: medians of patients from 65 on. The agent sees
 * such a value as missing; only the expected harm is computed with it.
 */
const TYPICAL = {
  scr: 1.0,
  k: 4.3,
  na: 139,
  mg: 2.0,
  hb: 13,
  alb: 4.0,
  qtc: 428,
  hr: 72,
  sbp: 134,
  weight: { F: 66, M: 80 },
  height: { F: 160, M: 174 },
};
/** assumption: severity of a condition that a record calls active. */
const ACTIVE_SEVERITY = 0.75;
/** assumption: days of use of a drug without a start date: long enough to be settled. */
const DEFAULT_DAYS_OF_USE = 365;
/** assumption: days of a course of antibiotics. */
const COURSE_DAYS = 10;

/** No gaps are drawn: what a record lacks is known. */
const RECORD_TIER: TierSettings = {
  ...TIERS.medium,
  missing: 0,
  stale: 0,
  alertCoverage: 1,
  conflicts: 0,
  unreconciled: [0, 0],
  traps: 0,
  randomEffectScale: 0,
};

const STEP_DAYS = 14;

/** Makes the scenario of an imported record: the list as it is, no injected hazards, nothing hidden but what the record lacks. */
export function scenarioOfRecord(kb: KnowledgeBase, record: ImportedRecord): RecordScenario {
  const assumptions: string[] = [];
  const assume = (text: string): void => void assumptions.push(text);
  const { sex, ageYears } = record.patient;
  const weightKg = record.weightKg ?? TYPICAL.weight[sex];
  const heightCm = record.heightCm ?? TYPICAL.height[sex];
  const knownOr = (code: string, typical: number): number => record.values[code]?.value ?? typical;
  const serumCreatinineMgPerDl = knownOr("CREAT", TYPICAL.scr);
  const patient: Patient = {
    ageYears,
    sex,
    weightKg,
    heightCm,
    isSmoker: record.isSmoker ?? false,
    frailtyCfs: 4,
    lifeExpectancy: ">5y",
    genotype: { cyp2d6: "NM", cyp2c19: "NM", cyp2c9: "*1/*1", vkorc1: "GA" },
    childPugh: null,
    allergies: allergiesOf(record),
    preferences: [],
  };
  const physiology: Physiology = {
    serumCreatinineMgPerDl,
    creatinineClearanceMlPerMin: computeCreatinineClearance({
      ageYears,
      sex,
      weightKg: dosingWeightKg(sex, heightCm, weightKg),
      serumCreatinineMgPerDl,
    }),
    egfrMlPerMin: computeEgfr({ ageYears, sex, serumCreatinineMgPerDl }),
    albuminGPerDl: knownOr("ALB", TYPICAL.alb),
    potassiumMmolPerL: knownOr("K", TYPICAL.k),
    sodiumMmolPerL: knownOr("NA", TYPICAL.na),
    magnesiumMgPerDl: knownOr("MG", TYPICAL.mg),
    hemoglobinGPerDl: knownOr("HB", TYPICAL.hb),
    qtcMs: knownOr("QTC", TYPICAL.qtc),
    heartRatePerMin: knownOr("HR", TYPICAL.hr),
    systolicBpMmHg: knownOr("SBP", TYPICAL.sbp),
    systolicDropMmHg: 8,
  };
  for (const [code, name] of [
    ["CREAT", "creatinine"],
    ["K", "potassium"],
    ["NA", "sodium"],
    ["QTC", "QTc"],
    ["HR", "heart rate"],
  ] as const)
    if (record.values[code] === undefined)
      assume(`${name} not in the record: an ordinary value is taken for the expected harm`);
  if (record.weightKg === null) assume(`weight not in the record: ${weightKg} kg is taken`);

  const conditions: Condition[] = record.conditions.map(({ code, isActive }) => ({
    code,
    severity: isActive ? ACTIVE_SEVERITY : 0,
    onsetDay: -400,
    cascade: null,
  }));
  const draft = new ScenarioDraft(kb, { patient, conditions, physiology });
  const mapped = record.medications.filter(
    (each): each is ImportedMedication & { drugIndex: number } => each.drugIndex !== null,
  );
  for (const medication of mapped) {
    const drug = drugAt(kb, medication.drugIndex);
    if (medication.dosePerDay === null)
      assume(`${drug.genericName}: dose unknown, ${targetDose(drug)} ${drug.doseUnit} is taken`);
    const daysOfUse = medication.startedDaysAgo ?? DEFAULT_DAYS_OF_USE;
    draft.add({
      drug,
      dosePerDay: medication.dosePerDay ?? targetDose(drug),
      indication: medication.indication ?? draft.indicationFor(drug, activeCodes(record)),
      daysOfUse,
      endDay: drug.groups.includes("ANTIBIOTIC") && daysOfUse < COURSE_DAYS ? COURSE_DAYS - daysOfUse : null,
      levelShift: levelShiftOf(drug, record),
      hazard: -1,
    });
  }
  const rng = Rng.fromSeed(0, `record/${record.patient.id}`);
  const made = makeScenario({
    draft,
    tier: RECORD_TIER,
    rngs: { regimen: rng.split("order"), pk: rng.split("pk"), events: rng.split("events"), mask: rng.split("gaps") },
    skeleton: {
      // The hash keeps scenarios of two versions of a record apart.
      id: `record/${record.patient.id}/${hashJson(record).slice(0, 8)}`,
      task: "record_review",
      subEnvironment: "DDI",
      difficulty: "medium",
      split: "record",
      seed: 0,
      goal: "Review the medication list of this record: resolve dangerous interactions without losing an indicated therapy.",
      successCriteria: [
        "no unmanaged contraindicated or major interaction is left",
        "no indicated therapy is lost",
        "no illegal action",
        "no severe event",
      ],
      patient,
      hazards: [],
      decoys: [],
      stepDays: STEP_DAYS,
    },
  });
  const orderOf = new Map(made.initial.medications.map((each) => [each.drugIndex, each.medRef] as const));
  const hidden = new Set<string>(["frailty", "life_expectancy"]);
  if (record.weightKg === null) hidden.add("weight");
  if (record.heightCm === null) hidden.add("height");
  if (record.isSmoker === null) hidden.add("smoker");
  for (const medication of mapped) {
    const medRef = orderOf.get(medication.drugIndex)!;
    if (medication.startedDaysAgo === null) hidden.add(`start:${medRef}`);
    if (
      medication.indication === null &&
      draft.indicationFor(drugAt(kb, medication.drugIndex), activeCodes(record)) === null
    )
      hidden.add(`indication:${medRef}`);
  }
  const importedOf = new Map(mapped.map((each) => [each.drugIndex, each] as const));
  const medications = made.initial.medications.map((each) => {
    const { dosesPerDay, isPrn } = importedOf.get(each.drugIndex)!;
    return { ...each, source: "import" as const, dosesPerDay: dosesPerDay ?? each.dosesPerDay, isPrn };
  });
  const scenario: Scenario = {
    ...made,
    initial: { ...made.initial, medications },
    mask: {
      values: valuesOf(record),
      hidden,
      alertCoverage: 1,
      conflicts: [],
      unmapped: record.medications
        .filter((each) => each.drugIndex === null)
        .map((each, i) => ({ medRef: `u${i + 1}`, label: each.label })),
    },
  };
  return { scenario, assumptions };
}

const activeCodes = (record: ImportedRecord): readonly string[] =>
  record.conditions.filter((each) => each.isActive).map((each) => each.code);

function allergiesOf(record: ImportedRecord): readonly Allergy[] {
  const reactions = ["rash", "anaphylaxis", "angioedema", "bronchospasm", "intolerance"] as const;
  return record.allergies
    .filter((each) => each.isKnown)
    .map((each, i) => ({
      id: `a${i + 1}`,
      substance: each.substance,
      reaction: reactions.find((reaction) => reaction === each.reaction) ?? null,
      severity: each.isSevere ? "severe" : "moderate",
      isVerified: each.isVerified,
    }));
}

function valuesOf(record: ImportedRecord): Readonly<Record<string, KnownValue>> {
  return Object.fromEntries(
    Object.entries(record.values).map(([code, { value, ageDays }]) => [code, { value, measuredDay: -ageDays }]),
  );
}

/** Where a measured level stands against the middle of its target; 1 without one. */
function levelShiftOf(drug: Drug, record: ImportedRecord): number {
  const code = levelCodeOf(drug);
  const measured = code === null ? undefined : record.values[code]?.value;
  return code === null || measured === undefined ? 1 : measured / middleOfTarget(code);
}
