import { Rng } from "@praxis/env";
import { expect, test } from "vitest";
import { getDrug } from "../src/kb/lookup.ts";
import { drawComponents, type NewDrugComponents } from "../src/new-drug/components.ts";
import { evidenceQuery, type NewDrugFact, readEvidenceQuery, studyDrug } from "../src/new-drug/evidence-units.ts";
import { exposureRatio } from "../src/new-drug/exposure.ts";
import { believeLevels, believeNewDrug, exposureRatios, meanParts } from "../src/new-drug/posterior.ts";
import { kb } from "./world-fixtures.ts";

const COMPONENTS: NewDrugComponents = {
  ...drawComponents(Rng.fromSeed(5), getDrug(kb, "sertraline")),
  fm: { CYP3A4: 0.6, CYP2D6: 0.1, CYP2C9: 0, CYP2C19: 0, CYP1A2: 0, UGT: 0 },
  fe: 0.25,
  pgp: 0.3,
  qt: 2,
};
const drug = (noiseSeed: number) => ({ components: COMPONENTS, resembles: "SSRI", noiseSeed });
const PERPETRATOR = getDrug(kb, "clarithromycin");

function factsOf(noiseSeed: number): NewDrugFact[] {
  return [
    studyDrug(drug(noiseSeed), { kind: "phenotyping" }),
    studyDrug(drug(noiseSeed), { kind: "ddi", perpetrator: PERPETRATOR }),
    studyDrug(drug(noiseSeed), { kind: "renal" }),
    studyDrug(drug(noiseSeed), { kind: "transporter" }),
  ];
}

test("queries name a unit, an interaction study by its perpetrator, and nothing else", () => {
  for (const query of ["phenotyping", "renal", "qt", "transporter", "class", "ddi:clarithromycin"])
    expect(evidenceQuery(readEvidenceQuery(kb, ` ${query.toUpperCase()} `)!)).toBe(query);
  expect(readEvidenceQuery(kb, "ddi:nosuchdrug")).toBeNull();
  expect(readEvidenceQuery(kb, "is it safe?")).toBeNull();
});

test("the same unit always tells the same, and another noise seed something else", () => {
  expect(factsOf(1)).toEqual(factsOf(1));
  expect(factsOf(1)).not.toEqual(factsOf(2));
});

test("studies scatter around the truth by 20 %, phenotyping by .10, and a QT study is right nine times in ten", () => {
  const truth = exposureRatio(COMPONENTS, { patient: {}, perpetrators: [PERPETRATOR] });
  const logs: number[] = [];
  const errors: number[] = [];
  let right = 0;
  for (let seed = 0; seed < 1500; seed++) {
    const ddi = studyDrug(drug(seed), { kind: "ddi", perpetrator: PERPETRATOR });
    if (ddi.kind === "ddi") logs.push(Math.log(ddi.ratio / truth));
    const pheno = studyDrug(drug(seed), { kind: "phenotyping" });
    if (pheno.kind === "phenotyping") errors.push(pheno.fm.CYP3A4 - 0.6);
    const qt = studyDrug(drug(seed), { kind: "qt" });
    if (qt.kind === "qt" && qt.level === 2) right++;
  }
  const deviation = (values: readonly number[]): number =>
    Math.sqrt(values.reduce((sum, x) => sum + x * x, 0) / values.length);
  expect(deviation(logs)).toBeCloseTo(0.2, 1);
  expect(deviation(errors)).toBeGreaterThan(0.07);
  expect(deviation(errors)).toBeLessThan(0.13);
  expect(right / 1500).toBeCloseTo(0.9, 1);
});

test("a class statement has at most one risk point wrong", () => {
  let wrong = 0;
  for (let seed = 0; seed < 500; seed++) {
    const fact = studyDrug(drug(seed), { kind: "class" });
    if (fact.kind !== "class") continue;
    const differing = Object.keys(fact.risk).filter(
      (column) => fact.risk[column as keyof typeof fact.risk] !== COMPONENTS.risk[column as keyof typeof fact.risk],
    );
    expect(differing.length).toBeLessThanOrEqual(1);
    wrong += differing.length;
  }
  expect(wrong / 500).toBeCloseTo(0.2, 1);
});

test("facts bring the estimate of the exposure nearer to the truth than the prior is", () => {
  const setting = { patient: { crClMlPerMin: 40 }, perpetrators: [PERPETRATOR] };
  const truth = Math.log(exposureRatio(COMPONENTS, setting));
  const errorOf = (facts: readonly NewDrugFact[]): number =>
    Math.abs(Math.log(exposureRatio(meanParts(believeNewDrug(kb, facts)), setting)) - truth);
  let told = 0;
  for (let seed = 0; seed < 10; seed++) told += errorOf(factsOf(seed)) / 10;
  expect(told).toBeLessThan(0.5 * errorOf([]));
  expect(told).toBeLessThan(0.25);
});

test("levels seen in the patient move the belief towards them", () => {
  const setting = { patient: { crClMlPerMin: 40 }, perpetrators: [] };
  const before = believeNewDrug(kb, []);
  const after = believeLevels(before, setting, [2.4, 2.4], 0.2);
  const mean = (belief: typeof before): number => {
    const ratios = exposureRatios(belief, setting);
    return belief.weights.reduce((sum, weight, i) => sum + weight * ratios[i]!, 0);
  };
  expect(Math.abs(mean(after) - 2.4)).toBeLessThan(Math.abs(mean(before) - 2.4));
  expect(after.weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 9);
  expect(believeLevels(before, setting, [], 0.2)).toBe(before);
});
