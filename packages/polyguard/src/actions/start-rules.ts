import { INR_BELOW_FOR_DOAC, washoutDays } from "../course/washout.ts";
import { absoluteMaxDose } from "../kb/dose-grid.ts";
import { judgeRenalRule } from "../kb/renal-dose.ts";
import type { Drug } from "../kb/types.ts";
import { measurementsOfOrder } from "../observation/measurements.ts";
import { findAllergy } from "./allergies.ts";
import { isWithinStepLimit, levelWindowDays } from "./dose-limits.ts";
import { isLevelCode } from "./drug-traits.ts";
import { isIncrease, startedOrRaised } from "./effect.ts";
import { type LegalityContext, type MappedMedication, worstKnownRank } from "./legality-context.ts";
import { type LegalityRule, nameOf, type RuleHit } from "./rule.ts";

/** Body weight taken for limits per kg when the weight is not known. assumption: a usual adult weight. */
const FALLBACK_WEIGHT_KG = 70;
/** CrCl (mL/min) below which NSAIDs are out. Source: KDIGO 2012, STOPP v3. */
const NSAID_MIN_CRCL = 30;

/** V04: a verified allergy to the drug that is started. */
export const checkAllergy: LegalityRule = (context, { started }) => {
  if (started === null || context.known.allergies.length === 0) return null;
  const drug = context.kb.drugs[started.drugIndex]!;
  const found = findAllergy(context.kb, context.known.allergies, drug);
  if (found?.bearing !== "hard") return null;
  return {
    id: "V04",
    text: `verified allergy to ${found.allergy.substance} forbids ${drug.genericName}`,
    facts: [found.allergy.id],
  };
};

/** V05: a contraindicated pair that the action itself creates or worsens. */
export const checkContraindicatedPair: LegalityRule = (context, effect) => {
  const drug = startedOrRaised(effect);
  if (drug === null) return null;
  for (const other of context.listed) {
    if (other.drugIndex === drug.drugIndex || (effect.started !== null && effect.target?.medRef === other.medRef))
      continue;
    if (worstKnownRank(context, drug, other, 2) === 2)
      return {
        id: "V05",
        text: `${nameOf(context, drug.drugIndex)} is contraindicated with ${nameOf(context, other.drugIndex)}`,
        facts: [other.medRef],
      };
  }
  return null;
};

/** V06: a start at no dose, a dose above the absolute limit, or a weekly drug given daily. */
export const checkMaximumDose: LegalityRule = (context, { started, target, adjustedTo, payload }) => {
  const drugIndex = started?.drugIndex ?? (adjustedTo === null ? undefined : target?.drugIndex);
  if (drugIndex === undefined) return null;
  const drug = context.kb.drugs[drugIndex]!;
  const dose = started?.dosePerDay ?? adjustedTo!;
  const facts = target === null ? [] : [target.medRef];
  if (started !== null && !(dose > 0))
    return { id: "V06", text: `${drug.genericName} can't be started at a dose of ${dose}`, facts };
  const limit = absoluteMaxDose(drug, context.known.weightKg ?? FALLBACK_WEIGHT_KG);
  if (limit !== null && dose > limit * (1 + 1e-9))
    return { id: "V06", text: `${dose} is above the limit ${limit} of ${drug.genericName}`, facts };
  const dosesPerDay = started?.dosesPerDay ?? (payload.type === "ADJUST_DOSE" ? payload.dosesPerDay : 0);
  if (drug.doseUnit === "mg/wk" && dosesPerDay > 2 * drug.dosesPerDay + 1e-9)
    return { id: "V06", text: `${drug.genericName} is a weekly drug`, facts };
  return null;
};

/** V07: a start or increase against a known renal clause, or without a fresh kidney value where one is needed. */
export const checkKidney: LegalityRule = (context, effect) => {
  const started = startedOrRaised(effect);
  if (started === null || !context.traits[started.drugIndex]!.hasRenalClause) return null;
  const drug = context.kb.drugs[started.drugIndex]!;
  if (judgeRenalRule(drug, context.renal).isStartForbidden)
    return { id: "V07", text: `renal rule forbids ${drug.genericName}`, facts: ["lab:CREAT"] };
  if (!context.isKidneyFresh && ((drug.feRenal ?? 0) >= 0.5 || drug.isNarrowTi))
    return { id: "V07", text: `kidney function is unknown or old for ${drug.genericName}`, facts: ["lab:CREAT"] };
  return null;
};

