import type { PolyGuardEnv } from "../env.ts";
import { isGoodChoice } from "../reward/score.ts";
import { offeredAction } from "./offered-action.ts";

/** Harm over KEEP from which on an action is net-harmful, in U: the limit of the reward's own gate. */
const NET_HARM = 0.002;

/** What the reward says of one state. */
export interface RewardChoice {
  /** U of the best legal candidate less U of the one with the highest reward. */
  readonly regret: number;
  /** Legal candidates that are worse than KEEP by more than the gate's limit and yet are paid more. */
  readonly harmfulAboveKeep: number;
  /** Something is to be asked first, or no decision gains anything: the reward pays for waiting too. */
  readonly needsAbstention: boolean;
}

/**
 * Tries every candidate of the state that the environment is in, each in perfect form with the best confidence, and takes it
 * back. The environment is left as it was. Throws RESET_NEEDED before the first reset.
 */
export function judgeReward(env: PolyGuardEnv): RewardChoice {
  const before = env.snapshot();
  const state = env.latentState()!;
  const { assessment } = state;
  const rewards = assessment.candidates.map(({ candidate, isLegal, utility }) => {
    const confidence = isGoodChoice(assessment, isLegal, utility) ? 1 : 0;
    const { reward } = env.step(offeredAction(state, candidate, { rationale: "as planned", confidence }));
    env.restore(before);
    return reward;
  });
  const keepAt = assessment.candidates.findIndex(({ candidate }) => candidate.payload.type === "KEEP_REGIMEN");
  const keepReward = rewards[keepAt] ?? 0;
  let top = 0;
  for (const [i, reward] of rewards.entries()) if (reward > rewards[top]!) top = i;
  const harmful = assessment.candidates.filter(
    ({ isLegal, utility }, i) =>
      isLegal && utility < assessment.keep.utility - NET_HARM && rewards[i]! > keepReward + 1e-9,
  );
  return {
    regret: assessment.best - assessment.candidates[top]!.utility,
    harmfulAboveKeep: harmful.length,
    needsAbstention: assessment.needsAbstention,
  };
}
