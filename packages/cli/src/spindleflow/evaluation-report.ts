import {
  bootstrap,
  type Estimate,
  mean,
  pairedBootstrap,
  plotIntervals,
  type Report,
  type ReportTable,
  shareBetween,
  showEstimate,
} from "@praxis/eval";
import { billTasks, loadPrices, ORACLE_NAMES, type PlayedShift, type PlayedTask } from "@praxis/spindleflow";
import {
  HIGHEST,
  LOWEST,
  PLANNER_NAMES,
  type PlayedSplit,
  type PlayedWeight,
  type SpindleEvaluation,
} from "./evaluation.ts";

/** Mean over the tasks of each shift; shifts are the units of every interval. */
function perShift(shifts: readonly PlayedShift[], of: (task: PlayedTask) => number, from = 0): number[] {
  return shifts.flatMap(({ tasks }) => (tasks.length > from ? [mean(tasks.slice(from).map(of))] : []));
}

const rewardOf = ({ reward }: PlayedTask): number => reward;
const asShare = (is: boolean): number => (is ? 1 : 0);

/** Figures of a task by name, each a mean over tasks with an interval over shifts. */
const METRICS: Readonly<Record<string, (task: PlayedTask) => number>> = {
  trueQuality: ({ trueQuality }) => trueQuality,
  qualityGain: ({ qualityGain }) => qualityGain,
  specialists: ({ invoked }) => invoked,
  costUnits: ({ costUnits }) => costUnits,
  elapsedS: ({ elapsedMs }) => elapsedMs / 1000,
  slaMiss: ({ missedSla }) => asShare(missedSla),
  violations: ({ violations }) => violations,
  conflictsLeft: ({ conflictsLeft }) => conflictsLeft,
};

/** What a policy reached in a split. */
export interface PolicySummary {
  readonly split: string;
  readonly policy: string;
  /** Reward per task: of all tasks, of the first of each shift, of the others (null where shifts have one task). */
  readonly reward: Estimate;
  readonly firstTask: Estimate;
  readonly laterTasks: Estimate | null;
  /** 0: as `random`, 1: as the reference. Null where those do not differ. */
  readonly normalizedScore: Estimate | null;
  readonly regret: Estimate;
  readonly metrics: Readonly<Record<string, Estimate>>;
  /** Share of failures that were made good; null without failures. */
  readonly recovered: number | null;
  /** Shares of the choices, modes of the calls, by name. */
  readonly metaShares: Readonly<Record<string, number>>;
  readonly modeShares: Readonly<Record<string, number>>;
  readonly byClass: Readonly<Record<string, Estimate>>;
  readonly byUrgency: Readonly<Record<string, Estimate>>;
  readonly usd: { readonly judgePer1000Episodes: number; readonly modelsPer1000Episodes: number };
}

/** A paired difference of rewards per task on equal shifts. */
export interface PolicyDifference {
  readonly split: string;
  readonly policy: string;
  readonly minus: string;
  readonly reward: Estimate;
  readonly laterTasks: Estimate | null;
}

/** A policy on the plane of cost and quality. */
export interface FrontierPoint {
  readonly policy: string;
  readonly costWeight: number;
  readonly costUnits: Estimate;
  readonly trueQuality: Estimate;
  /** Reward per task before costs. */
  readonly rewardWithoutCost: Estimate;
  /** Whether no mixture of the others costs as little and reaches as much. */
  readonly isOnHull: boolean;
}

/** The whole of an evaluation in numbers. */
export interface SpindleSummary {
  readonly policies: readonly PolicySummary[];
  readonly differences: readonly PolicyDifference[];
  readonly frontier: { readonly points: readonly FrontierPoint[]; readonly area: number } | null;
  /** Scripts that are not below the reference with their whole interval, by split: then a normalised score means nothing. */
  readonly unbounded: readonly string[];
}

const shares = (names: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return Object.fromEntries(
    Object.keys(counts)
      .sort()
      .map((name) => [name, counts[name]! / names.length]),
  );
};

