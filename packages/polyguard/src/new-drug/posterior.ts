import { Rng } from "@praxis/env";
import { ExposureModel, type ExposurePatient } from "../engine/exposure.ts";
import { exposureProfileOf, makeExposureTables } from "../engine/exposure-tables.ts";
import { getDrug } from "../kb/lookup.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import type { Genotype } from "../world/types.ts";
import { type ClearanceParts, drawClearance, NEW_DRUG_ENZYMES, type NewDrugEnzyme } from "./components.ts";
import { FM_NOISE, type NewDrugFact, RENAL_STUDY_CRCL, STUDY_NOISE } from "./evidence-units.ts";
import { type ExposureSetting, victimProfile } from "./exposure.ts";

/** Drugs drawn from the prior; each with a genotype for the patient. */
const DRAWS = 6000;
/** assumption: logistic approximation of the normal distribution function (Bowling 2009). */
const PROBIT_SCALE = 1.702;

interface Prior {
  readonly parts: readonly ClearanceParts[];
  readonly genotypes: readonly Genotype[];
}

let prior: Prior | undefined;

/** The same draws for every use: an estimate depends on the facts alone. */
function priorDraws(): Prior {
  if (prior !== undefined) return prior;
  const rng = Rng.fromSeed(0, "new-drug/prior");
  const parts: ClearanceParts[] = [];
  const genotypes: Genotype[] = [];
  for (let i = 0; i < DRAWS; i++) {
    parts.push(drawClearance(rng));
    genotypes.push(drawGenotype(rng));
  }
  prior = { parts, genotypes };
  return prior;
}

/** Genotypes of a European-like population that matter here. Source: as the patient generator. */
function drawGenotype(rng: Rng): Genotype {
  const pick = <T>(options: readonly (readonly [T, number])[]): T =>
    options[rng.weightedIndex(options.map(([, weight]) => weight))]![0];
  return {
    cyp2d6: pick([
      ["PM", 0.07],
      ["IM", 0.35],
      ["NM", 0.58],
    ] as const),
    cyp2c19: pick([
      ["PM", 0.03],
      ["IM", 0.27],
      ["NM", 0.7],
    ] as const),
    cyp2c9: pick([
      ["*1/*1", 0.66],
      ["*1/*2", 0.3],
      ["*3/*3", 0.04],
    ] as const),
    vkorc1: "GA",
  };
}

/** What is believed of a new drug: draws of the prior with the weight that the facts leave them; weights sum to 1. */
export interface Posterior {
  readonly parts: readonly ClearanceParts[];
  readonly genotypes: readonly Genotype[];
  readonly weights: readonly number[];
}

/** Draws that carry less than this of the weight are dropped. */
const LEAST_WEIGHT = 1e-7;

let latest: { readonly kb: KnowledgeBase; readonly facts: string; readonly belief: Posterior } | null = null;

/** The posterior of clearance parts after the facts that tell of them; the latest is kept, as facts stay the same over many steps. */
export function believeNewDrug(kb: KnowledgeBase, facts: readonly NewDrugFact[]): Posterior {
  const text = JSON.stringify(facts);
  if (latest === null || latest.kb !== kb || latest.facts !== text)
    latest = { kb, facts: text, belief: believe(kb, facts) };
  return latest.belief;
}

function believe(kb: KnowledgeBase, facts: readonly NewDrugFact[]): Posterior {
  const { parts, genotypes } = priorDraws();
  let belief: Posterior = { parts, genotypes, weights: new Array<number>(parts.length).fill(1 / parts.length) };
  // Phenotyping rules most draws out at little cost, so it comes first.
  const ordered = [...facts].sort((a, b) => Number(b.kind === "phenotyping") - Number(a.kind === "phenotyping"));
  for (const fact of ordered) {
    const logs = new Float64Array(belief.parts.length);
    for (let i = 0; i < logs.length; i++) logs[i] = Math.log(belief.weights[i]!);
    addLogLikelihood(kb, belief.parts, fact, logs);
    belief = pruned(belief, normalised(logs));
  }
  return belief;
}

function pruned({ parts, genotypes }: Posterior, weights: readonly number[]): Posterior {
  const kept = weights.flatMap((weight, i) => (weight > LEAST_WEIGHT ? [i] : []));
  return {
    parts: kept.map((i) => parts[i]!),
    genotypes: kept.map((i) => genotypes[i]!),
    weights: kept.map((i) => weights[i]!),
  };
}

/** The posterior after exposure ratios seen in the patient, each with log-normal noise of that standard deviation. */
export function believeLevels(
  posterior: Posterior,
  setting: ExposureSetting,
  levels: readonly number[],
  noise: number,
): Posterior {
  if (levels.length === 0) return posterior;
  const ratios = exposureRatios(posterior, setting);
  const logs = Float64Array.from(posterior.weights, (weight) => Math.log(weight));
  for (const level of levels) addStudy(logs, ratios, level, noise);
  return { ...posterior, weights: normalised(logs) };
}

