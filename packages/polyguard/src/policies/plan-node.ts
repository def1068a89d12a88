import type { ActionPayload } from "../actions/types.ts";
import type { ActionOutcome } from "../course/apply.ts";
import type { WorldState } from "../world/types.ts";
import type { PlanningModel } from "./planning-model.ts";

/** Nothing is changed until the next visit. */
export const KEEP: ActionPayload = { type: "KEEP_REGIMEN" };

/** A course that was planned up to a state at the opening of a step. */
export interface PlanNode {
  readonly state: WorldState;
  /** Share of -J of the days gone by since the root. */
  readonly loss: number;
  /** Actions since the root. */
  readonly plan: readonly ActionPayload[];
  /** -(loss + remaining loss): J from the root on when nothing more is done. */
  readonly value: number;
}

/** An action at a node with J when nothing follows it. */
export interface JudgedAction {
  readonly payload: ActionPayload;
  readonly after: WorldState;
  readonly outcome: ActionOutcome;
  readonly value: number;
}

/** J of an action when nothing follows it; null for one without effect. */
export function judge(model: PlanningModel, node: PlanNode, payload: ActionPayload): JudgedAction | null {
  const { state: after, outcome } = model.apply(node.state, payload);
  if (outcome.isNoEffect) return null;
  return { payload, after, outcome, value: -(node.loss + model.remainingLoss(after)) };
}

/** Waiting for a visit at a node. */
export function judgeKeep(model: PlanningModel, node: PlanNode): JudgedAction {
  const outcome = { isNoEffect: false, closesVisit: true, days: model.context.scenario.stepDays, usedChange: false };
  // Worked out anew: the midpoints of the rest of the year move with the visit, and a running plan is seen more finely.
  return { payload: KEEP, after: node.state, outcome, value: -(node.loss + model.remainingLoss(node.state)) };
}

/** The node after an action and the days of its step; its value is that of the action. */
export function follow(model: PlanningModel, node: PlanNode, choice: JudgedAction): PlanNode {
  const { state, loss } = model.pass(choice.after, choice.outcome);
  return { state, loss: node.loss + loss, plan: [...node.plan, choice.payload], value: choice.value };
}
