import type { Cyp2c9, Genotype } from "../world/types.ts";
import { ENZYMES, type ExposureTables } from "./exposure-tables.ts";
import { SMOKING_CYP1A2_INDUCTION } from "./perpetrators.ts";
import type { RegimenBase } from "./regimen-base.ts";

/** Patient side of the static model. Absent: normal kidneys, normal metabolisers, non-smoker. */
export interface ExposurePatient {
  /** Creatinine clearance, mL/min; omit it (RF = 1) where another model carries the kidney term. */
  readonly crClMlPerMin?: number;
  readonly genotype?: Genotype;
  readonly isSmoker?: boolean;
}

/** CYP2C9 activity by diplotype. Source: CPIC phenotype assignment (IM .5, PM 0 as for the other enzymes). */
const CYP2C9_ACTIVITY: Readonly<Record<Cyp2c9, number>> = {
  "*1/*1": 1,
  "*1/*2": 0.5,
  "*1/*3": 0.5,
  "*2/*2": 0.5,
  "*2/*3": 0,
  "*3/*3": 0,
};

const CYP1A2 = ENZYMES.indexOf("CYP1A2");
const CYP2C9 = ENZYMES.indexOf("CYP2C9");
const CYP2C19 = ENZYMES.indexOf("CYP2C19");
const CYP2D6 = ENZYMES.indexOf("CYP2D6");

/** Fills `activity` (order of {@link ENZYMES}) and returns it: PM 0, IM .5, else 1. */
function fillEnzymeActivity(activity: Float64Array, genotype: Genotype | undefined): Float64Array {
  activity.fill(1);
  if (genotype === undefined) return activity;
  const byPhenotype = (phenotype: string): number => (phenotype === "PM" ? 0 : phenotype === "IM" ? 0.5 : 1);
  activity[CYP2D6] = byPhenotype(genotype.cyp2d6);
  activity[CYP2C19] = byPhenotype(genotype.cyp2c19);
  activity[CYP2C9] = CYP2C9_ACTIVITY[genotype.cyp2c9];
  return activity;
}

/** Renal factor RF = min(1, CrCl/100). */
function renalFactor(crClMlPerMin: number): number {
  return Math.min(1, crClMlPerMin / 100);
}

/**
 * Static mechanistic exposure model over a fixed list of drugs, as flat arrays so that a regimen is evaluated without
 * allocation. Form: Ito 1998; Ohno 2007 and 2008; FDA and ICH M12. Patient and perpetrators are set, then read many times.
 */
export class ExposureModel {
  readonly #count = ENZYMES.length;
  readonly #inhibition: Float64Array;
  readonly #induction: Float64Array;
  readonly #pathStart: Int32Array;
  readonly #pathEnzyme: Int32Array;
  readonly #pathFraction: Float64Array;
  readonly #fe: Float64Array;
  readonly #rest: Float64Array;
  readonly #sensitivity: Float64Array;
  readonly #isOatpVictim: Uint8Array;
  readonly #pgp: Float64Array;
  readonly #oatp: Float64Array;
  readonly #prodrugEnzyme: Int32Array;
  readonly #prodrugShare: Float64Array;
  readonly #isPerpetrator: Uint8Array;
  readonly #activity = new Float64Array(ENZYMES.length).fill(1);
  readonly #basalInduction = new Float64Array(ENZYMES.length);
  #renal = 1;
  readonly #perpetrators: Int32Array;
  readonly #weights: Float64Array;
  #perpetratorCount = 0;

  /** @param maxPerpetrators how many drugs at once may be set as perpetrators */
  constructor(tables: ExposureTables, maxPerpetrators = 64) {
    this.#inhibition = tables.inhibition;
    this.#induction = tables.induction;
    this.#pathStart = tables.pathStart;
    this.#pathEnzyme = tables.pathEnzyme;
    this.#pathFraction = tables.pathFraction;
    this.#fe = tables.fe;
    this.#rest = tables.rest;
    this.#sensitivity = tables.sensitivity;
    this.#isOatpVictim = tables.isOatpVictim;
    this.#pgp = tables.pgp;
    this.#oatp = tables.oatp;
    this.#prodrugEnzyme = tables.prodrugEnzyme;
    this.#prodrugShare = tables.prodrugShare;
    this.#isPerpetrator = tables.isPerpetrator;
    this.#perpetrators = new Int32Array(maxPerpetrators);
    this.#weights = new Float64Array(maxPerpetrators);
  }

