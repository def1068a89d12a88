import { type CriticalField, criticalFields } from "../actions/critical-fields.ts";
import { isLegalPayload } from "../actions/legality.ts";
import type { LegalityContext } from "../actions/legality-context.ts";
import { type ActionPayload, type ActionType, isInformationAction, type OfferedCandidate } from "../actions/types.ts";
import type { CourseContext } from "../course/context.ts";
import type { CourseEvaluator, CourseValue } from "../course/evaluator.ts";
import type { KnownAlert } from "../observation/types.ts";
import type { WorldState } from "../world/types.ts";

/** Utility that an ADD or SUBSTITUTE costs when it answers nothing visible. */
const CHANGE_COST = 0.004;

/** Utility that is as good as the best one, for KEEP and FINISH in c9. */
const NEAR_BEST = 0.001;

/** Utilities within this are equal: an action that changes nothing is no reason to act. */
const TIE = 1e-9;

/** What one offered candidate is worth on the true state, and whether it is legal as known. */
export interface AssessedCandidate {
  readonly candidate: OfferedCandidate;
  /** Course value without the change cost; KEEP's for what changes no therapy or, being illegal, is not carried out. */
  readonly value: CourseValue;
  readonly changeCost: number;
  /** U less the change cost. */
  readonly utility: number;
  readonly isLegal: boolean;
}

/** A state judged once: values of all candidates, what is known to be open, and whether to abstain. */
export interface StateAssessment {
  readonly keep: CourseValue;
  readonly candidates: readonly AssessedCandidate[];
  /** Utilities over the legal candidates, KEEP included. */
  readonly best: number;
  readonly second: number;
  readonly worstLegal: number;
  readonly fields: readonly CriticalField[];
  /** N: a critical field is missing, a conflict is open, or no legal decision is better than KEEP. */
  readonly needsAbstention: boolean;
  /** An unmanaged major or contraindicated alert is shown and nothing that runs addresses it. */
  readonly isDangerVisible: boolean;
  readonly isKeepNearBest: boolean;
}

/** True for actions that decide nothing: REVIEW, KEEP, FINISH, HOLD and information. */
export function isAbstaining(type: ActionType): boolean {
  return type === "KEEP_REGIMEN" || type === "FINISH" || type === "HOLD_DOSE" || isInformationAction(type);
}

/** Cost of a change that addresses no visible hit, omission, symptom or target. */
export function changeCostOf(payload: ActionPayload, addresses: readonly string[]): number {
  const isAddition = payload.type === "ADD_DRUG" || payload.type === "SUBSTITUTE_DRUG";
  return isAddition && addresses.length === 0 ? CHANGE_COST : 0;
}

/** Judges a state and its candidates. Values come from the shared evaluator, which is begun with `world`. */
export function assessState(
  course: CourseContext,
  evaluator: CourseEvaluator,
  world: WorldState,
  legality: LegalityContext,
  offered: readonly OfferedCandidate[],
): StateAssessment {
  const { known } = legality;
  evaluator.begin(course, world);
  const keep = evaluator.value(null);
  let best = keep.utility;
  let second = Number.NEGATIVE_INFINITY;
  let worstLegal = keep.utility;
  let isDecisionWorthwhile = false;
  const candidates = offered.map((candidate): AssessedCandidate => {
    const { payload, addresses } = candidate;
    const isPassive = payload.type === "KEEP_REGIMEN" || payload.type === "FINISH" || isInformationAction(payload.type);
    const isLegal = isLegalPayload(legality, payload);
    const value = isPassive || !isLegal ? keep : evaluator.value(payload);
    const changeCost = changeCostOf(payload, addresses);
    const utility = value.utility - changeCost;
    if (isLegal && !isPassive) {
      worstLegal = Math.min(worstLegal, utility);
      if (utility > best) {
        second = best;
        best = utility;
      } else second = Math.max(second, utility);
      isDecisionWorthwhile ||= !isAbstaining(payload.type) && utility > keep.utility + TIE;
    }
    return { candidate, value, changeCost, utility, isLegal };
  });
  const fields = criticalFields(
    legality,
    offered.map(({ payload }) => payload),
  );
  const needsAbstention =
    !isDecisionWorthwhile || fields.some(({ isMissing }) => isMissing) || known.conflicts.some(({ isOpen }) => isOpen);
  return {
    keep,
    candidates,
    best,
    second,
    worstLegal,
    fields,
    needsAbstention,
    isDangerVisible: isDangerVisible(legality),
    isKeepNearBest: keep.utility >= best - NEAR_BEST,
  };
}

/** An unmanaged major or contraindicated alert that no running taper, switch, cross-over or ending course addresses. */
export function isDangerVisible(legality: LegalityContext): boolean {
  return legality.known.alerts.some(
    (alert) => alert.severity !== "moderate" && !alert.isManaged && !isBeingAddressed(legality, alert),
  );
}

function isBeingAddressed({ listed, byRef, known }: LegalityContext, alert: KnownAlert): boolean {
  // One dependence taper at a time: the task's other drugs wait for their turn.
  const isTargetUnderWay = listed.some(
    ({ medRef, taper }) => taper !== null && !taper.isPaused && known.targets.includes(medRef),
  );
  return alert.medRefs.some((medRef) => {
    if (isTargetUnderWay && known.targets.includes(medRef)) return true;
    const medication = byRef.get(medRef);
    if (medication === undefined) return false;
    const isLeaving = (medication.taper !== null && !medication.taper.isPaused) || medication.endDay !== null;
    return (
      isLeaving ||
      medication.status === "held" ||
      listed.some((other) => other.crossOverFromDrugIndex === medication.drugIndex)
    );
  });
}
