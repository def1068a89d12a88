import { RISK_COLUMNS } from "../../kb/domains.ts";
import { getDrug } from "../../kb/lookup.ts";
import type { KnowledgeBase } from "../../kb/types.ts";
import { type ClearanceParts, NEW_DRUG_ENZYMES } from "../../new-drug/components.ts";
import { type NewDrugFact, STUDY_NOISE } from "../../new-drug/evidence-units.ts";
import type { ExposureSetting } from "../../new-drug/exposure.ts";
import {
  bestPlan,
  doseQuality,
  PLAN_PERCENTS,
  type PlanFacts,
  planQuality,
  type StartPlan,
} from "../../new-drug/plan.ts";
import {
  believeLevels,
  believeNewDrug,
  exposureRatios,
  heaviest,
  meanParts,
  type Posterior,
  ratiosOf,
} from "../../new-drug/posterior.ts";

/** Start plans that are weighed. */
const PLANS: readonly StartPlan[] = ["none", "25", "50", "75", "100", "monitored"];
/** Draws that a decomposition is chosen among and judged on. */
const CHOICES = 40;
const JUDGES = 250;
/** Fractions are submitted in steps of this. */
const FRACTION_STEP = 0.001;

/** Other patients that a decomposition should hold for: kidneys or one enzyme lost. */
function genericSettings(kb: KnowledgeBase): readonly ExposureSetting[] {
  const on = (drugId: string, crClMlPerMin: number): ExposureSetting => ({
    patient: { crClMlPerMin },
    perpetrators: [getDrug(kb, drugId)],
  });
  return [on("clarithromycin", 60), on("paroxetine", 40), on("fluconazole", 70), on("rifampin", 60)];
}

/** What the facts of a new drug come to for a patient. */
export interface NewDrugEstimate {
  readonly decomposition: Readonly<Record<string, number>>;
  readonly plan: StartPlan;
  /** Expected quality of the plan, 0-1. */
  readonly planQuality: number;
  /** Weighted mean of log E, back-transformed. */
  readonly exposure: number;
}

/** Estimates decomposition and plan: the draw whose exposures are expected to err least, the plan of highest expected quality. */
export function estimateNewDrug(
  kb: KnowledgeBase,
  facts: readonly NewDrugFact[],
  setting: ExposureSetting,
  isContraindicated: boolean,
): NewDrugEstimate {
  const { qualities, exposure, decomposition } = weighPlans(kb, facts, setting, isContraindicated);
  let best = qualities[0]!;
  for (const each of qualities) if (each.quality > best.quality + 1e-12) best = each;
  return { decomposition: decomposition(), plan: best.plan, planQuality: best.quality, exposure };
}

/** What the facts say of every start plan. */
export interface PlanOutlook {
  /** Expected quality of each plan, 0-1. */
  readonly qualities: readonly { readonly plan: StartPlan; readonly quality: number }[];
  /** Weighted mean of log E, back-transformed. */
  readonly exposure: number;
  /** Worked out when asked for: it costs more than the plans. */
  decomposition(): Readonly<Record<string, number>>;
}

/** Weighs every start plan on what is believed after the facts. */
export function weighPlans(
  kb: KnowledgeBase,
  facts: readonly NewDrugFact[],
  setting: ExposureSetting,
  isContraindicated: boolean,
): PlanOutlook {
  const belief = believeNewDrug(kb, facts);
  const ratios = exposureRatios(belief, setting);
  const flags = flagsOfFacts(facts);
  return {
    qualities: PLANS.map((plan) => ({
      plan,
      quality: expectation(belief, ratios, (exposure) =>
        planQuality(plan, bestPlan(planFacts(flags, exposure, isContraindicated))),
      ),
    })),
    exposure: Math.exp(expectation(belief, ratios, Math.log)),
    decomposition: () => ({ ...fractions(chooseParts(kb, belief, setting)), ...flags }),
  };
}

