import type { CriticalField } from "./critical-fields.ts";
import type { LegalityContext } from "./legality-context.ts";
import type { OfferList } from "./offer-list.ts";

/** Most matters of missing data that get an offer of their own. */
const LIMIT = 4;

/** Offers that fill gaps: orders for missing critical values, reconciling of items and discrepancies, one look-up. One group each. */
export function offerForGaps(context: LegalityContext, offers: OfferList, fields: readonly CriticalField[]): void {
  const { known, kb } = context;
  const reconciled = new Set<string>();
  const reconcile = (target: string): void => {
    if (reconciled.has(target)) return;
    reconciled.add(target);
    offers.openGroup();
    offers.add({ type: "RECONCILE_ITEM", target }, "missing", [target]);
  };
  for (const { id } of known.discrepancies.slice(0, 2)) reconcile(id);
  for (const { medRef, status } of known.medications)
    if (status === "unreconciled" && !known.discrepancies.some((each) => each.medRef === medRef)) reconcile(medRef);
  let count = 0;
  for (const { name, isMissing } of fields) {
    if (!isMissing || count === LIMIT) continue;
    count++;
    const colon = name.indexOf(":");
    if (colon >= 0) reconcile(name.slice(colon + 1));
    else {
      offers.openGroup();
      offers.add({ type: "ORDER_MONITORING", medRef: null, orders: [name === "weight" ? "WEIGHT" : name] }, "missing", [
        name,
      ]);
    }
  }
  if (known.clock.evidenceLeft <= 0) return;
  const hit = known.alerts.find(({ isManaged }) => !isManaged) ?? known.alerts[0];
  const drugIndexes = hit?.drugIndexes ?? context.listed.slice(0, 1).map(({ drugIndex }) => drugIndex);
  if (drugIndexes.length === 0) return;
  offers.openGroup();
  const query = drugIndexes.map((drugIndex) => kb.drugs[drugIndex]!.genericName).join(" ");
  offers.add({ type: "FETCH_EXTERNAL_EVIDENCE", query }, "missing", hit === undefined ? [] : [hit.id]);
}
