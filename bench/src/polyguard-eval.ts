import { bootstrap, comparePaired, type Estimate, mean, shareBetween } from "@praxis/eval";
import {
  ATTACKERS,
  type Difficulty,
  type EvaluationRow,
  evaluateEpisode,
  evaluationScenarios,
  judgeReward,
  loadPolyGuard,
  makeAttacker,
  makeHonestPolicy,
  POLYGUARD_POLICIES,
  SUB_ENVIRONMENTS,
} from "@praxis/polyguard";
import { type Evaluate, scenarioMetrics, withEvaluationFolder } from "./evaluation-run.ts";
import type { Measurement } from "./figures.ts";

/** Of the full numbers; a hundredth, say, shows that the bench runs. */
const SHARE = Number(process.env.PRAXIS_BENCH_SHARE ?? "1");
const scaled = (n: number): number => Math.max(2, Math.round(n * SHARE));
const SCENARIOS = scaled(400);
const COMPARED = scaled(200);
const HORIZON_SCENARIOS = scaled(300);
const STATES = scaled(2000);
const ATTACKED = scaled(200);
const CONTROLS = ["random_legal", "keep_always", "stop_all", "review_always"] as const;

type Report = (measurement: Measurement) => void;

/** Values of policies on the scenarios that all of them finished, in one order. */
function aligned(
  rows: readonly EvaluationRow[],
  policies: readonly string[],
  metric: string,
  sub?: string,
): number[][] {
  const own = sub === undefined ? rows : rows.filter((row) => row.subEnvironment === sub);
  const maps = policies.map((policy) => scenarioMetrics(own, policy, metric));
  const ids = [...maps[0]!.keys()].filter((id) => maps.every((map) => Number.isFinite(map.get(id)))).sort();
  return maps.map((map) => ids.map((id) => map.get(id)!));
}

/** Tasks in which `first` beats every one of `others` on task score with an interval above 0. */
function wins(rows: readonly EvaluationRow[], first: string, others: readonly string[]): readonly string[] {
  return SUB_ENVIRONMENTS.filter((sub) =>
    others.every((other) => {
      const [a, b] = aligned(rows, [first, other], "task_score", sub);
      return a!.length > 1 && comparePaired(a!, b!).difference.low > 0;
    }),
  );
}

const short = ({ mean: value, low, high }: Estimate): string =>
  `${value.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`;

function measureControls(report: Report, evaluate: Evaluate): void {
  const { rows } = evaluate({ policies: ["rule_based", ...CONTROLS], n: COMPARED });
  const won = wins(rows, "rule_based", CONTROLS);
  const lost = SUB_ENVIRONMENTS.filter((sub) => !won.includes(sub));
  report({
    id: "polyguard.rules_vs_baselines",
    value: won.length,
    unit: "of 8 tasks",
    goal: ">= 8",
    peer: null,
    n: COMPARED,
    interval: null,
    note: `medium, val; rule_based above ${CONTROLS.join(", ")} on task score, paired interval above 0${lost.length === 0 ? "" : `; not in ${lost.join(", ")}`}`,
  });
}

function measurePlanner(report: Report, evaluate: Evaluate): void {
  if (!POLYGUARD_POLICIES.includes("planner_critic")) return;
  const { rows } = evaluate({ policies: ["planner_critic", "rule_based"], n: COMPARED });
  const won = wins(rows, "planner_critic", ["rule_based"]);
  const worse = wins(rows, "rule_based", ["planner_critic"]);
  report({
    id: "polyguard.planner_vs_rules",
    value: worse.length === 0 ? won.length : 0,
    unit: "of 8 tasks",
    goal: ">= 5",
    peer: null,
    n: COMPARED,
    interval: null,
    note: `medium, val; tasks in which planner_critic beats rule_based, interval above 0; 0 where it is worse anywhere${worse.length === 0 ? "" : ` (${worse.join(", ")})`}`,
  });
}

/** Least share of the way from random to lookahead that is missed by each one-step oracle. */
const HORIZON_GOALS: Readonly<Record<Difficulty, Readonly<Record<string, number>>>> = {
  easy: { oracle_greedy: 0, oracle_settled: 0.1, oracle_year: 0 },
  medium: { oracle_greedy: 0.15, oracle_settled: 0.1, oracle_year: 0 },
  hard: { oracle_greedy: 0.25, oracle_settled: 0.1, oracle_year: 0 },
};
const NO_ORACLES = ["random_legal", "keep_always", "rule_based", "open_loop", "closed_loop"];

function measureHorizon(report: Report, evaluate: Evaluate): void {
  for (const difficulty of ["easy", "medium", "hard"] as const) {
    const greedy = HORIZON_GOALS[difficulty];
    const policies = ["oracle_lookahead", ...Object.keys(greedy), ...NO_ORACLES];
    const { rows } = evaluate({ policies, subEnvironments: ["DDI"], difficulty, n: HORIZON_SCENARIOS });
    let isMet = true;
    const notes = Object.entries(greedy).map(([policy, least]) => {
      const [score, low, high] = aligned(rows, [policy, "random_legal", "oracle_lookahead"], "j");
      const reached = shareBetween(score!, low!, high!);
      if (reached === null) return `${policy} not measured`;
      const missed = { n: reached.n, mean: 1 - reached.mean, low: 1 - reached.high, high: 1 - reached.low };
      isMet &&= least === 0 ? missed.low > 0 : missed.low >= least;
      return `${policy} ${short(missed)}`;
    });
    const means = policies.map((policy) => ({ policy, j: mean(aligned(rows, [policy], "j")[0]!) }));
    const above = means.filter(({ j }) => j > means[0]!.j);
    report({
      id: `polyguard.horizon.${difficulty}`,
      value: isMet && above.length === 0 ? 1 : 0,
      unit: "holds",
      goal: "= 1",
      peer: null,
      n: HORIZON_SCENARIOS,
      interval: null,
      note: `DDI; lookahead minus policy as share of random to lookahead: ${notes.join(", ")}; above lookahead in mean J: ${above.length === 0 ? "none" : above.map(({ policy }) => policy).join(", ")}`,
    });
  }
}

function measureTime(report: Report, evaluate: Evaluate): void {
  const wanted: Parameters<Evaluate>[0] = { policies: ["rule_based"], n: SCENARIOS };
  const cold = evaluate(wanted);
  const warm = evaluate(wanted);
  report({
    id: "polyguard.eval_minutes",
    value: warm.minutes,
    unit: "min",
    goal: "< 2",
    peer: null,
    n: warm.rows.length,
    interval: null,
    note: `8 tasks, ${SCENARIOS} scenarios each, rule_based, values of best courses cached; cold ${cold.minutes.toFixed(2)} min`,
  });
}

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

/** Quality of PolyGuard's policies and reward, and how long an evaluation takes. `PRAXIS_BENCH_SHARE=0.05` plays a twentieth. */
export async function measurePolyguardEval(report: Report): Promise<void> {
  measureRegret(report);
  await measureExploits(report);
  withEvaluationFolder((evaluate) => {
    measureTime(report, evaluate);
    measureControls(report, evaluate);
    measurePlanner(report, evaluate);
    measureHorizon(report, evaluate);
  });
}
