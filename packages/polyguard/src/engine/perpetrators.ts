import type { Drug, EnzymeStrength } from "../kb/types.ts";

/**
 * Inhibition ratios IR by enzyme and drug_id; IR/(1-IR) is the [I]/Ki term.
 * Source: Ohno 2007 and 2008 for CYP3A4 (not re-checked); the others back-calculated from label AUC ratios
 * (assumption: to be confirmed against the labels).
 */
const INHIBITION_RATIOS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  CYP3A4: {
    ketoconazole: 0.98,
    voriconazole: 0.98,
    ritonavir_booster: 0.98,
    itraconazole: 0.95,
    clarithromycin: 0.88,
    erythromycin: 0.82,
    diltiazem_er: 0.8,
    fluconazole: 0.79,
    verapamil_er: 0.71,
    dronedarone: 0.7,
    ciclosporin: 0.6,
    cimetidine: 0.44,
    ranolazine: 0.4,
    fluvoxamine: 0.3,
    ticagrelor: 0.3,
    amiodarone: 0.25,
    amlodipine: 0.2,
    ciprofloxacin: 0.2,
    azithromycin: 0.11,
  },
  CYP2D6: {
    paroxetine: 0.95,
    terbinafine: 0.95,
    fluoxetine: 0.94,
    bupropion: 0.85,
    mirabegron: 0.6,
    duloxetine: 0.55,
    diphenhydramine: 0.4,
    dronedarone: 0.4,
    ranolazine: 0.4,
    amiodarone: 0.35,
    citalopram: 0.35,
    escitalopram: 0.35,
    cimetidine: 0.35,
    ritonavir_booster: 0.35,
    hydroxychloroquine: 0.35,
    sertraline: 0.3,
    celecoxib: 0.3,
    fluvoxamine: 0.25,
    venlafaxine: 0.15,
  },
  CYP1A2: { fluvoxamine: 0.97, ciprofloxacin: 0.8, cimetidine: 0.3 },
  CYP2C19: {
    fluvoxamine: 0.95,
    fluconazole: 0.9,
    fluoxetine: 0.8,
    voriconazole: 0.7,
    omeprazole: 0.45,
    esomeprazole: 0.45,
    cimetidine: 0.3,
  },
  CYP2C9: {
    fluconazole: 0.7,
    amiodarone: 0.45,
    metronidazole: 0.4,
    voriconazole: 0.4,
    trimethoprim_sulfamethoxazole: 0.35,
    fluvoxamine: 0.2,
    valproate: 0.2,
    fenofibrate: 0.15,
    gemfibrozil: 0.1,
  },
  CYP2C8: { gemfibrozil: 0.93, clopidogrel: 0.8, trimethoprim_sulfamethoxazole: 0.45 },
  UGT1A4: { valproate: 0.55 },
  XO: { febuxostat: 0.95, allopurinol: 0.9 },
  CYP2B6: { clopidogrel: 0.6 },
};

/** Fold induction minus 1 by enzyme and drug_id. assumption: back-calculated from label AUC ratios, to be confirmed. */
const INDUCTIONS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  CYP3A4: { rifampin: 7.7, phenytoin: 4.7, carbamazepine: 3.0, phenobarbital: 2.0, primidone: 2.0, st_johns_wort: 1.4 },
  CYP2C9: { rifampin: 2.5, phenobarbital: 0.8, carbamazepine: 0.6, st_johns_wort: 0.3 },
  CYP2C19: { rifampin: 9, phenytoin: 1.0, st_johns_wort: 0.6 },
  CYP1A2: { carbamazepine: 1.0, phenytoin: 1.0, rifampin: 0.8, phenobarbital: 0.4 },
  CYP2C8: { rifampin: 1.5 },
  CYP2B6: { carbamazepine: 4, rifampin: 2 },
  UGT1A4: { phenytoin: 1.0, rifampin: 1.0, carbamazepine: 0.8 },
};