/** Percent of the usual dose that is expected to be the best after levels were seen, and what it is worth against the present one. */
export function estimateCorrection(
  kb: KnowledgeBase,
  facts: readonly NewDrugFact[],
  setting: ExposureSetting,
  seen: { readonly levels: readonly number[]; readonly percent: number; readonly isContraindicated: boolean },
): { readonly percent: number; readonly gain: number } {
  const belief = believeLevels(believeNewDrug(kb, facts), setting, seen.levels, STUDY_NOISE);
  const ratios = exposureRatios(belief, setting);
  const flags = flagsOfFacts(facts);
  const worth = (percent: number): number =>
    expectation(belief, ratios, (exposure) =>
      doseQuality(percent, bestPlan(planFacts(flags, exposure, seen.isContraindicated))),
    );
  const now = worth(seen.percent);
  let best = { percent: seen.percent, gain: 0 };
  for (const percent of PLAN_PERCENTS) {
    const gain = worth(percent) - now;
    if (gain > best.gain + 1e-12) best = { percent, gain };
  }
  return best;
}

function planFacts(flags: Readonly<Record<string, number>>, exposure: number, isContraindicated: boolean): PlanFacts {
  return { exposure, isNarrowTi: (flags.narrow_ti ?? 0) > 0, qt: flags.qt ?? 0, isContraindicated };
}

function expectation(belief: Posterior, ratios: Float64Array, of: (ratio: number) => number): number {
  let sum = 0;
  for (const [i, weight] of belief.weights.entries()) if (weight > 1e-9) sum += weight * of(ratios[i]!);
  return sum;
}

/** Flags that the facts tell of. */
function flagsOfFacts(facts: readonly NewDrugFact[]): Readonly<Record<string, number>> {
  const flags: Record<string, number> = {};
  for (const fact of facts) {
    if (fact.kind === "phenotyping")
      for (const enzyme of NEW_DRUG_ENZYMES) {
        if (fact.inhibits[enzyme] > 0) flags[`inh_${enzyme}`] = fact.inhibits[enzyme];
        if (fact.induces[enzyme] > 0) flags[`ind_${enzyme}`] = fact.induces[enzyme];
      }
    if (fact.kind === "qt" && fact.level > 0) flags.qt = fact.level;
    if (fact.kind === "class") {
      if (fact.isNarrowTi) flags.narrow_ti = 1;
      for (const column of RISK_COLUMNS) if (fact.risk[column] > 0) flags[column] = fact.risk[column];
    }
  }
  return flags;
}

/** The parts whose exposures are expected to err least over the patient and others: the mean, or one of the likeliest draws. */
function chooseParts(kb: KnowledgeBase, belief: Posterior, setting: ExposureSetting): ClearanceParts {
  const judges = heaviest(belief, JUDGES);
  const choices = [meanParts(belief), ...judges.parts.slice(0, CHOICES)];
  const errors = new Float64Array(choices.length);
  for (const each of [setting, ...genericSettings(kb)]) {
    const truths = ratiosOf(judges.parts, each).map(Math.log);
    const stated = ratiosOf(choices, each).map(Math.log);
    for (const [c, log] of stated.entries())
      for (const [j, truth] of truths.entries()) errors[c]! += judges.weights[j]! * Math.abs(log - truth);
  }
  return choices[errors.indexOf(Math.min(...errors))]!;
}

/** Parts as keys of a decomposition, rounded down so that they never come to more than 1. */
function fractions({ fm, fe, pgp }: ClearanceParts): Readonly<Record<string, number>> {
  const rounded = (value: number): number => Math.floor(value / FRACTION_STEP + 1e-9) / (1 / FRACTION_STEP);
  const shares = NEW_DRUG_ENZYMES.map((enzyme) => [`fm_${enzyme}`, rounded(fm[enzyme])]);
  return { ...Object.fromEntries(shares), fe: rounded(fe), pgp };
}