/** V10: two drugs of one class, but for a labelled cross-over. */
export const checkDuplicateClass: LegalityRule = (context, { started, target, payload }) => {
  if (started === null) return null;
  const classes = context.traits[started.drugIndex]!.duplicateClasses;
  if (classes === 0) return null;
  const crossOverFrom = payload.type === "ADD_DRUG" ? payload.crossOverFromMedRef : null;
  for (const other of context.listed) {
    if (other.medRef === target?.medRef || other.medRef === crossOverFrom || other.drugIndex === started.drugIndex)
      continue;
    if ((context.traits[other.drugIndex]!.duplicateClasses & classes) !== 0)
      return {
        id: "V10",
        text: `${nameOf(context, started.drugIndex)} duplicates the class of ${nameOf(context, other.drugIndex)}`,
        facts: [other.medRef],
      };
  }
  return null;
};

/** V12: a narrow_ti increase without a recent level, or a change beyond the drug's step limit. */
export const checkNarrowIndex: LegalityRule = (context, effect) => {
  const { target, adjustedTo } = effect;
  if (target === null || adjustedTo === null) return null;
  const drug = context.kb.drugs[target.drugIndex]!;
  if (!drug.isNarrowTi) return null;
  if (isIncrease(effect) && !hasRecentLevel(context, drug))
    return {
      id: "V12",
      text: `${drug.genericName} is raised without a recent ${monitorItem(drug)}`,
      facts: [target.medRef],
    };
  const step = {
    from: target.dosePerDay,
    to: adjustedTo,
    level: target.lastLevel?.value ?? null,
    hasCad: context.facts.conditions.has("CAD"),
  };
  if (!isWithinStepLimit(drug, step))
    return { id: "V12", text: `change of ${drug.genericName} is larger than its step limit`, facts: [target.medRef] };
  return null;
};

/** Item whose value an increase of a narrow_ti drug needs: its level, else the first of the monitoring. */
export function monitorItem(drug: Drug): string {
  return drug.monitoring.find(isLevelCode) ?? drug.monitoring[0] ?? "level";
}

/** True when the drug's monitoring item was measured inside its window. */
export function hasRecentLevel(context: LegalityContext, drug: Drug): boolean {
  const item = monitorItem(drug);
  const { known } = context;
  const isRecent = (day: number): boolean => known.clock.day - day <= levelWindowDays(item);
  if (known.samples.some(({ code, day }) => code === item && isRecent(day))) return true;
  return measurementsOfOrder(item).some(({ code }) => {
    const value = known.values[code];
    return value !== undefined && isRecent(value.measuredDay);
  });
}

/** V13: a start inside a washout, or a second declared switch while one is open. */
export const checkWashout: LegalityRule = (context, { started, target, payload }) => {
  const { kb, known, traits } = context;
  if (payload.type === "STOP_DRUG" && payload.switchToDrugIndex !== null && known.declaredSwitch !== null)
    return { id: "V13", text: "a declared switch is open", facts: [] };
  if (started === null || !traits[started.drugIndex]!.mayHaveWashout) return null;
  const drug = kb.drugs[started.drugIndex]!;
  for (const { drugIndex, daysAgo } of known.stopped)
    if (isTooEarly(context, kb.drugs[drugIndex]!, drug, daysAgo))
      return { id: "V13", text: `washout of ${nameOf(context, drugIndex)} is not over`, facts: [] };
  const replaced = payload.type === "ADD_DRUG" ? context.byRef.get(payload.crossOverFromMedRef ?? "") : target;
  if (replaced && isTooEarly(context, kb.drugs[replaced.drugIndex]!, drug, 0))
    return {
      id: "V13",
      text: `${drug.genericName} may not follow ${nameOf(context, replaced.drugIndex)} at once`,
      facts: [replaced.medRef],
    };
  return null;
};

function isTooEarly(context: LegalityContext, from: Drug, to: Drug, daysAgo: number): boolean {
  return washoutDays(from, to) > daysAgo && !(from.groups.includes("VKA") && isInrLow(context));
}

function isInrLow({ known }: LegalityContext): boolean {
  const inr = known.values.INR;
  return (
    inr !== undefined && inr.value < INR_BELOW_FOR_DOAC && known.clock.day - inr.measuredDay <= levelWindowDays("INR")
  );
}