  /** Sets kidney, genotype and smoking for the calls that follow. */
  setPatient(patient: ExposurePatient): void {
    this.#renal = patient.crClMlPerMin === undefined ? 1 : renalFactor(patient.crClMlPerMin);
    fillEnzymeActivity(this.#activity, patient.genotype);
    this.#basalInduction[CYP1A2] = patient.isSmoker === true ? SMOKING_CYP1A2_INDUCTION : 0;
  }

  /** Forgets the perpetrators. */
  clearPerpetrators(): void {
    this.#perpetratorCount = 0;
  }

  /** Adds a drug with carry-over weight c (1 = settled); drugs that act on nothing are passed over. */
  addPerpetrator(drugIndex: number, carryOver: number): void {
    if (this.#isPerpetrator[drugIndex] === 0 || carryOver <= 0) return;
    this.#perpetrators[this.#perpetratorCount] = drugIndex;
    this.#weights[this.#perpetratorCount] = carryOver;
    this.#perpetratorCount++;
  }

  /** Keeps the perpetrators set now in a base. */
  savePerpetrators(base: RegimenBase): void {
    base.perpetrators.set(this.#perpetrators);
    base.weights.set(this.#weights);
    base.perpetratorCount = this.#perpetratorCount;
  }

  /** True when the perpetrators set now are those of the base, in the same order and of the same weights. */
  hasPerpetratorsOf({ perpetratorCount, perpetrators, weights }: RegimenBase): boolean {
    if (this.#perpetratorCount !== perpetratorCount) return false;
    for (let k = 0; k < perpetratorCount; k++)
      if (this.#perpetrators[k] !== perpetrators[k] || this.#weights[k] !== weights[k]) return false;
    return true;
  }

  /** Exposure ratio of a victim under the set patient and perpetrators, the victim itself excepted. */
  aucr(victim: number): number {
    let clearance = this.#fe[victim]! * this.#renal + this.#rest[victim]!;
    const end = this.#pathStart[victim + 1]!;
    for (let p = this.#pathStart[victim]!; p < end; p++) {
      const enzyme = this.#pathEnzyme[p]!;
      clearance += this.#pathFraction[p]! * this.#relativeActivity(enzyme, victim);
    }
    let gain = 1;
    const sensitivity = this.#sensitivity[victim]!;
    const isOatpVictim = this.#isOatpVictim[victim] === 1;
    if ((sensitivity > 0 || isOatpVictim) && this.#perpetratorCount > 0) {
      let pgp = 1;
      for (let k = 0; k < this.#perpetratorCount; k++) {
        const perpetrator = this.#perpetrators[k]!;
        if (perpetrator === victim) continue;
        pgp *= 1 + this.#pgp[perpetrator]! * this.#weights[k]!;
        if (isOatpVictim) gain *= 1 + this.#oatp[perpetrator]! * this.#weights[k]!;
      }
      if (sensitivity > 0 && pgp !== 1) gain *= pgp ** sensitivity;
    }
    return gain / clearance;
  }

  /**
   * Share of a prodrug's effect that is still formed; 1 for other drugs.
   * assumption: the activating path scales with the genotype activity too (a CYP2D6 poor metaboliser forms no morphine
   * from codeine: CPIC), which the published ratio leaves out.
   */
  activationRatio(victim: number): number {
    const enzyme = this.#prodrugEnzyme[victim]!;
    if (enzyme < 0) return 1;
    const share = this.#prodrugShare[victim]!;
    return share * this.#relativeActivity(enzyme, victim) + 1 - share;
  }

  /** True for a drug whose effect needs activation. */
  isProdrug(victim: number): boolean {
    return this.#prodrugEnzyme[victim]! >= 0;
  }

  #relativeActivity(enzyme: number, victim: number): number {
    let induction = this.#basalInduction[enzyme]!;
    let inhibition = 0;
    for (let k = 0; k < this.#perpetratorCount; k++) {
      const perpetrator = this.#perpetrators[k]!;
      if (perpetrator === victim) continue;
      const at = perpetrator * this.#count + enzyme;
      inhibition += this.#inhibition[at]! * this.#weights[k]!;
      induction += this.#induction[at]! * this.#weights[k]!;
    }
    return (this.#activity[enzyme]! * (1 + induction)) / (1 + inhibition);
  }
}
