import { canonicalJson } from "@praxis/env";
import type { ActionPayload } from "./types.ts";

/**
 * One text per action, equal for equal actions of any step: fields in fixed order, orders sorted, numbers as JavaScript
 * prints them. The detectors compare it and candidate ids are made of it.
 */
export function canonicalPayload(payload: ActionPayload): string {
  switch (payload.type) {
    case "KEEP_REGIMEN":
    case "FINISH":
      return payload.type;
    case "STOP_DRUG":
      return `${payload.type} ${payload.medRef}${withOrders(payload.orders)}${payload.switchToDrugIndex === null ? "" : ` >${payload.switchToDrugIndex}`}`;
    case "SUBSTITUTE_DRUG":
      return `${payload.type} ${payload.medRef} #${payload.drugIndex} ${payload.dosePerDay}/${payload.dosesPerDay}${withOrders(payload.orders)}`;
    case "ADD_DRUG":
      return `${payload.type} #${payload.drugIndex} ${payload.dosePerDay}/${payload.dosesPerDay}${withOrders(payload.orders)}${payload.crossOverFromMedRef === null ? "" : ` <${payload.crossOverFromMedRef}`}`;
    case "ADJUST_DOSE":
      return `${payload.type} ${payload.medRef} ${payload.dosePerDay}/${payload.dosesPerDay}${withOrders(payload.orders)}`;
    case "HOLD_DOSE":
    case "PAUSE_TAPER":
    case "REVERT_TAPER":
    case "SEPARATE_TIMING":
      return `${payload.type} ${payload.medRef}`;
    case "START_TAPER":
      return `${payload.type} ${payload.medRef} ${payload.taper.stepPct}%/${payload.taper.intervalDays}${withOrders(payload.orders)}`;
    case "CONTINUE_TAPER":
      return `${payload.type} ${payload.medRef}${payload.taper === null ? "" : ` ${payload.taper.stepPct}%/${payload.taper.intervalDays}`}`;
    case "ORDER_MONITORING":
      return `${payload.type} ${payload.medRef ?? "-"}${withOrders(payload.orders)}`;
    case "ADD_PROTECTION":
      return `${payload.type} ${payload.protection}`;
    case "RECONCILE_ITEM":
      return `${payload.type} ${payload.target}`;
    case "FETCH_EXTERNAL_EVIDENCE":
      return `${payload.type} ${payload.query}`;
    case "REQUEST_REVIEW":
      return `${payload.type} ${payload.target ?? "-"} ${payload.reviewTo}`;
    case "RECOMMEND_ALTERNATIVE":
    case "DECOMPOSE_NEW_DRUG":
    case "PROBE_COMBINATION":
    case "DECLARE_FINDINGS":
      return canonicalJson(payload);
  }
}

function withOrders(orders: readonly string[]): string {
  if (orders.length === 0) return "";
  return ` +${orders.length === 1 ? orders[0] : [...orders].sort().join(",")}`;
}
