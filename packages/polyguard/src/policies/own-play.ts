import type { Policy, SyncEnv } from "@praxis/env";
import type { StepAction } from "../actions/schema.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import type { Observation } from "../observation/schema.ts";
import type { SubEnvironment } from "../scenario/types.ts";
import { ALTERNATIVE_PLAY } from "./alternative/own-play.ts";
import { DEPRESCRIBING_PLAY } from "./deprescribing/own-play.ts";
import { DOSING_PLAY } from "./dosing/own-play.ts";
import { MINING_PLAY } from "./mining/own-play.ts";
import { makeResolvingOracle } from "./missing-data-oracle.ts";
import { MISSING_DATA_RULES } from "./missing-data-rules.ts";
import { NEW_DRUG_PLAY } from "./new-drug/play.ts";
import { REGIMEN_PLAY } from "./regimen/own-play.ts";
import { makeChartPolicy } from "./rule-based.ts";

/** A policy that plays PolyGuard. */
export interface PolyGuardPolicy extends Policy<StepAction, Observation> {
  /** What it would declare now if the probes ended; absent or null = it does not mine by findings. Changes nothing. */
  findings?(): readonly string[] | null;
}

/** What a policy is made with. */
export interface PlayTools {
  readonly kb: KnowledgeBase;
  /** The environment it plays in, where that is in this process; oracles and random_legal need it. */
  readonly env: SyncEnv | null;
}

/** Makes the policy that plays under a name in one sub-environment. */
export type PolicyMaker = (tools: PlayTools) => PolyGuardPolicy;

/**
 * Policies that play a sub-environment in another way than the general policy of that name does: by sub-environment, then
 * by name.
 */
const OWN_PLAY: Readonly<Partial<Record<SubEnvironment, Readonly<Record<string, PolicyMaker>>>>> = {
  ALTERNATIVE_SUGGESTION: ALTERNATIVE_PLAY,
  BANDIT_MINING: MINING_PLAY,
  LONGITUDINAL_DEPRESCRIBING: DEPRESCRIBING_PLAY,
  PRECISION_DOSING: DOSING_PLAY,
  REGIMEN_RISK: REGIMEN_PLAY,
  NEW_DRUG_DECOMPOSITION: NEW_DRUG_PLAY,
  WEB_SEARCH_MISSING_DATA: {
    rule_based: ({ kb }) => makeChartPolicy("rule_based", kb, MISSING_DATA_RULES),
    oracle_lookahead: makeResolvingOracle,
  },
};

/** The general policy, with the own play of whichever sub-environment an observation is of. Each is made when first needed. */
export function withOwnPlay(general: PolyGuardPolicy, tools: PlayTools): PolyGuardPolicy {
  const made = new Map<SubEnvironment, PolyGuardPolicy>();
  let playing: PolyGuardPolicy | null = null;
  let begin: ((policy: PolyGuardPolicy) => void) | null = null;
  return {
    // What a policy has beside playing, such as a transcript, stays reachable.
    ...general,
    reset: (rng) => {
      playing = null;
      begin = (policy) => policy.reset(rng);
    },
    act: (observation, info) => {
      if (playing === null) {
        playing = policyFor(observation.sub_environment);
        begin?.(playing);
      }
      return playing.act(observation, info);
    },
    findings: () => playing?.findings?.() ?? null,
  };

  function policyFor(sub: SubEnvironment): PolyGuardPolicy {
    const makers = OWN_PLAY[sub];
    const make = makers !== undefined && Object.hasOwn(makers, general.name) ? makers[general.name] : undefined;
    if (make === undefined) return general;
    let policy = made.get(sub);
    if (policy === undefined) {
      policy = make(tools);
      made.set(sub, policy);
    }
    return policy;
  }
}
