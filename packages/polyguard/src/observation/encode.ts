import { levelCodeOf } from "../course/labs.ts";
import { drugAt } from "../kb/lookup.ts";
import { judgeRenalRule } from "../kb/renal-dose.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import { suspects } from "../observation/symptoms.ts";
import type { Scenario } from "../scenario/types.ts";
import type { WorldState } from "../world/types.ts";
import { rounded } from "./measure.ts";
import { flagOf, MEASUREMENTS, type Measurement } from "./measurements.ts";
import type { Observation } from "./schema.ts";
import type { Known, KnownMedication, KnownValue, OfferedCandidates } from "./types.ts";

/** What an observation needs beside {@link Known}. */
export interface ObservationFrame {
  readonly episodeId: string;
  readonly nonce: string;
  readonly offered: OfferedCandidates;
  readonly warnings: readonly string[];
  readonly missingFields: readonly string[];
  /** Share of the critical fields of the step that are missing. */
  readonly entropyHint: number;
}

type Lab = Observation["labs"][string];

function labOf(measurement: Measurement, value: KnownValue, day: number): Lab {
  return {
    value: value.value,
    unit: measurement.unit,
    age_days: day - value.measuredDay,
    flag: flagOf(measurement, value.value),
  };
}

/** The observation on the wire. Numbers are rounded as a chart would print them. */
export function encodeObservation(
  kb: KnowledgeBase,
  scenario: Scenario,
  world: WorldState,
  known: Known,
  frame: ObservationFrame,
): Observation {
  const { day } = known.clock;
  const labs: Record<string, Lab> = {};
  const vitals: Record<string, Lab> = {};
  let scr: Lab | null = null;
  for (const measurement of MEASUREMENTS) {
    const value = known.values[measurement.code];
    if (value === undefined) continue;
    const lab = labOf(measurement, value, day);
    if (measurement.place === "organ") scr = lab;
    else if (measurement.place === "lab") labs[measurement.code] = lab;
    else vitals[measurement.code] = lab;
  }
  return {
    schema_version: "1.0",
    episode_id: frame.episodeId,
    step: known.clock.step,
    step_nonce: frame.nonce,
    sub_environment: scenario.subEnvironment,
    difficulty: scenario.difficulty,
    task: taskOf(scenario),
    patient: {
      age: known.ageYears,
      sex: known.sex,
      weight_kg: known.weightKg,
      height_cm: known.heightCm,
      smoker: known.isSmoker,
      frailty_cfs: known.frailtyCfs,
      life_expectancy: known.lifeExpectancy,
      preferences: known.preferences as string[],
    },
    conditions: known.conditionEntries.map(({ code, status }) => ({ code, icd10: icd10Of(kb, code), status })),
    allergies: known.allergies.map((each) => ({
      id: each.id,
      substance: each.substance,
      reaction: each.reaction,
      verified: each.isVerified,
    })),
    organ: {
      scr,
      crcl: known.crClMlPerMin === null ? null : rounded(known.crClMlPerMin, 1),
      egfr: known.egfrMlPerMin === null ? null : rounded(known.egfrMlPerMin, 1),
      child_pugh: known.childPugh,
    },
    labs,
    vitals,
    medications: known.medications.map((each) => medicationRow(kb, each, day)),
    discrepancies: known.discrepancies.map(({ id, kind, text }) => ({ id, kind, text })),
    safety: {
      alerts: known.alerts.map((alert) => ({
        id: alert.id,
        drugs: alert.drugIndexes.map((index) => drugAt(kb, index).drugId),
        severity: alert.severity,
        domain: alert.domain,
        source: alert.source,
        managed: alert.isManaged,
      })),
      alert_coverage: known.alertCoverage,
      burden: {
        n: known.burden.drugs,
        acb: known.burden.acb,
        dbi: rounded(known.burden.dbi, 3),
        mrci: rounded(known.burden.mrci, 1),
      },
      r90_estimate: rounded(known.r90Estimate, 4),
    },
    dosing_flags: known.medications.flatMap((each) => dosingFlags(kb, known, each)),
    taper: taperRows(kb, known),
    course: {
      day,
      visits_left: known.clock.visitsLeft,
      changes_left: known.clock.changesLeft,
      changes_28d: suspects(kb, world) as string[],
      symptoms: known.symptoms.map(({ condition, score, suspects: named }) => ({
        condition,
        score,
        suspects: named as string[],
      })),
      stopped: known.stopped.map((each) => ({ drug_id: each.drugId, days_ago: each.daysAgo })),
      orders: orderRows(kb, known),
      switch:
        known.declaredSwitch === null
          ? null
          : {
              to: drugAt(kb, known.declaredSwitch.toDrugIndex).drugId,
              earliest_day: known.declaredSwitch.earliestDay,
            },
      pill_count: known.pillCount,
      events: known.events.map((event) => ({
        kind: event.domain === null ? event.kind : `${event.kind}:${event.domain}`,
        day: event.day,
        stopped: event.stoppedDrugIndex === null ? null : drugAt(kb, event.stoppedDrugIndex).drugId,
      })),
    },
    conflicts: known.conflicts.filter((each) => each.isOpen).map(({ id, from, says }) => ({ id, from, says })),
    evidence: evidenceRows(known),
    candidates: frame.offered.map((each) => each.wire) as Observation["candidates"],
    budget: {
      steps_left: known.clock.stepsLeft,
      evidence_left: known.clock.evidenceLeft,
      review_left: known.clock.reviewsLeft,
    },
    history: known.history.map((entry) => ({
      step: entry.step,
      action_type: entry.actionType,
      target: entry.target,
      outcome: entry.outcome,
    })),
    warnings: frame.warnings as string[],
    uncertainty: { missing_fields: frame.missingFields as string[], entropy_hint: rounded(frame.entropyHint, 3) },
  };
}

