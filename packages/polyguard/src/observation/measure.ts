import type { Rng } from "@praxis/env";
import type { CourseContext } from "../course/context.ts";
import { exposureRatio, levelCodeOf } from "../course/labs.ts";
import { drugAt } from "../kb/lookup.ts";
import { copyMedication, withMedications } from "../world/copies.ts";
import type { Physiology, WorldState } from "../world/types.ts";
import { copyMemory } from "./copy-memory.ts";
import { findMeasurement, flagOf, MEASUREMENTS, type Measurement } from "./measurements.ts";
import type { DrawnSample, KnownValue, Memory } from "./types.ts";

/** Analytical coefficient of variation of a report. assumption: usual laboratory precision. */
const NOISE_CV = 0.03;
const CREATININE_NOISE_CV = 0.05;

/** True value of a measurement today, or null when there is none (a level of a drug that was never taken). */
export function trueValue(state: WorldState, code: string): number | null {
  const key = PHYSIOLOGY_OF[code];
  return key === undefined ? (state.labs[code] ?? null) : state.physiology[key];
}

const PHYSIOLOGY_OF: Readonly<Record<string, keyof Physiology>> = {
  CREAT: "serumCreatinineMgPerDl",
  K: "potassiumMmolPerL",
  NA: "sodiumMmolPerL",
  MG: "magnesiumMgPerDl",
  HB: "hemoglobinGPerDl",
  ALB: "albuminGPerDl",
  QTC: "qtcMs",
  HR: "heartRatePerMin",
  SBP: "systolicBpMmHg",
  SBP_DROP: "systolicDropMmHg",
};

/** One report: the true value with assay noise, rounded as printed. Takes two draws. */
export function report(measurement: Measurement, value: number, rng: Rng): number {
  const cv = measurement.code === "CREAT" ? CREATININE_NOISE_CV : NOISE_CV;
  return rounded(value * (1 + rng.normal(0, cv)), measurement.decimals);
}

/** Rounds to decimal places. */
export function rounded(value: number, decimals: number): number {
  const scale = 10 ** decimals;
  return Math.round(value * scale) / scale;
}

/**
 * Draws the measurements of the order codes. A level or INR inside its target becomes the new reference of its drug.
 * Codes without a number yield nothing.
 */
export function drawSamples(
  context: CourseContext,
  state: WorldState,
  memory: Memory,
  orders: ReadonlySet<string>,
  rng: Rng,
): { readonly state: WorldState; readonly memory: Memory } {
  if (orders.size === 0) return { state, memory };
  const day = state.clock.day;
  const values: Record<string, KnownValue> = { ...memory.values };
  const samples: DrawnSample[] = [];
  let next = state;
  for (const measurement of MEASUREMENTS) {
    if (!orders.has(measurement.order)) continue;
    const truth = trueValue(state, measurement.code);
    if (truth === null) continue;
    const value = report(measurement, truth, rng);
    values[measurement.code] = { value, measuredDay: day };
    samples.push({ code: measurement.code, day });
    if (flagOf(measurement, value) === "N") next = withReference(context, next, measurement.code);
  }
  if (samples.length === 0) return { state, memory };
  const learned = copyMemory(memory);
  learned.values = values;
  learned.samples = [...memory.samples, ...samples];
  return { state: next, memory: learned };
}

/** The state with dose * AUCR of today as the reference of the drug that the code is the level of. */
export function withReference(context: CourseContext, state: WorldState, code: string): WorldState {
  const medication = state.medications.find(
    (each) => each.isTaken && levelCodeOf(drugAt(context.kb, each.drugIndex)) === code,
  );
  if (medication === undefined || findMeasurement(code) === undefined) return state;
  const exposure = medication.dosePerDay * exposureRatio(context, state, medication.drugIndex);
  const referred = copyMedication(medication);
  referred.exposureReference = exposure;
  referred.lastInRangeLevelDay = state.clock.day;
  return withMedications(
    state,
    state.medications.map((each) => (each === medication ? referred : each)),
  );
}
