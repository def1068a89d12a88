import { BURDEN_WEIGHT } from "../engine/harm.ts";
import { copyState } from "../world/copies.ts";
import type { WorldState } from "../world/types.ts";
import { advance } from "./advance.ts";
import { carriedOut } from "./carried-out.ts";
import { COURSE_DAYS, type CourseContext } from "./context.ts";
import type { CourseEvaluator } from "./evaluator.ts";
import { closeVisit, type Segment } from "./visit.ts";
import { withdrawalLoss } from "./withdrawal.ts";

/** Longest stretch that one midpoint stands for while visits go on, days. */
const VISIT_STRETCH_DAYS = 7;
/** Stretches after the last visit, days; then the rest in one. */
const LATER_STRETCHES = [14, 28, 56];

/** Loss of (H + .05 B) over part of the course, in utility times days / 365. */
function lossOver(
  context: CourseContext,
  evaluator: CourseEvaluator,
  segment: Segment,
  stretches: readonly number[],
): number {
  const { state } = segment;
  const end = Math.min(segment.toDay, COURSE_DAYS);
  let from = segment.fromDay;
  let loss = 0;
  for (let i = 0; from < end; i++) {
    const length = Math.min(stretches[i] ?? end - from, end - from);
    const value = evaluator.atDay(context, state, from + length / 2);
    loss += ((value.harm + BURDEN_WEIGHT * value.burden) * length) / COURSE_DAYS;
    from += length;
  }
  if (end > segment.fromDay) {
    const withdrawal = withdrawalLoss(context.kb, context.scenario.patient, state, end);
    loss += withdrawal.ade + withdrawal.dis;
  }
  return loss;
}

/** Equal stretches of at most 7 days that make up `days`. */
function visitStretches(days: number): readonly number[] {
  const n = Math.max(1, Math.ceil(days / VISIT_STRETCH_DAYS));
  return Array.from({ length: n }, () => days / n);
}

/** Share of -J that a stretch of the course that was lived through takes, by midpoints of at most 7 days. */
export function segmentLoss(context: CourseContext, evaluator: CourseEvaluator, segment: Segment): number {
  return lossOver(context, evaluator, segment, visitStretches(segment.toDay - segment.fromDay));
}

/**
 * Share of -J from the state's day to day 365 when nothing is changed any more: plans run, a declared switch and a
 * cross-over are carried out; by midpoints of 14, 28, 56 days and the rest.
 */
export function remainingLoss(context: CourseContext, evaluator: CourseEvaluator, last: WorldState): number {
  // A finished review counts for two steps only, and no step follows.
  const state = carriedOut(context.kb, context.scenario.patient, withoutReviews(last));
  return lossOver(context, evaluator, { state, fromDay: last.clock.day, toDay: COURSE_DAYS }, LATER_STRETCHES);
}

function withoutReviews(state: WorldState): WorldState {
  if (state.reviews.length === 0) return state;
  const next = copyState(state);
  next.reviews = [];
  return next;
}

/**
 * J of a course: -(1/365) times the integral over days 0-365 of (H + .05 B), over the segments that were lived through
 * and then with the last state going on unchanged.
 */
export function computeJ(
  context: CourseContext,
  evaluator: CourseEvaluator,
  segments: readonly Segment[],
  last: WorldState,
): number {
  let loss = 0;
  for (const segment of segments) loss += segmentLoss(context, evaluator, segment);
  return -(loss + remainingLoss(context, evaluator, last));
}

/**
 * J of a course whose last `visitsLeft` visits go by without a decision: declared switches and running plans are carried
 * out, and events are drawn on the scenario's own numbers, so that ending a review early spares the patient nothing.
 */
export function computeFinishedJ(
  context: CourseContext,
  evaluator: CourseEvaluator,
  lived: readonly Segment[],
  last: WorldState,
): number {
  const segments = [...lived];
  let current = last.clock.visitsLeft > 0 ? carriedOut(context.kb, context.scenario.patient, last) : last;
  while (current.clock.visitsLeft > 0) {
    const closed = closeVisit(context, evaluator, current);
    segments.push(...closed.segments);
    current = closed.state;
    if (closed.hasSevereEvent) break;
  }
  return computeJ(context, evaluator, segments, current);
}

/** J when nothing is ever changed from `state` on, on the scenario's own event numbers: the yardstick J_keep. */
export function rollKeepJ(context: CourseContext, evaluator: CourseEvaluator, state: WorldState): number {
  return computeFinishedJ(context, evaluator, [], state);
}

/** The state `days` on with a segment for J; used for information actions, which close no visit. */
export function passDays(
  context: CourseContext,
  state: WorldState,
  days: number,
): { readonly state: WorldState; readonly segment: Segment } {
  const fromDay = state.clock.day;
  return { state: advance(context, state, days), segment: { state, fromDay, toDay: fromDay + days } };
}
