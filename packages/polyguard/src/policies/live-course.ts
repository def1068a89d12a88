import type { ActionPayload } from "../actions/types.ts";
import { computeJ } from "../course/j.ts";
import { closeVisit, type Segment } from "../course/visit.ts";
import type { CourseEvent, WorldState } from "../world/types.ts";
import type { OraclePlanner } from "./oracle-planners.ts";
import { closeStep, type PlanningModel, reconcileAll } from "./planning-model.ts";

/** A course that was lived through with the scenario's own event numbers. */
export interface LivedCourse {
  readonly j: number;
  readonly actions: readonly ActionPayload[];
  readonly events: readonly CourseEvent[];
  readonly last: WorldState;
}

/**
 * Lives a course through from the scenario's first state, list reconciled, until no visit or step is left or a severe event
 * ends it. Actions must be legal; one without effect passes the visit.
 */
export function liveCourse(model: PlanningModel, planner: OraclePlanner): LivedCourse {
  const { context, evaluator } = model;
  let state = reconcileAll(context.scenario.initial);
  const segments: Segment[] = [];
  const actions: ActionPayload[] = [];
  while (state.clock.visitsLeft > 0 && state.clock.stepsLeft > 0) {
    const payload = planner.plan(model, state, null);
    actions.push(payload);
    const { state: after, outcome } = model.apply(state, payload);
    if (!outcome.closesVisit) {
      segments.push({ state: after, fromDay: after.clock.day, toDay: after.clock.day + outcome.days });
      state = model.pass(after, outcome).state;
      continue;
    }
    const closed = closeVisit(context, evaluator, after);
    segments.push(...closed.segments);
    // The visit itself is counted by closeVisit.
    state = closeStep(model.drawOrders(closed.state), false);
    if (closed.hasSevereEvent) break;
  }
  return { j: computeJ(context, evaluator, segments, state), actions, events: state.events, last: state };
}
