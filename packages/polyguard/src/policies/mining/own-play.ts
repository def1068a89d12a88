import { PraxisError } from "@praxis/env";
import type { KnowledgeBase } from "../../kb/types.ts";
import { isMining } from "../../sub-environments/bandit-mining/state.ts";
import { trueFindings } from "../../sub-environments/bandit-mining/truth.ts";
import { latentEpisode } from "../latent-episode.ts";
import type { PolicyMaker, PolyGuardPolicy } from "../own-play.ts";
import { declareTexts, makeMiningPolicy } from "./mining-policy.ts";
import { PairArms } from "./pair-arms.ts";
import { PairsMiner } from "./pairs-miner.ts";
import { makeRandomMiningPolicy } from "./random-mining.ts";
import { StructuredMiner } from "./structured-miner.ts";

/** Declares the truth at once: the oracle of mining, whatever its horizon. */
const makeTruthPolicy =
  (name: string): PolicyMaker =>
  ({ env }) => ({
    name,
    reset: () => {},
    act: (observation) => {
      if (env === null)
        throw new PraxisError("NOT_SUPPORTED", `'${name}' reads the latent state of an environment in this process.`);
      const episode = latentEpisode(env);
      if (!isMining(episode))
        throw new PraxisError("NOT_SUPPORTED", `'${name}' was asked to mine in an episode that is no mining task.`);
      return declareTexts(observation, trueFindings(episode.content));
    },
  });

const ORACLES = ["oracle_greedy", "oracle_settled", "oracle_year", "oracle_lookahead", "open_loop", "closed_loop"];

/** Mines by structure: what the team plays. */
export function makeStructuredMining(name: string, kb: KnowledgeBase): PolyGuardPolicy {
  return makeMiningPolicy(name, kb, (problem, rng) => new StructuredMiner(problem, rng));
}

/** How the named policies play BANDIT_MINING; `rule_based` tries the known pairs first and grows what it confirms. */
export const MINING_PLAY: Readonly<Record<string, PolicyMaker>> = {
  rule_based: ({ kb }) => makeMiningPolicy("rule_based", kb, (problem, rng) => new PairsMiner(problem, rng)),
  // The bandit of mining: its arms are pairs, as no list of candidates is offered here.
  contextual_bandit: ({ kb }) =>
    makeMiningPolicy("contextual_bandit", kb, (problem, rng) => new PairArms(problem, rng)),
  random_any: () => makeRandomMiningPolicy("random_any"),
  random_legal: () => makeRandomMiningPolicy("random_legal"),
  ...Object.fromEntries(ORACLES.map((name) => [name, makeTruthPolicy(name)])),
};
