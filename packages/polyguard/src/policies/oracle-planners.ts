import type { ActionPayload } from "../actions/types.ts";
import { segmentLoss } from "../course/j.ts";
import type { WorldState } from "../world/types.ts";
import { DEFAULT_SEARCH, type SearchOptions, searchPlan } from "./beam-search.ts";
import { KEEP } from "./plan-node.ts";
import type { PlanningModel } from "./planning-model.ts";
import { regimenKey } from "./regimen-key.ts";

/** Worth of a state that an action has led to, larger is better. */
export type StateScore = (model: PlanningModel, after: WorldState) => number;

/** Mean U over the coming interval. */
export const intervalScore: StateScore = (model, after) => {
  const { day } = after.clock;
  const toDay = day + model.context.scenario.stepDays;
  return -segmentLoss(model.context, model.evaluator, { state: after, fromDay: day, toDay });
};

/** U of the regimen once it has settled. */
export const settledScore: StateScore = (model, after) => model.evaluator.settled(model.context, after).utility;

/** J when nothing is changed afterwards. */
export const yearScore: StateScore = (model, after) => -model.remainingLoss(after);

/** Least gain that makes a one-step oracle act instead of waiting. */
const NO_GAIN = 1e-9;

/** One step ahead: the action of best score among the given ones; null when none beats KEEP. Ties: the first. */
function chooseByScore(
  model: PlanningModel,
  state: WorldState,
  payloads: readonly ActionPayload[],
  score: StateScore,
): ActionPayload | null {
  let best: ActionPayload | null = null;
  let bestScore = score(model, state) + NO_GAIN;
  const hasSpareStep = state.clock.stepsLeft > state.clock.visitsLeft;
  for (const payload of payloads) {
    if (payload.type === "ORDER_MONITORING" && !hasSpareStep) continue;
    const { state: after, outcome } = model.apply(state, payload);
    if (outcome.isNoEffect) continue;
    const value = score(model, after);
    if (value > bestScore) {
      best = payload;
      bestScore = value;
    }
  }
  return best;
}

/** Chooses the next action from the latent state; remembers its plan from step to step of one episode. */
export interface OraclePlanner {
  /** @param offered actions that may be taken now, where they are fewer than the model's own; null = those of the model */
  plan(model: PlanningModel, state: WorldState, offered: readonly ActionPayload[] | null): ActionPayload;
}

/** One step ahead at every step. */
export function makeOneStepPlanner(score: StateScore): OraclePlanner {
  return {
    plan: (model, state, offered) => {
      const payloads = offered ?? model.offers(state).map(({ payload }) => payload);
      return chooseByScore(model, state, payloads, score) ?? KEEP;
    },
  };
}

/** Plans over all visits that are left, and again whenever the state is not the one the plan expected. */
export function makeLookaheadPlanner(options: SearchOptions = DEFAULT_SEARCH): OraclePlanner {
  let expected: string | null = null;
  let rest: readonly ActionPayload[] = [];
  return {
    plan: (model, state, offered) => {
      if (offered !== null || expected !== situation(state)) rest = searchPlan(model, state, options, offered).plan;
      const [next = KEEP, ...later] = rest;
      rest = later;
      expected = situation(expectedAfter(model, state, next));
      return next;
    },
  };
}

/** What has to be as expected for a plan to go on: the day, the regimen and what happened. */
function situation(state: WorldState): string {
  return `${state.clock.day}|${state.events.length}|${regimenKey(state)}`;
}

function expectedAfter(model: PlanningModel, state: WorldState, payload: ActionPayload): WorldState {
  const { state: after, outcome } = model.apply(state, payload);
  return model.pass(after, outcome).state;
}
