import { type TaperUse, taperLimit } from "../course/taper-classes.ts";
import type { Drug } from "../kb/types.ts";
import { findAllergy } from "./allergies.ts";
import { TOXIC_ABOVE } from "./dose-limits.ts";
import type { ActionEffect } from "./effect.ts";
import { type LegalityContext, type MappedMedication, worstKnownRank } from "./legality-context.ts";
import { daysOfUse, type LegalityRule, nameOf, type RuleHit } from "./rule.ts";

/** Days for which a severe event excuses an abrupt hold or stop. assumption: two visits. */
const EVENT_EXCUSE_DAYS = 28;

/** V08: abrupt end of a drug that needs a taper after longer use, without an emergency. */
export const checkAbruptStop: LegalityRule = (context, effect) => {
  const { target, leaves } = effect;
  if (target === null || leaves === null || !needsTaper(context, target)) return null;
  if (leaves === "substitute" && hasSameTaperClass(context, effect)) return null;
  if (leaves === "hold" && isHoldExcused(context, target)) return null;
  if (hasEmergency(context, target)) return null;
  return {
    id: "V08",
    text: `${nameOf(context, target.drugIndex)} needs a taper after its days of use`,
    facts: [target.medRef],
  };
};

/** V09: a reduction that is larger or sooner than the class allows. */
export const checkReduction: LegalityRule = (context, effect) => {
  const { target, payload } = effect;
  if (target === null || !needsTaper(context, target)) return null;
  const drug = context.kb.drugs[target.drugIndex]!;
  const limit = taperLimit(drug, taperUse(context, target));
  if (limit === null) return null;
  const sinceReduction = daysSinceReduction(context, target);
  switch (payload.type) {
    case "ADJUST_DOSE": {
      const drop = target.dosePerDay - payload.dosePerDay;
      if (drop <= 0) return null;
      if (drop > limit.drop * (1 + 1e-9)) return reductionHit(drug, target, "larger");
      return sinceReduction < limit.intervalDays ? reductionHit(drug, target, "sooner") : null;
    }
    case "START_TAPER": {
      if (exceedsPace(payload.taper.stepPct, target, limit.drop)) return reductionHit(drug, target, "larger");
      return payload.taper.intervalDays < limit.intervalDays || sinceReduction < limit.intervalDays
        ? reductionHit(drug, target, "sooner")
        : null;
    }
    case "CONTINUE_TAPER": {
      const pace = payload.taper ?? target.taper;
      if (pace === null) return null;
      if (exceedsPace(pace.stepPct, target, limit.drop)) return reductionHit(drug, target, "larger");
      return pace.intervalDays < limit.intervalDays ? reductionHit(drug, target, "sooner") : null;
    }
    default:
      return null;
  }
};

function reductionHit(drug: Drug, target: MappedMedication, what: "larger" | "sooner"): RuleHit {
  return {
    id: "V09",
    text: `reduction of ${drug.genericName} is ${what} than its class allows`,
    facts: [target.medRef],
  };
}

/** V11: end of a drug whose loss is dangerous while its indication is active and nothing takes its place. */
export const checkVitalDrug: LegalityRule = (context, { target, payload, leaves }) => {
  if (target === null || (leaves !== "stop" && leaves !== "hold" && payload.type !== "START_TAPER")) return null;
  const drug = context.kb.drugs[target.drugIndex]!;
  if (drug.stopHarm < 3 || context.reviewed.has(drug.index)) return null;
  if (payload.type === "STOP_DRUG" && payload.switchToDrugIndex !== null) return null;
  if (leaves === "hold" && isHoldExcused(context, target)) return null;
  const uncovered = uncoveredIndication(context, drug);
  if (uncovered === null) return null;
  return { id: "V11", text: `${drug.genericName} is the only drug for ${uncovered}`, facts: [target.medRef] };
};

/** First active indication of a listed drug that no other listed drug treats; null = none. */
function uncoveredIndication(context: LegalityContext, drug: Drug): string | null {
  for (const code of drug.indications)
    if (
      context.indications.has(code) &&
      !context.regimen.some((other) => other !== drug && other.indications.includes(code))
    )
      return code;
  return null;
}

/** V14: acting on an unreconciled high-alert item. */
export const checkUnreconciled: LegalityRule = (context, { target, payload }) => {
  if (target === null || target.status !== "unreconciled" || !context.traits[target.drugIndex]!.isHighAlert)
    return null;
  switch (payload.type) {
    case "STOP_DRUG":
    case "SUBSTITUTE_DRUG":
    case "ADJUST_DOSE":
    case "HOLD_DOSE":
    case "START_TAPER":
    case "CONTINUE_TAPER":
    case "REVERT_TAPER":
      return unreconciledHit(context, target);
    default:
      return null;
  }
};

function unreconciledHit(context: LegalityContext, target: MappedMedication): RuleHit {
  const gaps = context.known.discrepancies.filter(({ medRef }) => medRef === target.medRef).map(({ id }) => id);
  return {
    id: "V14",
    text: `${nameOf(context, target.drugIndex)} is not reconciled`,
    facts: [target.medRef, ...gaps],
  };
}

