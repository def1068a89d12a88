import type { Drug, KnowledgeBase } from "../kb/types.ts";
import type { LegalityContext } from "./legality-context.ts";
import type { ActionPayload, TaperPace, WireCandidate } from "./types.ts";

/** A candidate that its fields are added to, key by key: one literal with a spread in its middle costs V8 many times as much. */
type Draft = { -readonly [K in keyof WireCandidate]?: WireCandidate[K] };

/** Turns a payload into what the agent sees: wire fields and one plain sentence, without any judgement. */
export function toWireCandidate(context: LegalityContext, id: string, payload: ActionPayload): WireCandidate {
  const draft: Draft = { candidate_id: id, action_type: payload.type };
  addFields(context.kb, payload, draft);
  draft.text = describe(context, payload);
  return draft as WireCandidate;
}

function addFields(kb: KnowledgeBase, payload: ActionPayload, draft: Draft): void {
  switch (payload.type) {
    case "KEEP_REGIMEN":
    case "FINISH":
    case "FETCH_EXTERNAL_EVIDENCE":
    case "DECOMPOSE_NEW_DRUG":
    case "PROBE_COMBINATION":
    case "DECLARE_FINDINGS":
      break;
    case "STOP_DRUG": {
      const { switchToDrugIndex } = payload;
      draft.target = payload.medRef;
      addOrders(draft, payload.orders, switchToDrugIndex === null ? null : `SWITCH:${drugIdOf(kb, switchToDrugIndex)}`);
      break;
    }
    case "SUBSTITUTE_DRUG":
      draft.target = payload.medRef;
      draft.replacement = drugIdOf(kb, payload.drugIndex);
      addDose(draft, payload);
      addOrders(draft, payload.orders, null);
      break;
    case "ADD_DRUG": {
      const { crossOverFromMedRef } = payload;
      draft.target = drugIdOf(kb, payload.drugIndex);
      addDose(draft, payload);
      addOrders(draft, payload.orders, crossOverFromMedRef === null ? null : `SWITCH_FROM:${crossOverFromMedRef}`);
      break;
    }
    case "ADJUST_DOSE":
      draft.target = payload.medRef;
      addDose(draft, payload);
      addOrders(draft, payload.orders, null);
      break;
    case "START_TAPER":
      draft.target = payload.medRef;
      draft.taper = wireTaper(payload.taper);
      addOrders(draft, payload.orders, null);
      break;
    case "CONTINUE_TAPER":
      draft.target = payload.medRef;
      if (payload.taper !== null) draft.taper = wireTaper(payload.taper);
      break;
    case "HOLD_DOSE":
    case "PAUSE_TAPER":
    case "REVERT_TAPER":
    case "RECOMMEND_ALTERNATIVE":
      draft.target = payload.medRef;
      break;
    case "SEPARATE_TIMING":
      draft.target = payload.medRef;
      draft.orders = ["TIMING"];
      break;
    case "ORDER_MONITORING":
      if (payload.medRef !== null) draft.target = payload.medRef;
      addOrders(draft, payload.orders, null);
      break;
    case "ADD_PROTECTION":
      draft.target = payload.protection;
      break;
    case "RECONCILE_ITEM":
      draft.target = payload.target;
      break;
    case "REQUEST_REVIEW":
      if (payload.target !== null) draft.target = payload.target;
      break;
  }
}

function drugIdOf(kb: KnowledgeBase, drugIndex: number): string {
  return kb.drugs[drugIndex]!.drugId;
}

function addDose(draft: Draft, payload: { readonly dosePerDay: number; readonly dosesPerDay: number }): void {
  draft.dose_per_day = payload.dosePerDay;
  draft.freq = payload.dosesPerDay;
}

/** Adds orders, and one more where there is one; none at all leaves the field out. */
function addOrders(draft: Draft, orders: readonly string[], last: string | null): void {
  if (last !== null) draft.orders = [...orders, last];
  else if (orders.length > 0) draft.orders = orders;
}

function wireTaper({ stepPct, intervalDays }: TaperPace): NonNullable<WireCandidate["taper"]> {
  return { step_pct: stepPct, interval_days: intervalDays };
}

const PROTECTION_TEXT = {
  PPI: "Add pantoprazole 20 mg/d",
  FOLATE: "Add folic acid 1 mg/d",
  BONE: "Add bone protection",
  LAXATIVE: "Order a laxative",
  NALOXONE: "Order naloxone to have at hand",
} as const;

