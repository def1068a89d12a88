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

/** The drug as a victim of the exposure model. */
export function victimProfile({ fm, fe, pgp }: ClearanceParts): ExposureProfile {
  return {
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
}

/** Exposure ratio E of the drug in a setting: AUC against that of a healthy volunteer without other drugs. */
export function exposureRatio(parts: ClearanceParts, { patient, perpetrators }: ExposureSetting): number {
  const model = new ExposureModel(makeExposureTables([victimProfile(parts), ...perpetrators.map(exposureProfileOf)]));
  model.setPatient(patient);
  for (let i = 0; i < perpetrators.length; i++) model.addPerpetrator(i + 1, 1);
  return model.aucr(0);
}