/** V18: a second taper of a dependence drug, or a change when none is left. */
export const checkBudgetAndTapers: LegalityRule = (context, { target, payload }) => {
  const { known, traits } = context;
  if (known.clock.changesLeft <= 0 && !isFreeAction(payload.type))
    return { id: "V18", text: "no change is left", facts: [] };
  if (payload.type !== "START_TAPER" || target === null || !traits[target.drugIndex]!.isDependence) return null;
  for (const { medRef, taper, drugIndex } of context.listed)
    if (medRef !== target.medRef && taper !== null && !taper.isPaused && traits[drugIndex]!.isDependence)
      return { id: "V18", text: `a taper of ${nameOf(context, drugIndex)} is running`, facts: [medRef] };
  return null;
};

/** What stays legal when no change is left: KEEP, information, PAUSE, REVERT, HOLD and FINISH. */
function isFreeAction(type: ActionEffect["payload"]["type"]): boolean {
  switch (type) {
    case "STOP_DRUG":
    case "SUBSTITUTE_DRUG":
    case "ADD_DRUG":
    case "ADJUST_DOSE":
    case "START_TAPER":
    case "CONTINUE_TAPER":
    case "ADD_PROTECTION":
    case "SEPARATE_TIMING":
      return false;
    default:
      return true;
  }
}

/** True when V08 protects the drug after the use that is known; an unknown duration counts as long. */
export function needsTaper(context: LegalityContext, target: MappedMedication): boolean {
  const drug = context.kb.drugs[target.drugIndex]!;
  if (!context.traits[drug.index]!.isTaperProtected || target.isPrn) return false;
  const days = daysOfUse(context, target.startDay);
  return days === null || days > (drug.taperIfDaysGt ?? 0);
}

/** Use of a listed drug in the terms of the taper classes; an unknown duration counts as a year. */
export function taperUse(context: LegalityContext, target: MappedMedication): TaperUse {
  let start = target.dosePerDay;
  if (target.taper !== null && target.taper.pctOfStart > 0) start = (100 * target.dosePerDay) / target.taper.pctOfStart;
  else for (const { dosePerDay } of target.doseHistory) start = Math.max(start, dosePerDay);
  return {
    startDosePerDay: start,
    dosePerDay: target.dosePerDay,
    daysOfUse: daysOfUse(context, target.startDay) ?? 365,
  };
}

/** Active indications of a drug as known, derived ones included. */
export function activeIndicationsOf(context: LegalityContext, drug: Drug): readonly string[] {
  return drug.indications.filter((code) => context.indications.has(code));
}

// The plan's own percentage counts, not the dose after rounding to tablets: near the end every tablet is a large step.
function exceedsPace(stepPct: number, target: MappedMedication, drop: number): boolean {
  return (stepPct / 100) * target.dosePerDay > drop * (1 + 1e-9) + 0.005 * target.dosePerDay;
}

function daysSinceReduction(context: LegalityContext, target: MappedMedication): number {
  const { day } = context.known.clock;
  let since = target.taper === null ? Number.POSITIVE_INFINITY : day - target.taper.lastReductionDay;
  const { doseHistory } = target;
  for (let i = 1; i < doseHistory.length; i++)
    if (doseHistory[i]!.dosePerDay < doseHistory[i - 1]!.dosePerDay) since = Math.min(since, day - doseHistory[i]!.day);
  return since;
}

function hasSameTaperClass(context: LegalityContext, { target, started }: ActionEffect): boolean {
  return (
    started !== null &&
    context.kb.drugs[started.drugIndex]!.taperClass === context.kb.drugs[target!.drugIndex]!.taperClass
  );
}

/** Emergency of V08: an active contraindicated pair with the drug, a severe event it bears on, or an allergy to it. */
function hasEmergency(context: LegalityContext, target: MappedMedication): boolean {
  const drug = context.kb.drugs[target.drugIndex]!;
  if (findAllergy(context.kb, context.known.allergies, drug)?.bearing === "hard") return true;
  if (hasRecentSevereEvent(context)) return true;
  for (const other of context.listed)
    if (other.medRef !== target.medRef && worstKnownRank(context, target, other, 2) === 2) return true;
  return false;
}

function hasRecentSevereEvent(context: LegalityContext): boolean {
  const { events, clock } = context.known;
  for (const { kind, day } of events) if (kind === "severe" && clock.day - day <= EVENT_EXCUSE_DAYS) return true;
  return false;
}

/** A hold is excused after a level above the toxic bound or a severe event. */
function isHoldExcused(context: LegalityContext, { lastLevel }: MappedMedication): boolean {
  const bound = lastLevel === null ? undefined : TOXIC_ABOVE[lastLevel.code];
  return (bound !== undefined && lastLevel!.value > bound) || hasRecentSevereEvent(context);
}
