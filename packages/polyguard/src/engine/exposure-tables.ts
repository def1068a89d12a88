import { PraxisError } from "@praxis/env";
import { keptByDrug, keptByKnowledgeBase } from "../kb/kept.ts";
import type { EnzymeFraction } from "../kb/types.ts";
import {
  inductionTerm,
  inhibitionTerm,
  isOatpSubstrate,
  oatpFactor,
  pgpFactor,
  pgpSensitivity,
} from "./perpetrators.ts";

/** Enzymes of the static model, in the order of every per-enzyme array. */
export const ENZYMES = [
  "CYP1A2",
  "CYP2B6",
  "CYP2C8",
  "CYP2C9",
  "CYP2C19",
  "CYP2D6",
  "CYP3A4",
  "UGT",
  "UGT1A4",
  "UGT2B15",
  "XO",
] as const;

/** All the static model knows of one drug, as victim and as perpetrator. */
export interface ExposureProfile {
  /** Fractions of clearance by enzyme; they add up to at most 1. */
  readonly paths: readonly EnzymeFraction[];
  /** Fraction excreted unchanged; cut to what the paths leave. */
  readonly feRenal: number;
  readonly prodrug: EnzymeFraction | null;
  readonly pgpSensitivity: number;
  readonly isOatpSubstrate: boolean;
  /** IR/(1-IR) and fold induction minus 1, in the order of {@link ENZYMES}. */
  readonly inhibition: readonly number[];
  readonly induction: readonly number[];
  /** Factors on P-gp and OATP1B1 victims; 1 = none. */
  readonly pgpFactor: number;
  readonly oatpFactor: number;
}

/** The profile of a drug of the knowledge base. */
export const exposureProfileOf = keptByDrug(
  (drug): ExposureProfile => ({
    paths: drug.substrates,
    feRenal: drug.feRenal ?? 0,
    prodrug: drug.prodrug,
    pgpSensitivity: pgpSensitivity(drug),
    isOatpSubstrate: isOatpSubstrate(drug),
    inhibition: ENZYMES.map((enzyme) => inhibitionTerm(drug, enzyme)),
    induction: ENZYMES.map((enzyme) => inductionTerm(drug, enzyme)),
    pgpFactor: pgpFactor(drug),
    oatpFactor: oatpFactor(drug),
  }),
);

/** Profiles of a list of drugs as flat arrays, by number of the drug; read by any number of models. */
export interface ExposureTables {
  readonly inhibition: Float64Array;
  readonly induction: Float64Array;
  readonly pathStart: Int32Array;
  readonly pathEnzyme: Int32Array;
  readonly pathFraction: Float64Array;
  readonly fe: Float64Array;
  readonly rest: Float64Array;
  readonly sensitivity: Float64Array;
  readonly isOatpVictim: Uint8Array;
  /** Factors minus 1. */
  readonly pgp: Float64Array;
  readonly oatp: Float64Array;
  /** -1 = no prodrug. */
  readonly prodrugEnzyme: Int32Array;
  readonly prodrugShare: Float64Array;
  readonly isPerpetrator: Uint8Array;
}

/** Tables of a list of drugs. Throws INVALID_CONFIG for an enzyme that the model does not have. */
export function makeExposureTables(profiles: readonly ExposureProfile[]): ExposureTables {
  const n = profiles.length;
  const inhibition = new Float64Array(n * ENZYMES.length);
  const induction = new Float64Array(n * ENZYMES.length);
  const pathStart = new Int32Array(n + 1);
  const pathEnzymes: number[] = [];
  const pathFractions: number[] = [];
  const fe = new Float64Array(n);
  const rest = new Float64Array(n);
  const sensitivity = new Float64Array(n);
  const isOatpVictim = new Uint8Array(n);
  const pgp = new Float64Array(n);
  const oatp = new Float64Array(n);
  const prodrugEnzyme = new Int32Array(n).fill(-1);
  const prodrugShare = new Float64Array(n);
  const isPerpetrator = new Uint8Array(n);
  for (const [i, profile] of profiles.entries()) {
    inhibition.set(profile.inhibition, i * ENZYMES.length);
    induction.set(profile.induction, i * ENZYMES.length);
    let sum = 0;
    for (const { enzyme, fraction } of profile.paths) {
      pathEnzymes.push(enzymeIndex(enzyme));
      pathFractions.push(fraction);
      sum += fraction;
    }
    pathStart[i + 1] = pathEnzymes.length;
    fe[i] = Math.min(profile.feRenal, 1 - sum);
    rest[i] = 1 - sum - fe[i]!;
    sensitivity[i] = profile.pgpSensitivity;
    isOatpVictim[i] = profile.isOatpSubstrate ? 1 : 0;
    pgp[i] = profile.pgpFactor - 1;
    oatp[i] = profile.oatpFactor - 1;
    if (profile.prodrug !== null) {
      prodrugEnzyme[i] = enzymeIndex(profile.prodrug.enzyme);
      prodrugShare[i] = profile.prodrug.fraction;
    }
    const acts = profile.inhibition.some((x) => x !== 0) || profile.induction.some((x) => x !== 0);
    isPerpetrator[i] = acts || profile.pgpFactor !== 1 || profile.oatpFactor !== 1 ? 1 : 0;
  }
  const pathEnzyme = Int32Array.from(pathEnzymes);
  const pathFraction = Float64Array.from(pathFractions);
  return {
    ...{ inhibition, induction, pathStart, pathEnzyme, pathFraction, fe, rest, sensitivity, isOatpVictim, pgp, oatp },
    ...{ prodrugEnzyme, prodrugShare, isPerpetrator },
  };
}

/** Tables of all drugs of a knowledge base, by row number. */
export const exposureTablesOf = keptByKnowledgeBase((kb) => makeExposureTables(kb.drugs.map(exposureProfileOf)));

function enzymeIndex(enzyme: string): number {
  const index = (ENZYMES as readonly string[]).indexOf(enzyme);
  if (index < 0)
    throw new PraxisError(
      "INVALID_CONFIG",
      `The exposure model has no enzyme '${enzyme}'; allowed: ${ENZYMES.join(", ")}.`,
    );
  return index;
}
