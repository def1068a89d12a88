import { getDrug } from "../kb/lookup.ts";
import type { LegalityContext, MappedMedication } from "./legality-context.ts";
import { BISPHOSPHONATE_MIN_CRCL, PROTECTION_DRUGS } from "./protections.ts";
import type { ActionPayload, Protection } from "./types.ts";

/** A drug that an action starts. Dose in the row's unit. */
interface StartedDrug {
  readonly drugIndex: number;
  readonly dosePerDay: number;
  readonly dosesPerDay: number;
  readonly orders: readonly string[];
}

/** What an action does to the list, in the terms the rules ask for. */
export interface ActionEffect {
  readonly payload: ActionPayload;
  /** Listed medication the action is about; null = none, or not on the list. */
  readonly target: MappedMedication | null;
  readonly started: StartedDrug | null;
  /** New dose of a listed drug that ADJUST_DOSE raises or lowers. */
  readonly adjustedTo: number | null;
  /** The target leaves at once, for good (stop), for a visit (hold) or against another drug (substitute). */
  readonly leaves: "stop" | "hold" | "substitute" | null;
}

/** Drug that a protection starts as known; null for those that are orders. */
function protectionDrug(context: LegalityContext, protection: Protection): StartedDrug | null {
  if (protection === "LAXATIVE" || protection === "NALOXONE") return null;
  if (protection === "BONE") {
    const crCl = context.known.crClMlPerMin;
    const isVitaminD = crCl !== null && crCl < BISPHOSPHONATE_MIN_CRCL;
    const drug = getDrug(context.kb, isVitaminD ? "colecalciferol" : "alendronate");
    return { drugIndex: drug.index, dosePerDay: drug.doseMin, dosesPerDay: drug.dosesPerDay, orders: [] };
  }
  const { drugId, dosePerDay } = PROTECTION_DRUGS[protection];
  const drug = getDrug(context.kb, drugId);
  return { drugIndex: drug.index, dosePerDay, dosesPerDay: drug.dosesPerDay, orders: [] };
}

/** Reads a payload against the known list. */
export function effectOf(context: LegalityContext, payload: ActionPayload): ActionEffect {
  const target = "medRef" in payload && payload.medRef !== null ? (context.byRef.get(payload.medRef) ?? null) : null;
  let started: StartedDrug | null = null;
  let adjustedTo: number | null = null;
  let leaves: ActionEffect["leaves"] = null;
  switch (payload.type) {
    case "ADD_DRUG":
      started = payload;
      break;
    case "SUBSTITUTE_DRUG":
      started = payload;
      leaves = "substitute";
      break;
    case "ADD_PROTECTION":
      started = protectionDrug(context, payload.protection);
      break;
    case "ADJUST_DOSE":
      adjustedTo = payload.dosePerDay;
      break;
    case "STOP_DRUG":
      leaves = "stop";
      break;
    case "HOLD_DOSE":
      leaves = "hold";
      break;
    default:
      break;
  }
  return { payload, target, started, adjustedTo, leaves };
}

/** True when the action raises the dose of a listed drug. */
export function isIncrease({ target, adjustedTo }: ActionEffect): boolean {
  return target !== null && adjustedTo !== null && adjustedTo > target.dosePerDay * (1 + 1e-9);
}

/** Drug and dose that the action starts or raises, or null: what most rules judge. */
export function startedOrRaised(
  effect: ActionEffect,
): { readonly drugIndex: number; readonly dosePerDay: number } | null {
  if (effect.started !== null) return effect.started;
  return isIncrease(effect) ? { drugIndex: effect.target!.drugIndex, dosePerDay: effect.adjustedTo! } : null;
}
