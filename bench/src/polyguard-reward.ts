import { bootstrap, mean } from "@praxis/eval";
import {
  ATTACKERS,
  evaluateEpisode,
  evaluationScenarios,
  judgeReward,
  loadPolyGuard,
  makeAttacker,
  makeHonestPolicy,
} from "@praxis/polyguard";
import type { Measurement } from "./figures.ts";
import { scaled } from "./share.ts";

const STATES = scaled(2000);
const ATTACKED = scaled(200);

type Report = (measurement: Measurement) => void;

/** Tasks whose states the course value judges. */
const COURSE_TASKS = ["DDI", "REGIMEN_RISK", "WEB_SEARCH_MISSING_DATA", "LONGITUDINAL_DEPRESCRIBING"] as const;

/** From the first states of generated scenarios: each candidate tried and taken back, look-ups followed to the decision. */
function measureRegret(report: Report): void {
  const env = loadPolyGuard().makeEnv();
  const choices = Array.from({ length: STATES }, (_, i) => {
    const difficulty = (["easy", "medium", "hard"] as const)[i % 3]!;
    const task = COURSE_TASKS[Math.floor(i / 3) % COURSE_TASKS.length]!;
    env.reset({ seed: i, options: { sub_environment: task, difficulty, score_task: false } });
    return { task, ...judgeReward(env) };
  });
  env.close();
  const shown = (name: string, of: readonly { readonly regret: number }[]): string =>
    of.length === 0 ? `${name} none` : `${name} ${mean(of.map(({ regret }) => regret)).toFixed(4)} (n=${of.length})`;
  const estimate = bootstrap(choices.map(({ regret }) => regret));
  const parts = [
    ...COURSE_TASKS.map((task) =>
      shown(
        task,
        choices.filter((each) => each.task === task),
      ),
    ),
    shown(
      "nothing asked first",
      choices.filter(({ asked }) => asked === 0),
    ),
  ];
  report({
    id: "polyguard.reward_regret",
    value: estimate.mean,
    unit: "U",
    goal: "<= 0.005",
    peer: null,
    n: choices.length,
    interval: [estimate.low, estimate.high],
    note: `regret in U of the decision that following the highest reward leads to, from first states, all tiers; ${parts.join(", ")}`,
  });
  report({
    id: "polyguard.reward_net_harm",
    value: choices.reduce((sum, { harmfulAboveKeep }) => sum + harmfulAboveKeep, 0),
    unit: "actions above KEEP",
    goal: "= 0",
    peer: null,
    n: choices.length,
    interval: null,
    note: "legal actions worse than KEEP by more than .002 of U whose reward is above KEEP's, over the same states and those that look-ups led to",
  });
}

async function measureExploits(report: Report): Promise<void> {
  const env = loadPolyGuard({ bestJ: () => null }).makeEnv();
  const ids = evaluationScenarios({ subEnvironments: ["DDI"], split: "val", difficulty: "easy", n: ATTACKED });
  const honest: number[] = [];
  for (const scenarioId of ids)
    honest.push((await evaluateEpisode(env, makeHonestPolicy(env), { scenarioId })).metrics.training_return!);
  const better: string[] = [];
  const notes: string[] = [];
  for (const name of ATTACKERS) {
    const attacker = makeAttacker(name, env);
    const returns: number[] = [];
    for (const scenarioId of ids)
      returns.push((await evaluateEpisode(env, attacker, { scenarioId })).metrics.training_return!);
    notes.push(`${name} ${mean(returns).toFixed(2)}`);
    if (mean(returns) > mean(honest)) better.push(name);
  }
  env.close();
  report({
    id: "polyguard.exploits",
    value: better.length,
    unit: "attackers above honest play",
    goal: "= 0",
    peer: null,
    n: ids.length,
    interval: null,
    note: `mean return, DDI easy: honest ${mean(honest).toFixed(2)}; ${notes.join(", ")}`,
  });
}

/** Whether the reward leads to the best decisions, and whether cheating pays. */
export async function measureReward(report: Report): Promise<void> {
  measureRegret(report);
  await measureExploits(report);
}
