import { verifyPayload } from "../src/actions/legality.ts";
import { applyAction } from "../src/course/apply.ts";
import { isGoodChoice, type ScoredState, type StepScore, scoreStep } from "../src/reward/score.ts";

/**
 * Scores of all candidates of a state in offered order, each taken in perfect form with the best confidence and a full
 * explanation, so that only what is chosen differs.
 */
export function scoreCandidates(state: ScoredState): readonly StepScore[] {
  return state.assessment.candidates.map(({ candidate, changeCost, utility }) => {
    const { payload } = candidate;
    const { hard, soft } = verifyPayload(state.legality, payload);
    const legal = hard.length === 0;
    return scoreStep(state, {
      payload,
      verdict: { legal, hard, soft },
      isUnparsable: false,
      formatScore: 1,
      alignmentScore: 1,
      groundingScore: 1,
      confidence: isGoodChoice(state.assessment, legal, utility) ? 1 : 0,
      isNoEffect: applyAction(state.course, state.world, payload).outcome.isNoEffect,
      changeCost,
      flags: [],
    });
  });
}
