import type { RngStreams } from "@praxis/env";
import { generalOffers } from "../actions/candidates.ts";
import type { ActionPayload } from "../actions/types.ts";
import { applyAction } from "../course/apply.ts";
import { passDays } from "../course/j.ts";
import { closeVisit } from "../course/visit.ts";
import { learn } from "../observation/learn.ts";
import { drawSamples } from "../observation/measure.ts";
import { hearPatient } from "../observation/symptoms.ts";
import { TIERS } from "../scenario/tiers.ts";
import type { Decision, Effect, Passed, SubEnvironment } from "./sub-environment.ts";

const NO_CODES: ReadonlySet<string> = new Set();
const NOTHING: readonly never[] = [];
const NO_BLOCKS = {};

/** Carries an action out on the true regimen and learns from it; own state stays as it is. */
export function applyOnCourse<Special>(at: Decision<unknown, Special>, payload: ActionPayload): Effect<Special> {
  return { applied: applyAction(at.context, at.world, payload), memory: learn(at, payload), special: at.special };
}

/** Lets time pass: a closed visit with its events, or the days of an information action; samples are drawn. */
export function passOnCourse<Special>(
  { context, evaluator }: Decision<unknown, Special>,
  payload: ActionPayload,
  { applied, memory, special }: Effect<Special>,
  streams: RngStreams,
): Passed<Special> {
  const noise = streams.stream("noise");
  if (!applied.outcome.closesVisit) {
    const passed = passDays(context, applied.state, applied.outcome.days);
    const codes = payload.type === "ORDER_MONITORING" ? new Set(payload.orders) : NO_CODES;
    const drawn = drawSamples(context, passed.state, memory, codes, noise);
    return { world: drawn.state, memory: drawn.memory, special, segments: [passed.segment], hasSevereEvent: false };
  }
  const closed = closeVisit(context, evaluator, applied.state);
  const codes = new Set(closed.state.orders.filter((order) => order.endDay === null).map((order) => order.code));
  const drawn = drawSamples(context, closed.state, memory, codes, noise);
  return {
    world: drawn.state,
    memory: hearPatient(context.kb, drawn.state, drawn.memory, noise),
    special,
    segments: closed.segments,
    hasSevereEvent: closed.hasSevereEvent,
  };
}

/**
 * Hooks of the medication course: general candidates, actions on the true regimen, visits with events, information that
 * takes a day, no rules, components or blocks of its own. Needs only what is each sub-environment's own.
 */
export const COURSE_HOOKS = {
  isFixedLength: false,
  maxSteps: TIERS.hard.steps,
  stepCost: 0.05,
  cacheSize: 512,
  rules: NOTHING,
  begin: () => null,
  know: () => null,
  offers: (at) => generalOffers(at.legality),
  apply: applyOnCourse,
  pass: passOnCourse,
  components: () => NO_BLOCKS,
  injected: () => NOTHING,
  isOver: () => false,
  observe: () => NO_BLOCKS,
} as const satisfies Omit<SubEnvironment<unknown, unknown>, "id" | "draw" | "criteria" | "taskScore" | "bestJUse">;