/** Midpoints that the FDA definitions imply for a sensitive substrate; used where no value is named. */
const CLASS_INHIBITION_RATIO: Readonly<Record<EnzymeStrength, number>> = { strong: 0.9, moderate: 0.65, weak: 0.35 };
const CLASS_INDUCTION: Readonly<Record<EnzymeStrength, number>> = { strong: 6, moderate: 2, weak: 0.5 };

/** Extra CYP1A2 activity of a smoker (fold minus 1). assumption: as the named inducers. */
export const SMOKING_CYP1A2_INDUCTION = 1.0;

/** Factors on P-gp victims at steady state by drug_id. assumption: from digoxin and dabigatran label ratios, to be confirmed. */
const PGP_FACTORS: Readonly<Record<string, number>> = {
  dronedarone: 2.5,
  itraconazole: 1.8,
  clarithromycin: 1.7,
  amiodarone: 1.7,
  verapamil_er: 1.6,
  ciclosporin: 1.6,
  ranolazine: 1.5,
  ketoconazole: 1.4,
  erythromycin: 1.4,
  ritonavir_booster: 1.4,
  ticagrelor: 1.28,
  mirabegron: 1.25,
  diltiazem_er: 1.2,
  azithromycin: 1.2,
  carvedilol: 1.15,
  carbamazepine: 0.85,
  phenytoin: 0.8,
  st_johns_wort: 0.75,
  rifampin: 0.7,
};

/** How strongly P-gp factors reach a victim (exponent) by drug_id; 0 elsewhere. assumption: to be confirmed. */
const PGP_SENSITIVITIES: Readonly<Record<string, number>> = {
  dabigatran: 1.3,
  digoxin: 1,
  edoxaban: 0.9,
  loperamide: 0.5,
  apixaban: 0.3,
  rivaroxaban: 0.3,
  linagliptin: 0.3,
  colchicine: 0.2,
  tacrolimus: 0.2,
};

/** Factors on OATP1B1 victims by drug_id. assumption: to be confirmed against the labels. */
const OATP1B1_FACTORS: Readonly<Record<string, number>> = { ciclosporin: 5, gemfibrozil: 1.9, clarithromycin: 1.6 };

/** IR/(1-IR) of a drug on an enzyme: the named value, else the midpoint of its class, else 0. */
export function inhibitionTerm(drug: Drug, enzyme: string): number {
  const effect = drug.inhibits.find((candidate) => candidate.enzyme === enzyme);
  const ratio =
    INHIBITION_RATIOS[enzyme]?.[drug.drugId] ?? (effect === undefined ? 0 : CLASS_INHIBITION_RATIO[effect.strength]);
  return ratio / (1 - ratio);
}

/** Fold induction minus 1 of a drug on an enzyme: the named value, else the midpoint of its class, else 0. */
export function inductionTerm(drug: Drug, enzyme: string): number {
  const effect = drug.induces.find((candidate) => candidate.enzyme === enzyme);
  return INDUCTIONS[enzyme]?.[drug.drugId] ?? (effect === undefined ? 0 : CLASS_INDUCTION[effect.strength]);
}

/** Factor g of a drug on P-gp victims; 1 = none. */
export function pgpFactor(drug: Drug): number {
  return PGP_FACTORS[drug.drugId] ?? 1;
}

/** P-gp sensitivity sigma of a victim. */
export function pgpSensitivity(drug: Drug): number {
  return drug.pgpSensitivity ?? PGP_SENSITIVITIES[drug.drugId] ?? 0;
}

/** Factor of a drug on OATP1B1 victims; 1 = none. */
export function oatpFactor(drug: Drug): number {
  return OATP1B1_FACTORS[drug.drugId] ?? 1;
}

/** True for a victim of OATP1B1. */
export function isOatpSubstrate(drug: Drug): boolean {
  return drug.transporters.some(({ transporter, role }) => transporter === "OATP1B1" && role === "S");
}
