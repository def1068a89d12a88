import { Rng } from "@praxis/env";
import fc from "fast-check";
import { expect, test } from "vitest";
import { getDrug } from "../src/kb/lookup.ts";
import { beta } from "../src/new-drug/beta.ts";
import {
  type ClearanceParts,
  drawClearance,
  drawComponents,
  flagsOf,
  NEW_DRUG_ENZYMES,
} from "../src/new-drug/components.ts";
import { exposureRatio } from "../src/new-drug/exposure.ts";
import { kb } from "./world-fixtures.ts";

const NO_PATHS = { CYP3A4: 0, CYP2D6: 0, CYP2C9: 0, CYP2C19: 0, CYP1A2: 0, UGT: 0 };
const POOR = { cyp2d6: "PM", cyp2c19: "NM", cyp2c9: "*1/*1", vkorc1: "GA" } as const;

test("a drug of fm .3 CYP3A4, .3 CYP2D6 and fe .3 has E 3.571 in a poor metaboliser of CrCl 40 on diltiazem", () => {
  const parts: ClearanceParts = { fm: { ...NO_PATHS, CYP3A4: 0.3, CYP2D6: 0.3 }, fe: 0.3, pgp: 0 };
  const ratio = exposureRatio(parts, {
    patient: { crClMlPerMin: 40, genotype: POOR },
    perpetrators: [getDrug(kb, "diltiazem_er")],
  });
  expect(ratio).toBeCloseTo(3.571, 3);
});

test("without kidney loss, genotype and other drugs E is 1", () => {
  const parts = drawClearance(Rng.fromSeed(7));
  expect(exposureRatio(parts, { patient: {}, perpetrators: [] })).toBeCloseTo(1, 12);
});

test("a P-gp victim is raised by the factor of the perpetrator to the power of its sensitivity", () => {
  const parts: ClearanceParts = { fm: NO_PATHS, fe: 0.5, pgp: 0.3 };
  expect(exposureRatio(parts, { patient: {}, perpetrators: [getDrug(kb, "verapamil_er")] })).toBeCloseTo(1.6 ** 0.3, 9);
});

test("drawn parts are two paths at most, a renal share and one of three P-gp classes, together at most 1", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e6 }), (seed) => {
      const { fm, fe, pgp } = drawClearance(Rng.fromSeed(seed));
      const paths = NEW_DRUG_ENZYMES.filter((enzyme) => fm[enzyme] > 0);
      expect(paths.length).toBeLessThanOrEqual(2);
      expect(fe).toBeGreaterThanOrEqual(0);
      expect(NEW_DRUG_ENZYMES.reduce((sum, enzyme) => sum + fm[enzyme], fe)).toBeLessThanOrEqual(1 + 1e-12);
      expect([0, 0.3, 1]).toContain(pgp);
    }),
  );
});

test("beta draws have the mean and spread of their distribution", () => {
  for (const [a, b] of [
    [6, 3],
    [1.2, 3],
  ] as const) {
    const rng = Rng.fromSeed(11);
    const draws = Array.from({ length: 20_000 }, () => beta(rng, a, b));
    const mean = draws.reduce((sum, x) => sum + x, 0) / draws.length;
    const variance = draws.reduce((sum, x) => sum + (x - mean) ** 2, 0) / draws.length;
    expect(mean).toBeCloseTo(a / (a + b), 2);
    expect(variance).toBeCloseTo((a * b) / ((a + b) ** 2 * (a + b + 1)), 3);
  }
});

test("components are drawn at the shares of the prior", () => {
  const rng = Rng.fromSeed(12);
  const all = Array.from({ length: 4000 }, () => drawComponents(rng, getDrug(kb, "sertraline")));
  const share = (holds: (each: (typeof all)[number]) => boolean): number => all.filter(holds).length / all.length;
  const acts = (levels: Readonly<Record<string, number>>): boolean => Object.values(levels).some((level) => level > 0);
  expect(share(({ inhibits }) => acts(inhibits))).toBeCloseTo(0.35, 1);
  expect(share(({ induces }) => acts(induces))).toBeCloseTo(0.1, 1);
  expect(share(({ qt }) => qt === 3)).toBeCloseTo(0.05, 1);
  expect(share(({ pgp }) => pgp === 0)).toBeCloseTo(0.6, 1);
  expect(flagsOf(all[0]!).serotonergic).toBe(getDrug(kb, "sertraline").risk.serotonergic);
});
