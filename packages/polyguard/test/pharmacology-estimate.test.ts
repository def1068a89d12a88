import { Rng } from "@praxis/env";
import { describe, expect, test } from "vitest";
import { indexOfBest, scoreDoses } from "../src/pharmacology/choose-dose.ts";
import {
  type DoseDay,
  type DosingCovariates,
  type DosingModel,
  TROUGH,
  VALUE,
} from "../src/pharmacology/dosing-model.ts";
import { type DosingHistory, drawEffects, effectsOf, estimateEffects } from "../src/pharmacology/estimate.ts";
import { DOSING_MODELS, estimationModel } from "../src/pharmacology/models.ts";

const PATIENT: DosingCovariates = {
  ageYears: 72,
  sex: "F",
  weightKg: 68,
  creatinineClearanceMlPerMin: 55,
  hasHeartFailure: false,
  genotype: null,
};
const DOSES: Readonly<Record<string, number>> = {
  vancomycin: 1000,
  gentamicin: 200,
  warfarin: 4,
  digoxin: 0.125,
  phenytoin: 250,
  lithium_carbonate: 450,
  levothyroxine: 100,
};

/** A course of six steps with a level at the end of each, exact or with the assay's error. */
function courseOf(model: DosingModel, eta: ArrayLike<number>, rng: Rng | null): DosingHistory {
  const parameters = model.individual(PATIENT, eta);
  const state = model.start(parameters);
  const day: DoseDay = { dosePerDay: DOSES[model.drugId]!, intervalH: 24, clearanceFactor: 1, absorptionFactor: 1 };
  const days: DoseDay[] = [];
  const levels: DosingHistory["levels"][number][] = [];
  const measured = (value: number): number => value * (1 + (rng === null ? 0 : rng.normal(0, model.assayCv)));
  for (let step = 0; step < 6; step++) {
    for (let i = 0; i < model.stepDays; i++) {
      // Doses that vary tell more of the parameters.
      const each = { ...day, dosePerDay: day.dosePerDay * (step % 2 === 0 ? 1 : 1.2) };
      days.push(each);
      model.advanceDay(state, parameters, each);
    }
    const trough = state[TROUGH]!;
    levels.push({
      day: days.length,
      value: measured(state[VALUE]!),
      trough: Number.isNaN(trough) ? null : measured(trough),
    });
  }
  return { covariates: PATIENT, days, levels };
}

/** The function that an estimate minimises, at standardised effects. */
function lossAt(model: DosingModel, history: DosingHistory, standardised: readonly number[]): number {
  const eta = effectsOf(model.spread(history.covariates), standardised);
  const parameters = model.individual(history.covariates, eta);
  const state = model.start(parameters);
  let loss = standardised.reduce((sum, z) => sum + z * z, 0);
  let day = 0;
  for (const { day: until, value, trough } of history.levels) {
    for (; day < until; day++) model.advanceDay(state, parameters, history.days[day]!);
    loss += ((value - state[VALUE]!) / (model.assayCv * state[VALUE]!)) ** 2;
    if (trough !== null) loss += ((trough - state[TROUGH]!) / (model.assayCv * state[TROUGH]!)) ** 2;
  }
  return loss;
}

describe.each(DOSING_MODELS.map((model) => [model.drugId, estimationModel(model)] as const))("%s", (_, model) => {
  test("without levels the estimate is the typical patient with the population's spread", () => {
    const { mode, factor, spread } = estimateEffects(model, { covariates: PATIENT, days: [], levels: [] });
    expect([...mode].every((each) => each === 0)).toBe(true);
    for (const i of spread.keys()) expect(factor[i * spread.length + i]).toBeCloseTo(1, 6);
  });

  test("no small step away from the estimate fits better", () => {
    const truth = effectsOf(
      model.spread(PATIENT),
      model.effects.map((_, i) => [0.8, -0.6, 0.5, -0.3, 0.4][i]!),
    );
    const history = courseOf(model, truth, Rng.fromSeed(3, model.drugId));
    const mode = [...estimateEffects(model, history).mode];
    const best = lossAt(model, history, mode);
    for (const i of mode.keys())
      for (const step of [-0.05, 0.05])
        expect(lossAt(model, history, mode.with(i, mode[i]! + step))).toBeGreaterThan(best - 1e-3);
  });

  test("levels narrow the spread around the estimate", () => {
    const history = courseOf(model, new Float64Array(model.effects.length), null);
    const { factor } = estimateEffects(model, history);
    expect(factor[0]).toBeGreaterThan(1.5);
  });
});

