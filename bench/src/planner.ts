import { Rng } from "@praxis/env";
import { bootstrap } from "@praxis/eval";
import { loadPolyGuard, makePolyguardPolicy, scoreEpisode } from "@praxis/polyguard";
import type { Measurement } from "./figures.ts";

/** Scenarios a sub-environment, of the training split, medium tier; mining takes seconds each. */
const SCENARIOS = 60;
const MINED = 12;
const FIRST_SEED = 200;

/** Sub-environments with the least difference that is asked for. */
const GOALS = [
  ["DDI", "> 0"],
  ["REGIMEN_RISK", "> 0"],
  ["WEB_SEARCH_MISSING_DATA", "> 0"],
  ["ALTERNATIVE_SUGGESTION", "> 0"],
  ["PRECISION_DOSING", "> 0"],
  ["LONGITUDINAL_DEPRESCRIBING", ">= 0"],
  ["NEW_DRUG_DECOMPOSITION", ">= 0"],
  ["BANDIT_MINING", ">= 0"],
] as const;

/** Task score of planner_critic less that of rule_based on the same scenarios, by sub-environment. */
export async function measurePlanner(report: (measurement: Measurement) => void): Promise<void> {
  const env = loadPolyGuard().makeEnv();
  const play = async (name: string, subEnvironment: string, seed: number): Promise<number> => {
    const { taskScore } = await scoreEpisode(env, makePolyguardPolicy(name, env), {
      seed,
      options: { sub_environment: subEnvironment, difficulty: "medium" },
      rng: Rng.fromSeed(seed, "policy"),
    });
    return taskScore ?? 0;
  };
  for (const [subEnvironment, goal] of GOALS) {
    const n = subEnvironment === "BANDIT_MINING" ? MINED : SCENARIOS;
    const gains: number[] = [];
    let byRules = 0;
    for (let seed = FIRST_SEED; seed < FIRST_SEED + n; seed++) {
      const rules = await play("rule_based", subEnvironment, seed);
      gains.push((await play("planner_critic", subEnvironment, seed)) - rules);
      byRules += rules / n;
    }
    const gain = bootstrap(gains);
    report({
      id: `polyguard.planner_vs_rules.${subEnvironment.toLowerCase()}`,
      value: gain.mean,
      unit: "task score",
      goal,
      peer: `rule_based: ${byRules.toFixed(3)}`,
      n,
      interval: [gain.low, gain.high],
      note: `planner_critic less rule_based on the same scenarios, medium, training split from seed ${FIRST_SEED}`,
    });
  }
  env.close();
}
