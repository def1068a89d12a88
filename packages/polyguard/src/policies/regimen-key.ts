import type { WorldState } from "../world/types.ts";

/**
 * Text of what an agent has made of a state: doses, plans, orders, switch and changes left. States of one visit with equal
 * texts go on alike but for their history, so a search keeps the better of them.
 */
export function regimenKey(state: WorldState): string {
  const medications = state.medications
    .map(({ drugIndex, dosePerDay, taperPlan, heldUntilDay }) => {
      const plan =
        taperPlan === null ? "" : `~${taperPlan.stepPct}/${taperPlan.intervalDays}/${taperPlan.isPaused ? "p" : "r"}`;
      return `${drugIndex}@${dosePerDay}${plan}${heldUntilDay !== null && heldUntilDay > state.clock.day ? "h" : ""}`;
    })
    .sort();
  const orders = state.orders.map(({ code, drugIndex }) => `${code}:${drugIndex ?? "-"}`).sort();
  const next = state.declaredSwitch === null ? "" : `>${state.declaredSwitch.toDrugIndex}`;
  return `${medications.join(" ")}|${orders.join(" ")}|${next}|${state.clock.changesLeft}`;
}
