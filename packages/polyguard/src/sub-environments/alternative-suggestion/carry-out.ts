import { isLegalPayload, verifyPayload } from "../../actions/legality.ts";
import type { LegalityContext, MappedMedication } from "../../actions/legality-context.ts";
import { addition, gridOf, substitution } from "../../actions/replacements.ts";
import { needsTaper, taperUse } from "../../actions/target-rules.ts";
import type { ActionPayload } from "../../actions/types.ts";
import { recommendedTaper } from "../../course/taper-classes.ts";
import { targetDose } from "../../kb/dose-grid.ts";
import { drugAt } from "../../kb/lookup.ts";
import { judgeRenalRule, type RenalDoseFacts } from "../../kb/renal-dose.ts";
import type { Drug } from "../../kb/types.ts";
import type { Option } from "./options.ts";

/** Ways to change from one drug to another, in the order in which they are preferred. */
export const STYLES = ["swap", "cross_over", "switch", "stop_first"] as const;

/** How a change is carried out. */
export type Style = (typeof STYLES)[number];

/** Share of the target dose from which a new drug counts as there. Source: within 20 % as in the task of safe adds. */
export const AT_TARGET = 0.8;

/** Target dose of a drug inside its renal rule; null when it may not be started. */
export function goalDose(renal: RenalDoseFacts, drug: Drug): number | null {
  const { doseCap, isStartForbidden } = judgeRenalRule(drug, renal);
  if (isStartForbidden) return null;
  const target = targetDose(drug);
  return doseCap === null ? target : Math.min(target, doseCap);
}

/**
 * The next step towards an option as a drug is changed in that style; null = wait, or nothing is left to do. Every step is
 * legal on what is known.
 */
export function nextStep(context: LegalityContext, medRef: string, option: Option, style: Style): ActionPayload | null {
  const old = context.byRef.get(medRef);
  switch (option.kind) {
    case "nothing":
      return old === undefined ? null : endOf(context, old);
    case "order":
      if (!context.orders.has(option.code))
        return legalOrNull(context, { type: "ORDER_MONITORING", medRef, orders: [option.code] });
      return old === undefined ? null : endOf(context, old);
    case "drug": {
      const drug = drugAt(context.kb, option.drugIndex);
      const fresh = context.listed.find((each) => each.drugIndex === drug.index);
      if (fresh !== undefined) {
        const raise = raiseOf(context, fresh, drug);
        if (raise !== null) return raise;
        return old === undefined ? null : endOf(context, old);
      }
      if (old === undefined) return legalOrNull(context, addition(context, drug, null));
      return firstStep(context, old, drug, style);
    }
  }
}

function firstStep(context: LegalityContext, old: MappedMedication, drug: Drug, style: Style): ActionPayload | null {
  switch (style) {
    case "swap":
      return legalOrNull(context, substitution(context, old, drug));
    case "cross_over":
      return legalOrNull(context, addition(context, drug, old));
    case "switch":
      return legalOrNull(context, {
        type: "STOP_DRUG",
        medRef: old.medRef,
        switchToDrugIndex: drug.index,
        orders: [],
      });
    case "stop_first":
      return isForbidden(context, drug) ? null : endOf(context, old);
  }
}

/** Hard rules on a start that the end of the old drug does not lift: allergy, kidneys, opioid partners, disease. */
const LASTING_RULES = ["V04", "V07", "V15", "V16"];

function isForbidden(context: LegalityContext, drug: Drug): boolean {
  const { hard } = verifyPayload(context, addition(context, drug, null));
  return hard.some(({ id }) => LASTING_RULES.includes(id));
}

/** A stop where it is legal, else the start of the class's taper; null while a taper runs or nothing is legal. */
function endOf(context: LegalityContext, old: MappedMedication): ActionPayload | null {
  const { medRef, taper } = old;
  if (taper !== null && !taper.isPaused) return null;
  if (!needsTaper(context, old)) {
    const stop = legalOrNull(context, { type: "STOP_DRUG", medRef, switchToDrugIndex: null, orders: [] });
    if (stop !== null) return stop;
  }
  const pace = recommendedTaper(drugAt(context.kb, old.drugIndex), taperUse(context, old));
  if (pace === null) return null;
  return legalOrNull(context, { type: "START_TAPER", medRef, taper: pace, orders: [] });
}

/** The next dose towards the goal: at most double, on the grid. */
function raiseOf(context: LegalityContext, fresh: MappedMedication, drug: Drug): ActionPayload | null {
  const goal = goalDose(context.renal, drug);
  if (goal === null || fresh.dosePerDay >= AT_TARGET * goal) return null;
  const most = Math.min(goal, 2 * fresh.dosePerDay) * (1 + 1e-9);
  const dosePerDay = gridOf(context, drug).findLast((dose) => dose <= most);
  if (dosePerDay === undefined || dosePerDay <= fresh.dosePerDay) return null;
  const { medRef } = fresh;
  return legalOrNull(context, { type: "ADJUST_DOSE", medRef, dosePerDay, dosesPerDay: drug.dosesPerDay, orders: [] });
}

function legalOrNull(context: LegalityContext, payload: ActionPayload): ActionPayload | null {
  return isLegalPayload(context, payload) ? payload : null;
}
