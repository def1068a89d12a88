import type { Rng } from "@praxis/env";
import { RISK_COLUMNS, type RiskColumn } from "../kb/domains.ts";
import { beta } from "./beta.ts";

/** Enzymes that a new drug may be cleared by, or act on. */
export const NEW_DRUG_ENZYMES = ["CYP3A4", "CYP2D6", "CYP2C9", "CYP2C19", "CYP1A2", "UGT"] as const;

/** One of {@link NEW_DRUG_ENZYMES}. */
export type NewDrugEnzyme = (typeof NEW_DRUG_ENZYMES)[number];

/** 0 none, 1 weak, 2 moderate, 3 strong, by enzyme. */
export type EnzymeLevels = Readonly<Record<NewDrugEnzyme, number>>;

/** How a drug leaves the body: all that its exposure in a patient depends on. */
export interface ClearanceParts {
  /** Fractions of the clearance by enzyme; with `fe` at most 1. */
  readonly fm: Readonly<Record<NewDrugEnzyme, number>>;
  /** Fraction excreted unchanged. */
  readonly fe: number;
  /** P-gp sensitivity: 0, .3 or 1. */
  readonly pgp: number;
}

/** What is hidden about a new drug. */
export interface NewDrugComponents extends ClearanceParts {
  readonly inhibits: EnzymeLevels;
  readonly induces: EnzymeLevels;
  /** 0 none, 1 conditional, 2 possible, 3 known risk. */
  readonly qt: number;
  readonly isNarrowTi: boolean;
  readonly risk: Readonly<Record<RiskColumn, number>>;
  /** Anticholinergic burden 0-3. */
  readonly acb: number;
  /** Effect against a first-line drug of the indication. */
  readonly efficacy: number;
}

/** P-gp sensitivities and how likely they are. */
const PGP_CLASSES: readonly { readonly sensitivity: number; readonly probability: number }[] = [
  { sensitivity: 0, probability: 0.6 },
  { sensitivity: 0.3, probability: 0.25 },
  { sensitivity: 1, probability: 0.15 },
];

const INHIBITOR_SHARE = 0.35;
const INDUCER_SHARE = 0.1;
/** assumption: weak and moderate effects are as common, strong ones half as common. */
const LEVEL_WEIGHTS = [0, 2, 2, 1];
/** By level 0-3: none, conditional, possible, known. */
const QT_WEIGHTS = [0.7, 0.15, 0.1, 0.05];
/** assumption: share of narrow therapeutic indices, about that of the drug table. */
const NARROW_SHARE = 0.12;
/** assumption: range of the effect against a first-line drug. */
const EFFICACY = [0.6, 1] as const;

/** Draws how the drug is cleared: a main path, a second one on the rest, a renal share of what is left, a P-gp class. */
export function drawClearance(rng: Rng): ClearanceParts {
  const fm = { CYP3A4: 0, CYP2D6: 0, CYP2C9: 0, CYP2C19: 0, CYP1A2: 0, UGT: 0 };
  const [main, second] = rng.shuffled(NEW_DRUG_ENZYMES) as [NewDrugEnzyme, NewDrugEnzyme];
  fm[main] = beta(rng, 6, 3);
  fm[second] = rng.uniform() * (1 - fm[main]);
  const fe = beta(rng, 1.2, 3) * (1 - fm[main] - fm[second]);
  const { sensitivity } = PGP_CLASSES[rng.weightedIndex(PGP_CLASSES.map(({ probability }) => probability))]!;
  return { fm, fe, pgp: sensitivity };
}

/** Draws all components. Risk points and burden are those of the class that the drug resembles. */
export function drawComponents(
  rng: Rng,
  resembled: { readonly risk: Readonly<Record<RiskColumn, number>>; readonly acb: number },
): NewDrugComponents {
  const clearance = drawClearance(rng);
  return {
    ...clearance,
    inhibits: drawLevels(rng, INHIBITOR_SHARE),
    induces: drawLevels(rng, INDUCER_SHARE),
    qt: rng.weightedIndex(QT_WEIGHTS),
    isNarrowTi: rng.bernoulli(NARROW_SHARE),
    risk: resembled.risk,
    acb: resembled.acb,
    efficacy: EFFICACY[0] + rng.uniform() * (EFFICACY[1] - EFFICACY[0]),
  };
}

function drawLevels(rng: Rng, share: number): EnzymeLevels {
  const levels = { CYP3A4: 0, CYP2D6: 0, CYP2C9: 0, CYP2C19: 0, CYP1A2: 0, UGT: 0 };
  const isActive = rng.bernoulli(share);
  const enzyme = rng.choice(NEW_DRUG_ENZYMES);
  const level = rng.weightedIndex(LEVEL_WEIGHTS);
  if (isActive) levels[enzyme] = level;
  return levels;
}

/** Flags of a decomposition, by key: levels of inhibition, induction and QT, narrow_ti and the risk columns. */
export function flagsOf(components: NewDrugComponents): Readonly<Record<string, number>> {
  const flags: Record<string, number> = {};
  for (const enzyme of NEW_DRUG_ENZYMES) {
    flags[`inh_${enzyme}`] = components.inhibits[enzyme];
    flags[`ind_${enzyme}`] = components.induces[enzyme];
  }
  flags.qt = components.qt;
  flags.narrow_ti = Number(components.isNarrowTi);
  for (const column of RISK_COLUMNS) flags[column] = components.risk[column];
  return flags;
}