function addLogLikelihood(
  kb: KnowledgeBase,
  parts: readonly ClearanceParts[],
  fact: NewDrugFact,
  logs: Float64Array,
): void {
  switch (fact.kind) {
    case "phenotyping":
      for (let i = 0; i < parts.length; i++) {
        const { fm } = parts[i]!;
        for (const enzyme of NEW_DRUG_ENZYMES) logs[i]! += logFraction(fact.fm[enzyme], fm[enzyme]);
      }
      return;
    case "ddi": {
      const setting = { patient: {}, perpetrators: [getDrug(kb, fact.perpetrator)] };
      addStudy(logs, ratiosOf(parts, setting), fact.ratio, STUDY_NOISE);
      return;
    }
    case "renal": {
      const setting = { patient: { crClMlPerMin: RENAL_STUDY_CRCL }, perpetrators: [] };
      addStudy(logs, ratiosOf(parts, setting), fact.ratio, STUDY_NOISE);
      return;
    }
    case "transporter":
      for (const [i, { pgp }] of parts.entries()) if (pgp !== fact.pgp) logs[i] = Number.NEGATIVE_INFINITY;
      return;
    case "qt":
    case "class":
      return;
  }
}

// An observed 0 stands for every draw at or below 0.
function logFraction(observed: number, fraction: number): number {
  if (observed > 0)
    return -((observed - fraction) ** 2) / (2 * FM_NOISE ** 2) - Math.log(FM_NOISE * 2.5066282746310002);
  return -Math.log(1 + Math.exp((PROBIT_SCALE * fraction) / FM_NOISE));
}

function addStudy(logs: Float64Array, ratios: Float64Array, observed: number, noise: number): void {
  const seen = Math.log(observed);
  for (let i = 0; i < logs.length; i++) logs[i]! -= (seen - Math.log(ratios[i]!)) ** 2 / (2 * noise ** 2);
}

function normalised(logs: Float64Array): readonly number[] {
  let most = Number.NEGATIVE_INFINITY;
  for (const each of logs) most = Math.max(most, each);
  const weights = Array.from(logs, (each) => Math.exp(each - most));
  let sum = 0;
  for (const weight of weights) sum += weight;
  return weights.map((weight) => weight / sum);
}

/** Exposure ratio of every draw in a setting; where the setting has no genotype, each draw takes its own. */
export function exposureRatios({ parts, genotypes }: Posterior, setting: ExposureSetting): Float64Array {
  return ratiosOf(parts, setting, setting.patient.genotype === undefined ? genotypes : null);
}

/** Exposure ratios of many drugs in one setting. @param genotypes one a drug, instead of the setting's */
export function ratiosOf(
  parts: readonly ClearanceParts[],
  { patient, perpetrators }: ExposureSetting,
  genotypes: readonly Genotype[] | null = null,
): Float64Array {
  const model = new ExposureModel(
    makeExposureTables([...perpetrators.map(exposureProfileOf), ...parts.map(victimProfile)]),
  );
  for (let i = 0; i < perpetrators.length; i++) model.addPerpetrator(i, 1);
  model.setPatient(patient);
  const ratios = new Float64Array(parts.length);
  for (let i = 0; i < parts.length; i++) {
    if (genotypes !== null) model.setPatient(withGenotype(patient, genotypes[i]!));
    ratios[i] = model.aucr(perpetrators.length + i);
  }
  return ratios;
}

function withGenotype(patient: ExposurePatient, genotype: Genotype): ExposurePatient {
  return { ...patient, genotype };
}

/** Posterior means of the fractions, and the most probable P-gp class. */
export function meanParts({ parts, weights }: Posterior): ClearanceParts {
  const fm = Object.fromEntries(NEW_DRUG_ENZYMES.map((enzyme) => [enzyme, 0])) as Record<NewDrugEnzyme, number>;
  let fe = 0;
  const byClass = new Map<number, number>();
  for (const [i, part] of parts.entries()) {
    const weight = weights[i]!;
    for (const enzyme of NEW_DRUG_ENZYMES) fm[enzyme] += weight * part.fm[enzyme];
    fe += weight * part.fe;
    byClass.set(part.pgp, (byClass.get(part.pgp) ?? 0) + weight);
  }
  const [pgp] = [...byClass].sort(([, a], [, b]) => b - a)[0]!;
  return { fm, fe, pgp };
}

/** The draws that carry most of the weight, at most `most` of them, heaviest first. */
export function heaviest({ parts, genotypes, weights }: Posterior, most: number): Posterior {
  const kept = [...weights.keys()].sort((a, b) => weights[b]! - weights[a]!).slice(0, most);
  return {
    parts: kept.map((i) => parts[i]!),
    genotypes: kept.map((i) => genotypes[i]!),
    weights: kept.map((i) => weights[i]!),
  };
}
