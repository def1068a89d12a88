import type { Drug, KnowledgeBase } from "../kb/types.ts";
import type { LegalityContext } from "./legality-context.ts";
import type { ActionPayload, WireCandidate } from "./types.ts";

type Fields = { -readonly [K in keyof Omit<WireCandidate, "candidate_id" | "text" | "action_type">]: WireCandidate[K] };

/** Turns a payload into what the agent sees: wire fields and one plain sentence, without any judgement. */
export function toWireCandidate(context: LegalityContext, id: string, payload: ActionPayload): WireCandidate {
  const { kb } = context;
  return { candidate_id: id, action_type: payload.type, ...fieldsOf(kb, payload), text: describe(context, payload) };
}

function fieldsOf(kb: KnowledgeBase, payload: ActionPayload): Fields {
  const idOf = (drugIndex: number): string => kb.drugs[drugIndex]!.drugId;
  const orders = (codes: readonly string[]): Fields => (codes.length === 0 ? {} : { orders: codes });
  switch (payload.type) {
    case "KEEP_REGIMEN":
    case "FINISH":
    case "FETCH_EXTERNAL_EVIDENCE":
    case "DECOMPOSE_NEW_DRUG":
    case "PROBE_COMBINATION":
    case "DECLARE_FINDINGS":
      return {};
    case "STOP_DRUG": {
      const { switchToDrugIndex } = payload;
      const codes =
        switchToDrugIndex === null ? payload.orders : [...payload.orders, `SWITCH:${idOf(switchToDrugIndex)}`];
      return { target: payload.medRef, ...orders(codes) };
    }
    case "SUBSTITUTE_DRUG":
      return {
        target: payload.medRef,
        replacement: idOf(payload.drugIndex),
        dose_per_day: payload.dosePerDay,
        freq: payload.dosesPerDay,
        ...orders(payload.orders),
      };
    case "ADD_DRUG": {
      const { crossOverFromMedRef } = payload;
      const codes =
        crossOverFromMedRef === null ? payload.orders : [...payload.orders, `SWITCH_FROM:${crossOverFromMedRef}`];
      return {
        target: idOf(payload.drugIndex),
        dose_per_day: payload.dosePerDay,
        freq: payload.dosesPerDay,
        ...orders(codes),
      };
    }
    case "ADJUST_DOSE":
      return {
        target: payload.medRef,
        dose_per_day: payload.dosePerDay,
        freq: payload.dosesPerDay,
        ...orders(payload.orders),
      };
    case "START_TAPER":
      return {
        target: payload.medRef,
        taper: { step_pct: payload.taper.stepPct, interval_days: payload.taper.intervalDays },
        ...orders(payload.orders),
      };
    case "CONTINUE_TAPER":
      return payload.taper === null
        ? { target: payload.medRef }
        : {
            target: payload.medRef,
            taper: { step_pct: payload.taper.stepPct, interval_days: payload.taper.intervalDays },
          };
    case "HOLD_DOSE":
    case "PAUSE_TAPER":
    case "REVERT_TAPER":
    case "RECOMMEND_ALTERNATIVE":
      return { target: payload.medRef };
    case "SEPARATE_TIMING":
      return { target: payload.medRef, orders: ["TIMING"] };
    case "ORDER_MONITORING":
      return payload.medRef === null ? orders(payload.orders) : { target: payload.medRef, ...orders(payload.orders) };
    case "ADD_PROTECTION":
      return { target: payload.protection };
    case "RECONCILE_ITEM":
      return { target: payload.target };
    case "REQUEST_REVIEW":
      return payload.target === null ? {} : { target: payload.target };
  }
}

const PROTECTION_TEXT = {
  PPI: "Add pantoprazole 20 mg/d",
  FOLATE: "Add folic acid 1 mg/d",
  BONE: "Add bone protection",
  LAXATIVE: "Order a laxative",
  NALOXONE: "Order naloxone to have at hand",
} as const;

