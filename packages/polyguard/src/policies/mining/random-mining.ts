import type { Rng } from "@praxis/env";
import type { StepAction } from "../../actions/schema.ts";
import type { Observation } from "../../observation/schema.ts";
import { drawDistinct } from "../../sub-environments/bandit-mining/binomial.ts";
import { writeFinding } from "../../sub-environments/bandit-mining/findings.ts";
import { PROBE_SIZES } from "../../sub-environments/bandit-mining/tiers.ts";
import type { PolyGuardPolicy } from "../own-play.ts";
import { declareTexts, probeAction } from "./mining-policy.ts";

/** assumption: share of the steps at which the random player declares, so that an episode has some twenty probes. */
const DECLARES = 0.05;
const DECLARED_PAIRS = 5;

/** A probe of a random combination, or now and then a declaration of random pairs, which ends the episode. */
export function randomMiningAction(
  rng: Rng,
  observation: Observation,
  bandit: NonNullable<Observation["bandit"]>,
): StepAction {
  const count = bandit.drugs.length;
  if (bandit.probes_left > 0 && !rng.bernoulli(DECLARES))
    return probeAction(observation, bandit, [drawDistinct(rng, count, rng.integer(...PROBE_SIZES))]);
  const pairs = new Set<string>();
  while (pairs.size < DECLARED_PAIRS)
    pairs.add(writeFinding(bandit.drugs, { drugs: drawDistinct(rng, count, 2), isPattern: true }));
  return declareTexts(observation, [...pairs]);
}

/** Acts at random in BANDIT_MINING. */
export function makeRandomMiningPolicy(name: string): PolyGuardPolicy {
  let rng: Rng | null = null;
  return {
    name,
    reset: (episodeRng) => {
      rng = episodeRng;
    },
    act: (observation) => {
      if (rng === null) throw new Error("reset the policy before it acts");
      return observation.bandit === undefined ? { raw: "" } : randomMiningAction(rng, observation, observation.bandit);
    },
  };
}
