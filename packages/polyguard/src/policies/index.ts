import { didYouMean, PraxisError, type SyncEnv } from "@praxis/env";
import { loadBundledKnowledgeBase } from "../kb/node.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import { makeContextualBanditPolicy } from "./contextual-bandit/weights.ts";
import {
  intervalScore,
  makeLookaheadPlanner,
  makeOneStepPlanner,
  type OraclePlanner,
  settledScore,
  yearScore,
} from "./oracle-planners.ts";
import { makeOraclePolicy } from "./oracle-policy.ts";
import { type PolyGuardPolicy, withOwnPlay } from "./own-play.ts";
import { makePlannerCriticPolicy } from "./planner-critic.ts";
import { byJ, makePlayAheadPolicy } from "./play-ahead.ts";
import { makeRandomLegalPolicy } from "./random-legal.ts";
import { makeRuleBasedPolicy } from "./rule-based.ts";
import {
  makeKeepAlwaysPolicy,
  makeRandomAnyPolicy,
  makeReviewAlwaysPolicy,
  makeStopAllPolicy,
} from "./simple-policies.ts";
import { makeClosedLoopPlanner, makeKnownPlanner, makeOpenLoopPlanner } from "./typical-patient.ts";

export type { PolyGuardPolicy } from "./own-play.ts";

/** Policies that need the observation alone, and so play over a wire as well. */
const OBSERVATION_POLICIES: Readonly<Record<string, (kb: KnowledgeBase) => PolyGuardPolicy>> = {
  random_any: makeRandomAnyPolicy,
  keep_always: makeKeepAlwaysPolicy,
  stop_all: makeStopAllPolicy,
  review_always: makeReviewAlwaysPolicy,
  rule_based: makeRuleBasedPolicy,
  planner_critic: (kb) => makePlannerCriticPolicy({ kb }),
  contextual_bandit: makeContextualBanditPolicy,
  // Doses by estimated parameters; where no drug is dosed by level it plays the rules.
  map_planner: (kb) => ({ ...makeRuleBasedPolicy(kb), name: "map_planner" }),
};

/** Planners that lookahead lives through beside its own plan: none of them may beat it by what happens. */
const LOOKAHEAD_WAYS = ["oracle_lookahead", "closed_loop", "open_loop", "oracle_year"] as const;

/** Planners of the oracles, which read the latent state of an environment in this process. */
const ORACLES: Readonly<Record<string, () => OraclePlanner>> = {
  oracle_greedy: () => makeOneStepPlanner(intervalScore),
  oracle_settled: () => makeOneStepPlanner(settledScore),
  oracle_year: () => makeOneStepPlanner(yearScore),
  oracle_lookahead: () => makeLookaheadPlanner(),
  open_loop: makeOpenLoopPlanner,
  closed_loop: makeClosedLoopPlanner,
  oracle_known: makeKnownPlanner,
};

/** Names of the observation policies. */
export const OBSERVATION_POLICY_NAMES: readonly string[] = Object.keys(OBSERVATION_POLICIES);

/** Names of the oracles: yardsticks that read what the observation hides. */
export const ORACLE_POLICY_NAMES: readonly string[] = Object.keys(ORACLES);

/** Names of all policies: baselines, then oracles. */
export const POLYGUARD_POLICIES: readonly string[] = [
  "random_legal",
  ...OBSERVATION_POLICY_NAMES,
  ...ORACLE_POLICY_NAMES,
];

/** The policy of that name, which acts on observations alone. Throws UNKNOWN_NAME with the nearest name. */
export function makeObservationPolicy(name: string, kb: KnowledgeBase = loadBundledKnowledgeBase()): PolyGuardPolicy {
  const make = OBSERVATION_POLICIES[name];
  if (make === undefined || !Object.hasOwn(OBSERVATION_POLICIES, name))
    throw unknownPolicy(name, OBSERVATION_POLICY_NAMES);
  return withOwnPlay(make(kb), { kb, env: null });
}

/**
 * The policy of that name for an environment; oracles and random_legal read the environment they play in.
 * Throws UNKNOWN_NAME with the nearest name.
 */
export function makePolyguardPolicy(name: string, env: SyncEnv): PolyGuardPolicy {
  const tools = { kb: loadBundledKnowledgeBase(), env };
  if (name === "random_legal") return withOwnPlay(makeRandomLegalPolicy(env), tools);
  if (OBSERVATION_POLICY_NAMES.includes(name)) return makeObservationPolicy(name);
  const makePlanner = Object.hasOwn(ORACLES, name) ? ORACLES[name] : undefined;
  if (makePlanner === undefined) throw unknownPolicy(name, POLYGUARD_POLICIES);
  if (name === "oracle_lookahead") {
    const ways = LOOKAHEAD_WAYS.map((way) => makeOraclePolicy(name, env, ORACLES[way]!));
    return withOwnPlay(makePlayAheadPolicy(name, env, ways, byJ), tools);
  }
  return withOwnPlay(makeOraclePolicy(name, env, makePlanner), tools);
}

function unknownPolicy(name: string, known: readonly string[]): PraxisError {
  return new PraxisError(
    "UNKNOWN_NAME",
    `Unknown policy '${name}'.${didYouMean(name, known)} Known: ${known.join(", ")}.`,
  );
}
