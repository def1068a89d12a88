import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { IMPORTED_CONDITION_CODES } from "../../src/fhir/condition-codes.ts";
import { importBundle } from "../../src/fhir/import.ts";
import { parseFhirJson } from "../../src/fhir/json-text.ts";
import { CONDITION_BURDENS, RISK_CONDITIONS, UNBURDENED_INDICATIONS } from "../../src/kb/conditions.ts";
import { loadBundledKnowledgeBase } from "../../src/kb/node.ts";

const kb = loadBundledKnowledgeBase();
const example = (name: string): unknown =>
  parseFhirJson(readFileSync(new URL(`../../../../examples/patients/${name}.json`, import.meta.url), "utf8"));
const patient = { resourceType: "Patient", id: "p", birthDate: "1950-01-01", gender: "female" };
const bundle = (...resources: unknown[]) => ({
  resourceType: "Bundle",
  type: "collection",
  timestamp: "2026-03-02T00:00:00Z",
  entry: [patient, ...resources].map((resource) => ({ resource })),
});
const observation = (loinc: string, quantity: unknown, date = "2026-02-01") => ({
  resourceType: "Observation",
  status: "final",
  code: { coding: [{ system: "http://loinc.org", code: loinc }] },
  effectiveDateTime: date,
  valueQuantity: quantity,
});
const drugIds = (record: ReturnType<typeof importBundle>) =>
  record.medications.map((medication) =>
    medication.drugIndex === null ? null : kb.drugs[medication.drugIndex]!.drugId,
  );

