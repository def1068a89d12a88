import { isInformationAction } from "../actions/types.ts";
import type { PolyGuardEnv } from "../env.ts";
import type { EpisodeState } from "../episode.ts";
import type { AssessedCandidate } from "../reward/assessment.ts";
import { isGoodChoice } from "../reward/score.ts";
import { offeredAction } from "./offered-action.ts";

/** Loss of U against KEEP from which on an action is net-harmful: the limit of the reward's own gate. */
const NET_HARM = 0.002;

/** What the reward says of one state. */
export interface RewardChoice {
  /** U of the best legal candidate less U of the decision that the reward comes to. */
  readonly regret: number;
  /** Legal candidates that are worse than KEEP by more than the gate's limit and yet are paid more; over all states seen. */
  readonly harmfulAboveKeep: number;
  /** Requests for information that were paid best before a decision was. */
  readonly asked: number;
}

/**
 * Follows the reward from the state that the environment is in: every candidate is tried in perfect form with the best
 * confidence and taken back, and the one that is paid most is done. Information leaves the visit open, so it is asked for
 * and the reward is followed on, until it pays most for a decision: that one has the regret. Asking until the episode ends
 * decides nothing and counts as KEEP. The environment is left as it was. Throws RESET_NEEDED before the first reset.
 */
export function judgeReward(env: PolyGuardEnv): RewardChoice {
  const begun = env.snapshot();
  let asked = 0;
  let harmfulAboveKeep = 0;
  for (;;) {
    const state = env.latentState()!;
    const { assessment } = state;
    const { top, harmful } = tryAll(env, state);
    harmfulAboveKeep += harmful;
    const isDecision = !isInformationAction(top.candidate.payload.type);
    const isOver = isDecision || isEnd(env, state, top);
    if (!isOver) {
      asked++;
      continue;
    }
    env.restore(begun);
    const reached = isDecision ? top.utility : assessment.keep.utility;
    return { regret: assessment.best - reached, harmfulAboveKeep, asked };
  }
}

/** The candidate with the highest reward, and how many harmful ones are paid more than KEEP. */
function tryAll(env: PolyGuardEnv, state: EpisodeState): { readonly top: AssessedCandidate; readonly harmful: number } {
  const { candidates, keep } = state.assessment;
  const before = env.snapshot();
  const rewards = candidates.map((each) => {
    const { reward } = env.step(perfect(state, each));
    env.restore(before);
    return reward;
  });
  const keepReward = rewards[candidates.findIndex(({ candidate }) => candidate.payload.type === "KEEP_REGIMEN")] ?? 0;
  const harmful = candidates.filter(
    ({ isLegal, utility }, i) => isLegal && utility < keep.utility - NET_HARM && rewards[i]! > keepReward + 1e-9,
  );
  let top = 0;
  for (const [i, reward] of rewards.entries()) if (reward > rewards[top]!) top = i;
  return { top: candidates[top]!, harmful: harmful.length };
}

/** Takes the step; true when the episode ends with it. */
function isEnd(env: PolyGuardEnv, state: EpisodeState, chosen: AssessedCandidate): boolean {
  const { terminated, truncated } = env.step(perfect(state, chosen));
  return terminated || truncated;
}

function perfect(state: EpisodeState, { candidate, isLegal, utility }: AssessedCandidate) {
  const confidence = isGoodChoice(state.assessment, isLegal, utility) ? 1 : 0;
  return offeredAction(state, candidate, { rationale: "as planned", confidence });
}
