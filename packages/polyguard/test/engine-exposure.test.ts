import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ExposureModel, type ExposurePatient } from "../src/engine/exposure.ts";
import {
  ENZYMES,
  type ExposureProfile,
  exposureProfileOf,
  exposureTablesOf,
  makeExposureTables,
} from "../src/engine/exposure-tables.ts";
import { at, kb } from "./engine-fixtures.ts";

const model = new ExposureModel(exposureTablesOf(kb));

function aucr(victim: string, perpetrators: readonly string[], patient: ExposurePatient = {}, carryOver = 1): number {
  model.setPatient(patient);
  model.clearPerpetrators();
  for (const perpetrator of perpetrators) model.addPerpetrator(at(perpetrator), carryOver);
  return model.aucr(at(victim));
}

function activation(victim: string, perpetrators: readonly string[], patient: ExposurePatient = {}): number {
  aucr(victim, perpetrators, patient);
  return model.activationRatio(at(victim));
}

const NORMAL = { cyp2d6: "NM", cyp2c19: "NM", cyp2c9: "*1/*1", vkorc1: "GG" } as const;

describe("the exposure ratio", () => {
  test.each([
    ["simvastatin", ["diltiazem_er"], "4.808"],
    ["zolpidem", ["clarithromycin"], "1.543"],
    ["atorvastatin", ["rifampin"], "0.160"],
    ["warfarin", ["fluconazole"], "2.755"],
    ["warfarin", ["amiodarone"], "1.693"],
    ["amitriptyline", ["paroxetine", "fluconazole"], "4.598"],
    ["midazolam", ["diltiazem_er", "erythromycin"], "5.673"],
  ])("%s with %j is %s", (victim, perpetrators, expected) => {
    expect(aucr(victim, perpetrators).toFixed(3)).toBe(expected);
  });

  test.each([
    ["digoxin", [], 50, "1.538"],
    ["digoxin", ["clarithromycin"], 50, "2.615"],
    ["apixaban", [], 30, "1.233"],
    ["apixaban", ["clarithromycin"], 30, "2.331"],
  ])("%s with %j at CrCl %i is %s", (victim, perpetrators, crClMlPerMin, expected) => {
    expect(aucr(victim, perpetrators, { crClMlPerMin }).toFixed(3)).toBe(expected);
  });

  test("kidney and enzyme losses more than multiply, in a new drug too", () => {
    const profile: ExposureProfile = {
      paths: [{ enzyme: "CYP3A4", fraction: 0.5 }],
      feRenal: 0.3,
      prodrug: null,
      pgpSensitivity: 0,
      isOatpSubstrate: false,
      inhibition: ENZYMES.map(() => 0),
      induction: ENZYMES.map(() => 0),
      pgpFactor: 1,
      oatpFactor: 1,
    };
    const poor: ExposureProfile = {
      ...profile,
      paths: [
        { enzyme: "CYP3A4", fraction: 0.3 },
        { enzyme: "CYP2D6", fraction: 0.3 },
      ],
    };
    const extended = new ExposureModel(makeExposureTables([...kb.drugs.map(exposureProfileOf), profile, poor]));
    extended.setPatient({ crClMlPerMin: 40, genotype: { ...NORMAL, cyp2d6: "PM" } });
    extended.addPerpetrator(at("diltiazem_er"), 1);
    expect(extended.aucr(kb.drugs.length).toFixed(3)).toBe("2.381");
    expect(extended.aucr(kb.drugs.length + 1).toFixed(3)).toBe("3.571");
  });

  test("a profile with an enzyme that the model lacks is refused", () => {
    const profile = { ...exposureProfileOf(kb.drugs[0]!), paths: [{ enzyme: "CYP9Z9", fraction: 0.5 }] };
    expect(() => makeExposureTables([profile])).toThrow(/no enzyme 'CYP9Z9'/);
  });

  test("one more inhibitor never lowers exposure and one more inducer never raises it", () => {
    const drugs = kb.drugs.map((drug) => drug.drugId);
    // P-gp induction rides along with enzyme induction and P-gp inhibition with inhibition, so both move one way.
    const inhibitors = drugs.filter(
      (id) => kb.drugs[at(id)]!.inhibits.length > 0 && kb.drugs[at(id)]!.induces.length === 0,
    );
    const inducers = drugs.filter(
      (id) => kb.drugs[at(id)]!.induces.length > 0 && kb.drugs[at(id)]!.inhibits.length === 0,
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...drugs),
        fc.uniqueArray(fc.constantFrom(...drugs), { maxLength: 5 }),
        fc.constantFrom(...inhibitors),
        fc.constantFrom(...inducers),
        (victim, others, inhibitor, inducer) => {
          const base = aucr(victim, others);
          expect(aucr(victim, [...others, inhibitor])).toBeGreaterThanOrEqual(base * (1 - 1e-12));
          expect(aucr(victim, [...others, inducer])).toBeLessThanOrEqual(base * (1 + 1e-12));
        },
      ),
    );
  });

  test("the order of the perpetrators does not matter", () => {
    const drugs = kb.drugs.map((drug) => drug.drugId);
    fc.assert(
      fc.property(
        fc.constantFrom(...drugs),
        fc.uniqueArray(fc.constantFrom(...drugs), { minLength: 2, maxLength: 8 }),
        (victim, others) => {
          expect(aucr(victim, others)).toBeCloseTo(aucr(victim, [...others].reverse()), 10);
        },
      ),
    );
  });

  test("a drug does not change its own exposure", () => {
    for (const drug of kb.drugs) expect(aucr(drug.drugId, [drug.drugId])).toBeCloseTo(1, 12);
  });

  test("carry-over moves the ratio from none to full effect", () => {
    const none = aucr("simvastatin", ["clarithromycin"], {}, 0);
    const half = aucr("simvastatin", ["clarithromycin"], {}, 0.5);
    const full = aucr("simvastatin", ["clarithromycin"]);
    expect(none).toBe(1);
    expect(half).toBeGreaterThan(none);
    expect(full).toBeGreaterThan(half);
    expect(aucr("digoxin", ["amiodarone"], {}, 0.5)).toBeCloseTo(1 + 0.7 * 0.5, 12);
  });

  test("OATP1B1 factors multiply for its victims only", () => {
    expect(aucr("pravastatin", ["gemfibrozil"])).toBeCloseTo(1.9, 12);
    expect(aucr("pravastatin", ["ciclosporin"])).toBeCloseTo(5, 12);
    expect(aucr("metformin", ["ciclosporin"])).toBe(1);
  });

  test("genotype, kidney and smoking act on their own path", () => {
    expect(aucr("metoprolol", [], { genotype: { ...NORMAL, cyp2d6: "PM" } })).toBeCloseTo(1 / (1 - 0.83), 12);
    expect(aucr("metoprolol", [], { genotype: { ...NORMAL, cyp2d6: "IM" } })).toBeCloseTo(1 / (1 - 0.83 / 2), 12);
    expect(aucr("metoprolol", [], { genotype: { ...NORMAL, cyp2d6: "UM" } })).toBeCloseTo(1, 12);
    expect(aucr("warfarin", [], { genotype: { ...NORMAL, cyp2c9: "*1/*3" } })).toBeCloseTo(1 / (1 - 0.91 / 2), 12);
    expect(aucr("theophylline_er", [], { isSmoker: true })).toBeCloseTo(1 / (1 + 0.7), 12);
    expect(aucr("metformin", [], { crClMlPerMin: 50 })).toBe(2);
    expect(aucr("metformin", [], { crClMlPerMin: 130 })).toBe(1);
  });
});

describe("the activation ratio of prodrugs", () => {
  test("clopidogrel with omeprazole .55, tamoxifen with paroxetine .43", () => {
    expect(activation("clopidogrel", ["omeprazole"]).toFixed(2)).toBe("0.55");
    expect(activation("tamoxifen", ["paroxetine"]).toFixed(2)).toBe("0.43");
  });

  test("a poor metaboliser forms next to nothing of codeine's effect", () => {
    expect(activation("codeine", [], { genotype: { ...NORMAL, cyp2d6: "PM" } })).toBeCloseTo(0.1, 12);
    expect(activation("codeine", [])).toBeCloseTo(1, 12);
  });

  test("is 1 for drugs that are no prodrug", () => {
    for (const drug of kb.drugs) {
      if (drug.prodrug === null) expect(activation(drug.drugId, ["paroxetine", "rifampin"])).toBe(1);
    }
  });
});