describe("FHIR import", () => {
  test("every condition code that a category leads to is known to the harm and benefit tables", () => {
    const known = new Set([...CONDITION_BURDENS.keys(), ...RISK_CONDITIONS, ...UNBURDENED_INDICATIONS]);
    expect(IMPORTED_CONDITION_CODES.filter((code) => !known.has(code))).toEqual([]);
  });

  test("every entry of every example is accounted for: used or unused, none lost", () => {
    for (const name of [
      "clean",
      "bleeding",
      "hyperkalaemia",
      "sedation-and-falls",
      "qt-and-statin",
      "lithium",
      "unit-traps",
      "brands-and-unmapped",
      "transaction",
      "stopped-orders",
    ]) {
      const document = example(name) as { entry: unknown[] };
      const record = importBundle(kb, document);
      const told = new Set([...record.used, ...record.unused].map((each) => /^entry\[(\d+)\]/.exec(each.entry)?.[1]));
      const referenced = document.entry.filter(
        (entry) => (entry as { resource: { resourceType: string } }).resource.resourceType === "Medication",
      ).length;
      expect(told.size + referenced, name).toBe(document.entry.length);
    }
  });

  test("two brands of one ingredient are both kept and their doses summed", () => {
    const record = importBundle(kb, example("brands-and-unmapped"));
    const ibuprofen = record.medications.find((medication) => medication.label.includes("Advil"))!;
    expect(ibuprofen.label).toContain("Nurofen");
    expect(ibuprofen.dosePerDay).toBe(1200);
    expect(ibuprofen.entries).toHaveLength(2);
  });

  test("what is not recognised stays in the list as not checked, with the nearest name, and is never taken for it", () => {
    const record = importBundle(kb, example("brands-and-unmapped"));
    expect(
      record.medications.filter((medication) => medication.drugIndex === null).map((medication) => medication.label),
    ).toEqual(["metropolol 25 mg", "Zorblaxin forte", "Devil's claw root extract"]);
    expect(record.unused.find((each) => each.value === "metropolol 25 mg")?.reason).toMatch(
      /nearest known name: metoprolol, not taken/,
    );
  });

  test("stopped, completed, proposed and entered-in-error entries do not count and are listed", () => {
    const record = importBundle(kb, example("stopped-orders"));
    expect(drugIds(record)).toEqual(["amlodipine", "lisinopril"]);
    expect(record.unused.map((each) => each.value)).toEqual(
      expect.arrayContaining(["stopped", "entered-in-error", "completed", "proposal"]),
    );
    expect(record.values.K!.value).toBe(4.3);
    expect(record.conditions.find((condition) => condition.code === "OA_PAIN")!.isActive).toBe(false);
  });

  test("an order without dosage is imported with the dose unknown and said so", () => {
    const record = importBundle(kb, example("stopped-orders"));
    expect(record.medications[1]).toMatchObject({ dosePerDay: null });
    expect(record.warnings.map((warning) => warning.message).join()).toMatch(/dose unknown/);
  });

  test("a transaction with contained and referenced medications reads like a collection", () => {
    const record = importBundle(kb, example("transaction"));
    expect(drugIds(record)).toEqual(["metoprolol", "paroxetine", "lisinopril"]);
    expect(record.medications.map((medication) => medication.indication)).toEqual(["HFREF", "DEPRESSION", "HFREF"]);
    expect(record.allergies[0]).toMatchObject({ substance: "PENICILLIN", reaction: "anaphylaxis", isVerified: true });
    expect(record.allergies[1]).toMatchObject({ substance: "Shellfish", isKnown: false });
  });

  test("creatinine in umol/L is converted; the same number as mg/dL, or without a unit, is refused", () => {
    const record = importBundle(kb, example("unit-traps"));
    expect(record.values.CREAT!.value).toBeCloseTo(1.199, 3);
    expect(record.unused.find((each) => each.value === "106 mg/dL")?.reason).toMatch(/umol\/L/);
    expect(record.unused.find((each) => each.value === "139")?.reason).toMatch(/without a unit/);
    expect(record.values.NA).toBeUndefined();
    expect(record.weightKg).toBeCloseTo(64.86, 2);
    expect(record.values.A1C!.value).toBeCloseTo(7.46, 2);
  });

  test.each([700, 0, -70])("a weight of %d kg is refused", (value) => {
    const record = importBundle(kb, bundle(observation("29463-7", { value, unit: "kg", code: "kg" })));
    expect(record.weightKg).toBeNull();
    expect(record.unused[0]!.reason).toMatch(/outside 25 to 300/);
  });

  test("a weight of 154 kg is used with a doubt about pounds", () => {
    const record = importBundle(kb, bundle(observation("29463-7", { value: 154, unit: "kg", code: "kg" })));
    expect(record.weightKg).toBe(154);
    expect(record.warnings[0]!.message).toMatch(/pounds/);
  });

  test("the newest value of a code wins, whatever the order of the entries", () => {
    const older = observation("2823-3", { value: 4.0, unit: "mmol/L", code: "mmol/L" }, "2026-01-01");
    const newer = observation("2823-3", { value: 5.1, unit: "mmol/L", code: "mmol/L" }, "2026-02-01");
    for (const order of [
      [older, newer],
      [newer, older],
    ])
      expect(importBundle(kb, bundle(...order)).values.K!.value).toBe(5.1);
  });

  test("a unit text that contradicts its code is a warning on that quantity", () => {
    const record = importBundle(
      kb,
      bundle(
        observation("2823-3", { value: 4.1, unit: "Tablet(s)xxx", code: "mmol/L" }),
        observation("2951-2", { value: 140, unit: "mmol/L" }, "2026-02-02"),
      ),
    );
    expect(record.warnings.map((warning) => warning.message)).toEqual([
      expect.stringMatching(/Tablet\(s\)xxx/),
      expect.stringMatching(/no UCUM code/),
    ]);
  });

  test("the same bundle twice in one document gives no medication twice", () => {
    const one = example("bleeding") as { entry: unknown[] };
    const twice = importBundle(kb, { ...one, entry: [...one.entry, ...one.entry] });
    expect(twice.medications).toEqual(importBundle(kb, one).medications);
    expect(twice.unused.filter((each) => each.reason.startsWith("repeats"))).toHaveLength(one.entry.length);
  });

  test("a value given as text is refused where it stands, and the other entries are still read", () => {
    const record = importBundle(
      kb,
      bundle(
        observation("2823-3", { value: "5", unit: "mmol/L" }),
        observation("2951-2", { value: 140, unit: "mmol/L", code: "mmol/L" }),
      ),
    );
    expect(record.unused[0]).toMatchObject({ path: "valueQuantity.value", value: '"5"' });
    expect(record.values.NA!.value).toBe(140);
  });

  test.each([
    ["1.", /line 1, column \d+/],
    [".15", /line 1, column \d+/],
  ])("the number %s is invalid JSON and refused with its position", (number, message) => {
    expect(() => parseFhirJson(`{"value": ${number}}`)).toThrow(message);
    expect(() => parseFhirJson(`{"value": ${number}}`)).toThrow(new RegExp(`column ${number === "1." ? 12 : 11}`));
  });

  test("1.2E+2 is 120 and 1.20 is 1.2", () => {
    expect(parseFhirJson('{"a": 1.2E+2, "b": 1.20}')).toEqual({ a: 120, b: 1.2 });
  });

  test.each([
    ["no patient", { resourceType: "Bundle", type: "collection", timestamp: "2026-01-01", entry: [] }, /no Patient/],
    ["two patients", bundle({ ...patient, id: "q" }), /2 Patient resources/],
    ["another resource", { resourceType: "Patient" }, /not a FHIR R4 Bundle/],
    ["another kind of bundle", { resourceType: "Bundle", type: "subscription-notification" }, /Bundle.type/],
    ["no day", { resourceType: "Bundle", type: "collection", entry: [{ resource: patient }] }, /day of the review/],
    ["no sex", { ...bundle(), entry: [{ resource: { ...patient, gender: "other" } }] }, /gender/],
    [
      "a birth date after the review",
      { ...bundle(), entry: [{ resource: { ...patient, birthDate: "2030-01-01" } }] },
      /after the day/,
    ],
  ])("a document with %s is refused as a whole", (_, document, message) => {
    expect(() => importBundle(kb, document)).toThrow(message);
  });
});
