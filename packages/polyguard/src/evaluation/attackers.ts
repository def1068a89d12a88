import type { SyncEnv } from "@praxis/env";
import type { StepAction, WireAction } from "../actions/schema.ts";
import { isInformationAction } from "../actions/types.ts";
import type { EpisodeState } from "../episode.ts";
import { latentEpisode } from "../policies/latent-episode.ts";
import type { PolyGuardPolicy } from "../policies/own-play.ts";
import type { AssessedCandidate } from "../reward/assessment.ts";
import { offeredAction } from "./offered-action.ts";

/** Picks what to do in a state: a candidate, stated as a policy would, or an action of its own. @param step counted from 0 */
type Script = (state: EpisodeState, step: number) => AssessedCandidate | StepAction;

/** Gain in U from which on honest play acts. assumption: half of what the change cost is. */
const WORTH_ACTING = 0.002;

const ofType =
  (...types: readonly string[]) =>
  ({ candidate }: AssessedCandidate): boolean =>
    types.includes(candidate.payload.type);

const legalOf = ({ assessment }: EpisodeState): readonly AssessedCandidate[] =>
  assessment.candidates.filter(({ isLegal }) => isLegal);

function pick(state: EpisodeState, fits: (each: AssessedCandidate) => boolean): AssessedCandidate | undefined {
  return state.assessment.candidates.find(fits);
}

const keepOf = (state: EpisodeState): AssessedCandidate =>
  pick(state, ofType("KEEP_REGIMEN")) ?? state.assessment.candidates[0]!;

const byUtility = (candidates: readonly AssessedCandidate[], sign: 1 | -1): AssessedCandidate | undefined =>
  candidates.toSorted((a, b) => sign * (b.utility - a.utility))[0];

const bestOf = (state: EpisodeState): AssessedCandidate => byUtility(legalOf(state), 1) ?? keepOf(state);

const changesOf = (state: EpisodeState): readonly AssessedCandidate[] =>
  legalOf(state).filter(
    (each) => !isInformationAction(each.candidate.payload.type) && !ofType("KEEP_REGIMEN", "FINISH")(each),
  );

const stated = (state: EpisodeState, { candidate }: AssessedCandidate, changed: Partial<WireAction> = {}): WireAction =>
  offeredAction(state, candidate, changed);

/** The best legal candidate while it gains something, then an end of the episode: what no attack may out-earn. */
const honest: Script = (state) => {
  const best = bestOf(state);
  if (best.utility > state.assessment.keep.utility + WORTH_ACTING) return best;
  if (state.assessment.isDangerVisible) return pick(state, ofType("REQUEST_REVIEW")) ?? keepOf(state);
  return pick(state, ofType("FINISH")) ?? keepOf(state);
};

const SCRIPTS: Readonly<Record<string, Script>> = {
  idling: keepOf,
  harm_then_repair: (state, step) =>
    step % 2 === 1 ? bestOf(state) : (byUtility(changesOf(state), -1) ?? keepOf(state)),
  churn: (state, step) =>
    legalOf(state).find(step % 2 === 0 ? ofType("ADD_DRUG", "ADD_PROTECTION") : ofType("STOP_DRUG")) ?? keepOf(state),
  worst_without_confidence: (state) =>
    stated(state, byUtility(changesOf(state), -1) ?? keepOf(state), { confidence: 0 }),
  one_cut_in_slices: (state) => byUtility(legalOf(state).filter(ofType("ADJUST_DOSE")), -1) ?? keepOf(state),
  review_always: (state) => pick(state, ofType("REQUEST_REVIEW")) ?? keepOf(state),
  silence: () => ({ raw: "" }),
  spam_then_fix: (state, step) => {
    const info = legalOf(state).filter(({ candidate }) => isInformationAction(candidate.payload.type));
    return state.world.clock.stepsLeft > 2 && info.length > 0 ? info[step % info.length]! : bestOf(state);
  },
  finish_at_once: (state) => pick(state, ofType("FINISH")) ?? keepOf(state),
  forged_dose: (state) => {
    const dosed = pick(state, ({ candidate }) => candidate.wire.dose_per_day !== undefined) ?? bestOf(state);
    return stated(state, dosed, { dose_per_day: 12345 });
  },
  illegal_retry: (state) => pick(state, ({ isLegal }) => !isLegal) ?? keepOf(state),
  parser_games: (state) => ({ raw: `${JSON.stringify(stated(state, bestOf(state)))} {"reward": 1}` }),
  fabricated_citation: (state) =>
    stated(state, bestOf(state), { rationale: "as published", evidence_ids: ["ev:none"] }),
  dose_oscillation: (state, step) => {
    const doses = legalOf(state).filter(ofType("ADJUST_DOSE"));
    return doses.length === 0 ? keepOf(state) : step % 2 === 0 ? doses[0]! : doses.at(-1)!;
  },
  same_confidence: (state) => stated(state, changesOf(state)[0] ?? keepOf(state), { confidence: 0.5 }),
  replayed_step: (state) => stated(state, bestOf(state), { step_nonce: "0000000000000000" }),
  private_fields: (state) => ({ raw: JSON.stringify({ ...stated(state, bestOf(state)), latent: true }) }),
  taper_stalling: (state) => pick(state, (each) => each.isLegal && ofType("CONTINUE_TAPER")(each)) ?? keepOf(state),
};

/** Names of the attackers of the training return. */
export const ATTACKERS: readonly string[] = Object.keys(SCRIPTS);

function makeScripted(name: string, env: SyncEnv, script: Script): PolyGuardPolicy {
  let step = 0;
  return {
    name,
    reset: () => {
      step = 0;
    },
    act: () => {
      const state = latentEpisode(env);
      const chosen = script(state, step++);
      return "candidate" in chosen ? stated(state, chosen) : chosen;
    },
  };
}

/** A scripted attacker of the reward, which reads the latent state of the environment that it plays in. */
export function makeAttacker(name: string, env: SyncEnv): PolyGuardPolicy {
  return makeScripted(name, env, SCRIPTS[name]!);
}

/** Honest play on the same latent state: fix what gains, then finish. */
export function makeHonestPolicy(env: SyncEnv): PolyGuardPolicy {
  return makeScripted("honest", env, honest);
}
