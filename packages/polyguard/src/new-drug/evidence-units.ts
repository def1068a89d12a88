import { Rng } from "@praxis/env";
import { RISK_COLUMNS, type RiskColumn } from "../kb/domains.ts";
import { findDrug } from "../kb/lookup.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import { type EnzymeLevels, NEW_DRUG_ENZYMES, type NewDrugComponents, type NewDrugEnzyme } from "./components.ts";
import { exposureRatio } from "./exposure.ts";

/** Evidence about a new drug that can be bought, one unit each. */
export type EvidenceUnit =
  | { readonly kind: "phenotyping" | "renal" | "qt" | "transporter" | "class" }
  | { readonly kind: "ddi"; readonly perpetrator: Drug };

/** What a unit told. */
export type NewDrugFact =
  | {
      readonly kind: "phenotyping";
      readonly fm: Readonly<Record<NewDrugEnzyme, number>>;
      readonly inhibits: EnzymeLevels;
      readonly induces: EnzymeLevels;
    }
  | { readonly kind: "ddi"; readonly perpetrator: string; readonly ratio: number }
  | { readonly kind: "renal"; readonly crClMlPerMin: number; readonly ratio: number }
  | { readonly kind: "qt"; readonly level: number }
  | { readonly kind: "transporter"; readonly pgp: number }
  | {
      readonly kind: "class";
      readonly resembles: string;
      readonly risk: Readonly<Record<RiskColumn, number>>;
      readonly isNarrowTi: boolean;
    };

/** Standard deviation of a fraction in phenotyping, and of the logarithm of a ratio in a study. */
export const FM_NOISE = 0.1;
export const STUDY_NOISE = 0.2;
/** Creatinine clearance of the volunteers in a renal study, mL/min. assumption: within the severe group (15-29) of FDA 2020. */
export const RENAL_STUDY_CRCL = 20;
/** How often a category is right. assumption: in-vitro screens of inhibition and induction are as good as a thorough QT study. */
const CATEGORY_RIGHT = 0.9;
const CLASS_WRONG = 0.2;

/** Reads a query: `phenotyping`, `ddi:<drug_id>`, `renal`, `qt`, `transporter` or `class`; null for anything else. */
export function readEvidenceQuery(kb: KnowledgeBase, query: string): EvidenceUnit | null {
  const text = query.trim().toLowerCase();
  switch (text) {
    case "phenotyping":
    case "renal":
    case "qt":
    case "transporter":
    case "class":
      return { kind: text };
    default: {
      const perpetrator = text.startsWith("ddi:") ? findDrug(kb, text.slice(4)) : undefined;
      return perpetrator === undefined ? null : { kind: "ddi", perpetrator };
    }
  }
}

/** The query of a unit; {@link readEvidenceQuery} reads it back. */
export function evidenceQuery(unit: EvidenceUnit): string {
  return unit.kind === "ddi" ? `ddi:${unit.perpetrator.drugId}` : unit.kind;
}

/** What the studies of one drug are made from. */
export interface StudiedDrug {
  readonly components: NewDrugComponents;
  /** Class of the knowledge base that it resembles. */
  readonly resembles: string;
  /** Seed of the noise: the same unit always tells the same. */
  readonly noiseSeed: number;
}

/** Carries a unit out: the hidden component with the noise of its kind. */
export function studyDrug({ components, resembles, noiseSeed }: StudiedDrug, unit: EvidenceUnit): NewDrugFact {
  const rng = Rng.fromSeed(noiseSeed, `evidence/${evidenceQuery(unit)}`);
  const noisy = (ratio: number): number => rounded(ratio * Math.exp(rng.normal(0, STUDY_NOISE)));
  switch (unit.kind) {
    case "phenotyping":
      return {
        kind: "phenotyping",
        fm: noisyFractions(components, rng),
        inhibits: screened(components.inhibits, rng),
        induces: screened(components.induces, rng),
      };
    case "ddi":
      return {
        kind: "ddi",
        perpetrator: unit.perpetrator.drugId,
        ratio: noisy(exposureRatio(components, { patient: {}, perpetrators: [unit.perpetrator] })),
      };
    case "renal":
      return {
        kind: "renal",
        crClMlPerMin: RENAL_STUDY_CRCL,
        ratio: noisy(exposureRatio(components, { patient: { crClMlPerMin: RENAL_STUDY_CRCL }, perpetrators: [] })),
      };
    case "qt":
      return { kind: "qt", level: category(components.qt, rng) };
    case "transporter":
      return { kind: "transporter", pgp: components.pgp };
    case "class":
      return { kind: "class", resembles, risk: statedRisk(components.risk, rng), isNarrowTi: components.isNarrowTi };
  }
}

/** fm with noise, not below 0, scaled down where they come to more than 1. */
function noisyFractions({ fm }: NewDrugComponents, rng: Rng): Readonly<Record<NewDrugEnzyme, number>> {
  const drawn = NEW_DRUG_ENZYMES.map((enzyme) => Math.max(0, fm[enzyme] + rng.normal(0, FM_NOISE)));
  const sum = drawn.reduce((total, each) => total + each, 0);
  const scale = Math.max(1, sum);
  const entries = NEW_DRUG_ENZYMES.map((enzyme, i) => [enzyme, rounded(drawn[i]! / scale)] as const);
  return Object.fromEntries(entries) as Record<NewDrugEnzyme, number>;
}

/** The enzyme that is acted on is found; its level is right with {@link CATEGORY_RIGHT}. */
function screened(levels: EnzymeLevels, rng: Rng): EnzymeLevels {
  const entries = NEW_DRUG_ENZYMES.map((enzyme) => {
    const told = category(levels[enzyme], rng);
    return [enzyme, levels[enzyme] === 0 ? 0 : told] as const;
  });
  return Object.fromEntries(entries) as Record<NewDrugEnzyme, number>;
}

/** A level 0-3 as told: right with {@link CATEGORY_RIGHT}, else one of the others. */
function category(level: number, rng: Rng): number {
  const isRight = rng.bernoulli(CATEGORY_RIGHT);
  const other = rng.choice([0, 1, 2, 3].filter((each) => each !== level));
  return isRight ? level : other;
}

/** Risk points of the class, one of them wrong with p .2. */
function statedRisk(risk: Readonly<Record<RiskColumn, number>>, rng: Rng): Readonly<Record<RiskColumn, number>> {
  const isWrong = rng.bernoulli(CLASS_WRONG);
  const column = rng.choice(RISK_COLUMNS);
  const other = rng.choice([0, 1, 2].filter((points) => points !== risk[column]));
  return isWrong ? { ...risk, [column]: other } : risk;
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