function taskOf({ goal, successCriteria, targets, mustStay }: Scenario): Observation["task"] {
  return {
    goal,
    success_criteria: successCriteria as string[],
    ...(targets === undefined
      ? {}
      : {
          targets: targets.map((each) => ({ med_ref: each.medRef, floor_dose_per_day: each.floorDosePerDay })),
          must_stay: [...(mustStay ?? [])],
        }),
  };
}

/** Standing orders; those of before the episode tell no day. */
function orderRows(kb: KnowledgeBase, { orders, clock }: Known): Observation["course"]["orders"] {
  return orders
    .filter(({ endDay }) => endDay === null || endDay > clock.day)
    .map(({ code, drugIndex, startDay }) => ({
      code,
      drug_id: drugIndex === null ? null : drugAt(kb, drugIndex).drugId,
      days_ago: startDay < 0 ? null : clock.day - startDay,
    }));
}

function medicationRow(
  kb: KnowledgeBase,
  medication: KnownMedication,
  day: number,
): Observation["medications"][number] {
  return {
    med_ref: medication.medRef,
    drug_id: medication.drugId,
    label: medication.label,
    dose_per_day: medication.dosePerDay,
    unit: medication.drugIndex === null ? "mg/d" : drugAt(kb, medication.drugIndex).doseUnit,
    freq: medication.dosesPerDay,
    route: medication.route,
    started_days_ago: medication.startDay === null ? null : day - medication.startDay,
    indication: medication.indication,
    prn: medication.isPrn,
    status: medication.status,
  };
}

/** Flags of dose and level: above or below the range, above the renal cap, a level out of its target. */
function dosingFlags(kb: KnowledgeBase, known: Known, medication: KnownMedication): Observation["dosing_flags"] {
  if (medication.drugIndex === null || medication.drugId === null) return [];
  const drug = drugAt(kb, medication.drugIndex);
  const flags: string[] = [];
  if (isAboveRenalCap(drug, known, medication.dosePerDay)) flags.push("above_renal_limit");
  if (medication.dosePerDay > drug.doseMax) flags.push("above_usual_range");
  if (medication.dosePerDay < drug.doseMin && medication.taper === null) flags.push("below_usual_range");
  const code = levelCodeOf(drug);
  const measurement = code === null ? undefined : MEASUREMENTS.find((each) => each.code === code);
  const value = code === null ? undefined : known.values[code];
  const level = measurement === undefined || value === undefined ? null : labOf(measurement, value, known.clock.day);
  if (level !== null && level.flag !== "N") flags.push(level.flag === "H" ? "level_high" : "level_low");
  const { drugId } = medication;
  return flags.map((flag) => ({ drug_id: drugId, flag, level: flag.startsWith("level") ? level : null }));
}

/** True when the dose is above what the renal rule allows as known. */
function isAboveRenalCap(drug: Drug, known: Known, dosePerDay: number): boolean {
  const { doseCap } = judgeRenalRule(drug, {
    crClMlPerMin: known.crClMlPerMin,
    egfrMlPerMin: known.egfrMlPerMin,
    ageYears: known.ageYears,
    weightKg: known.weightKg,
    serumCreatinineMgPerDl: known.values.CREAT?.value ?? null,
    hasAtrialFibrillation: known.conditions.has("AF_STROKE"),
  });
  return doseCap !== null && dosePerDay > doseCap * (1 + 1e-9);
}

function taperRows(kb: KnowledgeBase, known: Known): Observation["taper"] {
  const rows: Observation["taper"] = [];
  for (const { taper, drugId } of known.medications) {
    if (taper === null || drugId === null) continue;
    rows.push({
      drug_id: drugId,
      pct_of_start: taper.pctOfStart,
      days_since_change: taper.daysSinceChange,
      withdrawal_score: taper.withdrawalScore,
      plan: {
        med_ref: taper.medRef,
        step_pct: taper.stepPct,
        interval_days: taper.intervalDays,
        reductions: taper.reductions,
        next_in_days: taper.nextReductionDay - known.clock.day,
        paused: taper.isPaused,
      },
    });
  }
  for (const stopped of known.stopped) {
    if (stopped.withdrawalScore === null || drugAt(kb, stopped.drugIndex).taperClass === "NONE") continue;
    rows.push({
      drug_id: stopped.drugId,
      pct_of_start: 0,
      days_since_change: stopped.daysAgo,
      withdrawal_score: stopped.withdrawalScore,
      plan: null,
    });
  }
  return rows;
}

/** Fetched snippets and the specialists' answers. */
function evidenceRows(known: Known): Observation["evidence"] {
  return [
    ...known.evidence.map((each) => ({
      id: each.id,
      title: each.title,
      source_type: each.sourceType,
      year: each.year,
      snippet: each.snippet,
    })),
    ...known.reviewNotes.map((note) => ({
      id: note.id,
      title: `Answer of the ${note.from}`,
      source_type: "review",
      year: REVIEW_YEAR,
      snippet: note.text,
    })),
  ];
}

/** Year printed on answers of specialists: that of the label snippets. */
const REVIEW_YEAR = 2023;

const icdByKb = new WeakMap<KnowledgeBase, ReadonlyMap<string, string>>();

/** ICD-10-CM code of a condition, empty when the code table has none. AF codes share the one of AF. */
function icd10Of(kb: KnowledgeBase, code: string): string {
  let codes = icdByKb.get(kb);
  if (codes === undefined) {
    codes = new Map(kb.codes.filter((entry) => entry.kind === "condition").map((entry) => [entry.name, entry.code]));
    icdByKb.set(kb, codes);
  }
  return codes.get(code) ?? (code.startsWith("AF_") ? (codes.get("AF") ?? "") : "");
}