/** V15: opioid beside a benzodiazepine, Z-drug or gabapentinoid, started or raised without review and naloxone. */
export const checkOpioidPair: LegalityRule = (context, effect) => {
  const started = startedOrRaised(effect);
  if (started === null) return null;
  const { isOpioid, isOpioidPartner } = context.traits[started.drugIndex]!;
  if (!isOpioid && !isOpioidPartner) return null;
  const replaced = effect.leaves === "substitute" ? effect.target : null;
  // A swap inside the class adds no new combination.
  if (replaced !== null) {
    const old = context.traits[replaced.drugIndex]!;
    if (old.isOpioid === isOpioid && old.isOpioidPartner === isOpioidPartner) return null;
  }
  const partner = opioidPartner(context, started.drugIndex, replaced);
  if (partner === null) return null;
  const hasReview = context.reviewed.has(started.drugIndex) || context.reviewed.has(partner.drugIndex);
  const hasNaloxone = context.orders.has("NALOXONE") || (effect.started?.orders.includes("NALOXONE") ?? false);
  if (hasReview && hasNaloxone) return null;
  return {
    id: "V15",
    text: `${nameOf(context, started.drugIndex)} beside ${nameOf(context, partner.drugIndex)} needs a review and naloxone`,
    facts: [partner.medRef],
  };
};

/** First listed drug that V15 watches beside this one, the replaced one apart; null = none. */
function opioidPartner(
  context: LegalityContext,
  drugIndex: number,
  replaced: MappedMedication | null,
): MappedMedication | null {
  const { isOpioid, isOpioidPartner } = context.traits[drugIndex]!;
  for (const other of context.listed) {
    if (other === replaced || other.drugIndex === drugIndex) continue;
    const traits = context.traits[other.drugIndex]!;
    if ((isOpioid && traits.isOpioidPartner) || (isOpioidPartner && traits.isOpioid)) return other;
  }
  return null;
}

/** V16: a known disease that forbids the drug. Sources: labels, AGS Beers 2023, STOPP v3. */
export const checkDisease: LegalityRule = (context, effect) => {
  const started = startedOrRaised(effect);
  return started === null ? null : judgeDisease(context, context.kb.drugs[started.drugIndex]!, effect.target);
};

function judgeDisease(context: LegalityContext, drug: Drug, target: MappedMedication | null): RuleHit | null {
  const traits = context.traits[drug.index]!;
  const { conditions } = context.facts;
  if (traits.isBadInHfref && conditions.has("HFREF")) return diseaseHit(drug, "in HFREF");
  if (traits.isBadInCad && conditions.has("CAD")) return diseaseHit(drug, "with coronary disease");
  if (traits.isBadInAsthma && conditions.has("ASTHMA")) return diseaseHit(drug, "with asthma");
  if (traits.isBadInParkinson && conditions.has("PARKINSON")) return diseaseHit(drug, "in Parkinson disease");
  if (traits.isBadInSeizure && conditions.has("SEIZURE")) return diseaseHit(drug, "with seizures");
  const { crClMlPerMin } = context.known;
  if (traits.isNsaid && crClMlPerMin !== null && crClMlPerMin < NSAID_MIN_CRCL)
    return diseaseHit(drug, "below CrCl 30", ["lab:CREAT"]);
  if (!traits.isNitrate && !traits.isPde5) return null;
  for (const other of context.listed) {
    if (other.medRef === target?.medRef) continue;
    const partner = context.traits[other.drugIndex]!;
    if (traits.isNitrate ? partner.isPde5 : partner.isNitrate)
      return diseaseHit(drug, `with ${nameOf(context, other.drugIndex)}`, [other.medRef]);
  }
  return null;
}

function diseaseHit(drug: Drug, reason: string, facts: readonly string[] = []): RuleHit {
  return { id: "V16", text: `${drug.genericName} ${reason}`, facts };
}

/** V17: a titrated class started above dose_min, or more than doubled in one visit. */
export const checkTitration: LegalityRule = (context, { started, target, adjustedTo }) => {
  if (started !== null) {
    const drug = context.kb.drugs[started.drugIndex]!;
    return context.traits[drug.index]!.isTitrated && started.dosePerDay > drug.doseMin * (1 + 1e-9)
      ? { id: "V17", text: `${drug.genericName} starts at or below ${drug.doseMin}`, facts: [] }
      : null;
  }
  if (target === null || adjustedTo === null || !context.traits[target.drugIndex]!.isTitrated) return null;
  return adjustedTo > 2 * target.dosePerDay * (1 + 1e-9)
    ? { id: "V17", text: `${nameOf(context, target.drugIndex)} is more than doubled`, facts: [target.medRef] }
    : null;
};
