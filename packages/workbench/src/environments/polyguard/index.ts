import type { WireObject } from "../../play/branch.ts";
import { number, signed, words } from "../../ui/text.ts";
import type { EnvironmentModule, OfferNote } from "../module.ts";
import { PolyGuardView } from "./view.tsx";
import { Waterfall } from "./waterfall.tsx";

/** How sure a person is taken to be, where nobody says. */
const CONFIDENCE = 0.5;

interface CandidateValue {
  readonly candidate_id: string;
  readonly legal: boolean;
  readonly refusals: readonly string[];
  readonly warnings: readonly string[];
  readonly harm: number;
  readonly disease: number;
  readonly burden: number;
  readonly gain: number;
}

/** Below this a difference of utility is none. */
const NO_GAIN = 5e-4;

function noteOf({ legal, refusals, warnings, harm, disease, burden, gain }: CandidateValue): OfferNote {
  return {
    isLegal: legal,
    reasons: legal ? warnings : refusals,
    figures: [
      {
        name: "gain",
        text: Math.abs(gain) < NO_GAIN ? "±0" : signed(gain, 2),
        tone: gain > NO_GAIN ? "good" : gain < -NO_GAIN ? "bad" : "plain",
      },
      { name: "harm", text: number(harm, 3), tone: "plain" },
      { name: "disease", text: number(disease, 3), tone: "plain" },
      { name: "burden", text: number(burden, 3), tone: "plain" },
    ],
  };
}

/** PolyGuard: one older patient on many drugs. */
export const polyguard: EnvironmentModule = {
  name: "polyguard",
  // So that what is not legal is said before it is sent.
  resetDefaults: { difficulty: "medium", expose_legality: true },
  presets: [
    { name: "Dangerous pair", seed: 7, options: { sub_environment: "DDI" } },
    { name: "Dosing by level", seed: 4, options: { sub_environment: "PRECISION_DOSING" } },
    { name: "Taper", seed: 5, options: { sub_environment: "LONGITUDINAL_DEPRESCRIBING" } },
    { name: "Search by probes", seed: 2, options: { sub_environment: "BANDIT_MINING", difficulty: "easy" } },
  ],
  pairs: [["rule_based", "planner_critic"]],
  firstPolicies: ["planner_critic", "rule_based"],
  toAction(observation, candidate) {
    const { text: _text, ...fields } = candidate;
    return {
      schema_version: "1.0",
      step_nonce: observation.step_nonce,
      ...fields,
      rationale: "Chosen by a person on the page.",
      evidence_ids: [],
      confidence: CONFIDENCE,
    };
  },
  describe(turn, before) {
    const { candidates } = before;
    const { candidate_id: id, action_type: type } = turn.action;
    const found = Array.isArray(candidates)
      ? candidates.find((each: WireObject) => each.candidate_id === id)
      : undefined;
    return found === undefined ? words(String(type ?? "unreadable")) : String((found as WireObject).text);
  },
  async noteOffers(server, { seed, episodeId, options }, actions) {
    const reply = (await server.service("/candidates", {
      seed,
      ...(episodeId === null ? {} : { episode_id: episodeId }),
      options,
      actions,
    })) as { candidates?: unknown };
    if (!Array.isArray(reply.candidates)) return null;
    return new Map(reply.candidates.map((each: CandidateValue) => [each.candidate_id, noteOf(each)]));
  },
  View: PolyGuardView,
  Reward: Waterfall,
};
