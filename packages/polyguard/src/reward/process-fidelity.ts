import { allergyBearing } from "../actions/allergies.ts";
import type { ActionEffect } from "../actions/effect.ts";
import { isIncrease } from "../actions/effect.ts";
import type { LegalityContext } from "../actions/legality-context.ts";
import { hasRecentLevel } from "../actions/start-rules.ts";
import { needsTaper } from "../actions/target-rules.ts";
import type { Drug } from "../kb/types.ts";
import { measurementsOfOrder } from "../observation/measurements.ts";
import { isAbstaining, type StateAssessment } from "./assessment.ts";

/** One rule of good process: passed, failed, or not the matter of this step (null). */
type ProcessCheck = (context: LegalityContext, effect: ActionEffect, assessment: StateAssessment) => boolean | null;

/** Monitoring items that a start has to be followed by. */
const WATCHED_ITEMS = ["K", "NA", "QTC", "INR"];
/** Steps after which a change of a watched drug wants a value. */
const RECHECK_STEPS = 2;

/** Unreconciled items are reconciled before they are acted on. */
const reconcileFirst: ProcessCheck = (_context, { target, payload }) => {
  if (payload.type === "RECONCILE_ITEM") return true;
  return target !== null && target.status === "unreconciled" && !isAbstaining(payload.type) ? false : null;
};

/** A level comes before a narrow_ti increase. */
const levelFirst: ProcessCheck = (context, effect) => {
  const drug = isIncrease(effect) ? context.kb.drugs[effect.target!.drugIndex]! : null;
  return drug?.isNarrowTi === true ? hasRecentLevel(context, drug) : null;
};

/** Monitoring is ordered with, or one step after, a start or doubling of an interacting or K, Na, QT drug. */
const monitoringOrdered: ProcessCheck = (context, effect) => {
  const { started, target, adjustedTo, payload } = effect;
  const ordered = new Set(context.orders);
  if ("orders" in payload) for (const code of payload.orders) ordered.add(code);
  const isDoubled = target !== null && adjustedTo !== null && adjustedTo >= 2 * target.dosePerDay;
  const now = started?.drugIndex ?? (isDoubled ? target.drugIndex : undefined);
  if (now !== undefined) {
    const drug = context.kb.drugs[now]!;
    // Without the order in the same step the next one still decides.
    return isWatched(context, drug) && drug.monitoring.every((code) => ordered.has(code)) ? true : null;
  }
  const { known } = context;
  const last = known.changes[known.changes.length - 1];
  if (last === undefined || last.step !== known.clock.step - 1 || !isStart(last.actionType)) return null;
  const open = last.drugIndexes
    .map((drugIndex) => context.kb.drugs[drugIndex]!)
    .filter((drug) => context.listedDrugs.has(drug.index) && isWatched(context, drug))
    .flatMap(({ monitoring }) => monitoring);
  return open.length === 0 ? null : open.every((code) => ordered.has(code));
};

/** A drug that needs a taper is tapered. */
const taperUsed: ProcessCheck = (context, { target, payload, leaves, adjustedTo }) => {
  if (target === null || !needsTaper(context, target)) return null;
  if (payload.type === "START_TAPER") return true;
  const isCut = leaves === "stop" || leaves === "hold" || (adjustedTo !== null && adjustedTo < 0.5 * target.dosePerDay);
  return isCut ? false : null;
};

/** Two steps after a change of a watched drug its value has been taken, or is ordered now. */
const recheck: ProcessCheck = (context, { payload }) => {
  const { known } = context;
  const due = known.changes.find(({ step }) => step === known.clock.step - RECHECK_STEPS);
  if (due === undefined) return null;
  const items = due.drugIndexes
    .filter((drugIndex) => context.listedDrugs.has(drugIndex))
    .flatMap((drugIndex) => context.kb.drugs[drugIndex]!.monitoring.filter((code) => WATCHED_ITEMS.includes(code)));
  if (items.length === 0) return null;
  return items.every(
    (item) => isTaken(context, item, due.day) || (payload.type === "ORDER_MONITORING" && payload.orders.includes(item)),
  );
};

/** Something was done about a missing critical field before a decision that hangs on it. */
const evidenceFirst: ProcessCheck = (context, effect, { fields }) => {
  if (isAbstaining(effect.payload.type)) return null;
  if (!fields.some(({ name, isMissing }) => isMissing && hangsOn(context, effect, name))) return null;
  return context.known.history.some(
    ({ actionType }) =>
      actionType === "FETCH_EXTERNAL_EVIDENCE" || actionType === "ORDER_MONITORING" || actionType === "RECONCILE_ITEM",
  );
};

/** True when the action starts, doses or ends a drug that the field is about. */
function hangsOn(context: LegalityContext, effect: ActionEffect, field: string): boolean {
  const { target, started, adjustedTo, leaves, payload } = effect;
  const [kind, ref] = field.split(":");
  const isEnded = leaves === "stop" || payload.type === "START_TAPER";
  // A value says whether a drug may be started or dosed; taking it away does not wait for one.
  const dosed = started?.drugIndex ?? (adjustedTo === null ? undefined : target?.drugIndex);
  switch (kind) {
    case "indication":
    case "start":
      return isEnded && ref === target?.medRef;
    case "allergy": {
      const allergy = context.known.allergies.find(({ id }) => id === ref);
      return (
        started !== null &&
        allergy !== undefined &&
        allergyBearing(context.kb, allergy, context.kb.drugs[started.drugIndex]!) !== null
      );
    }
    case "CREAT":
    case "weight":
      return dosed !== undefined && context.traits[dosed]!.hasRenalClause;
    default:
      return dosed !== undefined && context.kb.drugs[dosed]!.monitoring.includes(field);
  }
}

/** The stomach is protected when RG7 applies. */
const protectionAdded: ProcessCheck = (context, { payload, target, leaves }) => {
  const hit = context.known.regimenHits.find(({ ruleId }) => ruleId === "RG7");
  if (hit === undefined) return null;
  if (payload.type === "ADD_PROTECTION" && payload.protection === "PPI") return true;
  return target !== null && leaves !== null && hit.drugIndexes.includes(target.drugIndex);
};

const CHECKS: readonly ProcessCheck[] = [
  reconcileFirst,
  levelFirst,
  monitoringOrdered,
  taperUsed,
  recheck,
  evidenceFirst,
  protectionAdded,
];

/** c10: share of the applicable process rules that the step keeps; 1 when none applies. */
export function processFidelity(context: LegalityContext, effect: ActionEffect, assessment: StateAssessment): number {
  let applicable = 0;
  let passed = 0;
  for (const check of CHECKS) {
    const result = check(context, effect, assessment);
    if (result === null) continue;
    applicable++;
    if (result) passed++;
  }
  return applicable === 0 ? 1 : passed / applicable;
}

function isWatched(context: LegalityContext, drug: Drug): boolean {
  if (drug.monitoring.some((code) => WATCHED_ITEMS.includes(code))) return true;
  return (
    context.known.pairHits.some(({ aIndex, bIndex }) => aIndex === drug.index || bIndex === drug.index) &&
    drug.monitoring.length > 0
  );
}

function isStart(actionType: string): boolean {
  return actionType === "ADD_DRUG" || actionType === "SUBSTITUTE_DRUG" || actionType === "ADD_PROTECTION";
}

function isTaken({ known }: LegalityContext, item: string, since: number): boolean {
  const codes = measurementsOfOrder(item).map(({ code }) => code);
  return known.samples.some(({ code, day }) => day > since && (code === item || codes.includes(code)));
}