function drugOf(context: LegalityContext, medRef: string): Drug | null {
  const medication = context.byRef.get(medRef);
  return medication === undefined ? null : context.kb.drugs[medication.drugIndex]!;
}

function named(context: LegalityContext, medRef: string): string {
  return `${drugOf(context, medRef)?.genericName ?? "item"} (${medRef})`;
}

/** What a reference to a row of the list, a discrepancy or a conflict stands for, with the reference. */
function targetText(context: LegalityContext, target: string): string {
  if (context.byRef.has(target)) return named(context, target);
  const { discrepancies, conflicts } = context.known;
  const text = discrepancies.find(({ id }) => id === target)?.text ?? conflicts.find(({ id }) => id === target)?.says;
  return text === undefined ? target : `${target}, ${text}`;
}

function withOrders(codes: readonly string[]): string {
  return codes.length === 0 ? "" : `, order ${codes.join(", ")}`;
}

function dosed(drug: Drug | null, dose: number, dosesPerDay: number): string {
  return `${dose} ${drug?.doseUnit ?? "mg/d"}${dosesPerDay > 1 ? ` in ${dosesPerDay} doses` : ""}`;
}

function describe(context: LegalityContext, payload: ActionPayload): string {
  const { kb } = context;
  switch (payload.type) {
    case "KEEP_REGIMEN":
      return "Keep the regimen as it is until the next visit";
    case "FINISH":
      return "Finish the review";
    case "STOP_DRUG":
      return payload.switchToDrugIndex === null
        ? `Stop ${named(context, payload.medRef)}${withOrders(payload.orders)}`
        : `Stop ${named(context, payload.medRef)} and switch to ${kb.drugs[payload.switchToDrugIndex]!.genericName} after the washout`;
    case "SUBSTITUTE_DRUG": {
      const drug = kb.drugs[payload.drugIndex]!;
      return `Replace ${named(context, payload.medRef)} by ${drug.genericName} ${dosed(drug, payload.dosePerDay, payload.dosesPerDay)}${withOrders(payload.orders)}`;
    }
    case "ADD_DRUG": {
      const drug = kb.drugs[payload.drugIndex]!;
      const crossOver =
        payload.crossOverFromMedRef === null
          ? ""
          : ` to cross over from ${named(context, payload.crossOverFromMedRef)}`;
      return `Add ${drug.genericName} ${dosed(drug, payload.dosePerDay, payload.dosesPerDay)}${crossOver}${withOrders(payload.orders)}`;
    }
    case "ADJUST_DOSE":
      return `Change ${named(context, payload.medRef)} to ${dosed(drugOf(context, payload.medRef), payload.dosePerDay, payload.dosesPerDay)}${withOrders(payload.orders)}`;
    case "HOLD_DOSE":
      return `Hold ${named(context, payload.medRef)} until the next visit`;
    case "START_TAPER":
      return `Taper ${named(context, payload.medRef)} by ${payload.taper.stepPct} % every ${payload.taper.intervalDays} days${withOrders(payload.orders)}`;
    case "CONTINUE_TAPER":
      return payload.taper === null
        ? `Continue the taper of ${named(context, payload.medRef)}`
        : `Continue the taper of ${named(context, payload.medRef)} by ${payload.taper.stepPct} % every ${payload.taper.intervalDays} days`;
    case "PAUSE_TAPER":
      return `Pause the taper of ${named(context, payload.medRef)}`;
    case "REVERT_TAPER":
      return `Go back one reduction of ${named(context, payload.medRef)} and pause`;
    case "ORDER_MONITORING":
      return `Order ${payload.orders.join(", ")}${payload.medRef === null ? "" : ` for ${named(context, payload.medRef)}`}`;
    case "ADD_PROTECTION":
      return PROTECTION_TEXT[payload.protection];
    case "SEPARATE_TIMING":
      return `Separate ${named(context, payload.medRef)} in time from the other drugs`;
    case "RECONCILE_ITEM":
      return `Reconcile ${targetText(context, payload.target)}`;
    case "FETCH_EXTERNAL_EVIDENCE":
      return `Look up ${payload.query}`;
    case "REQUEST_REVIEW":
      return `Ask the ${payload.reviewTo} about ${payload.target === null ? "the list" : targetText(context, payload.target)}`;
    case "RECOMMEND_ALTERNATIVE":
      return `Recommend an alternative to ${named(context, payload.medRef)}`;
    case "DECOMPOSE_NEW_DRUG":
      return "Judge the new drug";
    case "PROBE_COMBINATION":
      return "Probe combinations";
    case "DECLARE_FINDINGS":
      return "Declare findings";
  }
}