function groups(tasks: readonly PlayedTask[], of: (task: PlayedTask) => string): Record<string, Estimate> {
  const values: Record<string, number[]> = {};
  for (const task of tasks) {
    const name = of(task);
    values[name] ??= [];
    values[name].push(task.reward);
  }
  return Object.fromEntries(
    Object.keys(values)
      .sort()
      .map((name) => [name, bootstrap(values[name]!, { resamples: 2000 })]),
  );
}

function summarize(
  { split, policy, shifts }: PlayedSplit,
  bounds: Readonly<Record<"low" | "high", readonly PlayedShift[]>>,
): PolicySummary {
  const own = perShift(shifts, rewardOf);
  const later = perShift(shifts, rewardOf, 1);
  const [low, high] = [perShift(bounds.low, rewardOf), perShift(bounds.high, rewardOf)];
  const tasks = shifts.flatMap((shift) => shift.tasks);
  const decisions = tasks.flatMap((task) =>
    task.decisions.flatMap((decision) => (decision === null ? [] : [decision])),
  );
  const failures = tasks.reduce((sum, task) => sum + task.failures, 0);
  const bill = billTasks(
    loadPrices(),
    tasks.map(({ tokens }) => tokens),
    shifts.length,
  );
  return {
    ...{ split, policy, reward: bootstrap(own) },
    firstTask: bootstrap(shifts.map((shift) => shift.tasks[0]!.reward)),
    laterTasks: later.length === 0 ? null : bootstrap(later),
    normalizedScore: shareBetween(own, low, high),
    regret: pairedBootstrap(high, own),
    metrics: Object.fromEntries(Object.entries(METRICS).map(([name, of]) => [name, bootstrap(perShift(shifts, of))])),
    recovered: failures === 0 ? null : tasks.reduce((sum, task) => sum + task.recovered, 0) / failures,
    metaShares: shares(decisions.map(({ meta }) => meta)),
    modeShares: shares(decisions.flatMap(({ meta, mode }) => (meta === "callSpecialist" ? [mode] : []))),
    byClass: groups(tasks, (task) => task.class),
    byUrgency: groups(tasks, ({ urgent }) => (urgent ? "urgent" : "not urgent")),
    usd: {
      judgePer1000Episodes: bill.judgeUsdPer1000Episodes,
      modelsPer1000Episodes: (1000 * bill.modelUsd) / shifts.length,
    },
  };
}

/** Learned policies minus everybody else, and planners minus each other, so that the worth of memory shows. */
function differencesOf(evaluation: SpindleEvaluation, played: readonly PlayedSplit[]): PolicyDifference[] {
  const learned = evaluation.players.flatMap(({ name, player }) => ("folder" in player ? [name] : []));
  return played.flatMap(({ split, policy, shifts }) => {
    if (!learned.includes(policy) && !PLANNER_NAMES.includes(policy)) return [];
    return played.flatMap((other): PolicyDifference[] => {
      if (other.split !== split || other.policy === policy || other.policy === LOWEST) return [];
      if (!learned.includes(policy) && !PLANNER_NAMES.includes(other.policy)) return [];
      const difference = (from: number): Estimate | null => {
        const [a, b] = [perShift(shifts, rewardOf, from), perShift(other.shifts, rewardOf, from)];
        return a.length === 0 ? null : pairedBootstrap(a, b);
      };
      return [{ split, policy, minus: other.policy, reward: difference(0)!, laterTasks: difference(1) }];
    });
  });
}

/** Indices of the points on the non-decreasing concave hull of (cost, quality), by rising cost. */
export function frontierHull(points: readonly { readonly cost: number; readonly quality: number }[]): number[] {
  const order = points
    .map((_, i) => i)
    .sort((i, j) => points[i]!.cost - points[j]!.cost || points[j]!.quality - points[i]!.quality);
  const hull: number[] = [];
  for (const i of order) {
    const { cost, quality } = points[i]!;
    if (hull.length > 0 && quality <= points[hull.at(-1)!]!.quality) continue;
    while (hull.length >= 2) {
      const [a, b] = [points[hull.at(-2)!]!, points[hull.at(-1)!]!];
      if ((b.quality - a.quality) * (cost - b.cost) > (quality - b.quality) * (b.cost - a.cost)) break;
      hull.pop();
    }
    hull.push(i);
  }
  return hull;
}

