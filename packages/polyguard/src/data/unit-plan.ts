import { type ScenarioKey, scenarioId } from "../scenario/key.ts";
import { subEnvironmentOfTask, TASKS } from "../scenario/source.ts";
import { SPLIT_SEEDS } from "../scenario/splits.ts";
import { DIFFICULTIES, type SubEnvironment } from "../scenario/types.ts";

/** Splits that training data is made of. */
export const DATA_SPLITS = ["train", "val"] as const;

/** A split that training data is made of. */
export type DataSplit = (typeof DATA_SPLITS)[number];

/** Whose decisions an episode shows: the teacher that plans on known facts, or the agents' planner. */
export type Teacher = "oracle_known" | "planner_critic";

/** One episode to play for training data. */
export interface UnitPlan {
  readonly unit: number;
  readonly scenarioId: string;
  readonly split: DataSplit;
  readonly teacher: Teacher;
  /** Name of the policy that plays. */
  readonly policy: string;
}

/** Of ten units one is of `val`, and of five one is played by the planner; both are coprime with tasks and tiers. */
const VAL_EVERY = 10;
const PLANNER_EVERY = 5;
/** Spreads data seeds over the scenario seeds; prime to both ranges. */
const SEED_STRIDE = 1009;

/** Policies that teach where the known-facts oracle plans nothing of the task; all act on the observation alone. */
const OWN_TEACHERS: Readonly<Partial<Record<SubEnvironment, string>>> = {
  ALTERNATIVE_SUGGESTION: "rule_based",
  BANDIT_MINING: "rule_based",
  NEW_DRUG_DECOMPOSITION: "rule_based",
  PRECISION_DOSING: "map_planner",
};

/**
 * The episode of a unit: tasks and tiers in turn, no scenario twice in the first 90,000 units of a data seed. The same unit
 * and seed always give the same plan, so units can be played anywhere in any order.
 */
export function planUnit(unit: number, dataSeed: number): UnitPlan {
  const split: DataSplit = unit % VAL_EVERY === VAL_EVERY - 1 ? "val" : "train";
  const task = TASKS[unit % TASKS.length]!;
  const round = Math.floor(unit / TASKS.length);
  const [first, last] = SPLIT_SEEDS[split];
  const offset = (dataSeed * SEED_STRIDE + Math.floor(round / DIFFICULTIES.length)) % (last - first + 1);
  const key: ScenarioKey = {
    task,
    difficulty: DIFFICULTIES[round % DIFFICULTIES.length]!,
    split,
    seed: first + offset,
  };
  const teacher: Teacher = unit % PLANNER_EVERY === 2 ? "planner_critic" : "oracle_known";
  return { unit, scenarioId: scenarioId(key), split, teacher, policy: policyOf(teacher, subEnvironmentOfTask(task)) };
}

function policyOf(teacher: Teacher, sub: SubEnvironment): string {
  return teacher === "oracle_known" ? (OWN_TEACHERS[sub] ?? teacher) : teacher;
}
