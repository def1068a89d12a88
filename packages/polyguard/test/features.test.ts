import { Rng } from "@praxis/env";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ACTION_TYPES } from "../src/actions/types.ts";
import { definePolyGuard } from "../src/definition.ts";
import { encodeFeatures, type Features } from "../src/features/features.ts";
import {
  CANDIDATE_FIELDS,
  CONTEXT_FIELDS,
  FEATURE_CONDITIONS,
  FEATURES_VERSION,
  MEDICATION_FIELDS,
  MOST_ROWS,
  PATIENT_FIELDS,
} from "../src/features/layout.ts";
import { getDrug } from "../src/kb/lookup.ts";
import { loadBundledKnowledgeBase } from "../src/kb/node.ts";
import type { Observation } from "../src/observation/schema.ts";
import { drawConditions } from "../src/scenario/prevalence.ts";
import { DIFFICULTIES } from "../src/scenario/types.ts";

const kb = loadBundledKnowledgeBase();
const env = definePolyGuard(kb).makeEnv({});

function observe(seed: number, difficulty: string, more: Record<string, unknown> = {}): Observation {
  return env.reset({ seed, options: { difficulty, ...more } }).observation;
}

function field(features: Features, name: string): number {
  return features.patient[PATIENT_FIELDS.indexOf(name)]!;
}

function rowsOf(values: Float32Array, width: number, count: number): number[][] {
  return Array.from({ length: count }, (_, row) => Array.from(values.subarray(row * width, (row + 1) * width)));
}

function medication(features: Features, row: number, name: string): number {
  return features.medications[row * MEDICATION_FIELDS.length + MEDICATION_FIELDS.indexOf(name)]!;
}

function candidate(features: Features, row: number, name: string): number {
  return features.candidates[row * CANDIDATE_FIELDS.length + CANDIDATE_FIELDS.indexOf(name)]!;
}

describe("layout", () => {
  test("polyguard-f1 has 49 patient, 8 + 40 context, 46 medication and 40 candidate fields", () => {
    expect(FEATURES_VERSION).toBe("polyguard-f1");
    expect(PATIENT_FIELDS).toHaveLength(49);
    expect(CONTEXT_FIELDS).toHaveLength(48);
    expect(MEDICATION_FIELDS).toHaveLength(46);
    expect(CANDIDATE_FIELDS).toHaveLength(40);
    for (const fields of [PATIENT_FIELDS, CONTEXT_FIELDS, MEDICATION_FIELDS, CANDIDATE_FIELDS])
      expect(new Set(fields).size).toBe(fields.length);
  });

  test("every condition that the patient generator draws has its place, in alphabetical order", () => {
    expect([...FEATURE_CONDITIONS].sort()).toEqual(FEATURE_CONDITIONS);
    const drawn = new Set(["CKD"]);
    for (let seed = 0; seed < 400; seed++) {
      const rng = Rng.fromSeed(seed);
      for (const code of drawConditions(rng, seed % 2 === 0 ? "F" : "M").codes) drawn.add(code);
    }
    expect([...drawn].sort()).toEqual(FEATURE_CONDITIONS);
  });
});