function frontierOf(played: readonly PlayedWeight[]): SpindleSummary["frontier"] {
  const points = played.map(({ policy, costWeight, shifts }) => ({
    ...{ policy, costWeight },
    costUnits: bootstrap(perShift(shifts, ({ costUnits }) => costUnits)),
    trueQuality: bootstrap(perShift(shifts, ({ trueQuality }) => trueQuality)),
    rewardWithoutCost: bootstrap(perShift(shifts, ({ reward, costUnits }) => reward + costWeight * costUnits)),
  }));
  const flat = points.map(({ costUnits, trueQuality }) => ({ cost: costUnits.mean, quality: trueQuality.mean }));
  const hull = frontierHull(flat);
  let area = 0;
  hull.slice(1).forEach((i, k) => {
    const [a, b] = [flat[hull[k]!]!, flat[i]!];
    area += ((a.quality + b.quality) / 2) * (b.cost - a.cost);
  });
  const width = hull.length < 2 ? 1 : flat[hull.at(-1)!]!.cost - flat[hull[0]!]!.cost;
  return { points: points.map((point, i) => ({ ...point, isOnHull: hull.includes(i) })), area: area / width };
}

/** All numbers of an evaluation; the same for the same shifts. */
export function summarizeSpindle(
  evaluation: SpindleEvaluation,
  played: readonly PlayedSplit[],
  frontier: readonly PlayedWeight[] | null,
): SpindleSummary {
  const shiftsOf = (split: string, policy: string): readonly PlayedShift[] =>
    played.find((each) => each.split === split && each.policy === policy)!.shifts;
  const policies = played.map((each) =>
    summarize(each, { low: shiftsOf(each.split, LOWEST), high: shiftsOf(each.split, HIGHEST) }),
  );
  const scripts = new Set(evaluation.players.flatMap(({ name, player }) => ("script" in player ? [name] : [])));
  return {
    policies,
    differences: differencesOf(evaluation, played),
    frontier: frontier === null ? null : frontierOf(frontier),
    unbounded: policies.flatMap(({ split, policy, regret }) =>
      scripts.has(policy) && policy !== HIGHEST && regret.low <= 0 ? [`${policy} (${split})`] : [],
    ),
  };
}

const number = (x: number, digits = 3): string => x.toFixed(digits);
const interval = (estimate: Estimate | null | undefined, digits = 3): string =>
  estimate === null || estimate === undefined ? "–" : showEstimate(estimate, digits);

function mainTable(split: string, policies: readonly PolicySummary[]): ReportTable {
  return {
    title: `Policies, split ${split}`,
    note: `Per task, 95 % intervals over ${policies[0]!.reward.n} shifts that all policies met alike. NS: 0 is '${LOWEST}', 1 the reference, which knows what is hidden.`,
    columns: [
      "policy",
      "R",
      "R, later tasks",
      "NS",
      "regret",
      "true Q",
      "specialists",
      "cost units",
      "SLA miss",
      "violations",
      "conflicts left",
    ],
    rows: [...policies]
      .sort((a, b) => a.reward.mean - b.reward.mean)
      .map(({ policy, reward, laterTasks, normalizedScore, regret, metrics }) => [
        policy,
        interval(reward),
        interval(laterTasks),
        interval(normalizedScore, 2),
        interval(regret),
        ...[
          metrics.trueQuality,
          metrics.specialists,
          metrics.costUnits,
          metrics.slaMiss,
          metrics.violations,
          metrics.conflictsLeft,
        ].map((estimate) => number(estimate!.mean, 2)),
      ]),
  };
}

const shareTable = (
  title: string,
  policies: readonly PolicySummary[],
  of: (summary: PolicySummary) => Readonly<Record<string, number>>,
): ReportTable => {
  const names = [...new Set(policies.flatMap((each) => Object.keys(of(each))))].sort();
  return {
    ...{ title, note: "", columns: ["policy", ...names] },
    rows: policies.map((each) => [each.policy, ...names.map((name) => number(100 * (of(each)[name] ?? 0), 1))]),
  };
};

