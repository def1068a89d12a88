import { type Alignment, alignAction } from "./actions/align.ts";
import type { ParseVerdict } from "./actions/parse.ts";
import type { ActionPayload } from "./actions/types.ts";
import type { EpisodeState } from "./episode.ts";
import { orderedByDocuments } from "./facing.ts";
import { judgeStep, type StepJudgement } from "./reward/judge-step.ts";
import type { ScoredState } from "./reward/score.ts";
import type { CompiledWeights } from "./reward/total.ts";
import type { Effect } from "./sub-environments/sub-environment.ts";

/** An action judged in a state, before any time passes. */
export interface JudgedAction {
  readonly scored: ScoredState;
  readonly judged: StepJudgement;
  readonly alignment: Alignment | null;
  /** Effect of what is carried out; null = nothing is. */
  readonly effect: Effect | null;
}

/** Verifies and scores an understood or misunderstood action in a state. Pure: nothing is carried out in the state. */
export function judgeAction(state: EpisodeState, parsed: ParseVerdict, weights: CompiledWeights): JudgedAction {
  const { sub } = state;
  const alignment = parsed.action === null ? null : alignAction(parsed.action, state.offered);
  const carriedOut: { payload: ActionPayload | null; effect: Effect | null } = { payload: null, effect: null };
  const scored = scoredState(state, weights, (payload) =>
    payload === carriedOut.payload && carriedOut.effect !== null ? carriedOut.effect : sub.apply(state, payload),
  );
  const judged = judgeStep(scored, {
    parsed,
    alignment,
    ledger: state.ledger,
    shownIds: state.shownIds,
    isWithoutEffect: (payload) => {
      const effect = sub.apply(state, payload);
      carriedOut.payload = payload;
      carriedOut.effect = effect;
      return effect.applied.outcome.isNoEffect && effect.memory === state.memory && effect.special === state.special;
    },
    injected: orderedByDocuments(state),
  });
  return { scored, judged, alignment, effect: carriedOut.effect };
}

function scoredState(
  state: EpisodeState,
  weights: CompiledWeights,
  effectOf: (payload: ActionPayload) => Effect,
): ScoredState {
  return {
    course: state.context,
    evaluator: state.evaluator,
    world: state.world,
    legality: state.legality,
    assessment: state.assessment,
    credit: state.credit,
    weights,
    step: state.world.clock.step,
    maxSteps: state.context.scenario.initial.clock.stepsLeft,
    ownJudgement: (payload) => state.sub.isGoodChoice?.(state, payload) ?? null,
    ownComponents: (payload, confidence) =>
      state.sub.components(state, { payload, confidence, effect: payload === null ? null : effectOf(payload) }),
    informationValue: (payload) => state.sub.informationValue?.(state, payload) ?? null,
  };
}