describe("values", () => {
  test("all values are finite and within 3, and rows past the mask are 0", () => {
    for (const difficulty of DIFFICULTIES)
      for (let seed = 0; seed < 6; seed++) {
        const observation = observe(seed, difficulty);
        const features = encodeFeatures(kb, observation);
        for (const block of [features.patient, features.context, features.medications, features.candidates])
          for (const value of block) expect(Math.abs(value)).toBeLessThanOrEqual(3);
        expect(features.candidateMask.reduce((sum, bit) => sum + bit, 0)).toBe(observation.candidates.length);
        const used = features.medicationMask.reduce((sum, bit) => sum + bit, 0);
        expect(used).toBeGreaterThanOrEqual(observation.medications.length);
        const past = features.medications.subarray(used * MEDICATION_FIELDS.length);
        expect(past.every((value) => value === 0)).toBe(true);
      }
  });

  test("equal observations give equal features, whatever was encoded before", () => {
    const observation = observe(4, "medium");
    const first = encodeFeatures(kb, observation);
    encodeFeatures(kb, observe(5, "hard"));
    expect(encodeFeatures(kb, structuredClone(observation))).toEqual(first);
  });

  test("patient fields are scaled as the layout says and 0 where nothing is known", () => {
    const base = observe(4, "easy");
    const observation: Observation = {
      ...base,
      patient: { ...base.patient, age: 88, sex: "F", weight_kg: null, smoker: null, life_expectancy: "1-5y" },
      labs: { K: { value: 5.3, unit: "mmol/L", age_days: 45, flag: "H" } },
      organ: { scr: null, crcl: 42, egfr: null, child_pugh: null },
      course: { ...base.course, day: 73, pill_count: 0.9 },
    };
    const features = encodeFeatures(kb, observation);
    expect(field(features, "(age-78)/10")).toBe(1);
    expect(field(features, "female")).toBe(1);
    expect(field(features, "(weight-70)/20")).toBe(0);
    expect(field(features, "weight known")).toBe(0);
    expect(field(features, "life 1-5y")).toBe(1);
    expect(field(features, "K-4.3")).toBeCloseTo(1, 6);
    expect(field(features, "K known")).toBe(1);
    expect(field(features, "Na known")).toBe(0);
    expect(field(features, "CrCl/100")).toBeCloseTo(0.42, 6);
    expect(field(features, "day/365")).toBeCloseTo(0.2, 6);
    expect(field(features, "pill count")).toBeCloseTo(0.9, 6);
  });

  test("the context names the sub-environment the conditions that are not history, and CKD by the clearance", () => {
    const base = observe(4, "easy");
    const conditions: Observation["conditions"] = [
      { code: "HTN", icd10: "I10", status: "active" },
      { code: "GOUT", icd10: "M10.9", status: "history" },
      { code: "COPD", icd10: "J44.9", status: "unverified" },
    ];
    const organ = { ...base.organ, crcl: 42 };
    const { context } = encodeFeatures(kb, { ...base, conditions, organ });
    const set = CONTEXT_FIELDS.filter((_, i) => context[i] === 1);
    expect(set).toEqual(["DDI", "CKD", "COPD", "HTN"]);
  });

  test("a medication row tells dose, status, use, table facts, alerts and level", () => {
    const base = observe(4, "easy");
    const warfarin = getDrug(kb, "warfarin");
    const row: Observation["medications"][number] = {
      med_ref: "m1",
      drug_id: "warfarin",
      label: "warfarin",
      dose_per_day: 5,
      unit: "mg/d",
      freq: 1,
      route: "PO",
      started_days_ago: 100,
      indication: "AF_STROKE",
      prn: false,
      status: "active",
    };
    const observation: Observation = {
      ...base,
      medications: [row, { ...row, med_ref: "m2", drug_id: null, label: "unknown powder", status: "unreconciled" }],
      labs: { INR: { value: 4.1, unit: "1", age_days: 2, flag: "H" } },
      safety: {
        ...base.safety,
        alerts: [
          {
            id: "al1",
            drugs: ["warfarin", "ibuprofen"],
            severity: "major",
            domain: "BLEED",
            source: "x",
            managed: false,
          },
        ],
      },
      course: {
        ...base.course,
        stopped: [
          { drug_id: "amiodarone", days_ago: 50 },
          { drug_id: "aspirin", days_ago: 61 },
        ],
      },
    };
    const features = encodeFeatures(kb, observation);
    expect(Array.from(features.medicationMask.subarray(0, 4))).toEqual([1, 1, 1, 0]);
    expect(medication(features, 0, "active")).toBe(1);
    expect(medication(features, 0, "ln(1+days)/8")).toBeCloseTo(Math.log(101) / 8, 6);
    expect(medication(features, 0, "narrow TI")).toBe(1);
    expect(medication(features, 0, "bleed/2")).toBe(warfarin.risk.bleed / 2);
    expect(medication(features, 0, "major hits/3")).toBeCloseTo(1 / 3, 6);
    expect(medication(features, 0, "level position")).toBe(1);
    expect(medication(features, 0, "level known")).toBe(1);
    expect(medication(features, 1, "unreconciled")).toBe(1);
    expect(medication(features, 1, "stop harm/3")).toBe(0);
    // Amiodarone halves in 50 days.
    expect(medication(features, 2, "stopped")).toBe(1);
    expect(medication(features, 2, "carry-over")).toBeCloseTo(0.5, 6);
  });

  test("a candidate row tells its type, its dose change and the hits that it takes away", () => {
    for (let seed = 0; seed < 10; seed++) {
      const observation = observe(seed, "medium");
      const features = encodeFeatures(kb, observation);
      observation.candidates.forEach((wire, row) => {
        const types = ACTION_TYPES.filter((type) => candidate(features, row, type) === 1);
        expect(types).toEqual([wire.action_type]);
        const target = observation.medications.findIndex(({ med_ref: medRef }) => medRef === wire.target);
        expect(features.indices[2 * row]).toBe(target);
        if (wire.action_type === "STOP_DRUG") {
          expect(candidate(features, row, "log2(new dose/old)")).toBe(-3);
          expect(candidate(features, row, "change of drugs")).toBe(-1);
        }
        if (wire.action_type === "ADJUST_DOSE") {
          const before = observation.medications[target]!.dose_per_day;
          const expected = Math.max(-3, Math.min(3, Math.log2(wire.dose_per_day! / before)));
          expect(candidate(features, row, "log2(new dose/old)")).toBeCloseTo(expected, 5);
        }
        if (wire.replacement !== undefined)
          expect(features.indices[2 * row + 1]).toBe(getDrug(kb, wire.replacement).index);
      });
    }
  });

  test("stopping one drug of a contraindicated pair counts as a hit taken away", () => {
    const found: number[] = [];
    for (let seed = 0; seed < 30 && found.length === 0; seed++) {
      const observation = observe(seed, "medium");
      const features = encodeFeatures(kb, observation);
      observation.candidates.forEach((wire, row) => {
        if (wire.action_type !== "STOP_DRUG") return;
        const removed = ["contraindicated removed/2", "major removed/3"].map((name) => candidate(features, row, name));
        if (removed[0]! + removed[1]! > 0) found.push(row);
      });
    }
    expect(found.length).toBeGreaterThan(0);
  });
});

