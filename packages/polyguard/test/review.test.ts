import { readFileSync } from "node:fs";
import { Rng } from "@praxis/env";
import { describe, expect, test } from "vitest";
import {
  loadPolyGuard,
  makeObservationPolicy,
  parseFhirJson,
  type Review,
  renderReviewHtml,
  renderReviewText,
  reviewRecord,
} from "../src/index.ts";

const definition = loadPolyGuard();
const load = (name: string): unknown =>
  parseFhirJson(readFileSync(new URL(`../../../examples/patients/${name}.json`, import.meta.url), "utf8"));

function review(bundle: unknown, policy = "rule_based"): Promise<Review> {
  const env = definition.makeEnv();
  return reviewRecord(env, { bundle, policy: makeObservationPolicy(policy), rng: Rng.fromSeed(0, "test") });
}

/** A bundle of one patient on a list of drugs, by generic name with dose in mg once a day. */
function onList(
  drugs: readonly (readonly [name: string, doseMg: number, frequency?: number])[],
  ...more: unknown[]
): unknown {
  const patient = { resourceType: "Patient", id: "p", birthDate: "1946-01-01", gender: "female" };
  const orders = drugs.map(([text, value, frequency = 1], i) => ({
    resourceType: "MedicationRequest",
    id: `m${i}`,
    status: "active",
    intent: "order",
    medicationCodeableConcept: { text },
    authoredOn: "2025-01-01",
    dosageInstruction: [
      {
        timing: { repeat: { frequency, period: 1, periodUnit: "d" } },
        doseAndRate: [{ doseQuantity: { value, unit: "mg" } }],
      },
    ],
  }));
  return {
    resourceType: "Bundle",
    type: "collection",
    timestamp: "2026-03-02T00:00:00Z",
    entry: [patient, ...orders, ...more].map((resource) => ({ resource })),
  };
}
const observation = (code: string, value: number, unit: string) => ({
  resourceType: "Observation",
  status: "final",
  code: { coding: [{ system: "http://loinc.org", code }] },
  effectiveDateTime: "2026-02-20",
  valueQuantity: { value, unit, code: unit },
});

describe("review of a record", () => {
  test("a clean list is left alone", async () => {
    const result = await review(load("clean"));
    expect(result.findings).toEqual([]);
    expect(result.proposals.map((each) => each.action)).toEqual(["FINISH"]);
    expect(result.unused).toEqual([]);
  });

  test.each([
    ["bleeding", /warfarin \+ ibuprofen/],
    ["hyperkalaemia", /ramipril \+ spironolactone/],
    ["sedation-and-falls", /lorazepam \+ oxycodone/],
    ["qt-and-statin", /simvastatin \+ clarithromycin/],
    ["lithium", /lisinopril \+ lithium/],
  ])(
    "in %s the hazard is found with its source, acted on legally, and nothing major stays open that is not being tapered",
    async (name, drugs) => {
      const result = await review(load(name));
      const finding = result.findings.find((each) => drugs.test(each.drugs))!;
      expect(finding.source).not.toBe("");
      expect(finding.mechanism).not.toBe("");
      expect(["major", "contraindicated"]).toContain(finding.severity);
      expect(result.proposals.every((each) => each.legal)).toBe(true);
      // A slow taper outlasts the visits of the course: its drug is still on the list, and the report says so.
      const tapers = result.proposals.filter((each) => each.action === "START_TAPER");
      const tapered = tapers.map((each) => each.text.split(" ")[1]!);
      const open = result.open_findings.filter(({ drugs: left }) => !tapered.some((drug) => left.includes(drug)));
      expect(open).toEqual([]);
      expect(result.expected_harm.after).toBeLessThan(result.expected_harm.before);
    },
  );

  test("findings stand worst first, managed ones last", async () => {
    const { findings } = await review(load("qt-and-statin"));
    const rank = (severity: string): number => ["contraindicated", "major", "moderate"].indexOf(severity);
    const open = findings.filter((each) => !each.managed).map((each) => rank(each.severity));
    expect(open).toEqual([...open].sort((a, b) => a - b));
    expect(findings.findIndex((each) => each.managed)).toBe(-1);
  });

  test("the same record gives the same review, byte for byte", async () => {
    expect(JSON.stringify(await review(load("lithium")))).toBe(JSON.stringify(await review(load("lithium"))));
  });

  test("the score is the mean of the steps, component by component", async () => {
    const { score, proposals } = await review(load("bleeding"));
    expect(score.total).toBeCloseTo(proposals.reduce((sum, each) => sum + each.reward, 0) / proposals.length, 12);
    expect(Object.keys(score.components)).toHaveLength(13);
  });

  test("two insulins and two strengths of one thyroid tablet are no duplicate; two ACE inhibitors are", async () => {
    const duplicates = async (bundle: unknown) =>
      (await review(bundle)).findings.filter((each) => /^two drugs of the class/.test(each.effect));
    expect(
      await duplicates(
        onList([
          ["levothyroxine", 0.025],
          ["levothyroxine", 0.05],
        ]),
      ),
    ).toEqual([]);
    const ace = await duplicates(
      onList([
        ["lisinopril", 10],
        ["enalapril", 10],
      ]),
    );
    expect(ace.map((each) => each.severity)).toEqual(["major"]);
    expect(ace[0]!.drugs).toMatch(/lisinopril/);
  });

  test("three drugs together are found as a set: sedatives, and the triple whammy", async () => {
    const sets = async (bundle: unknown) =>
      (await review(bundle)).findings
        .filter((each) => each.mechanism === "whole regimen")
        .map((each) => each.drugs.split(" + ").sort().join(", "));
    expect(
      await sets(
        onList([
          ["oxycodone", 10, 2],
          ["alprazolam", 0.5],
          ["cyclobenzaprine", 5],
        ]),
      ),
    ).toContain("alprazolam, cyclobenzaprine, oxycodone");
    expect(
      await sets(
        onList([
          ["lisinopril", 10],
          ["hydrochlorothiazide", 25],
          ["naproxen", 500],
        ]),
      ),
    ).toContain("hydrochlorothiazide, lisinopril, naproxen");
  });

  test("without a weight the clearance is said not to be computable, and eGFR is given per 1.73 m2", async () => {
    const result = await review(onList([["amlodipine", 5]], observation("2160-0", 1.2, "mg/dL")));
    expect(result.patient.crcl_ml_min).toBeNull();
    expect(result.patient.egfr_ml_min_1_73).toBeCloseTo(45.76, 2);
    const text = renderReviewText(result);
    expect(text).toMatch(/CrCl can't be computed/);
    expect(text).toMatch(/eGFR 46 mL\/min\/1\.73 m²/);
  });

  test("text and HTML say what the simulation is not, and what was not checked", async () => {
    const result = await review(load("brands-and-unmapped"));
    for (const report of [renderReviewText(result), renderReviewHtml([{ name: "x", review: result }])]) {
      expect(report).toMatch(/not medical advice/i);
      expect(report).toMatch(/Zorblaxin forte/);
      expect(report).toMatch(/not the same as safe/i);
    }
  });

  test("a document that can't be used is refused before an episode begins", async () => {
    await expect(review({ resourceType: "Patient" })).rejects.toMatchObject({ code: "INVALID_FHIR" });
    await expect(review(onList([]))).resolves.toMatchObject({ medications: [] });
  });

  test("a record can't be mixed with a scenario", () => {
    expect(() => definition.makeEnv().reset({ options: { fhir: load("clean"), difficulty: "easy" } })).toThrow(
      /Leave out difficulty/,
    );
  });
});
