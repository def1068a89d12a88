import type { StepResult } from "@praxis/env";
import type { WireAction } from "../src/actions/schema.ts";
import type { OfferedCandidate } from "../src/actions/types.ts";
import { CourseEvaluator } from "../src/course/evaluator.ts";
import { makePolyGuardEnv, type PolyGuardEnv } from "../src/env.ts";
import type { EpisodeState } from "../src/episode.ts";
import { loadBundledKnowledgeBase } from "../src/kb/node.ts";
import type { Observation } from "../src/observation/schema.ts";
import type { AssessedCandidate } from "../src/reward/assessment.ts";
import type { ScoredState } from "../src/reward/score.ts";
import { DEFAULT_WEIGHTS } from "../src/reward/settings.ts";
import { compileWeights } from "../src/reward/total.ts";
import { ScenarioSource } from "../src/scenario/source.ts";
import { TIERS } from "../src/scenario/tiers.ts";
import type { Difficulty } from "../src/scenario/types.ts";

export const kb = loadBundledKnowledgeBase();
export const evaluator = new CourseEvaluator(kb);
export const weights = compileWeights(DEFAULT_WEIGHTS);
const source = new ScenarioSource(kb, evaluator);

export function makeEnv(): PolyGuardEnv {
  return makePolyGuardEnv({ kb, evaluator, source, weights, bestJ: () => null });
}

export function resetTo(env: PolyGuardEnv, seed: number, difficulty: Difficulty): EpisodeState {
  env.reset({ seed, options: { difficulty } });
  return env.latentState()!;
}

/** The state as the reward sees it. */
export function scoredOf(state: EpisodeState): ScoredState {
  return {
    course: state.context,
    evaluator,
    world: state.world,
    legality: state.legality,
    assessment: state.assessment,
    credit: state.credit,
    weights,
    step: state.world.clock.step,
    maxSteps: TIERS[state.context.scenario.difficulty].steps,
  };
}

export function actionFor(
  state: EpisodeState,
  candidate: OfferedCandidate,
  more: Partial<WireAction> = {},
): WireAction {
  const { text: _text, orders, ...fields } = candidate.wire;
  return {
    schema_version: "1.0",
    step_nonce: state.nonce,
    rationale: "",
    evidence_ids: [],
    confidence: 0.5,
    ...fields,
    ...(orders === undefined ? {} : { orders: [...orders] }),
    ...more,
  };
}

export const isType =
  (...types: readonly string[]) =>
  (each: AssessedCandidate): boolean =>
    types.includes(each.candidate.payload.type);

export function findCandidate(
  state: EpisodeState,
  fits: (each: AssessedCandidate) => boolean,
): AssessedCandidate | undefined {
  return state.assessment.candidates.find(fits);
}

/** Legal candidate of highest utility; KEEP wins ties. */
export function bestLegal(state: EpisodeState): AssessedCandidate {
  let best = findCandidate(state, isType("KEEP_REGIMEN"))!;
  for (const each of state.assessment.candidates) if (each.isLegal && each.utility > best.utility + 1e-9) best = each;
  return best;
}

/** What a scripted player wants in a state: a candidate, or an action of its own. */
export type Script = (state: EpisodeState, step: number) => AssessedCandidate | WireAction | { readonly raw: string };

export interface Played {
  readonly rewards: readonly number[];
  readonly trainingReturn: number;
  readonly reason: string;
  readonly flags: readonly { readonly id: string; readonly level: string }[];
}

/** Plays one episode by a script, with confidence .5 and a short reason. */
export function play(env: PolyGuardEnv, seed: number, difficulty: Difficulty, script: Script): Played {
  let state = resetTo(env, seed, difficulty);
  const rewards: number[] = [];
  const flags: { id: string; level: string }[] = [];
  for (let step = 0; ; step++) {
    const choice = script(state, step);
    const action = "candidate" in choice ? actionFor(state, choice.candidate, { rationale: "as planned" }) : choice;
    const result: StepResult<Observation> = env.step(action);
    rewards.push(result.reward);
    flags.push(...(result.info.flags as { id: string; level: string }[]));
    state = env.latentState()!;
    if (result.terminated || result.truncated)
      return {
        rewards,
        trainingReturn: result.info.training_return as number,
        reason: result.info.terminationReason!,
        flags,
      };
  }
}