function describe(context: LegalityContext, payload: ActionPayload): string {
  const { kb } = context;
  const drugOf = (medRef: string): Drug | null => {
    const medication = context.byRef.get(medRef);
    return medication === undefined ? null : kb.drugs[medication.drugIndex]!;
  };
  const named = (medRef: string): string => `${drugOf(medRef)?.genericName ?? "item"} (${medRef})`;
  const withOrders = (codes: readonly string[]): string => (codes.length === 0 ? "" : `, order ${codes.join(", ")}`);
  const dosed = (drug: Drug | null, dose: number, dosesPerDay: number): string =>
    `${dose} ${drug?.doseUnit ?? "mg/d"}${dosesPerDay > 1 ? ` in ${dosesPerDay} doses` : ""}`;
  switch (payload.type) {
    case "KEEP_REGIMEN":
      return "Keep the regimen as it is until the next visit";
    case "FINISH":
      return "Finish the review";
    case "STOP_DRUG":
      return payload.switchToDrugIndex === null
        ? `Stop ${named(payload.medRef)}${withOrders(payload.orders)}`
        : `Stop ${named(payload.medRef)} and switch to ${kb.drugs[payload.switchToDrugIndex]!.genericName} after the washout`;
    case "SUBSTITUTE_DRUG": {
      const drug = kb.drugs[payload.drugIndex]!;
      return `Replace ${named(payload.medRef)} by ${drug.genericName} ${dosed(drug, payload.dosePerDay, payload.dosesPerDay)}${withOrders(payload.orders)}`;
    }
    case "ADD_DRUG": {
      const drug = kb.drugs[payload.drugIndex]!;
      const crossOver =
        payload.crossOverFromMedRef === null ? "" : ` to cross over from ${named(payload.crossOverFromMedRef)}`;
      return `Add ${drug.genericName} ${dosed(drug, payload.dosePerDay, payload.dosesPerDay)}${crossOver}${withOrders(payload.orders)}`;
    }
    case "ADJUST_DOSE":
      return `Change ${named(payload.medRef)} to ${dosed(drugOf(payload.medRef), payload.dosePerDay, payload.dosesPerDay)}${withOrders(payload.orders)}`;
    case "HOLD_DOSE":
      return `Hold ${named(payload.medRef)} until the next visit`;
    case "START_TAPER":
      return `Taper ${named(payload.medRef)} by ${payload.taper.stepPct} % every ${payload.taper.intervalDays} days${withOrders(payload.orders)}`;
    case "CONTINUE_TAPER":
      return payload.taper === null
        ? `Continue the taper of ${named(payload.medRef)}`
        : `Continue the taper of ${named(payload.medRef)} by ${payload.taper.stepPct} % every ${payload.taper.intervalDays} days`;
    case "PAUSE_TAPER":
      return `Pause the taper of ${named(payload.medRef)}`;
    case "REVERT_TAPER":
      return `Go back one reduction of ${named(payload.medRef)} and pause`;
    case "ORDER_MONITORING":
      return `Order ${payload.orders.join(", ")}${payload.medRef === null ? "" : ` for ${named(payload.medRef)}`}`;
    case "ADD_PROTECTION":
      return PROTECTION_TEXT[payload.protection];
    case "SEPARATE_TIMING":
      return `Separate ${named(payload.medRef)} in time from the other drugs`;
    case "RECONCILE_ITEM":
      return `Reconcile ${payload.target}`;
    case "FETCH_EXTERNAL_EVIDENCE":
      return `Look up ${payload.query}`;
    case "REQUEST_REVIEW":
      return `Ask the ${payload.reviewTo} about ${payload.target === null ? "the list" : context.byRef.has(payload.target) ? named(payload.target) : payload.target}`;
    case "RECOMMEND_ALTERNATIVE":
      return `Recommend an alternative to ${named(payload.medRef)}`;
    case "DECOMPOSE_NEW_DRUG":
      return "Judge the new drug";
    case "PROBE_COMBINATION":
      return "Probe combinations";
    case "DECLARE_FINDINGS":
      return "Declare findings";
  }
}
