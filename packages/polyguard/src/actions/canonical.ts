import { canonicalJson } from "@praxis/env";
import type { ActionPayload, TaperPace } from "./types.ts";

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

/** True for actions of equal {@link canonicalPayload}, found without making the texts. */
export function isSameAction(a: ActionPayload, b: ActionPayload): boolean {
  switch (a.type) {
    case "KEEP_REGIMEN":
    case "FINISH":
      return b.type === a.type;
    case "STOP_DRUG":
      return (
        b.type === a.type &&
        a.medRef === b.medRef &&
        a.switchToDrugIndex === b.switchToDrugIndex &&
        isSameOrders(a.orders, b.orders)
      );
    case "SUBSTITUTE_DRUG":
      return b.type === a.type && a.medRef === b.medRef && a.drugIndex === b.drugIndex && isSameDose(a, b);
    case "ADD_DRUG":
      return (
        b.type === a.type &&
        a.drugIndex === b.drugIndex &&
        a.crossOverFromMedRef === b.crossOverFromMedRef &&
        isSameDose(a, b)
      );
    case "ADJUST_DOSE":
      return b.type === a.type && a.medRef === b.medRef && isSameDose(a, b);
    case "HOLD_DOSE":
    case "PAUSE_TAPER":
    case "REVERT_TAPER":
    case "SEPARATE_TIMING":
      return b.type === a.type && a.medRef === b.medRef;
    case "START_TAPER":
      return (
        b.type === a.type && a.medRef === b.medRef && isSamePace(a.taper, b.taper) && isSameOrders(a.orders, b.orders)
      );
    case "CONTINUE_TAPER":
      return b.type === a.type && a.medRef === b.medRef && isSamePace(a.taper, b.taper);
    case "ORDER_MONITORING":
      return b.type === a.type && a.medRef === b.medRef && isSameOrders(a.orders, b.orders);
    case "ADD_PROTECTION":
      return b.type === a.type && a.protection === b.protection;
    case "RECONCILE_ITEM":
      return b.type === a.type && a.target === b.target;
    case "FETCH_EXTERNAL_EVIDENCE":
      return b.type === a.type && a.query === b.query;
    case "REQUEST_REVIEW":
      return b.type === a.type && a.target === b.target && a.reviewTo === b.reviewTo;
    case "RECOMMEND_ALTERNATIVE":
    case "DECOMPOSE_NEW_DRUG":
    case "PROBE_COMBINATION":
    case "DECLARE_FINDINGS":
      return canonicalPayload(a) === canonicalPayload(b);
  }
}

type Dosed = Pick<Extract<ActionPayload, { type: "ADJUST_DOSE" }>, "dosePerDay" | "dosesPerDay" | "orders">;

function isSameDose(a: Dosed, b: Dosed): boolean {
  return a.dosePerDay === b.dosePerDay && a.dosesPerDay === b.dosesPerDay && isSameOrders(a.orders, b.orders);
}

function isSamePace(a: TaperPace | null, b: TaperPace | null): boolean {
  if (a === null || b === null) return a === b;
  return a.stepPct === b.stepPct && a.intervalDays === b.intervalDays;
}

/** Equal but for their order. */
function isSameOrders(a: readonly string[], b: readonly string[]): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  let isSameOrder = true;
  for (let i = 0; i < a.length && isSameOrder; i++) isSameOrder = a[i] === b[i];
  return isSameOrder || withOrders(a) === withOrders(b);
}

function withOrders(orders: readonly string[]): string {
  if (orders.length === 0) return "";
  return ` +${orders.length === 1 ? orders[0] : [...orders].sort().join(",")}`;
}