describe("draws", () => {
  const model = DOSING_MODELS.find(({ drugId }) => drugId === "digoxin")!;
  const history = courseOf(model, [0.3, 0.1], Rng.fromSeed(5, "digoxin"));
  const estimate = estimateEffects(model, history);

  test("have the mean and the covariance of the normal approximation", () => {
    const n = 20_000;
    const draws = drawEffects(estimate, n, Rng.fromSeed(1, "draws"));
    const z = draws.map((draw) => [draw[0]! / estimate.spread[0]!, draw[1]! / estimate.spread[1]!]);
    const mean = [0, 1].map((i) => z.reduce((sum, each) => sum + each[i]!, 0) / n);
    expect(mean[0]).toBeCloseTo(estimate.mode[0]!, 2);
    expect(mean[1]).toBeCloseTo(estimate.mode[1]!, 1);
    // precision = L L', so precision times covariance is the identity.
    const [a, , c, d] = estimate.factor as unknown as [number, number, number, number];
    const precision = [
      [a * a, a * c],
      [a * c, c * c + d * d],
    ];
    const covariance = [0, 1].map((i) =>
      [0, 1].map((j) => z.reduce((sum, each) => sum + (each[i]! - mean[i]!) * (each[j]! - mean[j]!), 0) / n),
    );
    for (const i of [0, 1])
      for (const j of [0, 1]) {
        const product = [0, 1].reduce((sum, k) => sum + precision[i]![k]! * covariance[k]![j]!, 0);
        expect(Math.abs(product - (i === j ? 1 : 0))).toBeLessThan(0.1);
      }
  });

  test("are the same for the same stream", () => {
    const twice = [1, 2].map(() => drawEffects(estimate, 3, Rng.fromSeed(9, "draws")).map((draw) => [...draw]));
    expect(twice[0]).toEqual(twice[1]);
  });
});

describe("choice of a dose", () => {
  const model = DOSING_MODELS.find(({ drugId }) => drugId === "lithium_carbonate")!;
  const outlook = (eta: number): Parameters<typeof scoreDoses>[0] => ({
    model,
    covariates: PATIENT,
    draws: [Float64Array.of(eta)],
    days: [],
    ahead: new Array(40).fill({ clearanceFactor: 1, absorptionFactor: 1 }),
  });
  const options = [150, 300, 450, 600, 900].map((dosePerDay) => ({ dosePerDay, intervalH: 12 }));

  test("a patient who clears less gets less", () => {
    const slow = indexOfBest(scoreDoses(outlook(-0.7), options));
    const quick = indexOfBest(scoreDoses(outlook(0.7), options));
    expect(options[slow]!.dosePerDay).toBeLessThan(options[quick]!.dosePerDay);
  });

  test("among doses that are all far too low the highest is the best", () => {
    const scores = scoreDoses(
      outlook(0.5),
      [10, 20, 30].map((dosePerDay) => ({ dosePerDay, intervalH: 12 })),
    );
    expect(indexOfBest(scores)).toBe(2);
    expect(Math.max(...scores)).toBeLessThan(0);
  });

  test("the dose stays unless a change gains something; among changes the best one counts", () => {
    expect(indexOfBest([0.5, 0.504, 0.4])).toBe(0);
    expect(indexOfBest([-0.01, -0.009, -0.008])).toBe(2);
    expect(indexOfBest([0.5, 0.52, 0.53])).toBe(2);
  });
});
