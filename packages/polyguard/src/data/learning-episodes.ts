import type { Rng } from "@praxis/env";
import { CATALOGUE, scenarioId } from "../scenario/key.ts";
import { SPLIT_SEEDS } from "../scenario/splits.ts";
import { DIFFICULTIES, type SubEnvironment } from "../scenario/types.ts";

/**
 * How often a sub-environment is drawn. assumption: mining goes on for dozens of steps with little to decide, and counts for less;
 * REGIMEN_RISK has two tasks.
 */
const WEIGHTS: Readonly<Partial<Record<SubEnvironment, number>>> = { BANDIT_MINING: 0.1, REGIMEN_RISK: 0.75 };
/** Shares of the tiers when training begins and when it ends; in between in proportion. */
const TIERS_FIRST = [0.5, 0.35, 0.15] as const;
const TIERS_LAST = [0.2, 0.4, 0.4] as const;

/** A scenario of the training or validation split: any task, and harder tiers as training goes on. */
export function learningEpisode(
  rng: Rng,
  progress: number,
  use: "train" | "validate",
): { readonly seed: number; readonly options: { readonly scenario_id: string; readonly score_task: boolean } } {
  const { task, subEnvironment } =
    CATALOGUE[rng.weightedIndex(CATALOGUE.map(({ subEnvironment }) => WEIGHTS[subEnvironment] ?? 1))]!;
  const at = Math.min(1, Math.max(0, progress));
  const tiers = TIERS_FIRST.map((share, i) => share + at * (TIERS_LAST[i]! - share));
  const split = use === "train" ? "train" : "val";
  const [first, last] = SPLIT_SEEDS[split];
  const seed = rng.integer(first, last);
  const drawn = DIFFICULTIES[rng.weightedIndex(tiers)]!;
  // Mining's larger tasks take up to a thousand steps that look alike.
  const difficulty = subEnvironment === "BANDIT_MINING" ? DIFFICULTIES[0] : drawn;
  // A best course takes half a second to plan; learners do without the score that needs one.
  return { seed, options: { scenario_id: scenarioId({ task, difficulty, split, seed }), score_task: false } };
}

/** An episode for a learner to imitate: who plays it is settled by what each comes to. */
export interface ExpertPlan {
  readonly unit: number;
  readonly scenarioId: string;
  readonly seed: number;
  /** Names of the policies that play it; the best play is kept. */
  readonly policies: readonly string[];
  readonly maxSteps: number;
}

/** Steps of mining that are worth imitating: an easy task to its declaration; what follows in larger ones looks alike. */
const MINING_STEPS = 120;
const COURSE_STEPS = 24;
/** Of five scenarios that an oracle can play, one is, and another one is played by the whole team. */
const EVERY = 5;
/** Sub-environments where J is asked for: whoever looks further ahead may do better than what is advised. */
const PLANNED: readonly SubEnvironment[] = ["REGIMEN_RISK", "WEB_SEARCH_MISSING_DATA", "DDI"];
/** Sub-environments in which the rules are never better than what is advised, or the same. */
const ADVISED_ALONE: readonly SubEnvironment[] = ["BANDIT_MINING", "ALTERNATIVE_SUGGESTION", "NEW_DRUG_DECOMPOSITION"];

/** The plan of a unit: tasks in turn, then tiers, then seeds of the training split from its first. */
export function planExpert(unit: number, dataSeed: number): ExpertPlan {
  const { task, subEnvironment } = CATALOGUE[unit % CATALOGUE.length]!;
  const round = Math.floor(unit / CATALOGUE.length);
  const [first, last] = SPLIT_SEEDS.train;
  const seed = first + ((round + dataSeed * 1009) % (last - first + 1));
  const difficulty = DIFFICULTIES[round % DIFFICULTIES.length]!;
  const isPlanned = PLANNED.includes(subEnvironment);
  const policies = [
    "advised",
    ...(ADVISED_ALONE.includes(subEnvironment) ? [] : ["rule_based"]),
    ...(isPlanned && round % EVERY === 0 ? ["oracle_lookahead"] : []),
    ...(isPlanned && round % EVERY === 2 ? ["planner_critic"] : []),
  ];
  const maxSteps = subEnvironment === "BANDIT_MINING" ? MINING_STEPS : COURSE_STEPS;
  return { unit, scenarioId: scenarioId({ task, difficulty, split: "train", seed }), seed, policies, maxSteps };
}
