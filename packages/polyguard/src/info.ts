import { drugAt } from "./kb/lookup.ts";
import type { KnowledgeBase } from "./kb/types.ts";
import type { WorldState } from "./world/types.ts";

/** What a step changed on the list, for `info`: only what the observation shows as well. */
export interface TransitionDelta {
  readonly days: number;
  readonly started: readonly string[];
  readonly stopped: readonly string[];
  readonly dose_changes: readonly { readonly drug_id: string; readonly from: number; readonly to: number }[];
  readonly orders: readonly string[];
  readonly events: readonly string[];
}

/** Difference of two worlds as the agent can see it. */
export function describeDelta(kb: KnowledgeBase, before: WorldState, after: WorldState): TransitionDelta {
  const started: string[] = [];
  const stopped: string[] = [];
  const doseChanges: { drug_id: string; from: number; to: number }[] = [];
  if (after.medications !== before.medications) {
    for (const medication of after.medications) {
      if (!medication.isListed) continue;
      const old = before.medications.find((each) => each.medRef === medication.medRef);
      if (old === undefined) started.push(medication.drugId);
      else if (old.dosePerDay !== medication.dosePerDay)
        doseChanges.push({ drug_id: medication.drugId, from: old.dosePerDay, to: medication.dosePerDay });
    }
    for (const medication of before.medications)
      if (medication.isListed && !after.medications.some((each) => each.medRef === medication.medRef))
        stopped.push(medication.drugId);
  }
  return {
    days: after.clock.day - before.clock.day,
    started,
    stopped,
    dose_changes: doseChanges,
    orders: after.orders.slice(before.orders.length).map((order) => order.code),
    events: after.events
      .slice(before.events.length)
      .map((event) =>
        event.stoppedDrugIndex === null
          ? `${event.kind}:${event.domain ?? ""}`
          : `${event.kind}:${event.domain ?? ""}:${drugAt(kb, event.stoppedDrugIndex).drugId}`,
      ),
  };
}
