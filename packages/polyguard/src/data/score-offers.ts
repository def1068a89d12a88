import { alignAction } from "../actions/align.ts";
import { verifyAction } from "../actions/legality.ts";
import { typedVerdict } from "../actions/parse.ts";
import type { WireAction } from "../actions/schema.ts";
import type { EpisodeState } from "../episode.ts";
import { judgeAction } from "../judge-action.ts";
import type { Observation } from "../observation/schema.ts";
import type { Components } from "../reward/settings.ts";
import { DEFAULT_WEIGHTS } from "../reward/settings.ts";
import { compileWeights } from "../reward/total.ts";

/** Confidence that every scored offer states, so that rewards differ by the choice alone (assumption: four in five). */
const STATED_CONFIDENCE = 0.8;
/** Most ids an action may cite. */
const MOST_CITATIONS = 32;
/** Reward of malformed output and of what the exploit rules end. */
export const MALFORMED_REWARD = 0.001;

const WEIGHTS = compileWeights(DEFAULT_WEIGHTS);

/** What the verifier says of an action. */
export interface ScoredAction {
  readonly action: WireAction;
  readonly text: string;
  readonly reward: number;
  readonly isLegal: boolean;
  /** Hard rules broken, with the reason in words. */
  readonly violations: readonly { readonly id: string; readonly text: string }[];
  /** Soft checks that spoke, by id. */
  readonly checks: readonly string[];
  readonly components: Components;
  /** Utility of the course after it; KEEP's for what changes no therapy. */
  readonly utility: number;
}

/** The typed action of an offer, with the facts that the verifier rests its verdict on. */
function writeAction(
  state: EpisodeState,
  observation: Observation,
  candidate: Observation["candidates"][number],
): WireAction {
  const { text, orders, ...fields } = candidate;
  const action: WireAction = {
    schema_version: "1.0",
    step_nonce: observation.step_nonce,
    ...fields,
    ...(orders === undefined ? {} : { orders: [...orders] }),
    rationale: `${text}.`,
    evidence_ids: [],
    confidence: STATED_CONFIDENCE,
  };
  const { facts } = verifyAction(state.legality, typedVerdict(action), alignAction(action, state.offered));
  return { ...action, evidence_ids: facts.slice(0, MOST_CITATIONS) };
}

/** Scores one written action as the environment's step would, without carrying it out. */
export function scoreAction(state: EpisodeState, action: WireAction, text: string): ScoredAction {
  const { judged } = judgeAction(state, typedVerdict(action), WEIGHTS);
  const { verdict, flags, score } = judged;
  return {
    action,
    text,
    reward: flags.some(({ level }) => level === "hard") ? MALFORMED_REWARD : score.reward,
    isLegal: verdict.legal,
    violations: verdict.hard.map((hit) => ({ id: hit.id, text: hit.text })),
    checks: verdict.soft.map(({ id }) => id),
    components: score.components,
    utility: score.value.utility,
  };
}

/** Scores of all offers of a state in their order, each written with its text as reason and full citations. */
export function scoreOffers(state: EpisodeState, observation: Observation): readonly ScoredAction[] {
  return observation.candidates.map((candidate) =>
    scoreAction(state, writeAction(state, observation, candidate), candidate.text),
  );
}