const groupTable = (
  title: string,
  policies: readonly PolicySummary[],
  of: (summary: PolicySummary) => Readonly<Record<string, Estimate>>,
): ReportTable => {
  const names = [...new Set(policies.flatMap((each) => Object.keys(of(each))))].sort();
  return {
    ...{ title, note: "", columns: ["policy", ...names] },
    rows: policies.map((each) => [each.policy, ...names.map((name) => interval(of(each)[name]))]),
  };
};

function differenceTable(split: string, differences: readonly PolicyDifference[]): ReportTable {
  return {
    title: `Differences, split ${split}`,
    note: "R per task of the first policy minus that of the second, paired by shift. Oracles know what is hidden and bound everybody.",
    columns: ["policy", "minus", "all tasks", "later tasks", "told apart"],
    rows: differences.map(({ policy, minus, reward, laterTasks }) => [
      policy,
      ORACLE_NAMES.includes(minus) ? `${minus} (oracle)` : minus,
      interval(reward),
      interval(laterTasks),
      reward.low > 0 ? "better" : reward.high < 0 ? "worse" : "no",
    ]),
  };
}

function frontierTable({ points, area }: NonNullable<SpindleSummary["frontier"]>): ReportTable {
  return {
    title: "Cost and quality",
    note: `Planners under each weight of a cost unit, the others as they are. Mean height of the hull of (cost units, true Q): ${number(area)}.`,
    columns: ["policy", "cost weight", "cost units", "true Q", "R without cost", "on the hull"],
    rows: points.map(({ policy, costWeight, costUnits, trueQuality, rewardWithoutCost, isOnHull }) => [
      ...[policy, String(costWeight), interval(costUnits, 2), interval(trueQuality), interval(rewardWithoutCost)],
      isOnHull ? "yes" : "",
    ]),
  };
}

/** The founding claim on the cost of judging 1,000 episodes, USD. */
const FOUNDING_CLAIM_USD = 8;

function moneyTable(split: string, policies: readonly PolicySummary[]): ReportTable {
  return {
    title: `Money, split ${split}`,
    note: `USD per 1,000 shifts at the prices of prices.yaml, if models did what is simulated; the founding claim for judging is ${FOUNDING_CLAIM_USD}.`,
    columns: ["policy", "judge", "specialists", "judge / claim"],
    rows: policies.map(({ policy, usd }) => [
      ...[policy, number(usd.judgePer1000Episodes, 2), number(usd.modelsPer1000Episodes, 2)],
      number(usd.judgePer1000Episodes / FOUNDING_CLAIM_USD, 2),
    ]),
  };
}

/** The report of a summary, ready to be written in any form. */
export function spindleReport(evaluation: SpindleEvaluation, summary: SpindleSummary): Report {
  const { splits, n, seed, preset, sector } = evaluation;
  const tables = splits.flatMap((split): ReportTable[] => {
    const policies = summary.policies.filter((each) => each.split === split);
    return [
      mainTable(split, policies),
      differenceTable(
        split,
        summary.differences.filter((each) => each.split === split),
      ),
      shareTable(`Choices, % of steps, split ${split}`, policies, ({ metaShares }) => metaShares),
      shareTable(`Modes, % of calls, split ${split}`, policies, ({ modeShares }) => modeShares),
      groupTable(`R by class, split ${split}`, policies, ({ byClass }) => byClass),
      groupTable(`R by urgency, split ${split}`, policies, ({ byUrgency }) => byUrgency),
      moneyTable(split, policies),
    ];
  });
  const points = summary.policies.map(({ policy, split, reward }) => ({
    row: policy,
    series: split,
    estimate: reward,
  }));
  return {
    title: "SpindleFlow evaluation",
    notice: "Specialists are simulated: what holds here need not hold of real models.",
    facts: [
      `Sector ${sector}, preset ${preset}, ${n} shifts of each split (${splits.join(", ")}), seed ${seed}.`,
      "Most likely actions; equal shifts for all policies, equal luck for equal calls.",
      ...(summary.unbounded.length === 0
        ? []
        : [
            `NOT bounded by the reference with the whole interval: ${summary.unbounded.join(", ")}. More shifts may tell them apart.`,
          ]),
    ],
    tables: [...tables, ...(summary.frontier === null ? [] : [frontierTable(summary.frontier)])],
    figures: [plotIntervals("reward", "Reward per task", points, { xLabel: "R per task", zero: true })],
  };
}
