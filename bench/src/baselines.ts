import { bootstrap, comparePaired, type Estimate, mean, showEstimate } from "@praxis/eval";
import { DIFFICULTIES, SUB_ENVIRONMENTS, type SubEnvironment } from "@praxis/polyguard";
import { scenarioMetrics, withEvaluationFolder } from "./evaluation-run.ts";
import type { Measurement } from "./figures.ts";
import { scaled } from "./share.ts";

/** Policies that the rules have to beat. */
const CONTROLS = ["random_legal", "keep_always", "stop_all", "review_always"] as const;
/** Baselines of the table, in its order. */
const BASELINES = [...CONTROLS, "rule_based", "contextual_bandit", "planner_critic", "oracle_lookahead"] as const;
type Baseline = (typeof BASELINES)[number];

const SCENARIOS = scaled(100);
const DIFFICULTY = DIFFICULTIES[1];
/** Where the planner has to be better than the rules, in tasks; in the others it may not be worse. */
const LEAST_BETTER = 5;
/** What a mean may stand above the oracle's and still be rounding. */
const TOLERANCE = 1e-9;

/** Task scores of a sub-environment by policy and scenario. */
type Scores = ReadonlyMap<Baseline, ReadonlyMap<string, number>>;

/** One policy's task score less another's, on the scenarios that both finished. */
function difference(scores: Scores, a: Baseline, b: Baseline): Estimate {
  const [first, second] = [scores.get(a)!, scores.get(b)!];
  const ids = [...first.keys()].filter((id) => second.has(id)).sort();
  return comparePaired(
    ids.map((id) => first.get(id)!),
    ids.map((id) => second.get(id)!),
  ).difference;
}

/**
 * Task score of each baseline in each sub-environment on the same scenarios of `val`, medium; then what they have to show:
 * rules above the controls everywhere, the planner above the rules in most tasks and below in none, the oracle above all.
 */
export async function measureBaselines(report: (measurement: Measurement) => void): Promise<void> {
  const all = new Map<SubEnvironment, Scores>();
  withEvaluationFolder((evaluate) => {
    for (const sub of SUB_ENVIRONMENTS) {
      const { rows } = evaluate({ policies: BASELINES, subEnvironments: [sub], difficulty: DIFFICULTY, n: SCENARIOS });
      const scores: Scores = new Map(BASELINES.map((policy) => [policy, scenarioMetrics(rows, policy, "task_score")]));
      all.set(sub, scores);
      for (const policy of BASELINES) {
        const own = [...scores.get(policy)!.values()];
        if (own.length === 0) continue;
        const estimate = bootstrap(own);
        report({
          id: `polyguard.baselines.${sub.toLowerCase()}.${policy}`,
          value: estimate.mean,
          unit: "task score",
          goal: null,
          peer:
            policy === "rule_based"
              ? null
              : `less rule_based ${showEstimate(difference(scores, policy, "rule_based"))}`,
          n: own.length,
          interval: [estimate.low, estimate.high],
          note: "",
        });
      }
    }
  });
  reportRules(report, all);
  reportPlanner(report, all);
  reportOracle(report, all);
}

type Report = (measurement: Measurement) => void;
type All = ReadonlyMap<SubEnvironment, Scores>;

const shared = { unit: "of 8 tasks", peer: null, n: SCENARIOS, interval: null };

function reportRules(report: Report, all: All): void {
  const lost = [...all].filter(([, scores]) =>
    CONTROLS.some((control) => difference(scores, "rule_based", control).low <= 0),
  );
  report({
    ...shared,
    id: "polyguard.rules_vs_baselines",
    value: all.size - lost.length,
    goal: ">= 8",
    note: `medium, val; rule_based above ${CONTROLS.join(", ")} on task score, paired interval above 0${lost.length === 0 ? "" : `; not in ${lost.map(([sub]) => sub).join(", ")}`}`,
  });
}

function reportPlanner(report: Report, all: All): void {
  const gains = [...all].map(([sub, scores]) => ({
    sub,
    n: scores.get("rule_based")!.size,
    gain: difference(scores, "planner_critic", "rule_based"),
  }));
  for (const { sub, gain, n } of gains)
    report({
      ...shared,
      id: `polyguard.planner_vs_rules.${sub.toLowerCase()}`,
      value: gain.mean,
      unit: "task score",
      goal: null,
      n,
      interval: [gain.low, gain.high],
      note: "planner_critic less rule_based on the same scenarios, val, medium",
    });
  const worse = gains.filter(({ gain }) => gain.high < 0);
  report({
    ...shared,
    id: "polyguard.planner_vs_rules",
    value: worse.length > 0 ? 0 : gains.filter(({ gain }) => gain.low > 0).length,
    goal: `>= ${LEAST_BETTER}`,
    note: `medium, val; tasks in which planner_critic beats rule_based, interval above 0; 0 where it is worse anywhere${worse.length === 0 ? "" : ` (${worse.map(({ sub }) => sub).join(", ")})`}`,
  });
}

function reportOracle(report: Report, all: All): void {
  const above = [...all].flatMap(([sub, scores]) => {
    const bound = mean([...scores.get("oracle_lookahead")!.values()]) + TOLERANCE;
    return BASELINES.filter((policy) => mean([...scores.get(policy)!.values()]) > bound).map(
      (policy) => `${policy} in ${sub}`,
    );
  });
  report({
    ...shared,
    id: "polyguard.oracle_bounds",
    value: above.length,
    unit: "policies above",
    goal: "= 0",
    note: `medium, val; mean task scores above oracle_lookahead's${above.length === 0 ? "" : `: ${above.join(", ")}`}`,
  });
}
