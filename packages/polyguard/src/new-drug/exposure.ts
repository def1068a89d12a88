import { ExposureModel, type ExposurePatient } from "../engine/exposure.ts";
import { ENZYMES, type ExposureProfile, exposureProfileOf, makeExposureTables } from "../engine/exposure-tables.ts";
import type { Drug } from "../kb/types.ts";
import { type ClearanceParts, NEW_DRUG_ENZYMES } from "./components.ts";

/** What decides about the exposure of a new drug in a patient besides the drug. */
export interface ExposureSetting {
  readonly patient: ExposurePatient;
  /** Other drugs, settled. */
  readonly perpetrators: readonly Drug[];
}

const NONE: readonly number[] = ENZYMES.map(() => 0);

const profiles = new WeakMap<ClearanceParts, ExposureProfile>();

/** The drug as a victim of the exposure model; made once for its parts, as the draws of a prior are asked for again and again. */
export function victimProfile(parts: ClearanceParts): ExposureProfile {
  let profile = profiles.get(parts);
  if (profile === undefined) {
    const { fm, fe, pgp } = parts;
    profile = {
      paths: NEW_DRUG_ENZYMES.filter((enzyme) => fm[enzyme] > 0).map((enzyme) => ({ enzyme, fraction: fm[enzyme] })),
      feRenal: fe,
      prodrug: null,
      pgpSensitivity: pgp,
      isOatpSubstrate: false,
      inhibition: NONE,
      induction: NONE,
      pgpFactor: 1,
      oatpFactor: 1,
    };
    profiles.set(parts, profile);
  }
  return profile;
}

/** Exposure ratio E of the drug in a setting: AUC against that of a healthy volunteer without other drugs. */
export function exposureRatio(parts: ClearanceParts, { patient, perpetrators }: ExposureSetting): number {
  const model = new ExposureModel(makeExposureTables([victimProfile(parts), ...perpetrators.map(exposureProfileOf)]));
  model.setPatient(patient);
  for (let i = 0; i < perpetrators.length; i++) model.addPerpetrator(i + 1, 1);
  return model.aucr(0);
}
