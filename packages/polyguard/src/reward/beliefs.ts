import { withCreatinine } from "../course/labs.ts";
import { withMedication } from "../course/regimen.ts";
import { solveSerumCreatinine } from "../engine/body.ts";
import type { Known } from "../observation/types.ts";
import { copyMedication, copyPhysiology, withPhysiology } from "../world/copies.ts";
import type { Patient, Physiology, WorldState } from "../world/types.ts";

/** A state that the agent could be in, as far as it knows; all are equally likely. */
export type PossibleState = WorldState;

/** Standard normal quantiles at 10, 30, 50, 70 and 90 %. */
const QUANTILES = [-1.2816, -0.5244, 0, 0.5244, 1.2816];

/** eGFR at those quantiles of generated patients, mL/min/1.73 m2. assumption: read off the bands 55/20/15/8/2 %. */
const EGFR_QUANTILES = [30, 48, 62, 76, 92];

/** Spread of a value around an old one, and its middle and spread without one. assumption: those of generated patients on drugs. */
const SPREADS: Readonly<
  Record<
    string,
    { readonly key: keyof Physiology; readonly middle: number; readonly spread: number; readonly drift: number }
  >
> = {
  K: { key: "potassiumMmolPerL", middle: 4.4, spread: 0.5, drift: 0.35 },
  NA: { key: "sodiumMmolPerL", middle: 138, spread: 3.5, drift: 2.5 },
  QTC: { key: "qtcMs", middle: 435, spread: 20, drift: 12 },
  HR: { key: "heartRatePerMin", middle: 70, spread: 9, drift: 6 },
};
const CREATININE_DRIFT = 0.2;
/** Log-spread of an exposure whose level is not known. assumption: between-subject spread of the dosing models. */
const EXPOSURE_SPREAD = 0.3;

/**
 * States that differ in one value, at five quantiles of what is believed of it: around the last value when there is one,
 * else as the generator draws it. Null for a code that the engine does not look at.
 */
export function possibleStates(
  known: Known,
  patient: Patient,
  world: WorldState,
  code: string,
): readonly PossibleState[] | null {
  const seen = known.values[code]?.value;
  if (code === "CREAT" || code === "WEIGHT") {
    return QUANTILES.map((z, i) => {
      const creatinine =
        seen === undefined
          ? solveSerumCreatinine({ ageYears: patient.ageYears, sex: patient.sex, egfrMlPerMin: EGFR_QUANTILES[i]! })
          : seen * Math.exp(CREATININE_DRIFT * z);
      return withPhysiology(world, withCreatinine(patient, world.physiology, creatinine));
    });
  }
  const entry = SPREADS[code];
  if (entry === undefined) return null;
  const { key, middle, spread, drift } = entry;
  return QUANTILES.map((z) => {
    const physiology = copyPhysiology(world.physiology);
    physiology[key] = seen === undefined ? middle + spread * z : seen + drift * z;
    return withPhysiology(world, physiology);
  });
}

/** States that differ in how far a narrow_ti drug's exposure is from its last level in range. */
export function possibleExposures(world: WorldState, medRef: string): readonly PossibleState[] | null {
  const medication = world.medications.find((each) => each.medRef === medRef);
  if (medication === undefined || medication.exposureReference === null) return null;
  const reference = medication.exposureReference;
  return QUANTILES.map((z) => {
    const shifted = copyMedication(medication);
    shifted.exposureReference = reference * Math.exp(EXPOSURE_SPREAD * z);
    return withMedication(world, shifted);
  });
}

/** The state with and without a medication that may or may not be taken. */
export function possibleUse(world: WorldState, medRef: string): readonly PossibleState[] | null {
  const medication = world.medications.find((each) => each.medRef === medRef);
  if (medication === undefined) return null;
  return [true, false].map((isTaken) => {
    const other = copyMedication(medication);
    other.isTaken = isTaken;
    return withMedication(world, other);
  });
}