describe("order", () => {
  test("permuting medications, candidates and alerts permutes the rows and changes nothing else", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 1000 }), (seed, shuffle) => {
        const observation = observe(seed, "medium");
        const rng = Rng.fromSeed(shuffle);
        const medications = rng.shuffled(observation.medications);
        const candidates = rng.shuffled(observation.candidates);
        const safety = { ...observation.safety, alerts: rng.shuffled(observation.safety.alerts) };
        const before = encodeFeatures(kb, observation);
        const after = encodeFeatures(kb, { ...observation, medications, candidates, safety });
        expect(after.patient).toEqual(before.patient);
        expect(after.context).toEqual(before.context);
        const rowsBefore = rowsOf(before.medications, MEDICATION_FIELDS.length, MOST_ROWS);
        const rowsAfter = rowsOf(after.medications, MEDICATION_FIELDS.length, MOST_ROWS);
        medications.forEach((row, at) => {
          expect(rowsAfter[at]).toEqual(rowsBefore[observation.medications.indexOf(row)]);
        });
        const armsBefore = rowsOf(before.candidates, CANDIDATE_FIELDS.length, MOST_ROWS);
        const armsAfter = rowsOf(after.candidates, CANDIDATE_FIELDS.length, MOST_ROWS);
        candidates.forEach((wire, at) => {
          expect(armsAfter[at]).toEqual(armsBefore[observation.candidates.indexOf(wire)]);
        });
      }),
      { numRuns: 20 },
    );
  });
});
