import type { Rng } from "@praxis/env";
import type { KnowledgeBase } from "../../kb/types.ts";
import { makeBareScenario } from "../../scenario/bare-scenario.ts";
import type { ScenarioKey } from "../../scenario/key.ts";
import { TIERS } from "../../scenario/tiers.ts";
import type { Scenario } from "../../scenario/types.ts";
import { MINING_TIERS } from "./tiers.ts";

const GOAL =
  "Find the dangerous drug combinations of a population: probe combinations (PROBE_COMBINATION, candidate_id c_probe), then declare what you found (DECLARE_FINDINGS, candidate_id c_declare). A combination is dangerous when its mean relative risk is above 1.1. Hidden patterns of 2 to 6 drugs are dangerous as soon as more than half of a pattern is taken, the more of it the worse.";
const SUCCESS_CRITERIA = [
  "at least 90 % of the declared combinations are dangerous",
  "at least 30 % of the dangerous combinations are declared",
];

/**
 * The scenario around a mining task: one step a probe and one to declare. The patient is scenery: no drugs, no visit closes,
 * no day passes.
 */
export function miningScenario(kb: KnowledgeBase, key: ScenarioKey, rng: Rng): Scenario {
  const tier = {
    ...TIERS[key.difficulty],
    missing: 0,
    stale: 0,
    evidence: 0,
    steps: MINING_TIERS[key.difficulty].probes + 1,
    // A roll-out of KEEP, which nothing distinguishes here, need not go through hundreds of visits.
    visits: 1,
  };
  const texts = { goal: GOAL, successCriteria: SUCCESS_CRITERIA };
  return makeBareScenario({ kb, key, subEnvironment: "BANDIT_MINING", ...texts, tier, stepDays: 0 }, rng);
}
