import { absoluteMaxDose } from "./dose-grid.ts";
import { matchRenalRule, type RenalClause, type RenalFacts } from "./renal-rule.ts";
import type { Drug } from "./types.ts";

/** What the renal rule asks of a drug for a patient. Doses in the row's unit. */
export interface RenalVerdict {
  /** The tightest clause that holds, or null. */
  readonly clause: RenalClause | null;
  /** Highest dose by the rule and the absolute maximum; null = no limit known, 0 = contra, avoid or ineffective. */
  readonly doseCap: number | null;
  /** Start dose where the clause gives one. */
  readonly startDose: number | null;
  /** avoid, contra or no_start: must not be started or increased. */
  readonly isStartForbidden: boolean;
}

/** Facts of the renal rule and of the apixaban rule; null = not known. */
export interface RenalDoseFacts extends RenalFacts {
  readonly ageYears: number;
  readonly weightKg: number | null;
  readonly serumCreatinineMgPerDl: number | null;
  readonly hasAtrialFibrillation: boolean;
}

/** assumption: body weight used for limits per kg when the weight is not known. */
const FALLBACK_WEIGHT_KG = 70;

/** Judges a drug's renal rule. `interval=h` allows one of the usual single doses every h hours; `factor` scales the usual upper end. */
export function judgeRenalRule(drug: Drug, facts: RenalDoseFacts): RenalVerdict {
  const clause = matchRenalRule(drug.renalRule, facts);
  const weightKg = facts.weightKg ?? FALLBACK_WEIGHT_KG;
  let cap = absoluteMaxDose(drug, weightKg);
  let startDose: number | null = null;
  let isStartForbidden = false;
  if (clause !== null) {
    const { effect } = clause;
    switch (effect.kind) {
      case "max":
        cap = lower(cap, effect.perKgPerDay ? effect.dose * weightKg : effect.dose);
        break;
      case "factor":
        // The factor multiplies the usual dose and the cap: the usual upper end is the one that binds.
        cap = lower(cap, effect.factor * (cap === null ? drug.doseMax : Math.min(cap, drug.doseMax)));
        break;
      case "start":
        startDose = effect.dose;
        break;
      case "interval":
        if (effect.hours !== null)
          cap = lower(cap, (drug.doseMax * 24) / (effect.hours * Math.max(1, drug.dosesPerDay)));
        break;
      case "avoid":
      case "contra":
        cap = lower(cap, 0);
        isStartForbidden = true;
        break;
      case "ineffective":
        cap = lower(cap, 0);
        break;
      case "no_start":
        isStartForbidden = true;
        break;
      case "avoid_AF":
        if (facts.hasAtrialFibrillation) {
          cap = lower(cap, 0);
          isStartForbidden = true;
        }
        break;
      case "monitor":
      case "caution":
      case "label_limited":
        break;
    }
  }
  if (drug.renalRule.hasAfRule && facts.hasAtrialFibrillation && countAfCriteria(facts) >= 2) cap = lower(cap, 5);
  return { clause, doseCap: cap, startDose, isStartForbidden };
}

/** The lower of a cap (null = none) and a dose. */
function lower(cap: number | null, dose: number): number {
  return cap === null ? dose : Math.min(cap, dose);
}

/** How many of age >= 80, weight <= 60 kg and SCr >= 1.5 mg/dL hold; an unknown value does not count. Source: apixaban FDA label. */
function countAfCriteria(facts: RenalDoseFacts): number {
  return (
    Number(facts.ageYears >= 80) +
    Number(facts.weightKg !== null && facts.weightKg <= 60) +
    Number(facts.serumCreatinineMgPerDl !== null && facts.serumCreatinineMgPerDl >= 1.5)
  );
}
