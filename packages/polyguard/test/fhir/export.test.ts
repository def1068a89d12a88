import { readFileSync } from "node:fs";
import { Rng } from "@praxis/env";
import { beforeAll, describe, expect, test } from "vitest";
import { readDosage } from "../../src/fhir/dosage.ts";
import type { Dosage } from "../../src/fhir/resources.ts";
import { markOfUuid, uuidOf } from "../../src/fhir/uuid.ts";
import { dosageOf } from "../../src/fhir/write-orders.ts";
import {
  type ExportBundle,
  exportReview,
  loadBundledKnowledgeBase,
  loadPolyGuard,
  makeObservationPolicy,
  NOTICE,
  parseFhirJson,
  reviewRecord,
} from "../../src/index.ts";
import { targetDose } from "../../src/kb/dose-grid.ts";

const kb = loadBundledKnowledgeBase();

async function exported(name: string): Promise<ExportBundle> {
  const file = new URL(`../../../../examples/patients/${name}.json`, import.meta.url);
  const review = await reviewRecord(loadPolyGuard().makeEnv(), {
    bundle: parseFhirJson(readFileSync(file, "utf8")),
    policy: makeObservationPolicy("rule_based"),
    rng: Rng.fromSeed(0, "test"),
  });
  return exportReview(kb, review);
}

describe("a review as FHIR", () => {
  let bundle: ExportBundle;
  const of = (type: string) =>
    bundle.entry.map(({ resource }) => resource).filter(({ resourceType }) => resourceType === type);
  beforeAll(async () => {
    bundle = await exported("bleeding");
  });

  test("every finding is a DetectedIssue that names orders of the record", () => {
    const issues = of("DetectedIssue");
    expect(issues.length).toBeGreaterThan(4);
    for (const issue of issues) {
      expect(["high", "moderate"]).toContain(issue.severity);
      expect((issue.implicated as unknown[]).length).toBeGreaterThan(1);
      expect(JSON.stringify(issue.implicated)).toMatch(/"MedicationRequest\/m\d+"/);
    }
  });

  test("proposals are drafts with the intent proposal and the notice; a stop asks for not doing and names the order", () => {
    const requests = of("MedicationRequest");
    for (const request of requests) {
      expect(request).toMatchObject({ status: "draft", intent: "proposal" });
      expect(JSON.stringify(request.note)).toContain(NOTICE);
    }
    const stops = requests.filter((request) => request.doNotPerform === true);
    expect(stops).toHaveLength(1);
    expect(stops[0]).toMatchObject({
      medicationCodeableConcept: { text: "ibuprofen" },
      priorPrescription: { reference: expect.stringMatching(/^MedicationRequest\//) },
    });
    expect(of("ServiceRequest").length).toBeGreaterThan(0);
  });

  test("the 90-day risk is told before and after, and one Provenance is about everything", () => {
    const [risk] = of("RiskAssessment");
    const predictions = risk!.prediction as readonly { readonly probabilityDecimal: number }[];
    expect(predictions[1]!.probabilityDecimal).toBeLessThan(predictions[0]!.probabilityDecimal);
    const [provenance] = of("Provenance");
    expect((provenance!.target as unknown[]).length).toBe(bundle.entry.length - 1);
  });

  test("ids and full URLs are unique, and the same review gives the same bundle", async () => {
    const urls = bundle.entry.map(({ fullUrl }) => fullUrl);
    const ids = bundle.entry.map(({ resource }) => `${resource.resourceType}/${resource.id}`);
    expect(new Set(urls).size).toBe(urls.length);
    expect(new Set(ids).size).toBe(ids.length);
    expect(await exported("bleeding")).toEqual(bundle);
  });

  test("a clean list exports its risk and nothing to change", async () => {
    const clean = await exported("clean");
    const kinds = clean.entry.map(({ resource }) => resource.resourceType);
    expect(kinds).not.toContain("MedicationRequest");
    expect(kinds).toContain("RiskAssessment");
  });
});

describe("a written dose", () => {
  test("is read back as it was, for every drug of the table", () => {
    for (const drug of kb.drugs) {
      const dose = { dosePerDay: targetDose(drug), dosesPerDay: drug.dosesPerDay };
      const read = readDosage(drug, dosageOf(drug, dose) as Dosage, null);
      expect(read.dosePerDay, drug.drugId).toBeCloseTo(dose.dosePerDay, 6);
    }
  });
});

describe("made UUIDs", () => {
  test("carry their mark, are equal for equal texts and differ for others", () => {
    for (let mark = 0; mark < 16; mark++) expect(markOfUuid(uuidOf(`card ${mark}`, mark))).toBe(mark);
    expect(uuidOf("a")).toBe(uuidOf("a"));
    const many = new Set(Array.from({ length: 2000 }, (_, i) => uuidOf(`text ${i}`)));
    expect(many.size).toBe(2000);
    expect(markOfUuid("4e0a3a1e-3283-4575-ab82-028d55fe2719")).toBeNull();
  });
});
